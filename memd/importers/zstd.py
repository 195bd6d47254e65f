"""Files that were packed with zstd, where this Python can unpack them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import IO, cast

from memd.errors import HistoryImportError
from memd.importers.reader import Stream

MAGIC = b"\x28\xb5\x2f\xfd"


class _Unpacked:
    """The bytes behind the packing; what ails it is said in our words."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def read(self, size: int, /) -> bytes:
        try:
            return self._stream.read(size)
        except Exception as error:  # each library has errors of its own, none of which we can import for sure
            raise HistoryImportError(f"its packing is damaged or cut off: {error}") from None


@contextmanager
def unpacked(file: IO[bytes]) -> Iterator[Stream]:
    """What the file holds. HistoryImportError where nothing here can unpack it."""
    yield _Unpacked(_library()(file))


def _library() -> Callable[[IO[bytes]], Stream]:
    try:
        return cast("Callable[[IO[bytes]], Stream]", import_module("compression.zstd").ZstdFile)
    except ImportError:
        pass  # Python before 3.14
    try:
        library = import_module("zstandard")
    except ImportError:
        raise HistoryImportError(
            "it is packed with zstd, which needs the extra memd[zstd], or Python 3.14"
        ) from None
    return partial(library.ZstdDecompressor().stream_reader, read_across_frames=True)
