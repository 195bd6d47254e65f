"""What lies at a path that was given: files on disk, links never followed, or the members of an archive."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from memd.errors import HistoryImportError, NotFound
from memd.importers import archive, detect, zstd
from memd.importers.gathering import Wanted
from memd.importers.reader import DataFile, Stream
from memd.importers.regular import NotAFile, open_regular

DEEPEST = 32


class Found:
    """The files at a path with their formats, told apart by content; ``errors`` are of those that cannot be read."""

    def __init__(self, format_: str | None, files: list[DataFile], errors: list[HistoryImportError]) -> None:
        self.format, self.files, self.errors = format_, files, errors

    @property
    def size(self) -> int:
        """Bytes to read."""
        return sum(file.size for file in self.files)


@contextmanager
def opened(path: str, format_: str, wanted: Wanted) -> Iterator[Found]:
    """What is to be imported, of one format: the one that is asked for, else (``auto``) the one that is there.

    HistoryImportError where nothing fits, or files of several formats do.
    """
    root = os.path.realpath(os.fsencode(path))
    passed_over: list[str] = []
    if os.path.isdir(root):
        yield _sorted_out(path, format_, _walk(root, passed_over), wanted, passed_over)
    elif not os.path.exists(root):
        raise NotFound(f"there is nothing at {path}")
    else:
        with _file(root, path, wanted, passed_over) as files:
            if format_ != "auto" and len(files) == 1:
                yield Found(format_, files, [])
            else:
                yield _sorted_out(path, format_, files, wanted, passed_over)


def _sorted_out(
    path: str, format_: str, files: Iterable[DataFile], wanted: Wanted, passed_over: list[str]
) -> Found:
    """The files of the format, or of the only one there is."""
    found: dict[str, list[DataFile]] = {}
    errors: list[HistoryImportError] = []
    for file in files:
        wanted.pulse()
        try:
            if name := detect.format_of(file, wanted):
                found.setdefault(name, []).append(file)
        except (HistoryImportError, OSError) as error:
            errors.append(named(file.label, error, wanted))
    if format_ == "auto" and len(found) > 1:
        raise HistoryImportError(
            f"{path} holds history of {' and of '.join(sorted(found))}: name one of them with --format"
        )
    name = next(iter(found), None) if format_ == "auto" else format_
    if name is None or name not in found:
        raise _nothing(path, format_, errors, passed_over)
    return Found(name, found[name], errors)


def _nothing(
    path: str, format_: str, errors: list[HistoryImportError], passed_over: list[str]
) -> HistoryImportError:
    if len(errors) == 1:
        return errors[0]
    known = ", ".join(detect.TOLD)
    kind = f"of a format that memd knows ({known})" if format_ == "auto" else f"of the format {format_}"
    more = f" ({len(errors)} files cannot be read, the first: {errors[0]})" if errors else ""
    if passed_over:
        others = f" ({len(passed_over) - 1} more were passed over)" if len(passed_over) > 1 else ""
        more += f"; {passed_over[0]}{others}"
    return HistoryImportError(
        f"{path} holds no history {kind}{more}", limit=errors[0].limit if errors else None
    )


def named(label: str, error: HistoryImportError | OSError, wanted: Wanted) -> HistoryImportError:
    """What is wrong with a file, and how the caller raises the limit that it is over, where it is over one."""
    if isinstance(error, OSError):
        return HistoryImportError(f"{label}: {error.strerror or type(error).__name__}")
    advice = ""
    if error.limit and wanted.option:
        advice = f"; if you trust the file, raise the limit with {wanted.option(error.limit)}"
    return HistoryImportError(f"{label}: {error}{advice}", limit=error.limit)


@contextmanager
def _file(path: bytes, label: str, wanted: Wanted, passed_over: list[str]) -> Iterator[list[DataFile]]:
    """One file: itself, or what is in it where it is an archive."""
    try:
        descriptor, info = open_regular(path)
    except OSError as error:
        what = "it is no regular file" if isinstance(error, NotAFile) else error.strerror
        raise HistoryImportError(f"{label}: {what}") from None
    with os.fdopen(descriptor, "rb") as file:
        if file.read(4) not in (archive.MAGIC, archive.EMPTY):
            yield [on_disk(path, info.st_size)]
            return
        try:
            found = archive.members(file, label, _place(path), wanted, passed_over)
        except HistoryImportError as error:
            raise named(label, error, wanted) from None
        yield found


def on_disk(path: bytes, size: int) -> DataFile:
    """A regular file, unpacked where it is packed with zstd."""

    @contextmanager
    def opened() -> Iterator[Stream]:
        descriptor, _ = open_regular(path)
        with os.fdopen(descriptor, "rb") as file:
            packed = file.read(4) == zstd.MAGIC
            file.seek(0)
            if not packed:
                yield file
                return
            with zstd.unpacked(file) as stream:
                yield stream

    return DataFile(_place(path), _place(path), size, opened)


def _place(path: bytes) -> str:
    return path.decode("utf-8", "backslashreplace")


def _walk(folder: bytes, passed_over: list[str], depth: int = 0) -> Iterator[DataFile]:
    """Every regular file below a folder, by name; a link is passed over, which is noted, and what cannot be listed."""
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False) and depth < DEEPEST:
            yield from _walk(entry.path, passed_over, depth + 1)
        elif entry.is_file(follow_symlinks=False) and (info := _state(entry)):
            yield on_disk(entry.path, info.st_size)
        elif entry.is_symlink():
            passed_over.append(f"{_place(entry.path)} is a link, which is not followed")


def _state(entry: os.DirEntry[bytes]) -> os.stat_result | None:
    try:
        return entry.stat(follow_symlinks=False)
    except OSError:
        return None  # it went away since the folder was listed
