"""What it takes to change a service, as values: decided first, then shown or done, in this order."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from memctl import terminal
from memctl.exits import DONE, REFUSED, Failure
from memd.wire.visible import visible


@dataclass(frozen=True, slots=True)
class Folder:
    """Make a folder that only its owner can enter, where it is missing."""

    path: str


@dataclass(frozen=True, slots=True)
class Write:
    """Write a file, over an older one."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove a file, where it is there."""

    path: str


@dataclass(frozen=True, slots=True)
class Run:
    """Run a program. ``otherwise`` is what to say where it fails; with ``may_fail`` that is no failure."""

    command: tuple[str, ...]
    otherwise: str = ""
    may_fail: bool = False


@dataclass(frozen=True, slots=True)
class Show:
    """Run a program whose output is the answer; memctl ends with 1 where it ends with anything but 0."""

    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Say:
    """Tell the user something."""

    text: str


Step = Folder | Write | Remove | Run | Show | Say


def record(step: Step) -> dict[str, object]:
    """The step for JSON."""
    return {"step": type(step).__name__.lower(), **asdict(step)}


def describe(steps: Sequence[Step]) -> str:
    """What would be written and run."""
    return visible("".join(_described(step) for step in steps))


def _described(step: Step) -> str:
    match step:
        case Folder(path):
            return f"make the folder {path}\n"
        case Write(path, text):
            return f"write {path}\n" + "".join(f"    {line}".rstrip() + "\n" for line in text.splitlines())
        case Remove(path):
            return f"remove {path}\n"
        case Run(command) | Show(command):
            return f"run {shlex.join(command)}\n"
        case Say():  # what holds only once all of it is done
            return ""


def perform(steps: Sequence[Step], *, quiet: bool) -> tuple[int, str]:
    """Do them until one fails; the exit code, and with ``quiet`` what would have been shown and said."""
    kept: list[str] = []
    for step in steps:
        match step:
            case Folder(path):
                os.makedirs(path, mode=0o700, exist_ok=True)
            case Write(path, text):
                _write(path, text)
            case Remove(path):
                if os.path.lexists(path):
                    os.unlink(path)
            case Run():
                _run(step)
            case Show(command):
                done = _started(command, capture=quiet)
                if quiet:
                    kept.append(done.stdout.decode(errors="replace"))
                if done.returncode:
                    return REFUSED, "".join(kept)
            case Say(text):
                if quiet:
                    kept.append(f"{text}\n")
                else:
                    terminal.write(f"{text}\n")
    return DONE, "".join(kept)


def _write(path: str, text: str) -> None:
    """All of it or nothing: a supervisor may read it at any moment."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    fresh = f"{path}.new"
    with open(fresh, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(fresh, path)


def _run(step: Run) -> None:
    try:
        done = _started(step.command, capture=True)
        said = done.stderr.decode(errors="replace").strip().split("\n")[0]
        failed = f"`{shlex.join(step.command)}` failed: {said}" if done.returncode else ""
    except Failure as failure:
        failed = failure.message
    if failed and not step.may_fail:
        raise Failure(REFUSED, step.otherwise or failed)


def _started(command: Sequence[str], *, capture: bool) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=capture, check=False)
    except OSError as error:
        raise Failure(REFUSED, f"`{command[0]}` cannot be run: {error.strerror}") from None
