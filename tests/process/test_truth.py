"""Trouble from outside: status, doctor and the exit codes tell the same of it, within fifteen seconds."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests import damage
from tests.process.conftest import Box, until

MOUNTING = ["unshare", "--mount", "sh", "-c"]


def can_mount() -> bool:
    """Root in a namespace of its own may mount; elsewhere a disk cannot be made full or read-only."""
    try:
        return not subprocess.run(
            [*MOUNTING, "mount -t tmpfs none /mnt"], capture_output=True, check=False
        ).returncode
    except OSError:
        return False


needs_mount = pytest.mark.skipif(not can_mount(), reason="needs root and mount namespaces")


def degraded(box: Box) -> str:
    return "; ".join(str(trouble["what"]) for trouble in box.ask("status")["degraded"])


def away(box: Box) -> dict[str, dict[str, str]]:
    """What doctor says where memd is away; status and doctor end as they must then."""
    assert box.ctl("status").returncode == 69
    code, checks = box.diagnose()
    assert (code, checks["daemon"]["state"]) == (1, "fault")
    return checks


def test_a_sound_memd_is_green(box: Box) -> None:
    box.write("the quokka sleeps")
    box.start()
    box.settle("--embedded")

    code, checks = box.diagnose()

    assert (code, degraded(box)) == (0, "")
    bad = {name: check for name, check in checks.items() if check["state"] in ("warn", "fault")}
    assert set(bad) <= {"service", "disk"}  # the machine's own
    assert checks["index"]["detail"] == "1 turns and entries, all indexed"


def test_a_memd_that_is_away_is_a_fault(box: Box) -> None:
    assert away(box)["database"]["state"] == "unknown"


def test_a_model_that_is_garbage_is_told_before_it_is_needed_and_until_it_is_mended(box: Box) -> None:
    """Field case B22."""
    models = box.root / "models"
    models.mkdir()
    (models / "model.onnx").write_text("garbage")
    box.env |= {"MEMD_EMBEDDER": "bundled", "MEMD_MODEL_DIR": str(models)}
    box.start()

    assert until(lambda: "model.onnx" in degraded(box))
    code, checks = box.diagnose()
    assert (code, checks["model"]["state"]) == (1, "fault")
    assert "7 bytes instead of" in checks["model"]["detail"]
    box.write("the quokka sleeps")
    box.settle()
    assert len(box.ask("status")["degraded"]) == 1
    (models / "model.onnx").unlink()

    assert until(lambda: degraded(box) == "")
    assert box.diagnose()[1]["model"]["state"] == "ok"


def filled(box: Box) -> Path:
    """The database of a daemon that has read something."""
    for n in range(300):
        box.write(f"word{n} of the import", n % 3)
    box.start()
    box.settle()
    return box.home / "data" / "memd.db"


def test_a_database_that_was_salvaged_is_told(box: Box) -> None:
    database = filled(box)
    box.stop()
    damage.overwrite(database, 2, 3)
    box.start()

    told = degraded(box)
    code, checks = box.diagnose()
    assert "salvaged" in told
    assert (code, checks["database"]["state"]) == (1, "fault")
    assert checks["database"]["detail"].startswith(told)


def test_damage_met_while_it_runs_ends_it_with_75_and_doctor_says_why(box: Box) -> None:
    database = filled(box)
    box.stop()
    box.start()
    damage.overwrite(database, *range(2, damage.count(database)))
    box.ctl("verify")

    assert box.process and box.process.wait(15) == 75
    found = away(box)["database"]
    assert found["state"] == "fault" and "was found damaged: " in found["detail"]


def test_a_database_that_is_deleted_ends_it_with_75_and_doctor_misses_it(box: Box) -> None:
    database = filled(box)
    database.unlink()

    assert box.process and box.process.wait(15) == 75
    checks = away(box)
    assert checks["database"]["detail"] == f"{database} is not there"
    assert "was removed or replaced under memd" in checks["daemon"]["detail"]
    box.start()
    box.settle()
    assert len(box.export()) == 300
    assert f"{database} was gone" in degraded(box)
    code, checks = box.diagnose()
    assert (code, checks["database gone"]["state"]) == (0, "warn")


@needs_mount
def test_a_disk_that_is_read_only_is_73_and_doctor_says_so(box: Box) -> None:
    filled(box)
    box.stop()
    data = box.home / "data"
    box.inside = [
        *MOUNTING,
        f'mount --bind {data} {data} && mount -o remount,ro,bind {data} && exec "$@"',
        "sh",
    ]

    assert box.spawn().wait(15) == 73
    assert "Read-only file system" in box.log()
    assert away(box)["database"]["detail"] == f"{data} cannot be written"


@needs_mount
def test_a_full_disk_pauses_the_import_and_is_told_until_there_is_room(box: Box) -> None:
    data = box.home / "data"
    data.mkdir(parents=True)
    box.inside = [*MOUNTING, f'mount -t tmpfs -o size=8m,mode=700 none {data} && exec "$@"', "sh"]
    process = box.spawn()
    box.inside = []
    assert until(lambda: box.ctl("ping").returncode == 0), box.log()
    filler = Path(f"/proc/{process.pid}/root{data}/filler")
    with filler.open("wb", buffering=0) as file:
        while os.statvfs(filler.parent).f_bavail:
            file.write(bytes(4096))
    for n in range(300):
        box.write(f"word{n} of the import", n % 3)

    assert until(lambda: "no space left" in degraded(box)), degraded(box)
    code, checks = box.diagnose()
    assert (code, checks["import"]["state"], checks["disk"]["state"]) == (1, "fault", "fault")
    assert "no space left" in checks["import"]["detail"]
    filler.unlink()

    assert until(lambda: "no space left" not in degraded(box), 40)
    box.settle()
    assert len(box.export()) == 300
