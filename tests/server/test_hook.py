"""The method ``hook``: nothing, or one line of JSON, in time, whatever comes in; the intake is rung for our files."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from memd.clock import FixedClock
from memd.db.database import Database
from memd.db.driver import DiskFull
from memd.db.vectors import Vectors
from memd.injection import handed
from memd.injection.options import Options
from memd.server import injecting
from memd.server.dispatch import Call, Delivery
from memd.server.methods import hook as hooks
from memd.server.methods.hook import Hooks
from memd.server.params import check
from memd.server.peer import Peer
from memd.services import InUse, Services
from memd.sources.exclusions import Exclusions
from memd.text.tokens import Bound, Counter, Estimate
from memd.turns.marks import Marks
from tests import rows
from tests.injection.memory import ASKED, COUNTER, CWD, NOW, PORT, Memory

PROMPT = {"session_id": "new", "cwd": CWD, "prompt": ASKED}


class Slow:
    """An embedder that is not loaded, and takes until it is let go."""

    loaded = False

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.go = threading.Event()

    def embed_query(self, text: str) -> object:
        self.asked.set()
        assert self.go.wait(10)
        return None


class Bench:
    """A memory behind the method, and what the intake was told."""

    def __init__(self, memory: Memory, folder: Path) -> None:
        self.memory, self.hints, self.embedder = memory, list[bytes](), Slow()
        self.root = folder / "projects"
        (self.root / "-home-dev-app").mkdir(parents=True)
        self.exclusions = Exclusions((), lambda cwd: None)
        self.db: object = memory.db
        self.options, self.serving = Options(), None
        self.counter: Counter = COUNTER
        self.waited = 0.0  # for its turn, in seconds
        self.gone = False  # whether clients give up before they have their answer

    def answer(self, event: str, raw: str | Mapping[str, object]) -> str:
        """What the hook prints."""
        return asyncio.run(self._answers([(event, raw)]))[0]

    def answers(self, *events: tuple[str, str | Mapping[str, object]]) -> list[str]:
        """What one hook after the other prints, of one and the same memd."""
        return asyncio.run(self._answers(events))

    async def _answers(self, events: Iterable[tuple[str, str | Mapping[str, object]]]) -> list[str]:
        with ThreadPoolExecutor(1) as thread:
            method = Hooks(cast(Services, self._services(thread))).methods()["hook"]
            try:
                told = [await self._one(method, event, raw) for event, raw in events]
                await self.memory.db.write(lambda c: None)  # behind what was written down
                return told
            finally:
                self.embedder.go.set()

    async def _one(self, method: hooks.Method, event: str, raw: str | Mapping[str, object]) -> str:
        given = {"event": event, "input": raw if isinstance(raw, str) else json.dumps(raw)}
        nobody = cast("hooks.Method", None)
        call = Call(check(method.schema, given), cast(Peer, None), None, nobody, Delivery(self.waited))  # type: ignore[arg-type]
        (told,) = (await method.handler(call)).values()
        if not self.gone:
            for follow in call.delivery.then:
                follow()
        return str(told)

    def _services(self, thread: ThreadPoolExecutor) -> SimpleNamespace:
        return SimpleNamespace(
            db=self.db,
            clock=FixedClock(NOW),
            embedding=SimpleNamespace(serving=self.serving),
            governor=SimpleNamespace(question=nullcontext, turn=_at_once),
            vectors=Vectors(),
            marks=Marks(),
            query_thread=thread,
            sources=SimpleNamespace(hint=self.hints.extend),
            exclusions=self.exclusions,
            roots=[str(self.root)],
            counter=self.counter,
            injection=self.options,
        )


async def _at_once(cpu_s: float) -> None:
    """Nobody is asked to wait."""


@pytest.fixture(autouse=True)
def _counting() -> None:
    COUNTER.count("what is counted with is loaded")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with rows.database(tmp_path) as db:
        memory = Memory(db)
        memory.say(PORT)
        yield Bench(memory, tmp_path)


def context(output: str) -> str:
    """The text for the model."""
    assert output.isascii() and "\n" not in output
    (told,) = json.loads(output).values()
    return str(told["additionalContext"])


def test_the_output_is_what_the_client_reads(bench: Bench) -> None:
    bench.memory.say("Größe — 日本語 — of the port of staging since the move it uses", session="s2")

    started = bench.answer("session-start", {"session_id": "new", "cwd": CWD, "source": "startup"})
    asked = bench.answer("user-prompt-submit", PROMPT)

    assert json.loads(started)["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert json.loads(asked)["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert "日本語" in context(started) and PORT in context(asked)


@pytest.mark.parametrize("event", hooks.SECONDS)
@pytest.mark.parametrize("raw", ["", "{not json", "[]", "{}", '{"prompt": 3, "cwd": [], "session_id": null}'])
def test_what_is_no_event_gets_nothing(bench: Bench, event: str, raw: str) -> None:
    bench.memory.db.write_now(lambda c: c.execute("UPDATE session SET project_id = NULL"))

    assert bench.answer(event, raw) == ""
    assert bench.hints == []


def test_each_thing_is_handed_over_once_until_the_context_is_emptied(bench: Bench) -> None:
    start = {"session_id": "new", "cwd": CWD}
    bench.memory.note("Since the move staging uses a port of its own")

    first, again, resumed, compacted, after = bench.answers(
        ("user-prompt-submit", PROMPT),
        ("user-prompt-submit", PROMPT),
        ("session-start", start | {"source": "resume"}),
        ("session-start", start | {"source": "compact"}),
        ("user-prompt-submit", PROMPT),
    )

    assert PORT in context(first) and "Known fact" in context(first)
    assert again == resumed == ""
    assert "Known fact" in context(compacted)
    assert PORT in context(after) and "Known fact" not in context(after)


def test_what_reached_no_client_is_handed_over_again_but_an_emptied_context_is_empty(bench: Bench) -> None:
    bench.memory.note("Since the move staging uses a port of its own")
    bench.answer("user-prompt-submit", PROMPT)
    bench.gone = True

    lost = bench.answer("session-start", {"session_id": "new", "cwd": CWD, "source": "compact"})
    prompted = bench.answer("user-prompt-submit", PROMPT)
    bench.gone = False
    again = bench.answer("user-prompt-submit", PROMPT)

    assert "Known fact" in context(lost)
    assert prompted == again and PORT in context(again) and "Known fact" in context(again)


def test_what_waited_too_long_for_its_turn_is_not_begun(bench: Bench) -> None:
    bench.waited = hooks.SECONDS["user-prompt-submit"]

    assert bench.answer("user-prompt-submit", PROMPT) == ""


def test_nothing_waits_for_a_model_that_is_not_loaded_but_it_is_called(bench: Bench) -> None:
    bench.serving = cast(None, InUse(1, "slow", bench.embedder))  # type: ignore[arg-type]

    output = bench.answer("user-prompt-submit", PROMPT)

    assert PORT in context(output)
    assert bench.embedder.asked.is_set()


def test_what_counts_tokens_is_not_waited_for_long_and_its_bound_holds_the_budget(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Cold(Estimate):
        def count(self, text: str) -> int:
            assert bench.embedder.go.wait(10)
            return 1

        def at_most(self, text: str) -> int:
            return len(text.encode())

    bench.counter = Cold(ready=False)
    monkeypatch.setattr(injecting, "COUNT_SECONDS", 0.05)

    text = context(bench.answer("user-prompt-submit", PROMPT))

    assert PORT in text and Bound(bench.counter).count(text) <= bench.options.prompt_tokens


def test_an_answer_that_would_come_too_late_is_none(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stuck:
        path = bench.memory.db.path

        async def read(self, *_: object) -> None:
            await asyncio.sleep(30)

    bench.db = Stuck()
    monkeypatch.setitem(hooks.SECONDS, "user-prompt-submit", 0.05)
    began = time.monotonic()

    assert bench.answer("user-prompt-submit", PROMPT) == ""
    assert time.monotonic() - began < 5


def test_memd_has_no_part_in_its_own_runs_in_subagents_and_in_excluded_folders(bench: Bench) -> None:
    own = str(bench.memory.db.path.parent / "run")

    assert bench.answer("user-prompt-submit", PROMPT | {"cwd": own}) == ""
    assert bench.answer("user-prompt-submit", PROMPT | {"agent_id": "a1"}) == ""
    bench.exclusions.replace([CWD])
    assert bench.answer("user-prompt-submit", PROMPT) == ""


def test_what_is_switched_off_says_nothing(bench: Bench) -> None:
    bench.options = Options(session_start=False, prompt=False)

    assert bench.answer("user-prompt-submit", PROMPT) == ""
    assert bench.answer("session-start", {"session_id": "new", "cwd": CWD, "source": "startup"}) == ""


def test_a_compaction_counts_also_where_a_session_start_says_nothing(bench: Bench) -> None:
    bench.options = Options(session_start=False)

    bench.answer("session-start", {"session_id": "new", "cwd": CWD, "source": "compact"})

    assert bench.memory.db.read_now(handed.context, "new").emptied_ms == NOW


@pytest.mark.parametrize("event", ["stop", "pre-compact", "session-end"])
def test_the_intake_is_rung_for_the_transcript_and_the_event_itself_is_not_stored(
    bench: Bench, event: str
) -> None:
    path = bench.root / "-home-dev-app" / "00000000-0000-4000-8000-000000000000.jsonl"

    output = bench.answer(
        event, {"session_id": "new", "transcript_path": str(path), "last_assistant_message": "said"}
    )

    assert (output, bench.hints) == ("", [str(path).encode()])


@pytest.mark.parametrize(
    "path",
    [
        "",
        "relative.jsonl",
        "/etc/passwd",
        "{root}",
        "{root}/../secret/00000000-0000-4000-8000-000000000000.jsonl",
        "{root}/link/00000000-0000-4000-8000-000000000000.jsonl",
        "{root}-other/x/00000000-0000-4000-8000-000000000000.jsonl",
    ],
)
def test_no_path_that_leads_out_of_the_watched_folders_is_looked_at(bench: Bench, path: str) -> None:
    outside = bench.root.parent / "secret"
    outside.mkdir()
    (bench.root / "link").symlink_to(outside)

    bench.answer("stop", {"session_id": "new", "transcript_path": path.format(root=bench.root)})

    assert bench.hints == []


def test_a_root_that_is_reached_by_a_link_is_watched_all_the_same(bench: Bench, tmp_path: Path) -> None:
    name = "-home-dev-app/00000000-0000-4000-8000-000000000000.jsonl"
    link = tmp_path / "linked"
    link.symlink_to(bench.root)

    bench.answer("stop", {"session_id": "new", "transcript_path": str(link / name)})

    assert bench.hints == [str(bench.root / name).encode()]


def test_a_write_that_fails_costs_nothing_but_that_it_may_be_said_again(bench: Bench) -> None:
    class Unwritable:
        path = bench.memory.db.path

        def __init__(self, db: Database) -> None:
            self.read = db.read

        def submit_write(self, *_: object) -> object:
            failed: Future[None] = Future()
            failed.set_exception(DiskFull())
            return failed

    bench.db = Unwritable(bench.memory.db)

    first, again = bench.answers(("user-prompt-submit", PROMPT), ("user-prompt-submit", PROMPT))

    assert first == again != ""
