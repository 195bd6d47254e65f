"""Every format gives exactly the turns and counts of its generated export (LS26)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from memd.importers import run, source
from memd.importers.gathering import Gathering, Session, Wanted
from memd.importers.limits import ImportLimits
from tests.importers.exports import Export, Said, chatgpt, claude_ai, codex, gemini, jsonl, mem0, opencode

EXPORTS = {
    "chatgpt": chatgpt.export,
    "claude-ai": claude_ai.export,
    "mem0": mem0.export,
    "jsonl": jsonl.export,
    "codex": codex.export,
    "codex, bare": codex.bare,
    "gemini": gemini.export,
    "gemini, old": gemini.old,
    "opencode": opencode.export,
}


def gathered(
    path: Path, wanted: Wanted | None = None, format_: str = "auto"
) -> tuple[Gathering, list[Session]]:
    """What an import of the path finds."""
    wanted = wanted or Wanted()
    with source.opened(str(path), format_, wanted) as found:
        into = Gathering(str(found.format), wanted)
        sessions = [session for batch in run.batches(found, into) for session in batch.sessions]
        assert found.errors == []
    return into, sessions


def said(sessions: list[Session]) -> list[Said]:
    return [(session.key, turn.role, turn.text) for session in sessions for turn in session.turns]


@pytest.fixture(params=EXPORTS)
def made(request: pytest.FixtureRequest) -> Export:
    return EXPORTS[request.param]()


def test_turns_titles_and_counts_are_those_of_the_generator(made: Export, tmp_path: Path) -> None:
    into, sessions = gathered(made.file(tmp_path))

    found = [
        ("jsonl-" if key.startswith("jsonl-") else key, role, words) for key, role, words in said(sessions)
    ]
    assert sorted(found) == sorted(made.turns)
    assert into.format == made.format
    assert {reason: count for reason, count in into.skipped.items() if count} == dict(made.skipped)
    assert into.malformed == made.malformed
    titles = {session.key: session.title for session in sessions if session.title and session.turns}
    assert titles == made.titles


def test_turns_of_a_session_stand_in_the_order_they_were_said(made: Export, tmp_path: Path) -> None:
    _, sessions = gathered(made.file(tmp_path))

    by_session: dict[str, list[str]] = {}
    for key, _, words in made.turns:
        by_session.setdefault(key, []).append(words)
    for session in sessions:
        turns = sorted(session.turns, key=lambda turn: turn.seq)
        key = "jsonl-" if session.key.startswith("jsonl-") else session.key
        assert [turn.text for turn in turns] == by_session.get(key, [])


def test_tool_output_comes_where_it_is_asked_for(made: Export, tmp_path: Path) -> None:
    _, sessions = gathered(made.file(tmp_path), Wanted(tool_output=True))

    tools = [turn for turn in said(sessions) if turn[1] == "tool"]
    assert Counter(tools) == Counter(made.tools)


def test_ids_are_the_same_every_time_and_never_twice(made: Export, tmp_path: Path) -> None:
    _, first = gathered(made.file(tmp_path, "one.json"), Wanted(tool_output=True))
    _, again = gathered(made.file(tmp_path, "other.txt"), Wanted(tool_output=True))

    ids = [turn.id for session in first for turn in session.turns]
    assert ids == [turn.id for session in again for turn in session.turns]
    assert len(ids) == len(set(ids)) == len(made.turns) + len(made.tools)
    assert all(len(id) == 32 for id in ids)


def test_a_user_and_an_agent_that_are_named_make_turns_of_their_own(made: Export, tmp_path: Path) -> None:
    path = made.file(tmp_path)
    _, mine = gathered(path)
    _, hers = gathered(path, Wanted(user_id="zoe", agent_id="coach"))

    assert all(session.key.endswith("@zoe/coach") and session.user_id == "zoe" for session in hers)
    ids = [{turn.id for session in sessions for turn in session.turns} for sessions in (mine, hers)]
    assert not ids[0] & ids[1]


def test_a_format_that_is_named_is_taken_at_its_word(made: Export, tmp_path: Path) -> None:
    _, sessions = gathered(made.file(tmp_path), format_=made.format)

    assert len(said(sessions)) == len(made.turns)


def test_the_limits_have_the_defaults_that_are_documented() -> None:
    limits = ImportLimits()

    assert (limits.max_file_bytes, limits.max_record_bytes, limits.max_depth) == (1 << 30, 32 << 20, 64)
    assert (limits.max_turn_chars, limits.max_zip_members, limits.max_zip_ratio) == (100_000, 100_000, 100.0)


@pytest.mark.parametrize("bound", [0, -1, True, "7", 1.5, None, float("nan")])
def test_a_bound_that_is_none_is_refused(bound: object) -> None:
    with pytest.raises(ValueError, match="max_depth"):
        ImportLimits(max_depth=bound)  # type: ignore[arg-type]  # on purpose
