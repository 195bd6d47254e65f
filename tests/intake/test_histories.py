"""Whatever happens to files and daemon, in whatever order: what the final identities say, each turn once (R1, R4)."""

from __future__ import annotations

import functools
import os
import shutil
import tempfile
from collections import Counter
from concurrent.futures import wait
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from memd.db import check
from memd.db.database import Database
from memd.db.driver import Connection, DiskFull
from memd.errors import Fatal, MemdError
from memd.intake import loop
from tests.intake import files
from tests.intake.files import NEWLINE, Piece, Record
from tests.intake.home import SECONDS, Home
from tests.rows import database

PLACES = [
    f"{slug}/{number:08x}-0000-4000-8000-000000000000.jsonl"
    for slug in ("-home-dev-app", "-home-dev-two")
    for number in range(2)
]
SAME_TEXTS = ("yes", "go on, please")

places = st.sampled_from(PLACES)
shares = st.floats(0, 1)


@functools.cache
def empty_database() -> bytes:
    """The file of a database with no turns."""
    with tempfile.TemporaryDirectory() as folder:
        with database(Path(folder)):
            pass
        return (Path(folder) / "memd.db").read_bytes()


class Histories(RuleBasedStateMachine):
    """Writers of four files in two folders, and a daemon that stops, starts and dies meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="memd-"))
        self.lives = 0
        self.ticks = 0
        self.written = 0
        self._light(0, Fatal())
        self.files: dict[str, list[Piece]] = {}
        self.must: Counter[str] = Counter()
        self.may: Counter[str] = Counter()
        (self.folder / "0").mkdir()
        (self.folder / "0" / "memd.db").write_bytes(empty_database())
        self.home = Home(self.folder, self._opened())
        self.home.follow_up = self._burn
        for place in PLACES:
            (self.home.projects / place).parent.mkdir(exist_ok=True)
        self.home.start()

    # writers --------------------------------------------------------------------------------------

    @rule(place=places, count=st.integers(1, 5), size=st.integers(0, 90))
    def append(self, place: str, count: int, size: int) -> None:
        self._append(place, files.whole(self._records(count, size)))

    @rule(place=places, text=st.sampled_from(SAME_TEXTS))
    def append_what_was_said_before(self, place: str, text: str) -> None:
        self._append(place, files.whole([Record(text, None)]))

    @rule(place=places, share=shares, size=st.integers(0, 30))
    def append_a_part(self, place: str, share: float, size: int) -> None:
        [record] = self._records(1, size)
        data = record.data
        self._append(place, [Piece(data[: max(1, round(share * len(data)))], record)])

    @rule(place=places)
    def append_without_newline(self, place: str) -> None:
        self._append(place, files.whole(self._records(2, 5))[:-1])

    @precondition(lambda self: self._unfinished())
    @rule(data=st.data(), share=shares)
    def go_on_with_a_part(self, data: st.DataObject, share: float) -> None:
        place = data.draw(st.sampled_from(self._unfinished()))
        last = self.files[place][-1]
        assert last.record
        rest = last.record.data[len(last.data) :]
        more = rest[: max(1, round(share * len(rest)))]
        self.files[place][-1] = Piece(last.data + more, last.record)
        self._append(place, [], more)

    @rule(place=places)
    def end_the_line(self, place: str) -> None:
        self._append(place, [Piece(NEWLINE)])

    @precondition(lambda self: self.files)
    @rule(data=st.data(), share=shares)
    def truncate(self, data: st.DataObject, share: float) -> None:
        place = self._pick(data)
        kept = round(share * len(files.bytes_of(self.files[place])))
        self.files[place] = files.cut(self.files[place], kept)
        os.truncate(self._path(place), kept)
        self._changed(place)

    @precondition(lambda self: self.files)
    @rule(data=st.data(), kept=st.integers(0, 6), in_place=st.booleans())
    def rewrite(self, data: st.DataObject, kept: int, in_place: bool) -> None:
        place = self._pick(data)
        old = [piece.record for piece in self.files[place] if piece.record]
        self.files[place] = files.whole([*old[:kept], *self._records(2, 20)])
        path = self._path(place)
        target = path if in_place else path.with_suffix(".tmp")
        target.write_bytes(files.bytes_of(self.files[place]))
        target.replace(path)
        self._changed(place)

    @precondition(lambda self: self.files)
    @rule(data=st.data(), to=places)
    def move(self, data: st.DataObject, to: str) -> None:
        place = self._pick(data)
        self._path(place).replace(self._path(to))
        self.files[to] = self.files.pop(place)
        self._changed(to)

    @precondition(lambda self: len(self.files) > 1)
    @rule(data=st.data())
    def swap(self, data: st.DataObject) -> None:
        one, other = data.draw(st.permutations(sorted(self.files)))[:2]
        aside = self._path(one).with_suffix(".tmp")
        self._path(one).replace(aside)
        self._path(other).replace(self._path(one))
        aside.replace(self._path(other))
        self.files[one], self.files[other] = self.files[other], self.files[one]

    @precondition(lambda self: self.files)
    @rule(data=st.data(), to=places)
    def copy(self, data: st.DataObject, to: str) -> None:
        place = self._pick(data)
        if place != to:
            shutil.copyfile(self._path(place), self._path(to))
            self.files[to] = list(self.files[place])
            self._changed(to)

    @precondition(lambda self: self.files)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        place = self._pick(data)
        self._path(place).unlink()
        del self.files[place]

    # the daemon -----------------------------------------------------------------------------------

    @rule(place=places)
    def hint(self, place: str) -> None:
        assert self.home.intake
        self.home.intake.hint([os.fsencode(self._path(place))])

    @rule()
    def settle(self) -> None:
        self.home.settle()
        self._expect_all()

    @rule()
    def restart(self) -> None:
        self.home.stop()
        self.home.start()

    @rule(place=places, batches=st.integers(1, 2))
    def run_out_of_space(self, place: str, batches: int) -> None:
        """One of the next transactions fails, those after it do not."""
        self._append(place, files.whole(self._records(4, 0)))
        self._light(batches, DiskFull("no space left"))
        self.settle()

    @rule(batches=st.integers(0, 3))
    def kill(self, batches: int) -> None:
        """Die in the transaction of one of the next batches, else between two."""
        self._light(batches, Fatal("killed"))
        if batches:
            wait([self.home.ask()], SECONDS)
        self._light(0, Fatal())
        if not self.home.fatal:
            self.home.db.write_now(self._leave_behind)
        self.home.stop()
        self.home.db.close()
        self.home.fatal.clear()
        self.lives += 1
        self.home.db = self._opened()
        self.home.start()

    @invariant()
    def it_lives(self) -> None:
        assert not self.home.fatal

    def teardown(self) -> None:
        try:
            self.settle()
            self.restart()
            self.settle()
            faults = self.home.db.write_now(check.faults, None)
            assert [one for one in faults if not one.ok] == []
            assert self.home.intake and self.home.intake.behind() == (0, 0)
        finally:
            self.home.stop()
            self.home.db.close()
            shutil.rmtree(self.folder)

    # ----------------------------------------------------------------------------------------------

    def _opened(self) -> Database:
        db = Database(self.folder / str(self.lives) / "memd.db")
        db.open()
        return db

    def _light(self, batches: int, bang: MemdError) -> None:
        self.fuse, self.bang = batches, bang

    def _burn(self, connection: Connection) -> None:
        """Runs inside each transaction that stores a turn, before its commit."""
        if self.fuse:
            self.fuse -= 1
            if not self.fuse:
                if isinstance(self.bang, Fatal):
                    self._leave_behind(connection)
                raise self.bang

    def _leave_behind(self, _: Connection) -> None:
        """What the death of the process would leave of the database: runs on the only thread that writes it."""
        now, after = (self.folder / str(life) for life in (self.lives, self.lives + 1))
        after.mkdir()
        for name in ("memd.db", "memd.db-wal"):
            if (now / name).exists():
                shutil.copyfile(now / name, after / name)

    def _records(self, count: int, size: int) -> list[Record]:
        numbers = range(self.written, self.written + count)
        self.written += count
        return [
            Record(f"turn {n} " + "日本é🦀"[n % 4] * size, f"uuid-{n}" if n % 3 else None) for n in numbers
        ]

    def _path(self, place: str) -> Path:
        return self.home.projects / place

    def _pick(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(sorted(self.files)))

    def _unfinished(self) -> list[str]:
        return sorted(
            place
            for place, pieces in self.files.items()
            if pieces and pieces[-1].record and not pieces[-1].whole
        )

    def _append(self, place: str, pieces: list[Piece], data: bytes | None = None) -> None:
        self.files.setdefault(place, []).extend(pieces)
        with self._path(place).open("ab") as file:
            file.write(files.bytes_of(pieces) if data is None else data)
        self._changed(place)

    def _changed(self, place: str) -> None:
        """Changes lie further apart than the clock of the file system is fine."""
        self.ticks += 1
        os.utime(self._path(place), ns=(0, self.ticks * 10**9))
        self.may |= files.possible(self.files[place])

    def _expect_all(self) -> None:
        for pieces in self.files.values():
            self.must |= files.certain(pieces)
        have = self.home.texts()
        assert self.must - have == Counter()
        assert have - self.may == Counter()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is read in several batches; what failed is tried again at once."""
    monkeypatch.setattr(loop, "BATCH_LINES", 3)
    monkeypatch.setattr(loop, "LONGEST_PAUSE", 0.01)


class TestHistories(Histories.TestCase):  # type: ignore[name-defined,misc]  # made by hypothesis
    settings = settings(max_examples=settings().max_examples // 4, stateful_step_count=30)
