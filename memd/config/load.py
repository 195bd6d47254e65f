"""Loading settings: defaults, then config.toml, then the environment; each value remembers where it came from.

An unknown key or a bad value is a ConfigError (exit 78) that says where, what was found and what is allowed.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from memd.config import edit
from memd.config.settings import Key, Settings, build, keys, sections
from memd.errors import ConfigError

NAMED = {
    "MEMD_EMBEDDER": "embedding.embedder",
    "MEMD_LOG_FORMAT": "log.format",
    "MEMD_LOG_LEVEL": "log.level",
}


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings in force, and by dotted name where those that are no defaults came from."""

    settings: Settings
    values: Mapping[str, object]
    origins: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Described:
    """A setting as ``config list`` shows it."""

    key: str
    value: object
    default: object
    origin: str
    doc: str
    allowed: str


def load(file: Path, env: Mapping[str, str]) -> Loaded:
    """The settings of this file (which need not be there) and this environment."""
    values: dict[str, object] = {}
    origins: dict[str, str] = {}
    for source in (_from_file(file), _from_environment(env)):
        for name, (value, origin) in source.items():
            values[name], origins[name] = value, origin
    return Loaded(build(values), values, origins)


def describe(loaded: Loaded) -> list[Described]:
    """Every setting with its value, default, origin and rule."""
    return [
        Described(
            name,
            key.rule.shown(loaded.values.get(name, key.default)),
            key.default,
            loaded.origins.get(name, "default"),
            key.rule.doc,
            key.rule.allowed(key.kind),
        )
        for name, key in keys().items()
    ]


def set_value(file: Path, name: str, text: str) -> None:
    """Write one setting into the file; its other lines and comments stay as they are."""
    key = _known(name, "this command")
    _write(file, key, _parsed(key, text, "this command"))


def change_list(file: Path, name: str, changed: Callable[[Sequence[str]], Sequence[str]]) -> Sequence[str]:
    """Write what ``changed`` makes of a list in the file, as it stands there now; the new list."""
    key = _known(name, "this command")
    standing, _ = _from_file(file).get(name, (key.default, ""))
    value = _checked(
        key, list(changed([str(text) for text in cast(Sequence[str], standing)])), "this command"
    )
    _write(file, key, value)
    return cast(Sequence[str], value)


def _write(file: Path, key: Key, value: object) -> None:
    before = _read(file)
    standing = _settings_in(before, file)  # a file that is wrong already is said to be, not made worse
    after = edit.with_value(before, key.section, key.name, value)
    meant = {**{dotted: held for dotted, (held, _) in standing.items()}, key.dotted: value}
    if _meant(after) != meant:
        raise ConfigError(
            f"{file} writes {key.dotted} in a way that is not changed from here; edit it by hand"
        )
    build(meant)  # settings that hold only together are refused, too
    _replace(file, after)


def _meant(text: str) -> dict[str, object] | None:
    """The settings of a text by dotted name, unchecked; None where it is no TOML."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
    return {
        f"{section}.{name}": tuple(value) if isinstance(value, list) else value
        for section, entries in document.items()
        for name, value in entries.items()
    }


def _replace(file: Path, text: str) -> None:
    """Put the text in the file's place in one step; a link stays a link."""
    file = Path(os.path.realpath(file))
    new = file.with_name(f".{file.name}.{os.getpid()}.new")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as out:
            os.fchmod(out.fileno(), 0o600)
            out.write(text.encode())
            out.flush()
            os.fsync(out.fileno())
        os.replace(new, file)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise ConfigError(f"{file} cannot be written: {error.strerror or error}") from error


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{file} is no UTF-8 text: byte {error.start} is 0x{error.object[error.start]:02x}"
        ) from error
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror or error}") from error


def _from_file(file: Path) -> dict[str, tuple[object, str]]:
    return _settings_in(_read(file), file)


def _settings_in(text: str, file: Path) -> dict[str, tuple[object, str]]:
    """The settings of a file's text by dotted name, each with the place it stands at."""
    try:
        document = tomllib.loads(text)
    except (
        ValueError,
        RecursionError,
    ) as error:  # besides TOMLDecodeError: a number of 5,000 digits, deep nesting
        raise ConfigError(f"{file} is no TOML: {error}") from error
    found: dict[str, tuple[object, str]] = {}
    for section, entries in document.items():
        if not isinstance(entries, dict):
            where = _place(file, edit.line_of(text, section))
            raise ConfigError(f"{where}: {section} stands outside any section; write it below [section]")
        if section not in sections():
            where = _place(file, edit.line_of(text, section))
            raise ConfigError(f"{where}: there is no section [{section}]; {_hint(section, sections())}")
        for name, value in entries.items():
            where = _place(file, edit.line_of(text, section, name))
            key = _known(f"{section}.{name}", where)
            found[key.dotted] = (_checked(key, value, where), where)
    return found


def _place(file: Path, line: int | None) -> str:
    return f"{file}:{line}" if line else str(file)


def _from_environment(env: Mapping[str, str]) -> dict[str, tuple[object, str]]:
    found: dict[str, tuple[object, str]] = {}
    for variable, text in env.items():
        if variable.startswith("MEMD_") and "__" in variable:
            section, _, name = variable.removeprefix("MEMD_").lower().partition("__")
            key = _known(f"{section}.{name}", f"the environment's {variable}")
            found[key.dotted] = (_parsed(key, text, variable), f"environment {variable}")
    for variable, dotted in NAMED.items():
        if env.get(variable):
            found[dotted] = (_parsed(keys()[dotted], env[variable], variable), f"environment {variable}")
    return found


def _known(name: str, where: str) -> Key:
    key = keys().get(name)
    if key is None:
        raise ConfigError(f"{where}: there is no setting {name!r}; {_hint(name, keys())}")
    return key


def _hint(name: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(name, known, 1, 0.5)
    return f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"


def _parsed(key: Key, text: str, where: str) -> object:
    """A value from text, as the environment and the command line have it."""
    word = text.strip()
    if key.kind is bool and word.lower() in ("true", "1", "yes", "on", "false", "0", "no", "off"):
        return word.lower() in ("true", "1", "yes", "on")
    if key.kind is int and re.fullmatch(r"[+-]?\d{1,18}", word):
        return _checked(key, int(word), where)
    if key.kind is float and re.fullmatch(r"[+-]?\d{1,9}(\.\d{1,9})?", word):
        return _checked(key, float(word), where)
    if key.kind is tuple:
        return _checked(key, [part for part in word.split(os.pathsep) if part], where)
    return _checked(key, text if key.kind is not str else word, where)


def _checked(key: Key, value: object, where: str) -> object:
    if isinstance(value, list) and key.kind is tuple:
        value = tuple(value)
    if type(value) is int and key.kind is float:
        value = float(value)
    if type(value) is not key.kind or not key.rule.takes(value):
        raise ConfigError(
            f"{where}: {key.dotted} is {key.rule.shown(value)!r}; allowed: {key.rule.allowed(key.kind)}"
        )
    return value
