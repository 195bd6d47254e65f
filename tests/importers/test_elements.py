"""An array that comes in pieces gives the elements that a parser finds in the whole of it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.errors import HistoryImportError
from memd.importers.elements import elements
from memd.importers.limits import ImportLimits
from memd.importers.reasons import Skip

LIMITS = ImportLimits()

texts = st.text(max_size=8) | st.sampled_from(['"', "\\", '\\"', "[", "]},", '"results": [', "é日🦀"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)


def cut(data: bytes, cuts: list[int]) -> Iterator[bytes]:
    places = sorted({min(cut, len(data)) for cut in cuts})
    for start, end in zip([0, *places], [*places, len(data)], strict=True):
        yield data[start:end]


def values_of(data: bytes, cuts: list[int], *keys: bytes) -> list[object]:
    found = list(elements(cut(data, cuts), LIMITS, keys))
    assert [data[at:][: len(raw)].strip() for at, raw in found if isinstance(raw, bytes)] or not found
    return [json.loads(raw) for _, raw in found if isinstance(raw, bytes)]


@given(st.lists(values, max_size=6), st.lists(st.integers(0, 400), max_size=20), st.booleans(), st.booleans())
def test_any_array_split_anywhere_is_read_as_it_is_read_whole(
    array: list[object], cuts: list[int], ascii: bool, wide: bool
) -> None:
    data = json.dumps(array, ensure_ascii=ascii, indent=1 if wide else None).encode("utf-8", "surrogatepass")

    assert values_of(data, cuts) == array


@given(
    st.dictionaries(st.sampled_from(["results", "relations", "count", "x"]), values, max_size=4),
    st.lists(st.integers(0, 400), max_size=20),
)
def test_an_array_under_a_key_is_found_whatever_stands_around_it(
    document: dict[str, object], cuts: list[int]
) -> None:
    data = json.dumps(document).encode()
    wanted = document.get("results")

    assert values_of(data, cuts, b"results") == (wanted if isinstance(wanted, list) else [])


@given(st.lists(values, min_size=1, max_size=4), st.floats(0, 1, exclude_max=True))
def test_an_array_that_is_cut_off_says_so_after_what_was_whole(array: list[object], share: float) -> None:
    data = json.dumps(array).encode()
    found: list[object] = []

    with pytest.raises(HistoryImportError, match="cut off"):
        for _, raw in elements([data[: int(len(data) * share)]], LIMITS):
            assert isinstance(raw, bytes)
            found.append(json.loads(raw))
    assert found == array[: len(found)]


def test_what_is_too_large_or_too_deep_is_passed_over_and_the_next_one_comes() -> None:
    limits = ImportLimits(max_record_bytes=50, max_depth=3)
    data = json.dumps([{"a": 1}, "x" * 60, [[[1]]], [[[[1]]]], {"b": 2}]).encode()

    found = [raw for _, raw in elements(cut(data, [5, 30, 40, 70]), limits)]

    assert found == [b'{"a": 1}', Skip.TOO_LARGE, b"[[[1]]]", Skip.TOO_DEEP, b'{"b": 2}']


def test_a_place_with_nothing_in_it_is_an_element_that_is_none() -> None:
    assert [raw for _, raw in elements([b"[1, , 2]"], LIMITS)] == [b"1", b"", b"2"]
    assert [raw for _, raw in elements([b" [ ] "], LIMITS)] == []


def test_what_stands_behind_the_array_is_told_of() -> None:
    with pytest.raises(HistoryImportError, match="goes on behind its list"):
        list(elements([b'[1] {"a": 2}'], LIMITS))
