"""The tools that look: search, recall, show, entity, recent_sessions."""

from __future__ import annotations

from memctl.command import TYPES
from memctl.commands.recall import SECONDS
from memctl.mcp.given import Given, choice, integer, text
from memctl.mcp.memory import Memory
from memctl.mcp.tool import Result, Tool
from memctl.output import line

_IN_TERMINAL = "a terminal shows all of it"


def _search(memory: Memory, given: Given) -> Result:
    more = "ask with a smaller limit, or show one by its id"
    return Result(memory.told("search", {"limit": 10, **given}, more=more))


def _recall(memory: Memory, given: Given) -> Result:
    asked, more = {**given, "shown": True}, "ask for less at a time"
    nothing = "Nothing that bears on it is remembered"
    return Result(memory.told("recall", asked, more=more, nothing=nothing, seconds=SECONDS))


def _show(memory: Memory, given: Given) -> Result:
    more = f"{_IN_TERMINAL}, with memctl show {line(given['id'])}"
    return Result(memory.told("show", given, more=more))


def _entity(memory: Memory, given: Given) -> Result:
    more = f"{_IN_TERMINAL}, with memctl entity NAME"
    return Result(memory.told("entity", {**given, "draw": "text"}, more=more))


def _recent_sessions(memory: Memory, given: Given) -> Result:
    asked, more = {"limit": 10, **given}, "ask with a smaller limit"
    return Result(memory.told("sessions", asked, more=more, nothing="There are no sessions"))


_QUERY = text("what to look for, in plain words", 1_000)
_SINCE = text("not before: 7d, 12h, 2026-11-30 or 2026-11-30T09:00", 40)
_UNTIL = text("before: 7d, 12h, 2026-11-30 or 2026-11-30T09:00", 40)

SEARCH = Tool(
    "search",
    "Search memory",
    "Search what was said in earlier conversations and what is remembered, by word and by meaning. Use it to find"
    " past decisions, errors and their fixes, commands, preferences, names: what did we decide, have we seen this"
    " before, did we talk about, last time, previous session, history. Best first; show gives one in full by its id.",
    _search,
    {
        "query": _QUERY,
        "limit": integer("how many results at most (10)", 1, 30),
        "in": choice(
            "turns: what was said; entries: what was remembered; native: memory files",
            ("all", "turns", "entries", "native"),
        ),
        "role": choice("turns said by", ("user", "assistant")),
        "type": choice("entries of this type", TYPES),
        "since": _SINCE,
        "until": _UNTIL,
    },
    ("query",),
)
RECALL = Tool(
    "recall",
    "Recall earlier conversations",
    "Recall what earlier conversations say about a question, word for word and dated, chosen to fit a budget of"
    " tokens. Use it for: what did we decide about, how did we do this last time, do you remember, why did we, what"
    " was said on, context from a previous session.",
    _recall,
    {
        "query": _QUERY,
        "budget": integer("the most tokens of what is recalled (2000)", 200, 6_000),
        "since": _SINCE,
        "until": _UNTIL,
    },
    ("query",),
)
SHOW = Tool(
    "show",
    "Show one memory in full",
    "Show in full one turn of an earlier conversation, with what was said before and after it, or one remembered"
    " entry with where it comes from and what took its place. Takes an id that search, recall or remember gave.",
    _show,
    {
        "id": text("the number of an entry, or the id of a turn or an unambiguous beginning of it", 100),
        "around": integer("of a turn: and so many before and after it (0)", 0, 20),
    },
    ("id",),
)
ENTITY = Tool(
    "entity",
    "Look up a person, project, tool or service",
    "Look up what is remembered of a person, project, tool, service or concept by its name: what it uses, depends on,"
    " belongs to, and the remembered entries that mention it. Use it for: who is, what is, what do we know about.",
    _entity,
    {"name": text("its name, or another one that it goes by", 200)},
    ("name",),
)
RECENT_SESSIONS = Tool(
    "recent_sessions",
    "List recent sessions",
    "List the latest earlier conversations (sessions) with title, time, branch and id. Use it for: what did we work on"
    " lately, yesterday, last week, where did we leave off, continue the previous session.",
    _recent_sessions,
    {"limit": integer("how many at most (10)", 1, 50), "since": _SINCE, "until": _UNTIL},
)
