"""Upkeep from outside: backups taken from a busy memd, and brought back."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
import sys
from collections import Counter

from tests.process.conftest import Box


def test_a_backup_of_a_busy_memd_is_restored_by_copying_it_back(box: Box) -> None:
    for n in range(3000):
        box.write(f"word{n} of the import", n % 11)
    box.start()
    importing = subprocess.Popen(
        [sys.executable, "-m", "memctl", "sync", "--wait"], env=box.env, stdout=subprocess.DEVNULL
    )
    made = json.loads(box.ctl("backup", "copy.db", "--json").stdout)
    assert importing.wait(60) == 0

    copy = box.root / "copy.db"
    assert made["path"] == str(copy)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert not list(box.root.glob("copy.db?*"))
    box.kill()
    data = box.home / "data"
    for name in ("memd.db-wal", "memd.db-shm"):
        (data / name).unlink(missing_ok=True)
    shutil.copyfile(copy, data / "memd.db")
    box.start()
    box.settle()

    texts = Counter(turn["text"] for turn in box.export())
    assert texts == Counter(f"word{n} of the import" for n in range(3000))
    assert box.ask("verify")["ok"] is True


def test_a_backup_goes_over_nothing_that_matters(box: Box) -> None:
    box.write("the quokka sleeps")
    box.start()
    box.settle()
    database = box.home / "data" / "memd.db"
    (box.root / "link.db").symlink_to(database)

    for place in (database, box.root / "link.db", box.home / "data" / "memd.db-wal"):
        done = box.ctl("backup", str(place), "--force")
        assert (done.returncode, done.stdout) == (1, "")
        assert "in use" in done.stderr
    assert box.ctl("backup", "copy.db").returncode == 0
    again = box.ctl("backup", "copy.db")

    assert again.returncode == 1
    assert again.stderr == f"memctl: {box.root}/copy.db is there already; --force writes over it\n"
    assert box.ctl("backup", "copy.db", "--force").returncode == 0
    assert box.found("quokka") == ["the quokka sleeps"]
