"""Reading on from an offset: whole lines only, whatever their size and wherever the file ends (R2)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memd.sources import tail
from memd.sources.tail import Lines, NotAFile

PLENTY = 1 << 20


def read(
    path: Path, offset: int = 0, *, max_lines: int = PLENTY, max_bytes: int = PLENTY, max_line: int = PLENTY
) -> Lines:
    descriptor, _ = tail.open_regular(os.fsencode(path))
    try:
        return tail.complete_lines(
            descriptor, offset, max_lines=max_lines, max_bytes=max_bytes, max_line=max_line
        )
    finally:
        os.close(descriptor)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file.jsonl"


def test_lines_come_with_their_offsets_and_the_unfinished_one_apart(path: Path) -> None:
    path.write_bytes(b"one\n\nthree\nfo")

    assert read(path) == Lines([(0, b"one"), (4, b""), (5, b"three")], [], 11, b"fo", True)


def test_the_rest_is_read_again_once_it_is_whole(path: Path) -> None:
    path.write_bytes(b"one\nfo")
    offset = read(path).offset
    path.write_bytes(b"one\nfour\n")

    assert read(path, offset) == Lines([(4, b"four")], [], 9, b"", True)


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 1 << 18])
@pytest.mark.parametrize(
    "limits", [{}, {"max_lines": 1}, {"max_lines": 2}, {"max_bytes": 1}, {"max_bytes": 9}]
)
def test_stretch_by_stretch_gives_the_same_as_at_once(
    path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, limits: dict[str, int]
) -> None:
    path.write_bytes("é\n日本\n\nlonger line\nx\nrest".encode())
    whole = read(path)
    monkeypatch.setattr(tail, "CHUNK", chunk)

    lines: list[tuple[int, bytes]] = []
    offset, at_end = 0, False
    while not at_end:
        got = read(path, offset, **limits)
        assert got.at_end or got.offset > offset
        lines += got.lines
        offset, at_end = got.offset, got.at_end

    assert (lines, offset, got.rest) == (whole.lines, whole.offset, b"rest")


@pytest.mark.parametrize("chunk", [1, 3, 16, 1 << 18])
def test_a_line_over_the_limit_is_passed_over_wherever_the_reads_cut_it(
    path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(tail, "CHUNK", chunk)
    path.write_bytes(b"a\n" + b"x" * 21 + b"\nb\n" + b"y" * 20 + b"\n" + b"z" * 30)

    assert read(path, max_line=20) == Lines([(0, b"a"), (24, b"b"), (26, b"y" * 20)], [2], 47, b"", True)


def test_a_huge_line_is_never_held_in_memory(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail, "CHUNK", 1 << 10)
    path.write_bytes(b"x" * (1 << 18))
    held = 0
    real = os.pread

    def spy(descriptor: int, size: int, offset: int) -> bytes:
        nonlocal held
        held = max(held, size)
        return real(descriptor, size, offset)

    monkeypatch.setattr(tail.os, "pread", spy)

    assert read(path, max_line=1 << 12) == Lines([], [], 0, b"", True)
    assert held == 1 << 10


def test_a_shorter_file_than_the_offset_gives_nothing(path: Path) -> None:
    path.write_bytes(b"one\n")

    assert read(path, 100) == Lines([], [], 100, b"", True)


@pytest.mark.parametrize("kind", ["link", "fifo", "folder", "device"])
def test_only_regular_files_are_opened_and_nothing_is_waited_for(path: Path, kind: str) -> None:
    if kind == "link":
        path.symlink_to(__file__)
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path = Path("/dev/null")

    with pytest.raises(NotAFile):
        tail.open_regular(os.fsencode(path))
