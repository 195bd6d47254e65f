"""History of other programs in turn memory: exactly once, within its bounds, and never where it should not be."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memd.api import (
    HistoryImportError,
    ImportedSession,
    ImportLimits,
    InMemoryStore,
    Memory,
    Scope,
    import_history,
)
from tests.importers.exports import chatgpt

START = datetime(2026, 11, 30, 9, tzinfo=UTC)
SECRET = "ghp_" + "a1B2" * 9


def lines(folder: Path, *records: object, name: str = "history") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return path


def said(n: int, text: str, **more: object) -> dict[str, object]:
    role = ("user", "assistant")[n % 2]
    return {"role": role, "content": text, "timestamp": START.timestamp() + n, "session_id": "s1"} | more


@pytest.fixture
def history(tmp_path: Path) -> Path:
    return lines(tmp_path, *(said(n, f"turn {n}") for n in range(6)))


def transcript(folder: Path) -> Path:
    """A transcript of Claude Code in which a question was asked anew."""
    base = {
        "sessionId": "s1",
        "cwd": "/app",
        "version": "2.1.0",
        "isSidechain": False,
        "userType": "external",
    }

    def record(uuid: str, parent: str | None, role: str, content: object, second: int) -> dict[str, object]:
        at = f"2026-11-30T09:00:{second:02d}.000Z"
        message: dict[str, object] = {"role": role, "content": content}
        if role == "assistant":
            message |= {"id": f"msg_{uuid}", "type": "message", "model": "claude"}
        return base | {"type": role, "uuid": uuid, "parentUuid": parent, "timestamp": at, "message": message}

    reply = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Use the vault."}]
    return lines(
        folder,
        record("a", None, "user", "Where do secrets go?", 0),
        record("b", "a", "assistant", reply, 1),
        name="0b5b2f0e-7c39-4e33-9c39-1f2b8e7a0001.jsonl",
    )


def test_L18_LS26_each_session_becomes_a_run_and_each_message_a_turn_at_its_time(history: Path) -> None:
    memory = Memory()
    told: list[ImportedSession] = []

    report = import_history(history, memory, user_id="ada", agent_id="bot", on_session=told.append)

    found = memory.get_all(user_id="ada", agent_id="bot", run_id="s1")
    assert [(one.content, one.created_at.second) for one in found] == [(f"turn {n}", n) for n in range(6)]
    assert (report.format, report.imported, report.ok, len(told)) == ("jsonl", 6, True, 1)
    assert (told[0].run_id, told[0].turns, told[0].imported) == ("s1", 6, 6)


def test_L18_a_session_is_told_of_while_the_next_ones_are_read(tmp_path: Path) -> None:
    memory, told = Memory(), list[tuple[str, int, int]]()
    path = tmp_path / "export"
    path.write_bytes(chatgpt.dump([chatgpt.conversation(n, 300) for n in range(8)]))

    def on_session(session: ImportedSession) -> None:
        told.append((session.session_id, session.turns, len(memory.get_all(user_id="ada"))))

    report = import_history(path, memory, user_id="ada", on_session=on_session)

    assert [id for id, _, _ in told] == [session.session_id for session in report.sessions]
    assert {turns for _, turns, _ in told} == {300}
    assert told[0][2] < report.imported == told[-1][2]


def test_LS27_the_same_history_again_stores_only_what_is_new(history: Path, tmp_path: Path) -> None:
    path = tmp_path / "turns.db"
    import_history(history, path)
    with history.open("a") as file:
        file.write(json.dumps(said(6, "turn 6")) + "\n")

    again = import_history(history, path, redact=False)

    assert (again.imported, again.duplicates) == (1, 6)
    assert len(Memory(path).get_all(user_id="default")) == 7
    assert import_history(history, path, user_id="ada").imported == 7


def test_LS23_transcripts_of_claude_code_come_without_thinking(tmp_path: Path) -> None:
    store = InMemoryStore()
    transcript(tmp_path)

    report = import_history(tmp_path, store)

    assert report.format == "claude-code"
    assert [one.content for one in store.list(Scope(user_id="default"))] == [
        "Where do secrets go?",
        "Use the vault.",
    ]
    assert report.skipped["thinking"] == 1
    assert import_history(tmp_path, store, format="claude-code").imported == 0


def test_LS28_a_dry_run_counts_and_leaves_no_trace(history: Path, tmp_path: Path) -> None:
    path = tmp_path / "turns.db"

    assert import_history(history, path, dry_run=True).imported == 6
    assert import_history(history, None, dry_run=True).imported == 6
    assert [one.name for one in tmp_path.iterdir()] == ["history"]

    import_history(history, path, limit=2)
    before = {one.name: one.read_bytes() for one in tmp_path.iterdir()}
    report = import_history(history, path, dry_run=True)

    assert (report.imported, report.duplicates, report.dry_run) == (4, 2, True)
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == before


def test_LS30_a_window_and_a_limit_bound_what_comes_in(history: Path) -> None:
    memory = Memory()
    since, until = START.timestamp() + 1, START.timestamp() + 5

    first = import_history(history, memory, since=since, until=until, limit=3)
    second = import_history(history, memory, since=since, until=until, limit=3)

    assert (first.imported, first.limited, first.skipped) == (3, True, {"outside_window": 2})
    assert (second.imported, second.duplicates, second.limited) == (1, 3, False)


def test_LS31_secrets_never_reach_the_store_unless_that_is_asked_for(tmp_path: Path) -> None:
    path = lines(tmp_path, said(0, f"the token is {SECRET}"))
    clean, raw = Memory(), Memory()

    report = import_history(path, clean)
    import_history(path, raw, redact=False)

    assert "[REDACTED:" in clean.get_all(user_id="default")[0].content
    assert sum(report.redactions.values()) == 1
    assert SECRET in raw.get_all(user_id="default")[0].content


def test_LS29_LS30_what_is_too_large_is_counted_and_strict_stops_at_it(tmp_path: Path) -> None:
    path = lines(tmp_path, said(0, "short"), said(1, "x" * 100), {"role": "robot", "content": "beep"})
    bounds = ImportLimits(max_turn_chars=50)

    report = import_history(path, Memory(), format="jsonl", limits=bounds)

    assert (report.imported, report.skipped, report.malformed) == (1, {"too_large": 1}, 1)
    assert report.sessions[0].skipped == 1
    with pytest.raises(HistoryImportError, match="over the limit"):
        import_history(path, Memory(), format="jsonl", limits=bounds, strict=True)
    with pytest.raises(HistoryImportError):
        import_history(transcript(tmp_path), Memory(), limits=ImportLimits(max_file_bytes=10))


@pytest.mark.parametrize("name", ["max_file_bytes", "max_depth", "max_turn_chars", "max_zip_ratio"])
def test_LS29_a_limit_is_raised_by_an_argument_and_no_flag_of_memctl(name: str, tmp_path: Path) -> None:
    path = lines(tmp_path, said(0, "short"), said(1, " " * (2 << 20) + "x", more=[[[1]]]))
    if name == "max_zip_ratio":
        with zipfile.ZipFile(tmp_path / "zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(path)
        path = tmp_path / "zip"
    bounds = replace(ImportLimits(max_turn_chars=1 << 30), **{name: 2})

    with pytest.raises(HistoryImportError) as caught:
        import_history(path, Memory(), strict=True, limits=bounds)

    assert caught.value.limit == name
    assert str(caught.value).endswith(f"raise the limit with limits=ImportLimits({name}=…)")
    assert "--" not in str(caught.value)


def test_LS29_a_transcript_or_one_file_of_many_says_so_too(tmp_path: Path) -> None:
    with pytest.raises(
        HistoryImportError, match=r"raise the limit with limits=ImportLimits\(max_file_bytes=…\)"
    ):
        import_history(transcript(tmp_path), Memory(), limits=ImportLimits(max_file_bytes=10))

    folder = tmp_path / "folder"
    folder.mkdir()
    lines(folder, said(0, "short"))
    lines(folder, said(1, "x" * 1_000), name="large")
    report = import_history(folder, Memory(), limits=ImportLimits(max_file_bytes=500))
    assert report.imported == 1
    assert [error.endswith("ImportLimits(max_file_bytes=…)") for error in report.errors] == [True]


@pytest.mark.parametrize(
    "more",
    [
        {"format": "word"},
        {"limit": 0},
        {"since": "yesterday"},
        {"memory": None},
        {"memory": "mysql://host"},
    ],
)
def test_LS30_what_is_wrong_is_refused(history: Path, more: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        import_history(history, **({"memory": InMemoryStore()} | more))  # type: ignore[arg-type]  # by name


def test_LS30_a_source_that_is_missing_or_of_no_format_is_told(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("just words")

    for name in ("none", "notes"):
        with pytest.raises(HistoryImportError, match=name):
            import_history(tmp_path / name, InMemoryStore())
