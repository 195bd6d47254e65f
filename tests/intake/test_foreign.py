"""Histories of other programs, imported into a store (LS26, LS27, LS28, LS30, LS31)."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from memd.db.driver import Connection
from memd.errors import Busy, HistoryImportError, NotFound
from memd.importers.report import ImportReport
from memd.intake.history import Import
from memd.services import ImportWish
from tests.importers.exports import Export, Said, chatgpt, claude_ai, codex, gemini, jsonl, mem0, opencode
from tests.importers.test_formats import EXPORTS
from tests.intake.home import Home, line


def imported(home: Home, path: Path, *, cancelled: bool = False, **wish: object) -> ImportReport:
    run = Import(
        home.db,
        ImportWish(str(path), **wish),  # type: ignore[arg-type]  # passed on as they are
        home.exclusions,
        follow_up=None,
        tell=lambda _: None,
        cancelled=lambda: cancelled,
    )
    return run.run()


def stored(home: Home) -> Counter[Said]:
    rows = ((str(turn["session_id"]), str(turn["role"]), str(turn["text"])) for turn in home.turns())
    return Counter(("jsonl-" if key.startswith("jsonl-") else key, role, text) for key, role, text in rows)


@pytest.fixture(params=EXPORTS)
def made(request: pytest.FixtureRequest) -> Export:
    return EXPORTS[request.param]()


def test_the_report_and_the_store_say_the_same(home: Home, made: Export, tmp_path: Path) -> None:
    report = imported(home, made.file(tmp_path))

    assert (report.format, report.files, report.ok) == (made.format, 1, True)
    assert (report.imported, report.duplicates, report.malformed) == (len(made.turns), 0, made.malformed)
    assert report.skipped == dict(made.skipped)
    assert stored(home) == Counter(made.turns)
    assert sum(one.imported for one in report.sessions) == len(made.turns)
    assert all(one.turns for one in report.sessions)
    assert {one.title for one in report.sessions if one.title} == set(made.titles.values())


def test_three_imports_are_one_whatever_the_file_is_called(home: Home, made: Export, tmp_path: Path) -> None:
    """LS27"""
    first = imported(home, made.file(tmp_path, "export.json"))
    second = imported(home, made.file(tmp_path, "export.json"), redact=False)
    third = imported(home, made.file(tmp_path, "holiday.txt"))

    assert first.imported == second.duplicates == third.duplicates == len(made.turns)
    assert second.imported == third.imported == 0
    assert stored(home) == Counter(made.turns)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (chatgpt.export(2), chatgpt.export(4)),
        (claude_ai.export(2), claude_ai.export(4)),
        (mem0.export(2), mem0.export(4)),
        (jsonl.export(2), jsonl.export(4)),
        (codex.export(1), codex.export(3)),
        (gemini.export(1), gemini.export(3)),
        (opencode.export(2), opencode.export(4)),
    ],
    ids=lambda export: export.format,
)
def test_a_newer_export_adds_what_is_new_alone(
    home: Home, older: Export, newer: Export, tmp_path: Path
) -> None:
    """LS27"""
    imported(home, older.file(tmp_path, "old"))
    report = imported(home, newer.file(tmp_path, "new"))

    assert (report.imported, report.duplicates) == (len(newer.turns) - len(older.turns), len(older.turns))
    assert stored(home) == Counter(newer.turns)


def test_a_dry_run_counts_all_and_writes_nothing(home: Home, made: Export, tmp_path: Path) -> None:
    """LS28"""
    folder = tmp_path / "history"
    folder.mkdir()
    made.file(folder)
    before = home.db.read_now(_everything)

    report = imported(home, folder, dry_run=True)

    assert (report.dry_run, report.imported, report.skipped) == (True, len(made.turns), dict(made.skipped))
    assert home.db.read_now(_everything) == before
    assert [path.name for path in folder.iterdir()] == ["some file"]
    assert imported(home, folder).imported == report.imported


def _everything(connection: Connection) -> list[object]:
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    wanted = [
        name for name in tables if name in ("turn", "content", "session", "file", "redaction", "project")
    ]
    return [connection.execute(f"SELECT * FROM {name}").fetchall() for name in sorted(wanted)]


def test_a_dry_run_counts_what_stands_twice_in_the_source_once(home: Home, tmp_path: Path) -> None:
    for name in ("a", "b"):
        chatgpt.export().file(tmp_path, name)

    report = imported(home, tmp_path, dry_run=True)

    assert (report.imported, report.duplicates) == (len(chatgpt.export().turns), len(chatgpt.export().turns))


@pytest.mark.parametrize("name", ["chatgpt", "claude-ai", "jsonl"])
def test_an_archive_and_its_folder_hold_the_same(home: Home, name: str, tmp_path: Path) -> None:
    made = EXPORTS[name]()
    folder = tmp_path / "unpacked"
    folder.mkdir()
    made.file(folder, "conversations.json")
    (folder / "user.json").write_text('{"id": "me", "email": "me@example.org"}')
    (folder / "chat.html").write_text("<html>[{}]</html>")
    with zipfile.ZipFile(tmp_path / "download", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in folder.iterdir():
            archive.write(path, f"../../deep/{path.name}")

    first = imported(home, tmp_path / "download")
    second = imported(home, folder)

    assert (first.format, first.imported, first.files) == (name, len(made.turns), 1)
    assert (second.imported, second.duplicates) == (0, len(made.turns))


def test_a_folder_of_two_programs_must_be_told_which(home: Home, tmp_path: Path) -> None:
    chatgpt.export().file(tmp_path, "a")
    codex.export().file(tmp_path, "b")

    with pytest.raises(HistoryImportError, match="of chatgpt and of codex: name one of them with --format"):
        imported(home, tmp_path)
    assert imported(home, tmp_path, format="codex").imported == len(codex.export().turns)


def test_transcripts_under_other_names_are_found_by_what_they_hold(home: Home, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(line("one") + line("two", number=1))

    report = imported(home, tmp_path)

    assert (report.format, report.imported) == ("claude-code", 2)


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"{}", b"[]", b'[{"a": 1}]', b"SQLite format 3\0", b"\xff\xfe[\0"]
)
def test_what_fits_no_format_is_said_in_one_sentence(home: Home, content: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)

    with pytest.raises(HistoryImportError) as caught:
        imported(home, tmp_path / "file")
    assert str(tmp_path / "file") in str(caught.value) and "\n" not in str(caught.value)


def test_what_is_not_there_is_not_found(home: Home, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="nothing at"):
        imported(home, tmp_path / "none")


def test_a_file_that_fails_is_named_and_the_others_are_imported(home: Home, tmp_path: Path) -> None:
    """LS30"""
    whole = chatgpt.dump([chatgpt.conversation(n) for n in range(3)])
    (tmp_path / "a").write_bytes(whole[:-40])
    (tmp_path / "b").write_bytes(chatgpt.dump([chatgpt.conversation(9)]))

    report = imported(home, tmp_path)

    assert [error.startswith(f"{tmp_path / 'a'}: ") for error in report.errors] == [True]
    assert (report.ok, report.imported, report.files) == (False, 6, 2)


def test_links_are_not_followed(home: Home, tmp_path: Path) -> None:
    outside = chatgpt.export().file(tmp_path, "outside")
    folder = tmp_path / "history"
    folder.mkdir()
    (folder / "link.json").symlink_to(outside)
    (folder / "folder").symlink_to(tmp_path)
    codex.export().file(folder, "own")

    assert imported(home, folder).format == "codex"


def test_strict_stops_at_the_first_bad_record_and_keeps_what_came_before(home: Home, tmp_path: Path) -> None:
    """LS30"""
    records = [chatgpt.conversation(0), {"no": "mapping"}, chatgpt.conversation(1)]
    (tmp_path / "file").write_bytes(chatgpt.dump(list(records)))

    with pytest.raises(HistoryImportError, match="none of this format; nothing behind it is imported"):
        imported(home, tmp_path / "file", strict=True)
    assert {session for session, _, _ in stored(home)} == {"plain-0"}


def test_no_more_than_the_limit_comes_in_and_the_rest_next_time(home: Home, tmp_path: Path) -> None:
    """LS30"""
    path = chatgpt.export().file(tmp_path)
    first = imported(home, path, limit=3)
    second = imported(home, path)

    assert (first.imported, first.limited) == (3, True)
    assert (second.imported, second.limited) == (len(chatgpt.export().turns) - 3, False)


def test_a_window_is_from_its_beginning_to_before_its_end(home: Home, tmp_path: Path) -> None:
    """LS30"""
    records = [
        {"role": "user", "content": f"at {n}", "timestamp": 1_790_000_000 + n, "session_id": "s"}
        for n in range(5)
    ]
    (tmp_path / "file").write_text("\n".join(map(json.dumps, records)))

    report = imported(home, tmp_path / "file", since_ms=1_790_000_001_000, until_ms=1_790_000_003_000)

    assert set(home.texts()) == {"at 1", "at 2"}
    assert report.skipped == {"outside_window": 3}
    assert [(one.turns, one.imported, one.skipped) for one in report.sessions] == [(5, 2, 3)]


def test_secrets_are_out_of_words_and_titles_before_anything_is_written(home: Home, tmp_path: Path) -> None:
    """LS31"""
    secret = "gh" + "p_" + "k9Xw2Lq7Zt" * 3 + "m4Nc8R"
    talk = chatgpt.conversation(0)
    talk["title"] = f"about {secret}"
    next(iter(talk["mapping"].values()))["message"] = chatgpt.message(
        "m", "user", chatgpt.text(f"use {secret}"), 1.0
    )
    (tmp_path / "file").write_bytes(chatgpt.dump([talk]))

    report = imported(home, tmp_path / "file")

    assert sum(report.redactions.values()) == 1
    assert secret not in json.dumps(report.to_dict())
    held = b"".join(path.read_bytes() for path in tmp_path.glob("memd.db*"))
    assert b"[REDACTED:github_token]" in held and secret.encode() not in held


def test_an_excluded_folder_is_passed_over_here_too(home: Home, tmp_path: Path) -> None:
    home.exclusions.replace(["/home/dev/kiln"])

    report = imported(home, codex.export().file(tmp_path))

    assert (report.imported, report.skipped["excluded"]) == (0, len(codex.export().turns))


def test_a_call_off_leaves_what_was_stored_and_the_next_import_ends_it(home: Home, tmp_path: Path) -> None:
    path = chatgpt.export().file(tmp_path)
    with pytest.raises(Busy, match="what was stored stays"):
        imported(home, path, cancelled=True)

    report = imported(home, path)

    assert report.imported + report.duplicates == len(chatgpt.export().turns)
    assert stored(home) == Counter(chatgpt.export().turns)


def test_sessions_have_the_project_of_their_folder(home: Home, tmp_path: Path) -> None:
    imported(home, codex.export().file(tmp_path))

    assert {turn["project"] for turn in home.turns()} == {"/home/dev/kiln"}
    imported(home, gemini.export().file(tmp_path, "other"))
    assert {turn["project"] for turn in home.turns()} == {"/home/dev/kiln", None}


def test_ids_and_titles_that_somebody_made_endless_are_stored_short(home: Home, tmp_path: Path) -> None:
    long = "x" * 100_000
    talk = chatgpt.conversation(0)
    talk |= {"conversation_id": long, "title": long}
    (tmp_path / "file").write_bytes(chatgpt.dump([talk]))

    report = imported(home, tmp_path / "file", user_id=long)

    assert report.imported == 2
    held = home.db.read_now(lambda c: c.execute("SELECT length(key), length(title) FROM session").get)
    assert held == (32 + 1 + 32, 500)
    assert imported(home, tmp_path / "file", user_id=long).duplicates == 2


def test_a_call_off_is_heard_while_files_are_looked_through(home: Home, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b'[{"a": "' + b"x" * 1_000_000)
    calls = 0

    def called_off() -> bool:
        nonlocal calls
        calls += 1
        return calls > 3

    run = Import(
        home.db,
        ImportWish(str(tmp_path / "file")),
        home.exclusions,
        follow_up=None,
        tell=lambda _: None,
        cancelled=called_off,
    )
    with pytest.raises(Busy):
        run.run()


def whose(home: Home) -> set[tuple[object, object]]:
    return home.db.read_now(
        lambda connection: set(
            connection.execute(
                """SELECT s.user_id, s.agent_id, t.user_id FROM session s JOIN turn t ON t.session_id = s.id"""
            ).fetchall()
        )
    )


def test_sessions_and_turns_say_whose_they_are_where_that_was_said(
    home: Home, made: Export, tmp_path: Path
) -> None:
    imported(home, made.file(tmp_path), user_id="ann", agent_id="helper")

    assert whose(home) == {("ann", "helper", "ann")}


def test_a_transcript_is_whose_one_says_and_nobodys_else(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(line("said once"))
    imported(home, file)
    before = whose(home)

    imported(home, file, user_id="ann")

    assert (before, whose(home)) == ({(None, None, None)}, {("ann", None, "ann")})
