"""Settings edited as text: what is put in is valid, and taking it out gives every byte back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.setup import jsonc
from memctl.setup.jsonc import NoJson, append, parse, remove, replace

SPACE = st.sampled_from(
    ["", " ", "\n", "\n  ", "\r\n\t", ' // a, } " b\n', "/* { , */", "\n// x\n", " /* a\n b */ "]
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-99, 99),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=4),
).map(lambda value: json.dumps(value))


@st.composite
def joined(draw: st.DrawFn, parts: list[str], ends: str) -> str:
    """An object or array of these parts, spaced as people may, with a trailing comma or without."""
    spaced = [draw(SPACE) + part + draw(SPACE) for part in parts]
    trailing = draw(st.sampled_from(["", ",", ", // end\n"])) if parts else draw(SPACE)
    return ends[0] + ",".join(spaced) + trailing + ends[1]


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[str] = SCALARS) -> str:
    keys = draw(st.lists(st.text('abc"\\é', max_size=3), max_size=4, unique=True))
    parts = [f"{json.dumps(key)}{draw(SPACE)}:{draw(SPACE)}{draw(inner)}" for key in keys]
    return draw(joined(parts, "{}"))


@st.composite
def arrays(draw: st.DrawFn, inner: st.SearchStrategy[str] = SCALARS) -> str:
    return draw(joined(draw(st.lists(inner, max_size=4)), "[]"))


VALUES = st.recursive(SCALARS, lambda inner: objects(inner) | arrays(inner), max_leaves=8)
DOCUMENTS = st.builds(
    lambda bom, before, text, after: bom + before + text + after,
    st.sampled_from(["", jsonc.BOM]),
    SPACE,
    objects(VALUES),
    SPACE,
)
OURS = {"a": [{"b": "x // y", "c": 5}], "d": []}


@given(DOCUMENTS)
def test_what_is_put_in_stands_beside_all_else_and_comes_out_without_a_trace(text: str) -> None:
    root = parse(text)

    after = append(text, root, OURS, "memd")

    found = parse(after)
    assert isinstance(root.value, dict)
    assert found.value == {**root.value, "memd": OURS}
    back = remove(after, found, found.children[-1])
    assert back == text if root.children else parse(back).value == root.value


@given(DOCUMENTS, st.data())
def test_any_child_comes_out_alone(text: str, data: st.DataObject) -> None:
    root = parse(text)
    if not root.children:
        return
    child = data.draw(st.sampled_from(root.children))

    left = parse(remove(text, root, child))

    assert [(one.key, one.node.value) for one in left.children] == [
        (one.key, one.node.value) for one in root.children if one is not child
    ]


@given(arrays(VALUES))
def test_items_too(text: str) -> None:
    root = parse(text)

    after = append(text, root, OURS)

    found = parse(after)
    assert [one.node.value for one in found.children] == [*(one.node.value for one in root.children), OURS]
    back = remove(after, found, found.children[-1])
    assert back == text if root.children else parse(back).value == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}\n", '{\n  "k": [\n    1\n  ]\n}\n'),
        ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"k": [\n\t\t1\n\t]\n}'),
        ('{\r\n  "a": 1\r\n}\r\n', '{\r\n  "a": 1,\r\n  "k": [\r\n    1\r\n  ]\r\n}\r\n'),
        ('{\n  "a": 1, // why\n}', '{\n  "a": 1, // why\n  "k": [\n    1\n  ],\n}'),
        ('{\n  "a": 1 // why\n}', '{\n  "a": 1, // why\n  "k": [\n    1\n  ]\n}'),
        ('{"a": 1}', '{"a": 1, "k": [1]}'),
        ("{\n  // nothing yet\n}", '{\n  // nothing yet\n  "k": [\n    1\n  ]\n}'),
    ],
)
def test_it_is_written_as_its_surroundings_are(before: str, after: str) -> None:
    assert append(before, parse(before), [1], "k") == after


def test_a_value_is_replaced_where_it_stands() -> None:
    text = '{"a": "old", /* kept */ "b": 2}'
    node = parse(text).get("a")

    assert node
    assert replace(text, node, 'n"ew') == '{"a": "n\\"ew", /* kept */ "b": 2}'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "line 1"),
        ("{\n'a': 1}", "line 2"),
        ('{"a": 1} x', "line 1"),
        ('{"a" 1}', "line 1"),
        ('{"a": 1 "b": 2}', "line 1"),
        ("{,}", "line 1"),
        ('{"a": nul}', "line 1"),
        ('{"a": 1', "line 1"),
        ('{"a": /* no end', "line 1"),
        ('{"a": ' + "[" * 100, "deep"),
        ('{"a": ' + "9" * 5000 + "}", "line 1"),
    ],
)
def test_what_is_no_json_is_told_with_its_line(text: str, says: str) -> None:
    with pytest.raises(NoJson, match=says):
        parse(text)
