"""A zip archive that came from elsewhere: checked before anything in it is unpacked.

Its list of members is counted before it is read, names are labels and never paths, links and archives inside are left
alone, and what a member says of its size is held against what it gives.
"""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import IO

from memd.errors import HistoryImportError
from memd.importers import zstd
from memd.importers.gathering import Wanted
from memd.importers.limits import ImportLimits
from memd.importers.reader import DataFile, Stream

MAGIC = b"PK\x03\x04"
EMPTY = b"PK\x05\x06"

_MIB = 1 << 20
_ENTRY = b"PK\x01\x02"
_PACKED = (MAGIC, EMPTY, zstd.MAGIC, b"\x1f\x8b")  # the last is that of gzip
_END_BYTES = 22 + (1 << 16)  # the record at the end, and the longest comment behind it
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_LONGEST_NAME = 120
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)


def members(
    file: IO[bytes], label: str, place: str, wanted: Wanted, passed_over: list[str]
) -> list[DataFile]:
    """The members that may hold history; ``passed_over`` hears of those that are left alone though they may, and why.

    HistoryImportError where the archive is unsafe or broken.
    """
    limits = wanted.limits
    size = os.fstat(file.fileno()).st_size
    _count(file, size, limits)
    try:
        archive = zipfile.ZipFile(file)
    except _BROKEN as error:
        raise HistoryImportError(f"it is a broken archive, or one that is cut off: {error}") from None
    found = [
        info for info in archive.infolist() if _may_hold_history(archive, info, size, wanted, passed_over)
    ]
    if sum(info.file_size for info in found) > max(_MIB, size * limits.max_zip_ratio):
        raise HistoryImportError(
            "its members share their bytes and unpack to far too many, as a zip bomb does",
            limit="max_zip_ratio",
        )
    return [
        DataFile(f"{label}: {_shown(info.filename)}", place, info.file_size, _opener(archive, info))
        for info in found
    ]


def _count(file: IO[bytes], size: int, limits: ImportLimits) -> None:
    """Refuse an archive that lists too much, whatever number it gives itself, before its list is held in memory."""
    entries, tail = 0, b""
    file.seek(_directory(file, size))
    while piece := file.read(_MIB):
        entries += (tail + piece).count(_ENTRY)
        tail = piece[-len(_ENTRY) + 1 :]
        if entries > limits.max_zip_members:
            most = f"{limits.max_zip_members:,} members"
            raise HistoryImportError(f"it is an archive of more than {most}", limit="max_zip_members")


def _directory(file: IO[bytes], size: int) -> int:
    """Where the list of members begins; the front where that cannot be told, which counts no fewer."""
    front = max(0, size - _END_BYTES)
    file.seek(front)
    tail = file.read(_END_BYTES)
    end = tail.rfind(EMPTY)
    length, offset = (int.from_bytes(tail[end + at : end + at + 4], "little") for at in (12, 16))
    return max(0, min(offset, front + end - length)) if end >= 0 else 0


def _may_hold_history(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, size: int, wanted: Wanted, passed_over: list[str]
) -> bool:
    wanted.pulse()
    if info.is_dir() or not info.file_size:
        return False
    name = _shown(info.filename)
    if stat.S_ISLNK(info.external_attr >> 16):
        passed_over.append(f"its member {name} is a link, which is not followed")
        return False
    if info.flag_bits & 1:
        raise HistoryImportError(f"its member {name} is encrypted: unpack it with its password first")
    if info.compress_type not in _METHODS:
        raise HistoryImportError(f"its member {name} is packed in a way that is not read: unpack it first")
    named_json = info.filename.lower().endswith((".json", ".jsonl"))
    head = b"" if named_json else _head(archive, info)
    if named_json or head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"["):
        _check(info, name, size, wanted.limits)
        return True
    if head.startswith(_PACKED):
        passed_over.append(f"its member {name} is packed itself: unpack the archive, and import that member")
    return False


def _check(info: zipfile.ZipInfo, name: str, size: int, limits: ImportLimits) -> None:
    if info.file_size > limits.max_file_bytes:
        raise HistoryImportError(
            f"its member {name} holds {info.file_size:,} bytes, more than the {limits.max_file_bytes:,} of the limit",
            limit="max_file_bytes",
        )
    packed = min(info.compress_size, size)
    if info.file_size > _MIB and info.file_size > packed * limits.max_zip_ratio:
        raise HistoryImportError(
            f"its member {name} unpacks to {info.file_size // max(packed, 1):,} times its size, as a zip bomb does",
            limit="max_zip_ratio",
        )


def _head(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    with _opener(archive, info)() as stream:
        return stream.read(16)


class _Member:
    """The bytes of a member; what ails it is said in our words."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def read(self, size: int, /) -> bytes:
        with _readable():
            return self._stream.read(size)


def _opener(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], AbstractContextManager[Stream]]:
    @contextmanager
    def opened() -> Iterator[Stream]:
        with _readable():
            stream = archive.open(info)
        with stream:
            yield _Member(stream)

    return opened


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        raise HistoryImportError(f"it is damaged or cut off inside the archive: {error}") from None


def _shown(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
