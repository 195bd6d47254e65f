"""Parameters: a handler gets what its schema says, and a caller hears what is allowed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.errors import BadRequest, TooLarge
from memd.server.params import NONE, Schema, check, choice, flag, integer, listing, mapping, number, text

SCHEMA: Schema = {
    "query": text(most=10),
    "note": text(optional=True, blank=True),
    "limit": integer(1, 100, default=10),
    "around": integer(0, optional=True),
    "weight": number(0, 1, default=0.5),
    "least": number(0, 1, optional=True),
    "all": flag(),
    "mode": choice("hybrid", "keyword", default="hybrid"),
    "role": choice("user", "assistant", optional=True),
    "ids": listing(text(), most=3, optional=True),
    "payload": mapping(optional=True),
}


def test_what_is_left_out_has_its_default() -> None:
    params = check(SCHEMA, {"query": "a"})

    assert params.text("query") == "a"
    assert params.maybe_text("note") is None
    assert params.integer("limit") == 10
    assert params.maybe_integer("around") is None
    assert params.number("weight") == 0.5
    assert params.maybe_number("least") is None
    assert params.flag("all") is False
    assert params.text("mode") == "hybrid"
    assert params.maybe_text("role") is None
    assert params.texts("ids") == []
    assert params.mapping("payload") == {}


def test_what_is_given_comes_back() -> None:
    given_ = {"query": "ü", "note": "", "limit": 100, "weight": 1, "all": True, "mode": "keyword"}
    params = check(SCHEMA, given_ | {"ids": ["b", "a"], "payload": {"x": [1]}, "around": 0, "least": 0.25})

    assert (params.text("query"), params.maybe_text("note"), params.integer("limit")) == ("ü", "", 100)
    assert (params.number("weight"), params.flag("all"), params.text("mode")) == (1.0, True, "keyword")
    assert (params.texts("ids"), params.mapping("payload")) == (["b", "a"], {"x": [1]})
    assert (params.maybe_integer("around"), params.maybe_number("least")) == (0, 0.25)


def test_nil_is_as_good_as_leaving_it_out() -> None:
    assert check(SCHEMA, {"query": "a", "limit": None, "note": None}).integer("limit") == 10


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"query": None}, "query is missing"),
        ({"query": 5}, "query must be a text, not a whole number"),
        ({"query": b"a"}, "query must be a text, not bytes"),
        ({"query": "a\0"}, "query holds a NUL character"),
        ({"query": "\ud800"}, "query holds half a surrogate pair, which is no text"),
        ({"query": " \n"}, "query is empty"),
        ({"query": "ü" * 6}, "query is 12 bytes; at most 10 are allowed"),
        ({"limit": 0}, "limit must be from 1 to 100"),
        ({"limit": 101}, "limit must be from 1 to 100"),
        ({"limit": True}, "limit must be a whole number, not true or false"),
        ({"limit": 5.0}, "limit must be a whole number, not a number"),
        ({"limit": "5"}, "limit must be a whole number, not a text"),
        ({"around": 2**63}, f"around must be from 0 to {2**63 - 1}"),
        ({"weight": math.nan}, "weight must be from 0 to 1"),
        ({"weight": math.inf}, "weight must be from 0 to 1"),
        ({"weight": -0.1}, "weight must be from 0 to 1"),
        ({"weight": 10**400}, "weight must be from 0 to 1"),
        ({"weight": False}, "weight must be a number, not true or false"),
        ({"all": 1}, "all must be true or false, not a whole number"),
        ({"mode": "vector"}, "mode must be one of hybrid, keyword"),
        ({"mode": ["hybrid"]}, "mode must be one of hybrid, keyword"),
        ({"ids": "a"}, "ids must be a list, not a text"),
        ({"ids": ["a"] * 4}, "ids must hold from 0 to 3 items"),
        ({"ids": ["a", None]}, "ids[1] must be a text, not something else"),
        ({"payload": []}, "payload must be a map, not a list"),
    ],
)
def test_a_wrong_value_is_refused_with_what_is_allowed(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(BadRequest) as caught:
        check(SCHEMA, {"query": "a"} | wrong)

    assert caught.value.message == message


def test_a_text_too_long_is_told_apart() -> None:
    with pytest.raises(TooLarge):
        check(SCHEMA, {"query": "x" * 11})


def test_an_unknown_parameter_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        BadRequest, match=r"unknown parameter 'limt'; allowed: all, around, ids, least, limit"
    ):
        check(SCHEMA, {"query": "a", "limt": 5})
    with pytest.raises(BadRequest, match="allowed: none"):
        check(NONE, {"a": 1})


def test_reading_what_the_schema_does_not_have_is_a_bug() -> None:
    params = check(SCHEMA, {"query": "a"})

    with pytest.raises(KeyError):
        params.text("quarry")
    with pytest.raises(TypeError):
        params.integer("query")


@given(
    st.dictionaries(
        st.sampled_from(list(SCHEMA)), st.none() | st.booleans() | st.integers() | st.floats() | st.text()
    )
)
def test_any_value_is_checked_or_refused(params: dict[str, object]) -> None:
    try:
        checked = check(SCHEMA, params)
    except BadRequest:
        return
    assert 1 <= checked.integer("limit") <= 100
    assert 0 <= checked.number("weight") <= 1
