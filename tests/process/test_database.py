"""The database's file under a real daemon: damaged while it was stopped, and while it runs."""

from __future__ import annotations

from tests import damage
from tests.process.conftest import Box

TURNS = 300


def filled(box: Box) -> None:
    """A daemon that has read transcripts which are gone since."""
    paths = {box.write(f"word{n} of the import", n % 3) for n in range(TURNS)}
    box.start()
    box.settle()
    for path in paths:
        path.unlink()


def test_damage_done_while_it_was_stopped_is_salvaged_at_the_start_and_status_tells(box: Box) -> None:
    filled(box)
    box.stop()
    database = box.home / "data" / "memd.db"
    damage.overwrite(database, 2, 3)

    box.start()

    assert box.ask("status")["counts"]["turns"] == TURNS
    [trouble] = box.ask("status")["degraded"]
    [kept] = database.parent.glob("memd.db.corrupt-*")
    assert f"{TURNS} turns were salvaged" in trouble["what"] and kept.name in trouble["what"]
    assert box.found("word17") == ["word17 of the import"]
    assert box.ask("verify")["ok"] is True
    assert "of the import" not in box.log()


def test_damage_done_while_it_runs_ends_it_with_75_and_the_next_start_salvages(box: Box) -> None:
    filled(box)
    database = box.home / "data" / "memd.db"
    box.stop()
    box.start()
    damage.overwrite(database, *range(2, damage.count(database)))
    for question in range(100):
        if box.process and box.process.poll() is not None:
            break
        box.ctl("search", f"word{question}")

    assert box.process and box.process.wait(15) == 75
    assert "start memd again" in box.log()
    assert "Traceback" not in box.log()
    box.start()
    [trouble] = box.ask("status")["degraded"]
    assert "salvaged" in trouble["what"]
    box.write("new words")
    box.settle()
    assert box.found("new") == ["new words"]
    assert box.ask("verify")["ok"] is True
