"""The way of a damaged database aside, and of the salvaged one into its place.

    memd.db.damaged          says why memd.db must be salvaged: found while memd ran, done by its next start
    memd.db.part             the salvaged database while it is filled; the next start throws it away
    memd.db.salvaged         the same once it is whole
    memd.db.corrupt-<time>   the damaged one, kept until its owner removes it

Each step is one rename: wherever a kill falls, the next start goes on from there.
"""

from __future__ import annotations

import os
from pathlib import Path

_COMPANIONS = ("-wal", "-shm")


def condemn(path: Path, why: str) -> None:
    """Leave word for the next start; where even that cannot be written, its own check must find the damage."""
    try:
        _beside(path, ".damaged").write_text(why + "\n", "utf-8")
    except OSError:
        pass


def condemned(path: Path) -> str | None:
    """Why the database must be salvaged; None where nobody left word."""
    try:
        return _beside(path, ".damaged").read_text("utf-8", "replace").strip() or "damaged"
    except FileNotFoundError:
        return None


def part(path: Path) -> Path:
    """Where the salvaged database is filled."""
    return _beside(path, ".part")


def name(path: Path, moment: str) -> Path:
    """Where a database that was found damaged at this moment (ISO 8601) is put."""
    return _beside(path, f".corrupt-{moment.replace(':', '').replace('-', '')}")


def swap(path: Path, aside: Path) -> None:
    """Put the damaged database aside and the filled one into its place."""
    _sync(part(path))
    part(path).replace(_beside(path, ".salvaged"))
    path.replace(aside)
    _settle(path, aside)


def finish(path: Path) -> None:
    """Go on with a swap that was cut short, and clear away a database that was not filled to its end."""
    part(path).unlink(missing_ok=True)
    if _beside(path, ".salvaged").exists():
        if path.exists():
            _beside(path, ".salvaged").unlink()
        else:
            _settle(path, max(kept(path), default=_beside(path, ".corrupt-unknown")))


def kept(path: Path) -> list[Path]:
    """The damaged databases that lie aside, oldest first."""
    found = path.parent.glob(f"{path.name}.corrupt-*")
    return sorted(one for one in found if not one.name.endswith(_COMPANIONS))


def _settle(path: Path, aside: Path) -> None:
    """What belongs to the damaged database follows it, before the new one could take it for its own."""
    for companion in _COMPANIONS:
        if (left := _beside(path, companion)).exists():
            left.replace(_beside(aside, companion))
    _beside(path, ".salvaged").replace(path)
    _sync(path.parent)
    _beside(path, ".damaged").unlink(missing_ok=True)


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
