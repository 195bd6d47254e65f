"""Loading settings: defaults, then config.toml, then the environment; each value remembers where it came from.

An unknown key or a bad value is a ConfigError (exit 78) that says where, what was found and what is allowed.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memd.config.settings import Key, Settings, build, keys
from memd.errors import ConfigError

_SECTION = r"[ \t]*\[?"

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
            loaded.values.get(name, key.default),
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
    value = _parsed(key, text, "this command")
    before = _read(file)
    _from_file(file)  # a file that is wrong already is said to be, not made worse
    after = _with(before, key, value)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = file.with_name(file.name + ".new")
    new.write_text(after, "utf-8")
    new.chmod(0o600)
    os.replace(new, file)


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}") from error


def _from_file(file: Path) -> dict[str, tuple[object, str]]:
    text = _read(file)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is no TOML: {error}") from error
    found: dict[str, tuple[object, str]] = {}
    for section, entries in document.items():
        where = f"{file}{_line(text, _SECTION + re.escape(section))}"
        if not isinstance(entries, dict):
            raise ConfigError(f"{where}: {section} stands outside any section; write it below [section]")
        for name, value in entries.items():
            where = f"{file}{_line(text, '[ ]*' + re.escape(name) + '[ ]*=')}"
            key = _known(f"{section}.{name}", where)
            found[key.dotted] = (_checked(key, value, where), where)
    return found


def _line(text: str, pattern: str) -> str:
    match = re.search(rf"^{pattern}", text, re.MULTILINE)
    return f":{text.count(chr(10), 0, match.start()) + 1}" if match else ""


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
        near = difflib.get_close_matches(name, keys(), 1, 0.5)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(keys())}"
        raise ConfigError(f"{where}: there is no setting {name!r}; {hint}")
    return key


def _parsed(key: Key, text: str, where: str) -> object:
    """A value from text, as the environment and the command line have it."""
    word = text.strip()
    if key.kind is bool and word.lower() in ("true", "1", "yes", "on", "false", "0", "no", "off"):
        return word.lower() in ("true", "1", "yes", "on")
    if key.kind is int and re.fullmatch(r"[+-]?\d{1,18}", word):
        return _checked(key, int(word), where)
    return _checked(key, text if key.kind is not str else word, where)


def _checked(key: Key, value: object, where: str) -> object:
    if type(value) is not key.kind or not key.rule.takes(value):
        raise ConfigError(f"{where}: {key.dotted} is {value!r}; allowed: {key.rule.allowed(key.kind)}")
    return value


def _with(text: str, key: Key, value: object) -> str:
    """The file's text with the setting in it."""
    written = f"{key.name} = {_toml(value)}"
    section = re.search(rf"^[ \t]*\[{re.escape(key.section)}\][^\n]*(\n|\Z)", text, re.MULTILINE)
    if section is None:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}[{key.section}]\n{written}\n"
    following = re.compile(r"^[ \t]*\[", re.MULTILINE).search(text, section.end())
    end = following.start() if following else len(text)
    inside = text[section.end() : end]
    line = re.compile(rf"^[ \t]*{re.escape(key.name)}[ \t]*=[^\n]*", re.MULTILINE)
    inside = line.sub(lambda _: written, inside, count=1) if line.search(inside) else f"{written}\n{inside}"
    opening = text[: section.end()]
    return (opening if opening.endswith("\n") else opening + "\n") + inside + text[end:]


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
