"""What fails while files are read, moved and asked for: it is told, it ends, and nothing is lost or doubled by it."""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures import Future

import pytest

from memd.db.driver import Connection
from memd.errors import Busy
from memd.intake import loop, reading
from memd.services import Synced
from memd.sources import cursors
from tests.intake.home import SECONDS, Home, line, transcript


def test_a_file_that_can_be_read_again_is_no_trouble_any_more(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript(home).write_bytes(line("locked words"))
    real = reading.tail.open_regular

    def refuse(path: bytes) -> tuple[int, os.stat_result]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(reading.tail, "open_regular", refuse)
    home.start()
    home.settle()
    [first] = home.troubles.all()
    assert first.hint == "check the modes of the projects folder"
    home.settle()
    assert home.troubles.all() == [first]

    monkeypatch.setattr(reading.tail, "open_regular", real)
    home.settle()

    assert home.troubles.all() == []
    assert home.texts() == Counter(["locked words"])


def test_a_folder_that_cannot_be_read_is_a_trouble_and_loses_nothing(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript(home).write_bytes(line("locked words"))
    real = os.scandir

    def refuse(folder: bytes) -> object:
        if folder.endswith(b"-app"):
            raise PermissionError(13, "Permission denied")
        return real(folder)

    monkeypatch.setattr(os, "scandir", refuse)
    home.start()
    home.settle()
    [trouble] = home.troubles.all()
    assert trouble.what.endswith("-home-dev-app cannot be read: Permission denied")

    monkeypatch.setattr(os, "scandir", real)
    home.settle()

    assert home.troubles.all() == []
    assert home.texts() == Counter(["locked words"])


def test_a_file_that_gets_the_inode_of_a_deleted_one_does_not_get_its_turns(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, aside = transcript(home), home.projects / "aside"
    old.write_bytes(line("old words"))
    home.start()
    home.settle()
    old.rename(aside)
    home.settle()
    aside.write_bytes(line("new words"))  # the same inode
    aside.rename(transcript(home, 1))
    home.settle()

    def owners(connection: Connection) -> list[tuple[str, str]]:
        return connection.execute(
            "SELECT c.text, f.path FROM turn t JOIN content c ON c.id = t.content_id"
            " JOIN file f ON f.id = t.file_id ORDER BY t.rowid"
        ).fetchall()

    assert home.db.read_now(owners) == [("old words", str(old)), ("new words", str(transcript(home, 1)))]


def test_an_inode_that_went_through_several_names_is_no_stumbling_block(home: Home) -> None:
    first, second = transcript(home), transcript(home, 1)
    first.write_bytes(line("first words"))
    aside = home.projects / "aside"
    home.start()
    home.settle()
    first.rename(aside)
    first.write_bytes(line("second words"))
    home.settle()
    first.rename(second)
    home.settle()
    aside.rename(transcript(home, 2))
    home.settle()

    assert home.texts() == Counter(["first words", "second words"])


@pytest.mark.parametrize("failing", ["fingerprint", "progress"])
def test_lines_taken_in_before_a_failure_are_taken_in_again(
    home: Home, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    """Also those of the other file of the batch; nothing of either is lost, or doubled for want of a uuid."""
    monkeypatch.setattr(loop, "LONGEST_PAUSE", 0.01)
    one, two = transcript(home), transcript(home, 1)
    nameless = line("no uuid").replace(b'"uuid"', b'"other"')
    for path in (one, two):
        path.write_bytes(line(f"old {path.name}"))
    home.start()
    home.settle()
    home.stop()
    real = getattr(cursors, failing)
    calls: list[object] = []

    def fail_once(*arguments: object) -> object:
        calls.append(arguments)
        if len(calls) == 2:
            raise Busy("once") if failing == "progress" else OSError(5, "Input/output error")
        return real(*arguments)

    for path in (one, two):
        with path.open("ab") as file:
            file.write(line(f"new {path.name}") + nameless)
    monkeypatch.setattr(cursors, failing, fail_once)
    home.start()
    home.settle()
    home.settle()

    assert len(calls) > 2
    assert home.texts() == Counter(
        {f"{age} {path.name}": 1 for age in ("old", "new") for path in (one, two)} | {"no uuid": 1}
    )


def test_a_scan_that_was_asked_for_ends_though_its_file_goes_meanwhile(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    doomed = transcript(home, 1)
    asked: list[Future[Synced]] = []

    def remove_it_and_ask_again(_: Connection) -> None:
        if doomed.exists():
            doomed.unlink()
            asked.append(home.ask())

    home.follow_up = remove_it_and_ask_again
    monkeypatch.setattr(loop, "BATCH_LINES", 1)
    home.start()
    home.settle()
    doomed.write_bytes(line("doomed words"))
    os.utime(doomed, (1, 1))  # the newest file is read first
    transcript(home).write_bytes(line("words"))
    asked.append(home.ask())

    assert [one.result(SECONDS).pending for one in asked] == [0, 0]
    assert home.texts() == Counter(["words"])
