"""Which format a file is of: by what its first records hold, never by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from memd.errors import HistoryImportError
from memd.importers import chatgpt, claude_ai, codex, exported, gemini, jsonl, mem0, opencode, reader
from memd.importers.gathering import Gathering, Wanted
from memd.importers.reader import HEAD, DataFile
from memd.importers.records import is_transcripts

CLAUDE_CODE = "claude-code"

_MOST_RECORDS = 20
_ENOUGH_BYTES = 1 << 20  # once something fits
_MOST_BYTES = 256 << 20


class Format(NamedTuple):
    """A foreign format: whether a record is of it, and how a file of it is read."""

    fits: Callable[[Mapping[str, object]], bool]
    read: Callable[[DataFile, Gathering], Iterator[int]]


FORMATS = {
    "chatgpt": Format(chatgpt.fits, chatgpt.read),
    "claude-ai": Format(claude_ai.fits, claude_ai.read),
    "mem0": Format(mem0.fits, mem0.read),
    "codex": Format(codex.fits, codex.read),
    "gemini": Format(gemini.fits, gemini.read),
    "opencode": Format(lambda record: False, opencode.read),
    "memd": Format(exported.fits, exported.read),
    "jsonl": Format(jsonl.fits, jsonl.read),
}
NAMES = (CLAUDE_CODE, *FORMATS)
# What is told to a person who looks for a format to name. memd's own export is known by itself, and memctl takes it by
# no name.
TOLD = tuple(name for name in NAMES if name != "memd")


def format_of(file: DataFile, wanted: Wanted) -> str | None:
    """The one format that fits a file; None where none does. HistoryImportError where two do."""
    with file.opened() as stream:
        head = stream.read(HEAD)
    if head.startswith(opencode.MAGIC):
        return "opencode" if opencode.holds(Path(file.place)) else None
    if head.lstrip(b"\xef\xbb\xbf \t\r\n\v\f\0")[:1] not in (b"{", b"["):
        return None
    found = _formats(file, wanted)
    if len(found) > 1:
        raise HistoryImportError(
            f"it holds records of {' and of '.join(sorted(found))}: name one of them with --format"
        )
    return found.pop() if found else None


def _formats(file: DataFile, wanted: Wanted) -> set[str]:
    """The formats of the first records; plain messages count where nothing says more."""
    found: set[str] = set()
    try:
        for number, raw in enumerate(reader.records(file, wanted.limits, wanted.pulse), 1):
            if isinstance(raw.value, dict):
                found.update(_fitting(raw.value))
            if number >= _MOST_RECORDS or raw.end > (_ENOUGH_BYTES if found else _MOST_BYTES):
                break
    except HistoryImportError:
        if not found:  # else it is told of when the file is read
            raise
    return found - {"jsonl"} if len(found) > 1 else found


def _fitting(record: Mapping[str, object]) -> list[str]:
    if is_transcripts(record):
        return [CLAUDE_CODE]
    fitting = [name for name, format_ in FORMATS.items() if format_.fits(record)]
    return fitting[:1] if fitting[-1:] == ["jsonl"] else fitting
