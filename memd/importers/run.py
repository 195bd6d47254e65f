"""Going through the files of a foreign history: what they hold comes out in pieces of a size for one commit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from memd.errors import HistoryImportError
from memd.importers import detect, source
from memd.importers.gathering import Gathering, NotOfFormat, Session
from memd.importers.reader import DataFile
from memd.importers.source import Found

_LONGEST_SILENCE = 8 << 20  # bytes without a word


class Batch(NamedTuple):
    """Pieces of sessions from a file; ``done`` is how many bytes of all files are read."""

    file: DataFile
    sessions: list[Session]
    done: int


def batches(found: Found, into: Gathering) -> Iterator[Batch]:
    """The batches of all files. What fails in a file goes to the errors, and what came before it stays.

    HistoryImportError for a record that is refused, and where there is one file and nothing in it can be read.
    """
    before = 0
    for file in found.files:
        into.next_file()
        try:
            for at in _stops(file, found.format or "", into):
                yield Batch(file, into.take(), before + at)
        except (HistoryImportError, OSError) as error:
            failure = source.named(file.label, error, into.wanted)
            if isinstance(error, NotOfFormat) or (len(found.files) == 1 and into.is_empty):
                yield Batch(file, into.take(), before)
                raise failure from None
            found.errors.append(failure)
        before += file.size
        yield Batch(file, into.take(), before)


def _stops(file: DataFile, format_: str, into: Gathering) -> Iterator[int]:
    """Read the file; where to stop and hand over what is gathered."""
    last = 0
    for at in detect.FORMATS[format_].read(file, into):
        if into.full or at - last > _LONGEST_SILENCE:
            last = at
            yield min(at, file.size)
