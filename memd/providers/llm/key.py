"""The key of a language model's provider: from the environment, else from a file that only its owner can read."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memd.errors import ModelUnauthorized

VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
MOST_BYTES = 4096
_TOKEN = "sk-ant-oat"  # how a token begins that a login gave; all else is a key


@dataclass(frozen=True, slots=True)
class Key:
    """A key, or a token that a login gave, never both; and where it was found."""

    source: str
    api_key: str | None = field(default=None, repr=False)
    auth_token: str | None = field(default=None, repr=False)


def is_there(env: Mapping[str, str], file: Path | None) -> bool:
    """Whether there is a key, without reading it."""
    return any(env.get(name) for name in VARIABLES) or (file is not None and file.exists())


def find(env: Mapping[str, str], file: Path | None) -> Key:
    """The key. ModelUnauthorized where there is none that may be used."""
    key, token = (env.get(name) for name in VARIABLES)
    if key:
        return Key(VARIABLES[0], api_key=key)
    if token:
        return Key(VARIABLES[1], auth_token=token)
    if file is None:
        raise ModelUnauthorized(
            "there is no key: set ANTHROPIC_API_KEY or llm.key_file, then: memctl service restart"
        )
    held = _read(file)
    return Key(str(file), auth_token=held) if held.startswith(_TOKEN) else Key(str(file), api_key=held)


def _read(file: Path) -> str:
    try:
        with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as opened:
            _refuse_shared(file, os.fstat(opened.fileno()))
            held = opened.read(MOST_BYTES).decode("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ModelUnauthorized(f"{file} (llm.key_file) cannot be read: {type(error).__name__}") from error
    if not held or not held.isprintable() or " " in held:
        raise ModelUnauthorized(f"{file} (llm.key_file) holds no key: it is to be the one word in it")
    return held


def _refuse_shared(file: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.getuid():
        raise ModelUnauthorized(f"{file} (llm.key_file) is not a file of yours")
    if status.st_mode & 0o077:
        raise ModelUnauthorized(f"{file} (llm.key_file) can be read by others: chmod 600 {file}")
