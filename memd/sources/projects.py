"""Which project a working directory belongs to, read from the files git keeps; git itself is never run.

A repository is one project, with all its worktrees; a submodule is one of its own. Without a repository the directory
itself is the project, but for a worktree that Claude Code made in a repository's ``.claude``: its path tells. Nothing
here raises: a directory that is gone, forbidden or nonsense is just its own project.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_SMALL = 4096  # of the files of git that are read here, no honest one is longer
_LARGE = 64 << 10  # but its settings
_CORE_WORKTREE = re.compile(r"^\s*worktree\s*=\s*(.+?)\s*$", re.MULTILINE | re.IGNORECASE)
_SEPARATORS = re.compile(r"[/\\]")
_OWN_WORKTREES = "/.claude/worktrees/"
_GIT_FOLDERS = (".git", ".bare", "")
_TRUNKS = frozenset({"main", "master"})


@dataclass(frozen=True, slots=True)
class Project:
    """A project: ``path`` is its identity, ``name`` what people call it."""

    name: str
    path: str
    origin: Literal["git", "cwd", "folder"]


@dataclass(frozen=True, slots=True)
class _Checkout:
    """A directory with a ``.git`` in it, and the git directory that this one means."""

    top: str
    git_dir: str


def identify(cwd: str) -> Project:
    """The project of a working directory: its repository where it lies in one, else the directory itself."""
    checkout = _checkout(cwd)
    path = _main_folder(checkout) if checkout else None
    if path is None or not os.path.isdir(path):
        top, made, _ = cwd.partition(_OWN_WORKTREES)
        return identify(top) if made and top else _plain(cwd)
    path = os.path.realpath(path)
    name = os.path.basename(path)
    return Project(_printable(name.removesuffix(".git") or path), _printable(path), "git")


def whole(folder: str) -> str:
    """The path of the project that a folder is: of its repository at the top of a checkout, else the folder's own."""
    checkout = _checkout(folder)
    if checkout is not None and checkout.top == os.path.realpath(folder):
        return identify(folder).path
    return os.path.normpath(folder)


def current_branch(cwd: str) -> str | None:
    """The branch checked out at a working directory; None where there is none."""
    checkout = _checkout(cwd)
    head = _read(checkout.git_dir, "HEAD") if checkout else None
    if head is None or not head.startswith("ref: refs/heads/"):
        return None
    branch = head.removeprefix("ref: refs/heads/").strip()
    if branch in ("", ".invalid"):  # the second: it is kept elsewhere, in a reftable
        return None
    return _printable(branch)


def branch_scope(cwd: str) -> str | None:
    """The branch that an entry may be bound to at a working directory; None on the trunk, where it is the project's."""
    branch = current_branch(cwd)
    return None if branch in _TRUNKS else branch


def worktrees(repository: str) -> list[str]:
    """The folders of a repository's worktrees as git lists them, until pruned also those that are gone."""
    found: list[str] = []
    for listed in (os.path.join(repository, inner, "worktrees") for inner in _GIT_FOLDERS):
        for name in _names(listed):
            marker = _read(os.path.join(listed, name), "gitdir")
            if marker is not None and marker.strip():
                found.append(os.path.dirname(os.path.normpath(os.path.join(listed, name, marker.strip()))))
    return found


def git_config(folder: str) -> str | None:
    """What git has written down of the repository that a project is; None where it is none, or cannot be read."""
    checkout = _checkout(folder)
    places = [os.path.join(folder, inner) for inner in _GIT_FOLDERS]
    if checkout is not None and checkout.top == os.path.realpath(folder):
        places.insert(0, checkout.git_dir)
    found = (
        _read(place, "config", _LARGE) for place in places if os.path.isfile(os.path.join(place, "HEAD"))
    )
    return next((text for text in found if text is not None), None)


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except (OSError, ValueError):
        return []


def _plain(cwd: str) -> Project:
    windows = re.match(r"[A-Za-z]:[\\/]|\\\\", cwd)
    path = cwd.rstrip("\\/" if windows else "/") or cwd
    name = (_SEPARATORS.split(path) if windows else path.split("/"))[-1]
    return Project(name or path, path, "cwd")


def _checkout(cwd: str) -> _Checkout | None:
    """The nearest checkout at or above a directory that exists."""
    if not cwd.startswith("/") or "\0" in cwd or not os.path.isdir(cwd):
        return None
    for folder in _upwards(os.path.realpath(cwd)):
        marker = os.path.join(folder, ".git")
        if os.path.isdir(marker):
            git_dir: str | None = marker
        elif os.path.isfile(marker):
            git_dir = _pointed_to(folder)
        else:
            continue
        if git_dir and os.path.isfile(os.path.join(git_dir, "HEAD")):
            return _Checkout(folder, git_dir)
    return None


def _upwards(folder: str) -> Iterator[str]:
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def _pointed_to(folder: str) -> str | None:
    """Where a ``.git`` that is a file says the git directory is."""
    text = _read(folder, ".git")
    if text is None or not text.startswith("gitdir:"):
        return None
    return os.path.join(folder, text.removeprefix("gitdir:").strip())


def _main_folder(checkout: _Checkout) -> str:
    """The folder that stands for the repository: for a worktree that of the main checkout."""
    shared = _read(checkout.git_dir, "commondir")
    if shared is None:
        return checkout.top
    common = os.path.normpath(os.path.join(checkout.git_dir, shared.strip()))
    if os.path.basename(common).startswith("."):  # .git, or a hidden bare repository beside its worktrees
        return os.path.dirname(common)
    elsewhere = _CORE_WORKTREE.search(_read(common, "config") or "")  # a submodule's checkout
    return os.path.join(common, elsewhere[1].strip('"')) if elsewhere else common


def _read(folder: str, name: str, most: int = _SMALL) -> str | None:
    """The start of a small file; None where it cannot be read."""
    path = os.path.join(folder, name)
    if not os.path.isfile(path):  # to open a FIFO would wait for a writer
        return None
    try:
        with open(path, "rb") as file:
            text = os.fsdecode(file.read(most))
    except (OSError, ValueError):
        return None
    return None if "\0" in text else text


def _printable(path: str) -> str:
    """A path as text that any store takes; bytes that are no UTF-8 stand escaped."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
