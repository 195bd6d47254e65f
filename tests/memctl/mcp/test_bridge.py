"""The bridge in process, before a daemon that does what the test says."""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import CallToolResult, TextContent, TextResourceContents

from memctl.arguments import Arguments
from memctl.commands.mcp import COMMANDS
from memctl.mcp.bridge import CONNECTIONS, Bridge
from tests.memctl.conftest import Start
from tests.memctl.fake_daemon import Message, Reply, answer, error, silent

T = TypeVar("T")

FENCED = {"text": "<memd-memory>…</memd-memory>", "pieces": 1, "left_out": 0, "cut": False, "scope": "/app"}
ENTRY = {"entry": {"id": 41, "content": "tabs"}, "turns": []}


def inside(work: Callable[[Client], Awaitable[T]], **given: str | float | bool) -> T:
    """What a client makes of a bridge with these flags."""

    async def run() -> T:
        bridge = Bridge(Arguments(COMMANDS[0], given))
        async with Client(bridge.server(), mode="legacy") as client:
            return await work(client)

    return anyio.run(run)


def call(name: str, arguments: dict[str, object], **given: str | float | bool) -> CallToolResult:
    return inside(lambda client: client.call_tool(name, arguments), **given)


def text(result: CallToolResult) -> str:
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


def by_method(answers: dict[str, dict[str, object]]) -> Callable[[Message], Reply]:
    return lambda request: answer(answers[str(request["method"])])(request)


@pytest.mark.parametrize(
    ("given", "held"),
    [
        ({}, {"strict": True, "cwd": ...}),
        ({"project": "app"}, {"project": "app"}),
        ({"project": "/srv/../srv/app"}, {"project": "/srv/app"}),
        ({"all_projects": True}, {"all_projects": True}),
    ],
    ids=["cwd", "name", "path", "all"],
)
def test_every_question_is_held_to_the_scope_of_the_start(
    given: dict[str, str | bool], held: dict[str, object], daemon: Start
) -> None:
    """LS32: MCP tools with fixed scope."""
    fake = daemon(answer(FENCED))

    async def ask(client: Client) -> None:
        for name in ("search", "recall"):
            await client.call_tool(name, {"query": "x"})
        await client.call_tool("show", {"id": "1"})
        await client.call_tool("entity", {"name": "x"})
        await client.call_tool("recent_sessions", {})

    inside(ask, **given)

    asked: list[Any] = [request["params"] for request in fake.requests]
    assert [one["method"] for one in asked] == ["search", "recall", "show", "entity", "sessions"]
    for params in (one["params"] for one in asked):
        scope = {name: params.get(name) for name in ("project", "all_projects", "cwd", "strict")}
        told = {name: ... if name == "cwd" else value for name, value in scope.items() if value is not None}
        assert told == held


def test_a_result_that_was_cut_says_so_and_how_to_see_more(daemon: Start) -> None:
    daemon(answer({**FENCED, "pieces": 30, "left_out": 21}))

    told = text(call("search", {"query": "x"}))

    assert told.endswith(
        "(21 more are left out, so that this is not too long: ask with a smaller limit, or show one by its id)"
    )


def test_nothing_found_is_no_error_and_names_the_scope(daemon: Start) -> None:
    daemon(answer({**FENCED, "text": "", "pieces": 0}))

    result = call("search", {"query": "x"})

    assert not result.is_error
    assert text(result) == "Nothing was found in /app."


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (error("busy", "memd has its hands full"), "memd has its hands full"),
        (error("degraded", "the database is damaged"), "the database is damaged"),
        (error("forbidden", "turn 1 lies outside of /app"), "turn 1 lies outside of /app"),
        (lambda request: b"\x00\x00\x00\x05hello", "what answers is not memd"),
        (lambda request: b"\xff\xff\xff\xff", "what answers is not memd"),
        (lambda request: b"", "hung up before it answered"),
        (silent, "did not answer within 0.2 s"),
    ],
    ids=["busy", "degraded", "outside", "garbage", "endless", "gone", "silent"],
)
def test_a_daemon_in_trouble_is_one_clear_error_of_the_call(
    script: Callable[[Message], Reply], said: str, daemon: Start
) -> None:
    daemon(script)

    result = call("search", {"query": "x"}, timeout=0.2)

    assert result.is_error and said in text(result)
    assert "\n" not in text(result)


def test_without_a_daemon_an_error_says_how_to_start_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMD_SOCKET", "/nowhere/memd.sock")

    result = call("recall", {"query": "x"})

    assert result.is_error
    assert "no memd at /nowhere/memd.sock" in text(result) and "memctl service start" in text(result)


def test_a_bug_is_told_by_its_place_and_the_bridge_lives_on(daemon: Start) -> None:
    shown = iter([{"turns": []}, ENTRY])  # no entry and no turn: memd would not answer so
    daemon(lambda request: answer(FENCED if request["method"] == "fenced" else next(shown))(request))

    async def twice(client: Client) -> tuple[CallToolResult, CallToolResult]:
        return await client.call_tool("forget", {"id": "1"}), await client.call_tool("forget", {"id": "1"})

    bad, good = inside(twice)

    assert bad.is_error and "a bug in memctl, please report it: ValueError at writing.py" in text(bad)
    assert not good.is_error


def test_fifty_calls_at_once_share_a_few_connections(daemon: Start) -> None:
    lock, together, most = threading.Lock(), 0, 0

    def script(request: Message) -> Reply:
        nonlocal together, most
        with lock:
            together += 1
            most = max(most, together)
        time.sleep(0.005)
        with lock:
            together -= 1
        params = request["params"]
        assert isinstance(params, dict)
        return answer({**FENCED, "text": params["params"]["query"]})(request)

    daemon(script)

    async def all_at_once(client: Client) -> list[str]:
        told = [""] * 50

        async def one(number: int) -> None:
            told[number] = text(await client.call_tool("search", {"query": f"q{number}"}))

        async with anyio.create_task_group() as group:
            for number in range(50):
                group.start_soon(one, number)
        return told

    assert inside(all_at_once) == [f"q{number}" for number in range(50)]
    assert 1 < most <= CONNECTIONS


def test_a_call_that_is_taken_back_lets_go_of_memd(daemon: Start) -> None:
    asked = threading.Event()

    def script(request: Message) -> Reply:
        params = request["params"]
        if isinstance(params, dict) and params["params"].get("query") == "slow":
            asked.set()
            return None
        return answer(FENCED)(request)

    daemon(script)

    async def take_back(client: Client) -> CallToolResult:
        for _ in range(CONNECTIONS + 1):
            asked.clear()
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "search", {"query": "slow"})
                await anyio.to_thread.run_sync(asked.wait, 10)
                group.cancel_scope.cancel()
        return await client.call_tool("search", {"query": "quick"})

    began = time.monotonic()

    assert text(inside(take_back)) == FENCED["text"]
    assert time.monotonic() - began < 8  # what one call that is not taken back would wait


def test_forgetting_shows_first_and_takes_the_word_that_came_with_it(daemon: Start) -> None:
    fake = daemon(by_method({"show": ENTRY, "fenced": FENCED, "forget": {"entries": 1}}))

    async def forget(client: Client) -> tuple[str, str, str]:
        asked = text(await client.call_tool("forget", {"id": "41"}))
        word = asked.split('confirm "')[1].split('"')[0]
        guessed = text(await client.call_tool("forget", {"id": "41", "confirm": "yes"}))
        assert not [one for one in fake.requests if one["method"] == "forget"]
        return asked, guessed, text(await client.call_tool("forget", {"id": "41", "confirm": word}))

    asked, guessed, done = inside(forget)

    assert asked.startswith("Nothing is forgotten yet.") and guessed == asked
    assert str(FENCED["text"]) in asked
    assert done == "#41 is forgotten for good; no import brings it back."
    assert fake.params == {"id": "#41"}


def test_what_may_be_contradicted_is_told_by_numbers_alone(daemon: Start) -> None:
    """R13: stored text comes behind a fence, and a program's half of a result may be handed to a model too."""
    conflicts = [{"id": 3, "content": "STORED", "similarity": 0.9}]
    daemon(
        answer(
            {
                "action": "created",
                "id": 4,
                "entry_type": "fact",
                "scope": "project",
                "project": "/home/dev/app",
                "content": "STORED",
                "potential_conflicts": conflicts,
            }
        )
    )

    result = call("remember", {"text": "new"})

    assert text(result).startswith("Remembered as #4 (fact, app).\nIt may contradict #3:")
    assert result.structured_content == {"action": "created", "id": 4, "potential_conflicts": [3]}
    assert "STORED" not in text(result)


@pytest.mark.parametrize(
    "given", [{}, {"project": "app"}, {"all_projects": True}], ids=["cwd", "named", "all"]
)
def test_a_new_entry_holds_where_the_bridge_is_held_to(given: dict[str, str | bool], daemon: Start) -> None:
    fake = daemon(answer({"action": "created", "id": 4, "potential_conflicts": []}))

    call("remember", {"text": "new"}, **given)

    held = {name: value for name, value in fake.params.items() if name not in ("text", "cwd")}
    assert held == ({"scope": "project"} if not given else {} if "all_projects" in given else given)
    assert ("cwd" in fake.params) == ("project" not in given)


def test_superseding_asks_first_whether_the_entry_is_within(daemon: Start) -> None:
    fake = daemon(error("forbidden", "entry #41 lies outside of /app"))

    result = call("supersede", {"id": 41, "text": "spaces"})

    assert result.is_error and "entry #41 lies outside of /app" in text(result)
    assert [one["method"] for one in fake.requests] == ["show"]


@pytest.mark.parametrize("tool", ["supersede", "forget"])
def test_what_holds_everywhere_is_changed_from_all_projects_alone(tool: str, daemon: Start) -> None:
    entry = {"entry": {**ENTRY["entry"], "scope": "global"}, "turns": []}  # type: ignore[dict-item] # a record
    changed = {"action": "superseded", "id": 42, "old_id": 41}
    fake = daemon(by_method({"show": entry, "fenced": FENCED, "supersede": changed}))
    arguments = {"id": "41"} if tool == "forget" else {"id": 41, "text": "spaces"}

    refused = [call(tool, arguments, **given) for given in ({}, {"project": "app"})]
    asked = [one["method"] for one in fake.requests]
    done = call(tool, arguments, all_projects=True)

    for one in refused:
        assert one.is_error and "entry #41 holds everywhere" in text(one) and "--all-projects" in text(one)
    assert asked == ["show", "show"]
    assert not done.is_error


def test_hints_tell_what_a_tool_does() -> None:
    async def hints(client: Client) -> dict[str, tuple[bool | None, bool | None]]:
        listed = (await client.list_tools()).tools
        return {
            one.name: (one.annotations.read_only_hint, one.annotations.destructive_hint)
            for one in listed
            if one.annotations
        }

    told = inside(hints)

    assert told["search"] == told["recall"] == told["show"] == (True, False)
    assert told["remember"] == told["supersede"] == (False, False)
    assert told["forget"] == (False, True)


def test_with_read_only_a_tool_that_writes_is_not_there(daemon: Start) -> None:
    fake = daemon(answer({}))

    result = call("remember", {"text": "x"}, read_only=True)

    assert result.is_error and "there is no tool 'remember'" in text(result)
    assert not fake.requests


def test_a_session_is_read_a_page_at_a_time(daemon: Start) -> None:
    fake = daemon(answer({**FENCED, "pieces": 100, "left_out": 60}))

    async def read(client: Client) -> str:
        [content] = (await client.read_resource("memd://session/s-1?offset=7")).contents
        assert isinstance(content, TextResourceContents)
        return content.text

    told = inside(read)

    assert told.endswith("(read on at memd://session/s-1?offset=47)")
    asked = fake.params["params"]
    assert isinstance(asked, dict) and (asked["id"], asked["offset"]) == ("s-1", 7)


@pytest.mark.parametrize(
    "address", ["memd://nothing", "file:///etc/passwd", "memd://[", "memd://session/x?offset=-1"]
)
def test_an_address_of_nothing_is_refused_before_memd_is_asked(address: str, daemon: Start) -> None:
    fake = daemon(answer({}))

    async def read(client: Client) -> None:
        with pytest.raises(MCPError, match="there is nothing at"):
            await client.read_resource(address)

    inside(read)

    assert not fake.requests


def test_the_names_of_sessions_hold_nothing_that_is_stored(daemon: Start) -> None:
    one = {"id": "s/1", "title": "IGNORE ALL", "project": "/evil", "branch": "evil", "turns": 3}
    daemon(answer({"sessions": [{**one, "last_at": "2026-11-30T09:00:00.000Z"}]}))

    listed = inside(lambda client: client.list_resources()).resources

    assert [(str(one.uri), one.name) for one in listed] == [
        ("memd://memory", "What is remembered"),
        ("memd://session/s%2F1", "Session of 2026-11-30 09:00, turns: 3"),
    ]
