"""Observation logs: ``<UTC day>.jsonl``, a record a line of what a model extracted from a stretch of a session.

A record is known by the name of its file, its position there and its bytes: a copy of the folder holds the same
records. Nothing a line holds raises; what is no record is for the reader to count.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import NamedTuple

from memd.importers import lines, timestamps
from memd.sources import tail
from memd.sources.scan import Survey

CATEGORIES = (
    "facts",
    "preferences",
    "decisions",
    "procedures",
    "bugs_fixed",
    "entities",
    "relationships",
)
FIELDS = frozenset(
    (
        *("content", "importance", "scope", "context"),
        *("name", "entity_type", "type", "source", "target", "relationship_type"),
    )
)
TURNS = "turns"
MOST_TURNS = 100  # of an item
_ID = re.compile(r"[\w.:-]{1,100}")
_DAY = re.compile(rb"(\d{4}-\d\d-\d\d)\.jsonl")
_TRUNKS = frozenset({"main", "master"})
_MOST_TRIGGER = 100

Record = dict[str, object]


class LogFile(NamedTuple):
    """A log on disk."""

    path: bytes
    stat: os.stat_result


@dataclass(frozen=True, slots=True)
class Observation:
    """A record: when and why it was captured, where, and what was extracted: the known fields, by category."""

    key: bytes
    day: str
    position: int
    at_ms: int
    trigger: str
    project: str | None
    branch: str | None
    extraction: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Batch:
    """What a record is about, without its bodies: how many items of each category; those without any are left out."""

    timestamp: str | None
    trigger: str | None
    project: str | None
    branch: str | None
    counts: Mapping[str, int]


def files(folder: bytes, survey: Survey) -> Iterator[LogFile]:
    """The logs in a folder; a missing folder has none."""
    try:
        with os.scandir(folder) as listing:
            entries = [entry for entry in listing if _is_log(entry.name)]
    except FileNotFoundError:
        return
    except OSError as error:
        survey.unreadable[folder] = error.strerror or type(error).__name__
        return
    for entry in sorted(entries, key=lambda entry: entry.name):
        try:
            info = entry.stat(follow_symlinks=False)
        except OSError:
            continue  # it went away meanwhile
        if stat.S_ISREG(info.st_mode):
            yield LogFile(entry.path, info)
        else:
            survey.ignored += 1


def record_of(line: bytes) -> Record | None:
    """The object that a line is; None where it is none."""
    try:
        value = lines.value_of(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def identity(name: str, position: int, line: bytes) -> bytes:
    """What a record is known by, wherever its file lies."""
    digest = sha256(f"{len(name.encode())}:{name}:{position}:".encode())
    digest.update(line)
    return digest.digest()[:16]


def observation_of(name: str, position: int, line: bytes, record: Record) -> Observation | None:
    """The observation of a line; None where it extracted nothing that could be read, or tells no time."""
    extraction, day = record.get("extraction"), name.removesuffix(".jsonl")
    at_ms = timestamps.milliseconds(record.get("timestamp"))
    at_ms = timestamps.milliseconds(f"{day}T00:00:00Z") if at_ms is None else at_ms
    if not isinstance(extraction, dict) or at_ms is None:
        return None
    branch = _text(record.get("branch"))
    return Observation(
        key=identity(name, position, line),
        day=day,
        position=position,
        at_ms=at_ms,
        trigger=(_text(record.get("trigger")) or "unknown")[:_MOST_TRIGGER],
        project=_text(record.get("project")),
        branch=None if branch in _TRUNKS else branch,
        extraction=known_fields(extraction),
    )


def known_fields(extraction: Mapping[str, object]) -> Record:
    """What the format knows of an extraction; of any other field nobody can tell what it would keep.

    An item that is neither text nor object is left as an empty object, and so keeps its place.
    """
    return {
        name: [_known(item) for item in value] if isinstance(value, list) else _known(value)
        for name in CATEGORIES
        if (value := extraction.get(name)) is not None
    }


def _known(item: object) -> object:
    if isinstance(item, str):
        return item
    fields = item.items() if isinstance(item, dict) else ()
    known = {key: value for key, value in fields if key in FIELDS and not isinstance(value, dict | list)}
    return {**known, **_turns(item)}


def _turns(item: object) -> Record:
    """The ids of the turns that an item rests on, where memd wrote them down."""
    said = item.get(TURNS) if isinstance(item, dict) else None
    ids = (
        [one for one in said if isinstance(one, str) and _ID.fullmatch(one)] if isinstance(said, list) else []
    )
    return {TURNS: ids[:MOST_TURNS]} if ids else {}


def daily_batches(folders: Iterable[bytes], day: str) -> list[Batch]:
    """The records of a day, in the order of its files; lines that are none are left out."""
    return [_batch(record) for record in records(folders, day)]


def is_day(text: str) -> bool:
    """True of what a log can be named after: YYYY-MM-DD, of a day that there is."""
    return _is_log(os.fsencode(f"{text}.jsonl"))


def records(folders: Iterable[bytes], day: str) -> list[Record]:
    """What the records of a day say, as it stands in the files."""
    name = os.fsencode(f"{day}.jsonl")
    if not is_day(day):
        return []
    read = (record_of(line) for folder in folders for line in _lines(os.path.join(folder, name)))
    return [record for record in read if record is not None]


def counts(extraction: object) -> dict[str, int]:
    """How many items of each category there are; those without any are left out."""
    if not isinstance(extraction, Mapping):
        return {}
    sizes = {name: items_in(extraction.get(name)) for name in CATEGORIES}
    return {name: len(items) for name, items in sizes.items() if items}


def items_in(value: object) -> list[object]:
    """The items of a category: the list that it should be, else the one thing that stands there instead."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _is_log(name: bytes) -> bool:
    found = _DAY.fullmatch(name)
    try:
        return found is not None and bool(date.fromisoformat(found[1].decode()))
    except ValueError:
        return False


def _lines(path: bytes) -> list[bytes]:
    """Every line of a log; none where it cannot be read."""
    try:
        descriptor, _ = tail.open_regular(path)
        with os.fdopen(descriptor, "rb") as file:
            return [line for line in file.read().split(b"\n") if line.strip()]
    except OSError:
        return []


def _batch(record: Record) -> Batch:
    return Batch(
        timestamp=_text(record.get("timestamp")),
        trigger=_text(record.get("trigger")),
        project=_text(record.get("project")),
        branch=_text(record.get("branch")),
        counts=counts(record.get("extraction")),
    )


def _text(value: object) -> str | None:
    """A text that is none of blanks, without NULs; else None."""
    if not isinstance(value, str):
        return None
    return value.replace("\0", " ").strip() or None
