"""Codex's rollouts: forks, and the rollback of a whole session."""

from __future__ import annotations

from pathlib import Path

from memd.turns.turn import Turn
from tests.importers.exports import codex
from tests.importers.exports.codex import ID, Rollout, meta
from tests.importers.test_formats import gathered

FORK = "019a2d7a-0000-78b1-b7cc-000000000002"


def turns_of(path: Path, rollout: Rollout) -> list[Turn]:
    path.write_bytes(b"\n".join(rollout.lines))
    return [turn for session in gathered(path)[1] for turn in session.turns]


def origin(*more: str) -> Rollout:
    made = Rollout()
    made.add("session_meta", **meta())
    for number, words in enumerate(("one", "two", "continue", *more)):
        made.say("user" if number % 2 == 0 else "assistant", words)
    return made


def fork(*more: str) -> Rollout:
    """A copy up to the second message, at another time, and what was said then."""
    made = Rollout()
    made.lines.append(b"")
    made.add("session_meta", **meta(id=FORK, forked_from_id=ID))
    made.add("session_meta", **meta())
    for number, words in enumerate(("one", "two", *more)):
        made.say("user" if number % 2 == 0 else "assistant", words)
    return made


def test_a_fork_repeats_turns_of_its_origin_and_adds_its_own(tmp_path: Path) -> None:
    """LS27"""
    first = turns_of(tmp_path / "a", origin())
    second = turns_of(tmp_path / "b", fork("go on", "continue", "continue"))

    assert [turn.id for turn in second[:2]] == [turn.id for turn in first[:2]]
    assert len({turn.id for turn in [*first, *second]}) == 3 + 3
    assert {turn.session_id for turn in second} == {FORK}


def test_equal_words_in_a_fork_and_in_its_origin_are_said_twice(tmp_path: Path) -> None:
    first = turns_of(tmp_path / "a", origin("no", "continue"))
    second = turns_of(tmp_path / "b", fork("stop", "no", "continue"))

    assert len({turn.id for turn in [*first, *second]}) == 5 + 3


def test_a_rollback_takes_back_no_more_than_there_was(tmp_path: Path) -> None:
    made = origin()
    made.add("event_msg", type="thread_rolled_back", num_turns=99)
    made.say("user", "anew")

    assert [turn.text for turn in turns_of(tmp_path / "a", made)] == ["anew"]


def test_a_subagents_rollout_is_counted(tmp_path: Path) -> None:
    made = Rollout()
    made.add("session_meta", **meta(source={"subagent": {"thread_spawn": {"parent_thread_id": ID}}}))
    made.say("user", "look into it")
    path = tmp_path / "a"
    path.write_bytes(b"\n".join(made.lines))

    into, sessions = gathered(path)

    assert (sessions, into.skipped["subagent"]) == ([], 1)


def test_what_is_new_in_a_session_that_goes_on_is_new_alone(tmp_path: Path) -> None:
    before = turns_of(tmp_path / "a", codex.rollout(1))
    after = turns_of(tmp_path / "a", codex.rollout(3))

    assert [turn.id for turn in before] == [turn.id for turn in after][: len(before)]
