"""Every file of the fixture tree gives what is expected of it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from memd.importers import timestamps
from memd.turns.turn import Claim, Turn
from tests.importers.fixtures import EXPECTED, SESSIONS, read

FIELDS = ("role", "text", "uuid", "session_id", "at_ms")


def _as_expected(turn: Turn) -> dict[str, Any]:
    return {name: getattr(turn, name) for name in FIELDS} | {"message_id": turn.message_id}


def _expected(turn: dict[str, Any]) -> dict[str, Any]:
    return {name: turn[name] for name in FIELDS} | {"message_id": turn.get("message_id")}


@pytest.mark.parametrize("path", SESSIONS)
def test_the_turns_of_a_file(path: str) -> None:
    expected = SESSIONS[path]
    harvest = read(path).take()
    current = [turn for turn in harvest.turns if turn.id not in harvest.hidden]
    left = [turn for turn in harvest.turns if turn.id in harvest.hidden]

    assert [_as_expected(turn) for turn in current] == [_expected(turn) for turn in expected["turns"]]
    assert [_as_expected(turn) for turn in left] == [
        _expected(turn) for turn in expected.get("other_branch_turns", [])
    ]
    for turn, wanted in zip(current, expected["turns"], strict=True):
        assert turn.id == wanted["id"] or (wanted["id"] is None and len(turn.id) == 32)
        assert turn.timestamp == timestamps.raw(wanted["timestamp"])


@pytest.mark.parametrize("path", SESSIONS)
def test_the_counts_of_a_file(path: str) -> None:
    expected = SESSIONS[path]
    transcript = read(path)

    assert dict(transcript.skipped) == expected["skipped"]
    assert transcript.duplicates == expected["duplicates_in_file"]
    assert "title" not in expected or transcript.title == expected["title"]


@pytest.mark.parametrize("seed", range(5))
def test_the_tree_gives_the_same_turns_in_any_order(seed: int) -> None:
    paths = list(SESSIONS)
    random.Random(seed).shuffle(paths)
    stored: dict[str, Turn] = {}
    for path in paths:
        harvest = read(path).take()
        for turn in harvest.turns:
            known = stored.get(turn.id)
            if turn.id not in harvest.hidden and (known is None or turn.claim > known.claim):
                stored[turn.id] = turn

    assert len(stored) == EXPECTED["tree"]["unique_turns"]
    assert sum(turn.role == "user" for turn in stored.values()) == EXPECTED["tree"]["unique_user"]
    sessions = {turn["id"]: turn["session_id"] for file in SESSIONS.values() for turn in file["turns"]}
    assert {key: stored[key].session_id for key in sessions if key} == {
        key: session for key, session in sessions.items() if key
    }


def test_a_file_says_where_it_comes_from() -> None:
    fork = read("projects/-home-dev-orchard-ledger/0c7be1d4-52a9-4f0e-9b6d-7f1f0a3d2c58.jsonl")
    claims = {turn.claim for turn in fork.take().turns}

    assert fork.continues == "a9940703-0b23-4c45-9971-6b56ba5ba64e"
    assert claims == {Claim.REQUEST}


def test_a_session_that_moved_is_of_the_project_it_moved_to() -> None:
    moved = read(
        "projects/-home-dev-orchard-ledger--claude-worktrees-frost-report/5350b06c-96ce-4161-82d4-d5cacdf08fe2.jsonl"
    )

    assert moved.cwd == "/home/dev/orchard-ledger"
    assert moved.project_cwd == "/home/dev/orchard-ledger/.claude/worktrees/frost-report"


def test_types_that_nobody_knows_are_named() -> None:
    odd = read("projects/-home-dev--tools-kiln-timer/4e994977-be90-4a1d-8f08-3d9258b81c3e.jsonl")

    assert odd.unknown == {"brand-new-record": 1}
    assert odd.bad_lines == 4
