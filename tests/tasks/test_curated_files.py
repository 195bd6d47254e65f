"""The curated file and the store: one change, whatever comes between."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from memd.db import journal
from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import BadRequest, Degraded, NotFound
from memd.memory import table
from memd.reflection import curated_file, decide, memory_edit, proposal_table
from memd.reflection.memory_md import Conflict
from memd.reflection.op import Add, Merge, Retire, Rewrite
from memd.reflection.places import Places
from memd.tasks.curated_files import CuratedFiles
from tests.memory.entries import NOW, add
from tests.memory.stored import live
from tests.reflection.stored import reflected
from tests.rows import database

MEMORY = "# Memory\n\nBy hand.\n- Ada prefers tabs\n- Deploys go out on Tuesdays\n- Bob reviews\n"
APP = "/home/dev/app"
OWN_APPLIED = "- The app is quick\n- Ports lie above 8000\n"
APPLIED = "# Memory\n\nBy hand.\n- Ada prefers spaces\n- Bob reviews\n- Coffee comes first\n"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        for text in ("Ada prefers tabs", "Deploys go out on Tuesdays", "Bob reviews on Mondays", "coffee"):
            add(db, text)
        ops = (
            Rewrite("Ada prefers tabs", "Ada prefers spaces", (1,)),
            Retire("Deploys go out on Tuesdays", (2,)),
            Add("Coffee comes first", (4,)),
            Merge("Bob reviews on Mondays", (3, 4), ("Bob reviews",)),
        )
        reflected(db, MEMORY, ops=ops)
        yield db


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "MEMORY.md"
    file.write_text(MEMORY)
    return file


@pytest.fixture
def file(db: Database, path: Path) -> CuratedFiles:
    return CuratedFiles(db, Places(path))


def apply(file: CuratedFiles, *numbers: int, files: Sequence[str] = ("",)) -> int | None:
    """Apply proposals as a change that can be undone; its number."""

    def work(connection: Connection, texts: Mapping[str, str]) -> int | None:
        _, change = journal.record(
            connection,
            "apply",
            NOW,
            lambda: decide.apply(connection, numbers, texts, {}, NOW),
        )
        return change

    return asyncio.run(file.change(work, files))


def undo(db: Database, file: CuratedFiles, change: int | None = None) -> Sequence[int]:
    db.write_now(journal.undo, change, NOW)
    return asyncio.run(file.settle())


def states(db: Database) -> list[str]:
    return [one.state for one in db.read_now(proposal_table.listing)]


def test_applied_proposals_change_file_and_store_together(
    db: Database, file: CuratedFiles, path: Path
) -> None:
    """MC30, W16: of four, three are approved; a hand's own lines stay."""
    apply(file, 3, 1, 2)

    assert path.read_text() == APPLIED
    assert path.stat().st_mode & 0o777 == 0o600
    assert live(db) == ["Bob reviews on Mondays", "coffee", "Ada prefers spaces"]
    assert states(db) == ["applied", "applied", "applied", "open"]
    assert db.read_now(memory_edit.pending) is None


def test_a_merge_of_entries_is_one_entry(db: Database, file: CuratedFiles, path: Path) -> None:
    """MC30"""
    apply(file, 4)

    assert "- Bob reviews on Mondays\n" in path.read_text()
    merged = db.read_now(table.by_ids, [3, 4])
    assert {one.superseded_by for one in merged.values()} == {5}


def test_undo_takes_file_and_store_back_and_once_more_brings_both(
    db: Database, file: CuratedFiles, path: Path
) -> None:
    """MC30: byte for byte."""
    before = live(db)
    apply(file, 1, 2, 3)

    assert undo(db, file) == []
    assert (path.read_text(), live(db), states(db)) == (MEMORY, before, ["open"] * 4)

    undo(db, file, db.read_now(journal.listing, 1)[0].id)
    assert path.read_text() == APPLIED
    assert states(db)[:3] == ["applied"] * 3


def test_undo_leaves_what_hands_changed_meanwhile(db: Database, file: CuratedFiles, path: Path) -> None:
    apply(file, 1, 2)
    path.write_text(path.read_text().replace("prefers spaces", "prefers vim") + "- One more by hand\n")

    assert undo(db, file) == [1]

    assert path.read_text() == (MEMORY.replace("prefers tabs", "prefers vim") + "- One more by hand\n")
    assert asyncio.run(file.settle()) == []


def test_a_text_that_has_changed_is_a_conflict_and_nothing_happens(
    db: Database, file: CuratedFiles, path: Path
) -> None:
    path.write_text(changed := MEMORY.replace("Tuesdays", "Thursdays"))
    before = live(db)

    with pytest.raises(Conflict, match=r"proposal 2: .* has changed"):
        apply(file, 1, 2)

    assert (path.read_text(), live(db), states(db)) == (changed, before, ["open"] * 4)


def test_a_proposal_is_decided_once(db: Database, file: CuratedFiles) -> None:
    apply(file, 1)
    db.write_now(decide.reject, [2], NOW)

    with pytest.raises(BadRequest, match="proposal 1 is applied already"):
        apply(file, 1)
    with pytest.raises(BadRequest, match="proposal 2 is rejected already"):
        apply(file, 2)
    with pytest.raises(NotFound, match="no proposal 9"):
        apply(file, 9)


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _loop(path: Path) -> None:
    path.symlink_to(path)


@pytest.mark.parametrize("make", [_pipe, _loop, Path.mkdir])
def test_what_is_no_file_is_told_at_once(
    db: Database, file: CuratedFiles, path: Path, make: Callable[[Path], None]
) -> None:
    """A pipe would have its reader wait for ever."""
    path.unlink()
    make(path)

    with pytest.raises(BadRequest, match=r"MEMORY\.md"):
        apply(file, 1)

    assert states(db) == ["open"] * 4


def test_a_write_protected_file_stays_as_it_is(db: Database, file: CuratedFiles, path: Path) -> None:
    change = apply(file, 3)
    before = path.read_text()
    path.chmod(0o400)

    with pytest.raises(Conflict, match="write-protected"):
        apply(file, 1)
    assert states(db) == ["open", "open", "applied", "open"]
    with pytest.raises(Conflict, match="write-protected"):
        undo(db, file, change)
    assert (path.read_text(), path.stat().st_mode & 0o777) == (before, 0o400)

    path.chmod(0o600)
    asyncio.run(file.settle())
    assert path.read_text() == MEMORY


def test_a_file_that_cannot_be_read_or_written_changes_nothing(
    db: Database, file: CuratedFiles, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was decided is written as soon as it can be."""
    path.write_bytes(b"\xff")
    with pytest.raises(BadRequest, match="no UTF-8"):
        apply(file, 1)
    assert states(db) == ["open"] * 4
    path.write_text(MEMORY)

    def full(path: Path, text: str) -> None:
        raise Degraded("no space")

    with monkeypatch.context() as patch, pytest.raises(Degraded, match="no space"):
        patch.setattr(curated_file, "replace", full)
        apply(file, 1, 2, 3)
    asyncio.run(file.settle())

    assert path.read_text() == APPLIED


class Killed(BaseException):
    """memd ends here."""


def killer(at: int) -> Callable[[], None]:
    """Something that ends memd when it is passed for the ``at``-th time."""
    passed = 0

    def step() -> None:
        nonlocal passed
        passed += 1
        if passed == at:
            raise Killed

    return step


def make_mortal(patch: pytest.MonkeyPatch, db: Database, step: Callable[[], None]) -> None:
    """Pass ``step`` before and after each write of the database and of a file."""
    write, replace = db.write, curated_file.replace

    async def writing(*args: object, **kwargs: object) -> object:
        step()
        result = await write(*args, **kwargs)  # type: ignore[arg-type]
        step()
        return result

    def replacing(path: Path, text: str) -> None:
        step()
        replace(path, text)
        step()

    patch.setattr(db, "write", writing)
    patch.setattr(curated_file, "replace", replacing)


@pytest.mark.parametrize("undone", [False, True])
@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize("at", range(1, 9))
def test_a_kill_at_any_point_leaves_file_and_store_level_after_the_next_start(
    db: Database, path: Path, monkeypatch: pytest.MonkeyPatch, at: int, edited: bool, undone: bool
) -> None:
    """Before and after each write of the database and of the file; also where hands write in between."""
    if undone:
        apply(CuratedFiles(db, Places(path)), 1, 2, 3)
    step = killer(at)
    killed = CuratedFiles(db, Places(path))
    with monkeypatch.context() as patch:
        make_mortal(patch, db, step)
        try:
            if undone:
                step()
                db.write_now(journal.undo, None, NOW)
                step()
                asyncio.run(killed.settle())
            else:
                apply(killed, 1, 2, 3)
        except Killed:
            pass
    by_hand = "- By hand, after the kill\n" if edited else ""
    path.write_text(path.read_text() + by_hand)

    assert asyncio.run(CuratedFiles(db, Places(path)).settle()) == []

    is_applied = states(db)[0] == "applied"
    assert path.read_text().replace(by_hand, "") == (APPLIED if is_applied else MEMORY)
    assert ("Ada prefers spaces" in live(db)) == is_applied
    assert db.read_now(memory_edit.pending) is None


@pytest.fixture
def both(db: Database, path: Path) -> CuratedFiles:
    """The file for all and that of a project; proposals 5 and 6 are about the latter."""
    files = CuratedFiles(db, Places(path, "data"))
    own = files.places.path(APP)
    own.parent.mkdir(parents=True)
    own.write_text("- The app is slow\n")
    for change in (Rewrite("The app is slow", "The app is quick"), Add("Ports lie above 8000")):
        db.write_now(proposal_table.add, 1, change, APP)
    return files


def test_proposals_about_several_files_are_one_change(db: Database, both: CuratedFiles, path: Path) -> None:
    own = both.places.path(APP)

    apply(both, 1, 2, 3, 5, 6, files=["", APP])
    assert (path.read_text(), own.read_text()) == (APPLIED, OWN_APPLIED)
    assert own.stat().st_mode & 0o777 == 0o600

    assert undo(db, both) == []
    assert (path.read_text(), own.read_text()) == (MEMORY, "- The app is slow\n")


def test_all_of_them_or_none_whichever_file_does_not_allow_one(
    db: Database, both: CuratedFiles, path: Path
) -> None:
    both.places.path(APP).write_text("- The app is slow on Mondays\n")

    with pytest.raises(Conflict, match="proposal 5"):
        apply(both, 1, 5, files=["", APP])

    assert (path.read_text(), set(states(db))) == (MEMORY, {"open"})


def test_a_file_of_a_project_is_made_where_there_is_none(db: Database, both: CuratedFiles) -> None:
    own = both.places.path(APP)
    own.unlink()
    own.parent.rmdir()

    apply(both, 6, files=[APP])

    assert own.read_text() == "# Memory\n\n- Ports lie above 8000\n"
    assert own.parent.stat().st_mode & 0o777 == 0o700


def test_one_file_that_cannot_be_read_keeps_no_other_from_following(
    db: Database, both: CuratedFiles, path: Path
) -> None:
    apply(both, 1, 2, 3, files=[""])
    apply(both, 5, files=[APP])
    for _ in range(2):
        db.write_now(journal.undo, None, NOW)
    path.write_bytes(b"\xff")

    with pytest.raises(BadRequest, match="no UTF-8"):
        asyncio.run(both.settle())
    assert both.places.path(APP).read_text() == "- The app is slow\n"

    path.write_text(APPLIED)
    assert asyncio.run(both.settle()) == []
    assert path.read_text() == MEMORY


def test_a_file_that_has_no_place_now_follows_once_it_has_one(
    db: Database, both: CuratedFiles, path: Path
) -> None:
    """The setting was taken back: nothing of the project gets into the file for all, and the rest goes on."""
    own = both.places.path(APP)
    apply(both, 5, files=[APP])
    off = CuratedFiles(db, Places(path))

    assert undo(db, off) == [5]
    assert (path.read_text(), own.read_text()) == (MEMORY, "- The app is quick\n")
    with pytest.raises(Conflict, match=r"memory\.project_files is none"):
        apply(off, 6, files=[APP])
    apply(off, 1, 2, 3)
    assert path.read_text() == APPLIED

    assert asyncio.run(both.settle()) == []
    assert own.read_text() == "- The app is slow\n"


@pytest.mark.parametrize("at", range(1, 15))
def test_a_kill_between_two_files_leaves_both_level_after_the_next_start(
    db: Database, both: CuratedFiles, path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    step = killer(at)
    with monkeypatch.context() as patch:
        make_mortal(patch, db, step)
        try:
            apply(both, 1, 2, 3, 5, 6, files=["", APP])
        except Killed:
            pass

    assert asyncio.run(CuratedFiles(db, both.places).settle()) == []

    is_applied = states(db)[0] == "applied"
    assert path.read_text() == (APPLIED if is_applied else MEMORY)
    assert both.places.path(APP).read_text() == (OWN_APPLIED if is_applied else "- The app is slow\n")
    assert db.read_now(memory_edit.files) == []
