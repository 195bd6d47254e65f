"""The texts of a JSON value, out and in again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memd.text.leaves import leaves, with_leaves

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_texts_put_back_as_they_were_give_the_same_value(value: object) -> None:
    assert with_leaves(value, leaves(value)) == value


def test_texts_are_keys_and_values_in_their_order() -> None:
    value = {"a": ["b", {"c": 1}], "d": None}

    assert list(leaves(value)) == ["a", "b", "c", "d"]
    assert with_leaves(value, iter("ABCD")) == {"A": ["B", {"C": 1}], "D": None}
