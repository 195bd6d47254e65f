"""The table of tools: what a client sees of it, and what of a call reaches memd."""

from __future__ import annotations

import pytest

from memctl.arguments import Arguments
from memctl.commands.mcp import COMMANDS
from memctl.exits import Usage
from memctl.mcp.memory import Memory
from memctl.mcp.scope import Scope
from memctl.mcp.tool import Tool
from memctl.mcp.tools import offered

TOOLS = offered(read_only=False)
NOBODY = Memory(Arguments(COMMANDS[0], {}), Scope(Arguments(COMMANDS[0], {})))

EACH = pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)


def test_these_are_the_tools() -> None:
    wanted = "search recall show entity recent_sessions remember supersede forget"

    assert list(TOOLS) == wanted.split()


def test_read_only_leaves_out_every_tool_that_writes() -> None:
    assert list(offered(read_only=True)) == ["search", "recall", "show", "entity", "recent_sessions"]


@EACH
def test_no_tool_lets_its_caller_choose_a_scope(tool: Tool) -> None:
    """LS32: the scope is fixed at start."""
    scope = {"project", "all_projects", "cwd", "strict", "scope", "branch", "user_id", "agent_id"}

    assert not scope & tool.takes.keys()


@EACH
def test_a_schema_is_closed_and_bounds_every_argument(tool: Tool) -> None:
    assert tool.schema["additionalProperties"] is False
    assert set(tool.required) <= tool.takes.keys()
    for schema in tool.takes.values():
        assert schema["description"]
        assert "enum" in schema or "maximum" in schema or "maxLength" in schema


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("search", "earlier conversations|what did we decide|previous session|history|have we seen this"),
        ("recall", "earlier conversations|what did we decide|do you remember|last time"),
        ("remember", "remember this|decision|preference|from now on|save this"),
        ("supersede", "correct|update|changed our mind"),
        ("forget", "delete|erase|by its id|for good"),
        ("recent_sessions", "where did we leave off|yesterday|sessions"),
        ("entity", "who is|what do we know about|depends on"),
    ],
)
def test_a_description_has_the_words_that_one_would_search_by(name: str, words: str) -> None:
    assert [word for word in words.split("|") if word not in TOOLS[name].description] == []


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("search", {}, "the argument query is missing"),
        ("search", {"query": " "}, "query must hold from 1 to 1000 characters"),
        ("search", {"query": "x" * 1001}, "query must hold from 1 to 1000 characters"),
        ("search", {"query": 7}, "query must be of type string"),
        ("search", {"query": "x", "limit": 31}, "limit must be from 1 to 30"),
        ("search", {"query": "x", "limit": True}, "limit must be of type integer"),
        ("search", {"query": "x", "in": "files"}, "in must be one of all, turns, entries, native"),
        ("search", {"query": "x", "project": "/"}, "there is no argument 'project'"),
        ("show", {"id": "1", "all_projects": True}, "there is no argument 'all_projects'"),
        ("remember", {"text": "x", "scope": "global"}, "there is no argument 'scope'"),
        ("supersede", {"id": 0, "text": "x"}, "id must be from 1"),
        ("forget", {"match": "x"}, "there is no argument 'match'"),
    ],
)
def test_arguments_that_the_schema_does_not_have_are_refused_before_memd_is_asked(
    name: str, given: dict[str, object], said: str
) -> None:
    with pytest.raises(Usage, match=said):
        TOOLS[name].call(NOBODY, given)
