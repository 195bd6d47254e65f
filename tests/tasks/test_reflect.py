"""Reflecting: the gate, one call, and each effect once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.errors import BudgetSpent, ModelError, ModelOverloaded, ModelRefused, ModelTimeout
from memd.jobs import by_hand, recovery
from memd.jobs.by_hand import Which
from memd.jobs.job import State
from memd.memory.entry import MemoryScope
from memd.providers.llm.base import JSON, Stop
from memd.reflection import observed, passed_over, proposal_table
from memd.reflection.op import Rewrite
from memd.tasks.reflect import Asked, Options
from tests.memory.entries import add, project
from tests.memory.stored import live
from tests.rows import database
from tests.tasks.models import Scripted, reply
from tests.tasks.reflecting import House

TEXTS = ("the api runs on port 8080", "tabs are preferred", "deploys go out on tuesdays")
MEMORY = "- Ada prefers tabs\n"
ANSWER: JSON = {
    "insights": [{"text": "habits rule the day", "entries": [1, 2]}],
    "operations": [{"op": "rewrite", "old": ["Ada prefers tabs"], "new": "Ada likes tabs", "entries": [2]}],
}
NOTHING: JSON = {"insights": [], "operations": []}


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


@pytest.fixture
def house(db: Database, tmp_path: Path) -> House:
    for text in TEXTS:
        add(db, text)
    (tmp_path / "MEMORY.md").write_text(MEMORY)
    return House(db, tmp_path, Scripted(ANSWER))


def insights(house: House) -> list[str]:
    return [text for text in live(house.db) if text not in TEXTS and not text.startswith("entry ")]


def test_what_is_new_is_read_once_and_what_comes_of_it_is_stored(house: House) -> None:
    """MC25, MC28"""
    job = house.run()
    again = house.run()

    assert job.state is State.DONE and job.result == {
        "skipped": False,
        "reason": None,
        "reflections": 1,
        "read": 3,
        "insights": 1,
        "repeated": 0,
        "proposals": [1],
        "applied": [],
        "dropped": 0,
        "passed_over": [],
    }
    assert insights(house) == ["habits rule the day"]
    [proposal] = house.db.read_now(proposal_table.listing)
    assert proposal.op == Rewrite("Ada prefers tabs", "Ada likes tabs", (2,))
    assert house.mark() == 3
    assert (
        again.result is not None
        and again.result["reason"] == "not enough new observations since last reflection"
    )
    assert len(house.model.requests) == 1
    assert all(text in house.model.requests[0].prompt for text in (*TEXTS, "Ada prefers tabs"))


def test_too_little_is_not_worth_a_call(db: Database, tmp_path: Path) -> None:
    """MC25: unless that is asked for."""
    house = House(db, tmp_path, Scripted(NOTHING))
    add(db, "one entry")

    skipped = house.run()
    assert skipped.result is not None
    assert (skipped.result["skipped"], skipped.result["reason"]) == (
        True,
        "not enough new observations since last reflection",
    )
    assert house.model.requests == []

    assert house.run(Asked(min_new=0)).result is not None
    assert (len(house.model.requests), house.mark()) == (1, 1)
    house.run(Asked(min_new=0))
    assert len(house.model.requests) == 1


@pytest.mark.parametrize("answer", [NOTHING, "Nothing to record."])
def test_nothing_to_record_is_done(house: House, answer: JSON) -> None:
    house.model.answers = [answer]

    job = house.run()

    assert (job.state, house.mark(), insights(house)) == (State.DONE, 3, [])


@pytest.mark.parametrize(
    "error", [ModelTimeout(), ModelOverloaded(), BudgetSpent("spent", retry_after_s=3600), OSError("x")]
)
def test_a_call_that_fails_leaves_everything_as_it_was(house: House, error: Exception) -> None:
    """MC29, MC22"""
    house.model.answers = [error, ANSWER]

    job = house.run()
    assert (job.state, house.mark(), insights(house)) == (State.RETRY, None, [])

    house.run()
    assert (house.mark(), insights(house)) == (3, ["habits rule the day"])


@pytest.mark.parametrize(
    "answer",
    [
        "Sure! Here is what I think, with no JSON in it.",
        "",
        '{"insights": [{"text": "cut of',
        '{"insights": 7, "operations": "x"}',
        reply("INSIGHT: cut of", Stop.CUT),
        reply("", Stop.TOO_LARGE),
    ],
)
def test_an_answer_that_is_none_is_asked_for_once_more_and_then_told(house: House, answer: str) -> None:
    """Nothing is stored of it, and the next job may read the same entries."""
    house.model.answers = [answer]

    assert house.run().state is State.RETRY
    dead = house.run()

    assert (dead.state, len(house.model.requests)) == (State.DEAD, 2)
    assert dead.error is not None and "answer" in dead.error
    assert (house.mark(), live(house.db)) == (None, list(TEXTS))
    house.model.answers = [ANSWER]
    assert house.run().state is State.DONE


@pytest.mark.parametrize("answer", [reply("I can't help with that.", Stop.REFUSED), ModelRefused()])
def test_a_refusal_is_final(house: House, answer: ModelError) -> None:
    house.model.answers = [answer]

    assert (house.run().state, house.mark()) == (State.DEAD, None)


@pytest.mark.parametrize("answer", ["Sure! I will.", reply("cut", Stop.CUT), ModelRefused()])
def test_one_entry_without_a_usable_answer_holds_up_no_other(house: House, answer: JSON) -> None:
    """MC22, W24: asked about fewer and fewer, the model answers about the others; that one is passed over, and told."""
    bad = add(house.db, "entry that breaks the model")
    add(house.db, "entry behind it")
    house.model.answering = lambda request: answer if "breaks the model" in request.prompt else NOTHING

    jobs = [house.run(Asked(drain=True, min_new=0)) for _ in range(8)]

    assert house.mark() == 5
    told = [job.result["passed_over"] for job in jobs if job.result and job.result["passed_over"]]
    assert told == [[bad]]
    assert all(job.state in (State.RETRY, State.DEAD, State.DONE) for job in jobs)
    asked = [request.prompt for request in house.model.requests]
    assert all(any(text in prompt for prompt in asked) for text in (*TEXTS, "entry behind it"))
    assert len(asked) < 15
    assert house.db.read_now(passed_over.ids, None) == [bad]
    assert [entry.id for entry, seen in house.db.read_now(observed.listing) if not seen] == [bad]


def test_what_was_passed_over_is_read_when_somebody_asks(house: House) -> None:
    """And by no schedule."""
    bad = add(house.db, "entry that breaks the model")
    house.model.answering = lambda request: "prose" if "breaks the model" in request.prompt else NOTHING
    for _ in range(6):
        house.run(Asked(drain=True, min_new=0))
    house.model.answering = None
    calls = len(house.model.requests)
    assert house.run(Asked(min_new=0)).result["reason"] == "no unreflected entries found"  # type: ignore[index]
    assert len(house.model.requests) == calls

    house.db.write_now(passed_over.ask_again, None)
    job = house.run()

    assert job.result is not None and job.result["read"] == 1
    assert "breaks the model" in house.model.requests[-1].prompt
    assert (house.db.read_now(passed_over.ids, None), house.mark()) == ([], bad)
    assert house.run(Asked(min_new=0)).result["skipped"] is True  # type: ignore[index]


def test_a_drain_reads_all_there_is_in_bounded_rounds(db: Database, tmp_path: Path) -> None:
    """MC29: each round stores what it found; no more than twenty of them."""
    house = House(db, tmp_path, Scripted(NOTHING), Options(batch=2))
    for number in range(45):
        add(db, f"entry {number}")

    first = house.run(Asked(drain=True))
    second = house.run(Asked(drain=True))

    assert first.result is not None and second.result is not None
    assert (first.result["reflections"], first.result["read"]) == (20, 40)
    assert (second.result["reflections"], second.result["read"], house.mark()) == (3, 5, 45)


def test_a_drain_tells_the_proposals_of_all_its_rounds(db: Database, tmp_path: Path) -> None:
    """W15"""
    answers: list[JSON] = [
        {"insights": ["slow tests wait"], "operations": [{"op": "add", "new": new, "entries": []}]}
        for new in ("Ada tests first", "Bob reviews on Mondays")
    ]
    house = House(db, tmp_path, Scripted(*answers, NOTHING), Options(batch=2))
    for number in range(5):
        add(db, f"entry {number}")

    job = house.run(Asked(drain=True))

    assert job.result is not None
    assert {name: job.result[name] for name in ("reflections", "insights", "repeated", "proposals")} == {
        "reflections": 3,
        "insights": 1,
        "repeated": 1,
        "proposals": [1, 2],
    }


def test_a_drain_that_fails_keeps_what_it_has_and_goes_on_from_there(db: Database, tmp_path: Path) -> None:
    house = House(db, tmp_path, Scripted(NOTHING, ModelTimeout(), NOTHING), Options(batch=3))
    for number in range(9):
        add(db, f"entry {number}")

    assert house.run(Asked(drain=True)).state is State.RETRY
    assert house.mark() == 3
    done = house.run(Asked(drain=True))

    assert done.result is not None and (done.result["read"], house.mark()) == (9, 9)


def test_what_has_no_room_in_the_prompt_waits_for_the_next(db: Database, tmp_path: Path) -> None:
    """W13: the watermark never passes an entry that was not read."""
    house = House(db, tmp_path, Scripted(NOTHING), Options(prompt_tokens=2_500))
    for number in range(12):
        add(db, f"entry {number} " + "goes on and on " * 40)

    house.run(Asked(drain=True))

    assert house.mark() == 12
    assert len(house.model.requests) > 1
    for number in range(12):
        asked = [request for request in house.model.requests if f"entry {number} goes" in request.prompt]
        assert len(asked) == 1


def test_what_is_said_while_the_model_thinks_is_for_the_next(house: House) -> None:
    house.model.during = lambda: add(house.db, "entry said meanwhile")

    house.run()

    assert house.mark() == 3


def test_of_a_job_that_was_taken_away_nothing_is_stored(house: House) -> None:
    """A late holder changes nothing."""
    job = house.claim()
    house.model.during = lambda: house.db.write_now(by_hand.cancel, Which(job.id), house.clock.now_ms())

    house.work(job)

    assert (house.mark(), insights(house)) == (None, [])


def test_a_project_reflects_on_its_own(house: House) -> None:
    app, other = project(house.db, "/home/dev/app"), project(house.db, "/home/dev/other")
    add(house.db, "entry of the app", scope=MemoryScope(app))
    add(house.db, "entry of another", scope=MemoryScope(other))

    house.run(Asked(project=app), key="app")

    assert "entry of the app" in house.model.requests[0].prompt
    assert "entry of another" not in house.model.requests[0].prompt
    assert (house.mark(app), house.mark()) == (4, None)


def test_nothing_of_an_excluded_project_goes_to_a_model(house: House) -> None:
    """What is left of a batch goes, and where nothing is left no call is made."""
    secret = project(house.db, "/home/dev/secret")
    house.excluded.add("/home/dev/secret")
    add(house.db, "entry nobody may see", scope=MemoryScope(secret))

    house.run()
    assert (house.mark(), len(house.model.requests)) == (4, 1)
    assert "nobody may see" not in house.model.requests[0].prompt

    add(house.db, "entry nobody sees either", scope=MemoryScope(secret))
    house.run(Asked(min_new=0))
    assert (house.mark(), len(house.model.requests)) == (6, 1)


def test_secrets_in_the_curated_file_do_not_go_out_and_none_comes_in(house: House, tmp_path: Path) -> None:
    """R12"""
    key = "AKIA" + "QYLPMN5HHHFPZAM2"
    (tmp_path / "MEMORY.md").write_text(f"- the key is {key}\n")
    house.model.answers = [{"insights": [{"text": f"they use {key}", "entries": []}], "operations": []}]

    house.run()

    assert key not in house.model.requests[0].prompt
    assert insights(house) == ["they use [REDACTED:aws_key]"]


class Killed(BaseException):
    """memd ends here."""


@pytest.mark.parametrize("at", range(1, 8))
def test_a_kill_at_any_point_leaves_each_effect_once(
    house: House, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """Before and after every read and write, and while the model is asked."""
    step = killer(at)

    def stepping(method: Callable[..., object]) -> Callable[..., object]:
        async def call(*args: object, **kwargs: object) -> object:
            step()
            result = await method(*args, **kwargs)  # type: ignore[misc]
            step()
            return result

        return call

    house.model.during = step
    with monkeypatch.context() as patch:
        for name in ("read", "write"):
            patch.setattr(house.db, name, stepping(getattr(house.db, name)))
        try:
            house.run()
        except Killed:
            pass
    house.model.during = lambda: None
    house.db.write_now(recovery.recover, boot="c", now_ms=house.clock.now_ms(), backlogs=["reflect"])

    house.run(Asked(min_new=0))

    assert house.mark() in (3, 4)
    assert insights(house) == ["habits rule the day"]
    sightings = house.db.read_now(
        lambda c: c.execute("SELECT sightings FROM entry WHERE type = 'insight'").get
    )
    assert sightings == 1
    assert len(house.db.read_now(proposal_table.listing)) == 1


def killer(at: int) -> Callable[[], None]:
    """Something that ends memd when it is passed for the ``at``-th time."""
    passed = 0

    def step() -> None:
        nonlocal passed
        passed += 1
        if passed == at:
            raise Killed

    return step
