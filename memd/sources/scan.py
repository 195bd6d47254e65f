"""Scans: what lies under the watched roots, and what of it differs from the cursors (R3).

``<root>/<slug>/<uuid>.jsonl`` is a session; subagents' files are taken where the settings ask for it, else counted.
Links, FIFOs, devices and folders with such names are passed over and counted. Nothing is opened here.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

_UUID = rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_SESSION = re.compile(_UUID + rb"\.jsonl", re.IGNORECASE)
_SESSION_DIR = re.compile(_UUID, re.IGNORECASE)
_AGENT = re.compile(rb"agent-(.+)\.jsonl", re.DOTALL)


class Stat(Protocol):
    """What the stat of a file tells of whether it changed."""

    @property
    def st_dev(self) -> int: ...

    @property
    def st_ino(self) -> int: ...

    @property
    def st_size(self) -> int: ...

    @property
    def st_mtime_ns(self) -> int: ...


class Found(NamedTuple):
    """A transcript on disk: its path, the session its name tells, and the agent where a subagent wrote it.

    ``format`` is the program's that wrote it; the files of others than Claude Code tell of their sessions themselves.
    """

    path: bytes
    stat: Stat
    session: str
    agent: str | None = None
    format: str = "claude-code"


@dataclass(slots=True)
class Survey:
    """What a scan passed over, by reason, and the folders it could not read with the reason.

    ``memories``: the folders of Claude Code's own memory files that it came by.
    """

    subagents: int = 0
    ignored: int = 0
    unreadable: dict[bytes, str] = field(default_factory=dict)
    memories: list[bytes] = field(default_factory=list)


def transcripts(root: bytes, survey: Survey, *, subagents: bool = False) -> Iterator[Found]:
    """Every transcript one folder below ``root``; a missing root has none."""
    for folder in _entries(root, survey):
        if folder.is_dir(follow_symlinks=False):
            yield from _of_project(folder.path, survey, subagents)


def in_folder(folder: bytes, survey: Survey, *, subagents: bool = False) -> Iterator[Found]:
    """The transcripts of one project's folder."""
    if not os.path.islink(folder):
        yield from _of_project(folder, survey, subagents)


def _of_project(folder: bytes, survey: Survey, subagents: bool) -> Iterator[Found]:
    for entry in _entries(folder, survey):
        name = entry.name
        if _SESSION.fullmatch(name):
            if info := _regular(entry, survey):
                yield Found(entry.path, info, name[:-6].decode())
        elif agent := _AGENT.fullmatch(name):
            survey.subagents += 1
            if subagents and (info := _regular(entry, survey)):
                yield Found(entry.path, info, "", agent[1].decode("utf-8", "replace"))
        elif _SESSION_DIR.fullmatch(name) and entry.is_dir(follow_symlinks=False):
            yield from _of_agents(entry.path, name.decode(), survey, subagents)
        elif name.endswith(b".jsonl"):
            survey.ignored += 1  # a transcript's name is its session's id
        elif name == b"memory":
            survey.memories.append(entry.path)


def _of_agents(folder: bytes, session: str, survey: Survey, subagents: bool) -> Iterator[Found]:
    inner = os.path.join(folder, b"subagents")
    if not os.path.isdir(inner) or os.path.islink(inner):
        return
    for entry in _entries(inner, survey):
        if agent := _AGENT.fullmatch(entry.name):
            survey.subagents += 1
            if subagents and (info := _regular(entry, survey)):
                yield Found(entry.path, info, session, agent[1].decode("utf-8", "replace"))


def _regular(entry: os.DirEntry[bytes], survey: Survey) -> os.stat_result | None:
    """The state of a regular file; None of anything else, which is counted, and of what is gone."""
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError:
        return None  # it went away between the listing and the look; the next scan will not see it
    if stat.S_ISREG(info.st_mode):
        return info
    survey.ignored += 1
    return None


def _entries(folder: bytes, survey: Survey) -> list[os.DirEntry[bytes]]:
    try:
        with os.scandir(folder) as listing:
            return list(listing)
    except FileNotFoundError:
        return []
    except OSError as error:
        survey.unreadable[folder] = error.strerror or type(error).__name__
        return []


def place(root: bytes, path: bytes, *, subagents: bool = False) -> tuple[str, str | None] | None:
    """Session and agent of a path by its place under ``root``; None where it is no transcript of ours."""
    if not path.startswith(root.rstrip(b"/") + b"/"):
        return None
    parts = path[len(root.rstrip(b"/")) + 1 :].split(b"/")
    if len(parts) == 2 and _SESSION.fullmatch(parts[1]):
        return parts[1][:-6].decode(), None
    agent = _AGENT.fullmatch(parts[-1])
    if not subagents or not agent:
        return None
    if len(parts) == 2:
        return "", agent[1].decode("utf-8", "replace")
    if len(parts) == 4 and parts[2] == b"subagents" and _SESSION_DIR.fullmatch(parts[1]):
        return parts[1].decode(), agent[1].decode("utf-8", "replace")
    return None


def resolved(root: str, path: str) -> bytes | None:
    """A path as it lies under ``root``, links resolved; None where it leads out of it. Nothing is opened."""
    if not path.startswith("/") or "\0" in path:
        return None
    top, real = os.path.realpath(root), os.path.realpath(path)
    inside = real.startswith(top.rstrip("/") + "/")
    return os.fsencode(os.path.join(root, os.path.relpath(real, top))) if inside else None


def project_of(root: bytes, path: bytes, *, subagents: bool = False) -> bytes | None:
    """The project's folder to look through when a folder appears at the path; None where none of ours can be in it."""
    top = root.rstrip(b"/") + b"/"
    slug, *inner = path[len(top) :].split(b"/") if path.startswith(top) else [b""]
    agents = subagents and inner and _SESSION_DIR.fullmatch(inner[0]) and inner[1:] in ([], [b"subagents"])
    return top + slug if slug and (not inner or agents) else None
