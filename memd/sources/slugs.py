"""Slugs: how Claude Code names the folder of a project after its path, and which path a slug stands for.

Over the UTF-16 code units of the path, each that is no ASCII letter or digit becomes a dash. Of more than 200 the first
200 stay, and a hash of the path stands behind them; which hash has changed with the client's versions. A slug does not
tell its path for sure, so it is sought among the folders that there are.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

KEPT = 200
MOST_FOUND = 1_000

_OTHER = re.compile(r"[^A-Za-z0-9]")
_CUT = re.compile(r"-[0-9a-z]+")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class _Place(NamedTuple):
    """A folder: where it lies, its path below the root that was asked about, and that path with its dashes."""

    folder: str
    path: str
    dashed: str


def dashed(path: str) -> str:
    """The path with a dash for every code unit that is no ASCII letter or digit."""
    return _OTHER.sub(lambda other: "--" if other[0] > "\uffff" else "-", path)


def munge_path(path: str) -> str:
    """The slug of a path."""
    whole = dashed(path)
    return whole if len(whole) <= KEPT else f"{whole[:KEPT]}-{_hash(path)}"


def fits(slug: str, path: str) -> bool:
    """True where the slug may be that of the path; of a long one the hash is not asked, for versions differ in it."""
    whole = dashed(path)
    if len(whole) <= KEPT:
        return slug == whole
    return slug[:KEPT] == whole[:KEPT] and bool(_CUT.fullmatch(slug[KEPT:]))


def resolve_slug(slug: str, root: Path = Path("/")) -> Path | None:
    """The folder below ``root`` that the slug stands for; None where none fits.

    Where several do: one whose hash fits, then one with a git repository, then the first by name.
    """
    if len(slug) < 2 or not slug.startswith("-"):
        return None
    found = list(islice(_candidates(slug, _Place(str(root), "", "")), MOST_FOUND))
    best = min(found, key=lambda place: _doubt(slug, place), default=None)
    return None if best is None else Path(best.folder)


def _doubt(slug: str, place: _Place) -> tuple[bool, bool]:
    return munge_path(place.path) != slug, not os.path.lexists(os.path.join(place.folder, ".git"))


def _candidates(slug: str, above: _Place) -> Iterator[_Place]:
    """Folders that fit, in the order of their names; a way that leads nowhere is gone back."""
    stem = slug[:KEPT]
    for name in _folders(above.folder):
        place = _Place(
            os.path.join(above.folder, name), f"{above.path}/{name}", f"{above.dashed}-{dashed(name)}"
        )
        if fits(slug, place.path):
            yield place
        if len(place.dashed) > KEPT:
            goes_on = len(slug) > KEPT and place.dashed.startswith(stem)
        else:
            goes_on = slug.startswith(place.dashed + "-")
        if goes_on:
            yield from _candidates(slug, place)


def _folders(folder: str) -> list[str]:
    """The folders in a folder; links are not followed, for the client writes down paths without any."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _hash(path: str) -> str:
    """The client's hash of a path: 31 times what was, plus the next code unit, as a signed number of 32 bits."""
    value = 0
    for (unit,) in struct.iter_unpack("<H", path.encode("utf-16-le", "surrogatepass")):
        value = (value * 31 + unit) & 0xFFFFFFFF
    return _base36(value if value < 1 << 31 else (1 << 32) - value)


def _base36(number: int) -> str:
    digits = ""
    while number or not digits:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits
