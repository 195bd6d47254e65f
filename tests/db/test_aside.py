"""A damaged database goes aside and a salvaged one takes its place, wherever a kill falls between."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.db import aside

MOMENT = "2026-01-02T03:04:05.678Z"


class Killed(BaseException):
    """The process ended here."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A damaged database with its WAL, and a salvaged one that is filled."""
    (tmp_path / "memd.db").write_text("damaged")
    (tmp_path / "memd.db-wal").write_text("its wal")
    (tmp_path / "memd.db.part").write_text("salvaged")
    aside.condemn(tmp_path / "memd.db", "page 7")
    return tmp_path / "memd.db"


def state(path: Path) -> dict[str, str]:
    return {file.name: file.read_text().strip() for file in path.parent.iterdir()}


DONE = {
    "memd.db": "salvaged",
    "memd.db.corrupt-20260102T030405.678Z": "damaged",
    "memd.db.corrupt-20260102T030405.678Z-wal": "its wal",
}


def test_the_damaged_one_is_kept_with_all_that_belongs_to_it(path: Path) -> None:
    aside.swap(path, aside.name(path, MOMENT))

    assert state(path) == DONE
    assert aside.kept(path) == [path.with_name("memd.db.corrupt-20260102T030405.678Z")]
    assert aside.condemned(path) is None


@pytest.mark.parametrize("step", range(4))
def test_a_kill_before_any_rename_is_made_good_by_the_next_start(
    path: Path, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [step]
    real = Path.replace

    def replace(self: Path, target: Path) -> Path:
        if not left[0]:
            raise Killed
        left[0] -= 1
        return real(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", replace)
        with pytest.raises(Killed):
            aside.swap(path, aside.name(path, MOMENT))

    aside.finish(path)

    if step < 2:  # the damaged one still stands there: it is salvaged again
        assert state(path) == {"memd.db": "damaged", "memd.db-wal": "its wal", "memd.db.damaged": "page 7"}
        assert aside.condemned(path) == "page 7"
    else:
        assert state(path) == DONE


def test_where_nothing_was_cut_short_nothing_changes(tmp_path: Path) -> None:
    (tmp_path / "memd.db").write_text("sound")

    aside.finish(tmp_path / "memd.db")

    assert state(tmp_path / "memd.db") == {"memd.db": "sound"}
    assert aside.kept(tmp_path / "memd.db") == []
    assert aside.condemned(tmp_path / "memd.db") is None
