"""Files of any shape, in records, within limits and in little memory (LS29)."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.errors import HistoryImportError
from memd.importers import reader, source
from memd.importers.gathering import Wanted
from memd.importers.limits import ImportLimits
from memd.importers.reader import DataFile, Stream
from memd.importers.reasons import Skip


class Pieces:
    """A stream that gives as much at a time as it likes."""

    def __init__(self, data: Iterator[bytes]) -> None:
        self._data, self._held = data, b""

    def read(self, size: int, /) -> bytes:
        self._held = self._held or next(self._data, b"")
        piece, self._held = self._held[:size], self._held[size:]
        return piece


def read(data: bytes, limits: ImportLimits | None = None, step: int = 7) -> list[object]:
    @contextmanager
    def opened() -> Iterator[Stream]:
        yield Pieces(data[at : at + step] for at in range(0, len(data), step))

    file = DataFile("file", "file", len(data), opened)
    return [raw.value for raw in reader.records(file, limits or ImportLimits())]


RECORDS = [{"a": 1}, {"b": ["x", {"c": None}]}, {"d": "line\nbreak"}]
SHAPES = {
    "an array": json.dumps(RECORDS),
    "an array over lines": json.dumps(RECORDS, indent=2),
    "an array behind a mark and white space": "\ufeff \n\t" + json.dumps(RECORDS),
    "lines": "\n".join(map(json.dumps, RECORDS)),
    "lines of Windows, and blank ones": "\ufeff\r\n\r\n" + "\r\n".join(map(json.dumps, RECORDS)) + "\r\n",
    "under a key": json.dumps({"count": 3, "next": None, "results": RECORDS}, indent=1),
    "under another, over lines": json.dumps({"memories": RECORDS, "more": [1]}, indent=2),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("step", [1, 7, 100_000])
def test_every_shape_gives_the_same_records(shape: str, step: int) -> None:
    assert read(SHAPES[shape].encode(), step=step) == RECORDS


def test_one_object_over_lines_is_one_record() -> None:
    whole = {"sessionId": "s", "messages": RECORDS}

    assert read(json.dumps(whole, indent=2).encode()) == [whole]


def test_a_long_list_under_a_key_on_one_line_is_read_piece_by_piece() -> None:
    held = [{"memory": "x" * 50, "n": n} for n in range(3000)]

    assert read(json.dumps({"results": held}).encode(), step=10_000) == held


@given(
    st.lists(st.dictionaries(st.text(max_size=5), st.integers(0, 99) | st.text(max_size=9)), max_size=5),
    st.data(),
)
def test_a_broken_line_is_one_bad_record_and_no_other(
    records: list[dict[str, object]], data: st.DataObject
) -> None:
    lines: list[bytes] = [json.dumps(record).encode() for record in records]
    place = data.draw(st.integers(0, len(lines)))
    lines.insert(place, b'{"broken": "')

    expected: list[object] = [*records]
    expected.insert(place, Skip.UNSUPPORTED)
    assert read(b"\n".join(lines), step=data.draw(st.integers(1, 50))) == expected


def test_lines_are_lines_whatever_the_first_one_is() -> None:
    assert read(b'[]\n{"a": 1}\n') == [[], {"a": 1}]
    assert read(b'7\n{"a": 1}') == [7, {"a": 1}]


def test_odd_characters_and_numbers_do_not_spoil_a_record() -> None:
    long = "9" * 5000
    raw = b'[{"a": "\\ud83d"}, {"b": NaN}, {"c": %b}, {"d": "\xff"}]' % long.encode()

    [one, two, three, four] = read(raw)

    assert (one, four) == ({"a": "\ufffd"}, {"d": "\ufffd"})
    assert str(two) == "{'b': nan}"
    assert isinstance(three, dict) and three["c"] > 1e300


def test_lines_over_a_limit_are_passed_over() -> None:
    limits = ImportLimits(max_record_bytes=40, max_depth=3)
    lines = [b'{"a": 1}', b'{"b": "%b"}' % (b"x" * 50), b"[[[1]]]", b"[[[[1]]]]", b'{"c": 2}']

    found = [{"a": 1}, Skip.TOO_LARGE, [[[1]]], Skip.TOO_DEEP, {"c": 2}]
    for data in (lines, lines[::-1]):
        expected = found if data is lines else found[::-1]
        assert read(b"\n".join(data), limits) == expected
    assert read(b'{\n"a": "%b"}' % (b"x" * 50), limits) == [Skip.TOO_LARGE]
    assert read(b'{\n"a": [[[[1]]]]}', limits) == [Skip.TOO_DEEP]


def test_nesting_of_any_depth_harms_nobody() -> None:
    for bomb in (b"[" * 300_000, b'{"a":' * 300_000, b"[" * 300_000 + b"]" * 300_000):
        try:
            found = read(bomb, step=1 << 20)
        except HistoryImportError as error:
            assert "cut off" in str(error)
        else:
            assert found == [Skip.TOO_DEEP]


def test_a_file_over_its_limit_is_refused_also_where_it_hides_its_size() -> None:
    limits = ImportLimits(max_file_bytes=1000)
    with pytest.raises(HistoryImportError, match="more than 1,000 bytes"):
        read(b'{"a": 1}\n' * 200, limits)


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """LS29: a record over the limit is never held, nor is the file."""
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.write(b'[{"big": "')
        for _ in range(80):
            file.write(b"x" * (1 << 20))
        file.write(b'"}')
        for n in range(20_000):
            file.write(b',\n{"n": %d, "text": "%b"}' % (n, b"words " * 100))
        file.write(b"]")
    limits = ImportLimits(max_record_bytes=8 << 20)

    with source.opened(str(path), "chatgpt", Wanted(limits=limits)) as found:
        next(iter(reader.records(found.files[0], limits)))  # numpy is there before anything is measured
        tracemalloc.start()
        values = [
            raw.value if isinstance(raw.value, Skip) else None
            for raw in reader.records(found.files[0], limits)
        ]
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert (values[0], len(values)) == (Skip.TOO_LARGE, 20_001)
    assert peak < 40 << 20
