"""The history of other programs, read as they write it: each turn once, by whatever way it comes (R1 to R4)."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest

from memd.db.driver import Connection
from memd.importers import zstd
from memd.intake import passes, reading
from memd.sources import forgetting
from memd.sources.foreign import CODEX, GEMINI, OPENCODE
from memd.text.fence import Line, fenced
from memd.turns import forget
from tests.importers.exports import Said, codex, gemini, opencode
from tests.importers.test_detect import Library
from tests.intake.home import Home, line, transcript
from tests.intake.programs import EXPORTS, PLACES, Live, append, busy, lying, said, watch
from tests.intake.test_foreign import imported


def shown(home: Home) -> Counter[Said]:
    return Counter(
        (str(turn["session_id"]), str(turn["role"]), str(turn["text"]))
        for turn in home.turns()
        if not turn["hidden"]
    )


def cursor(home: Home, path: Path) -> tuple[int, int]:
    """Size and offset as they are stored."""
    return home.db.read_now(  # type: ignore[no-any-return]  # a row of two numbers
        lambda c: c.execute("SELECT size, offset FROM file WHERE path = ?", (str(path),)).fetchone()
    )


@pytest.mark.parametrize("program", EXPORTS)
def test_what_lies_there_is_stored_and_not_read_again(home: Home, program: str) -> None:
    path, made = lying(home, program, 3)

    home.start()
    home.settle()
    assert shown(home) == Counter(made.turns)
    assert home.ask().result(20).files == 0
    home.stop()
    home.start()

    assert home.ask().result(20).files == 0
    assert shown(home) == Counter(made.turns)
    assert home.intake and home.intake.behind() == (0, 0)
    assert cursor(home, path)[0] == path.stat().st_size


@pytest.mark.parametrize("program", EXPORTS)
@pytest.mark.parametrize("first", ["watched", "imported"])
def test_a_file_that_is_imported_too_makes_no_second_turns(
    home: Home, program: str, first: str, tmp_path: Path
) -> None:
    path, made = lying(home, program, 3)
    copy = tmp_path / "a copy of it"
    shutil.copy(path, copy)
    if first == "imported":
        imported(home, copy)

    home.start()
    home.settle()
    again = [imported(home, copy).imported, imported(home, path).imported]
    home.settle()

    assert again == [0, 0]
    assert shown(home) == Counter(made.turns)


def test_the_projects_follow_ups_and_titles_are_those_of_an_import(home: Home) -> None:
    asked = []
    home.follow_up = lambda connection: asked.append(1)
    for program in EXPORTS:
        path, _ = lying(home, program)
        if program == GEMINI:
            (path.parent.parent / ".project_root").write_text("/home/dev/kiln\n")

    home.start()
    home.settle()

    assert asked
    assert {turn["project"] for turn in home.turns()} == {"/home/dev/kiln"}
    titles = home.db.read_now(lambda c: dict(c.execute("SELECT key, title FROM session").fetchall()))
    assert (titles[codex.ID], titles[gemini.ID], titles["ses_0"]) == ("Kiln work", "Kilns", "Title of ses_0")
    formats = home.db.read_now(lambda c: c.execute("SELECT DISTINCT format FROM session").fetchall())
    assert {name for (name,) in formats} == set(EXPORTS)


def test_a_rollout_is_read_on_from_where_it_ended(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    path, made = lying(home, CODEX)
    read: list[int] = []
    real = reading.tail.complete_lines

    def noted(descriptor: int, offset: int, *, max_lines: int, max_bytes: int) -> reading.tail.Lines:
        read.append(offset)
        return real(descriptor, offset, max_lines=max_lines, max_bytes=max_bytes)

    home.start()
    home.settle()
    monkeypatch.setattr(reading.tail, "complete_lines", noted)
    for number in range(6):
        before = path.stat().st_size
        append(path, said("user", f"more {number}"))
        if number == 3:
            home.stop()
            home.start()
        home.settle()
        assert read[-1] == before

    assert len(read) == 6
    assert shown(home) == Counter([*made.turns, *((codex.ID, "user", f"more {n}") for n in range(6))])


def test_a_line_counts_when_it_is_whole(home: Home) -> None:
    """R2"""
    path, made = lying(home, CODEX)
    raw = json.dumps(said("user", "half a line")).encode()
    home.start()
    home.settle()
    for piece, there in ((raw[:40], False), (raw[40:], True), (b"\n", True)):
        with path.open("ab") as file:
            file.write(piece)
        home.settle()
        assert ("half a line" in home.texts()) is there

    assert shown(home) == Counter([*made.turns, (codex.ID, "user", "half a line")])


def test_what_codex_takes_back_later_is_shown_no_more(home: Home) -> None:
    path, made = lying(home, CODEX)
    home.start()
    append(path, said("user", "a wrong turn again"), said("assistant", "following it again"))
    home.settle()
    assert "following it again" in home.texts()

    append(path, {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}})
    append(path, said("user", "the right turn"))
    home.settle()

    assert shown(home) == Counter([*made.turns, (codex.ID, "user", "the right turn")])


def test_an_answer_of_gemini_that_goes_on_replaces_its_beginning(home: Home) -> None:
    path = watch(home, GEMINI)
    append(path, {"sessionId": gemini.ID, "projectHash": "abc"}, gemini.message("a", "user", "ask"))
    append(path, gemini.message("b", "gemini", "the quokka"))
    home.start()
    home.settle()
    assert found(home, "quokka") == ["the quokka"]

    append(path, gemini.message("b", "gemini", "the wombat sleeps"))
    home.settle()

    assert home.texts() == Counter(["ask", "the wombat sleeps"])
    assert (found(home, "quokka"), found(home, "wombat")) == ([], ["the wombat sleeps"])
    assert home.db.read_now(lambda c: c.execute("SELECT count(*) FROM content").get) == 2


def found(home: Home, word: str) -> list[str]:
    rows = home.db.read_now(
        lambda c: c.execute(
            "SELECT c.text FROM turn_fts JOIN turn t ON t.rowid = turn_fts.rowid"
            " JOIN content c ON c.id = t.content_id WHERE turn_fts MATCH ?",
            (word,),
        ).fetchall()
    )
    return [str(text) for (text,) in rows]


def test_a_database_that_is_in_use_is_read_and_never_in_the_way(home: Home) -> None:
    live = Live(watch(home, OPENCODE))
    live.store.session("s")
    live.say("m1", "s", "the first")
    home.start()
    home.settle()
    assert home.texts() == Counter(["the first"])

    other = busy(home.projects.parent / OPENCODE / "opencode.db")
    home.settle()
    other.rollback()
    live.say("m2", "s", "the second", "assistant")
    home.settle()

    assert home.texts() == Counter(["the first", "the second"])
    assert live.checkpoint()[0] == 0
    live.say("m3", "s", "the third")
    home.settle()
    assert home.texts() == Counter(["the first", "the second", "the third"])
    assert not home.troubles.all()
    live.close()


def test_of_a_database_only_sessions_that_changed_are_read_again(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = Live(watch(home, OPENCODE))
    for number in range(5):
        live.store.session(f"s{number}")
        live.say(f"m{number}", f"s{number}", f"words {number}")
        live.write(f"UPDATE message SET time_updated = {number * 10**6} WHERE id = 'm{number}'")
        live.write(f"UPDATE part SET time_updated = {number * 10**6} WHERE message_id = 'm{number}'")
    home.start()
    home.settle()
    assert len(home.turns()) == 5
    read: list[str] = []
    real = passes.opencode.session

    def noted(connection: Connection, id: str, into: passes.Gathering, start: int) -> object:
        read.append(id)
        return real(connection, id, into, start)

    monkeypatch.setattr(passes.opencode, "session", noted)
    live.say("later", "s1", "more words")
    live.write("UPDATE message SET time_updated = 5000000 WHERE id = 'later'")
    live.write("UPDATE part SET time_updated = 5000000 WHERE message_id = 'later'")
    home.stop()
    home.start()
    home.settle()

    assert home.texts()["more words"] == 1
    assert read == ["s4", "s1"]
    live.close()


def test_what_opencode_takes_back_goes_and_comes_back_with_it(home: Home) -> None:
    live = Live(watch(home, OPENCODE))
    live.store.session("s")
    live.say("m1", "s", "kept")
    live.say("m2", "s", "taken back")
    home.start()
    home.settle()
    for left, texts in ((json.dumps({"messageID": "m2"}), ["kept"]), (None, ["kept", "taken back"])):
        live.write("UPDATE session SET revert = ?, time_updated = 1900000000000", left)
        home.settle()
        assert [words for _, _, words in shown(home)] == texts
    live.write("DELETE FROM message WHERE id = 'm2'")
    live.write(
        "UPDATE part SET data = ?, time_updated = 1900000000001",
        json.dumps({"type": "text", "text": "kept, more"}),
    )
    home.settle()

    assert [words for _, _, words in shown(home)] == ["kept, more"]
    live.close()


def test_a_database_that_changes_all_the_time_rests_between_passes(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passes, "REST", 1e9)
    path = watch(home, OPENCODE)
    live = Live(path)
    live.store.session("s")
    live.say("m1", "s", "the first")
    home.start()
    home.settle()

    live.say("m2", "s", "the second")
    transcript(home).write_bytes(line("announced behind it"))
    assert home.intake
    home.intake.hint([os.fsencode(path) + b"-wal", os.fsencode(transcript(home))])
    home.until(lambda: home.texts()["announced behind it"] == 1)
    assert home.texts()["the second"] == 0
    home.settle()

    assert home.texts()["the second"] == 1
    live.close()


def test_a_session_longer_than_a_batch_is_read_in_pieces(home: Home) -> None:
    path = watch(home, OPENCODE)
    live = Live(path)
    live.store.session("s", revert="m1200")
    for number in range(1203):
        live.store.say(f"m{number:04d}", "s", "user", opencode.text(f"words {number}"))
    live.store.db.commit()

    home.start()
    home.settle()
    assert len(home.turns()) == 1200
    live.write("UPDATE session SET revert = NULL, time_updated = 1900000000000")
    home.settle()

    assert shown(home) == Counter(("s", "user", f"words {number}") for number in range(1203))
    live.close()


def test_a_packed_rollout_is_the_one_it_was_packed_from(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "zstandard", Library("zstandard"))
    path, made = lying(home, CODEX, 3)
    home.start()
    home.settle()

    path.with_name(path.name + ".zst").write_bytes(zstd.MAGIC + path.read_bytes())
    path.unlink()
    home.settle()

    assert shown(home) == Counter(made.turns)
    assert home.ask().result(20).files == 0
    assert home.db.read_now(lambda c: c.execute("SELECT count(*) FROM file WHERE missing").get) == 1


@pytest.mark.parametrize(
    ("program", "name", "content", "why"),
    [
        (OPENCODE, "opencode.db", b"SQLite format 3\0 and garbage", "SQLite cannot read it"),
        (OPENCODE, "opencode.db", b"", "it is no database of opencode's"),
        (CODEX, "rollout-x.jsonl.zst", zstd.MAGIC, "zstd"),
    ],
)
def test_an_unsound_file_is_one_trouble_and_is_left_alone(
    home: Home, program: str, name: str, content: bytes, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for library in ("compression.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, library, None)
    folder = watch(home, program).parent
    (folder / name).write_bytes(content)
    transcript(home).write_bytes(line("all is well"))

    home.start()
    home.settle()
    again = home.ask().result(20)

    assert home.texts() == Counter(["all is well"])
    [trouble] = home.troubles.all()
    assert trouble.name == "history" and str(folder / name) in trouble.what and why in trouble.what
    assert (again.files, again.pending) == (0, 1)
    (folder / name).unlink()
    home.settle()
    assert not home.troubles.all()


def test_a_database_that_is_written_to_while_it_is_read_is_read_again(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, made = lying(home, OPENCODE, 3)
    real, began = passes.opencode.session, list[str]()

    def written_to(connection: Connection, id: str, into: passes.Gathering, start: int) -> object:
        began.append(id)
        if len(began) == 1:
            live = opencode.sqlite3.connect(path)
            live.execute("UPDATE session SET title = 'Another title' WHERE id = 'ses_0'")
            live.commit()
            live.close()
        return real(connection, id, into, start)

    monkeypatch.setattr(passes.opencode, "session", written_to)
    home.start()
    home.settle()
    home.settle()

    assert shown(home) == Counter(made.turns)
    assert (
        home.db.read_now(lambda c: c.execute("SELECT title FROM session WHERE key = 'ses_0'").get)
        == "Another title"
    )
    assert not home.troubles.all()


@pytest.mark.parametrize("program", EXPORTS)
def test_an_excluded_folder_is_passed_over_and_comes_in_once_it_is_not(home: Home, program: str) -> None:
    path, made = lying(home, program, 3)
    if program == GEMINI:
        (path.parent.parent / ".project_root").write_text("/home/dev/kiln")
    home.exclusions.replace(["/home/dev/kiln"])
    home.start()
    home.settle()
    assert home.turns() == []
    assert home.db.read_now(lambda c: c.execute("SELECT count(*) FROM session").get) == 0

    home.exclusions.replace([])
    home.settle()

    assert shown(home) == Counter(made.turns)


def test_no_secret_and_nothing_of_memds_own_is_stored(home: Home) -> None:
    path = watch(home, CODEX)
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    page = fenced([Line("turn 1", "2026-11-01", "the port is 8080")])
    append(
        path,
        {"type": "session_meta", "payload": codex.meta()},
        said("user", f"{page}\nwhich port?"),
        said("assistant", page),
        said("user", f"the key is {secret}"),
        {"type": "event_msg", "payload": {"type": "thread_name_updated", "thread_name": f"key {secret}"}},
    )
    home.start()
    home.settle()

    dumped = home.db.read_now(lambda c: str(c.execute("SELECT * FROM content").fetchall()))
    titles = home.db.read_now(lambda c: str(c.execute("SELECT title FROM session").fetchall()))
    assert secret not in dumped + titles and "REDACTED" in dumped and "REDACTED" in titles
    assert "8080" not in dumped
    assert home.texts()["which port?"] == 1


def test_subagents_are_passed_over(home: Home) -> None:
    path = watch(home, CODEX)
    meta = codex.meta(source={"subagent": "review"})
    append(path, {"type": "session_meta", "payload": meta}, said("user", "for a subagent"))
    home.start()
    home.settle()
    append(path, said("assistant", "by a subagent"))
    home.settle()

    assert home.turns() == []


@pytest.mark.parametrize("program", EXPORTS)
def test_what_was_forgotten_does_not_come_back(home: Home, program: str) -> None:
    path, made = lying(home, program)
    home.start()
    home.settle()
    gone = made.turns[0][0]
    home.db.write_now(lambda c: forgetting.remove(c, forget.find(c, forget.Wanted(session=gone))))
    path.touch()
    home.settle()
    home.db.write_now(lambda c: c.execute("UPDATE file SET size = -1, offset = 0, head = x''"))
    home.stop()
    home.start()
    home.settle()

    assert all(session != gone for session, _, _ in shown(home))


def test_folders_may_appear_later(home: Home) -> None:
    for program in EXPORTS:
        path = watch(home, program)
        shutil.rmtree(home.projects.parent / program)
        assert not path.exists()
    home.start()
    home.settle()
    assert not home.troubles.all()

    for program, make in EXPORTS.items():
        path = home.projects.parent / program / PLACES[program]
        path.parent.mkdir(parents=True)
        make().write(path)
    home.settle()

    assert shown(home) == Counter(said for make in EXPORTS.values() for said in make().turns)
