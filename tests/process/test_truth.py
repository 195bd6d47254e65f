"""Trouble from outside: status, doctor and the exit code tell the same of it, within fifteen seconds."""

from __future__ import annotations

import pytest

from tests.process.conftest import Box, until


def degraded(box: Box) -> str:
    return "; ".join(str(trouble["what"]) for trouble in box.ask("status")["degraded"])


def test_a_sound_memd_is_green(box: Box) -> None:
    box.write("the quokka sleeps")
    box.start()
    box.settle("--embedded")

    code, checks = box.diagnose()

    assert (code, degraded(box)) == (0, "")
    bad = {name: check for name, check in checks.items() if check["state"] in ("warn", "fault")}
    assert set(bad) <= {"service", "disk"}  # the machine's own
    assert checks["index"]["detail"] == "1 turns, all indexed"


@pytest.mark.parametrize("turns", [0, 1])
def test_a_model_that_is_garbage_is_told_also_before_it_is_needed(box: Box, turns: int) -> None:
    """Field case B22."""
    models = box.root / "models"
    models.mkdir()
    (models / "model.onnx").write_text("garbage")
    box.env |= {"MEMD_EMBEDDER": "bundled", "MEMD_MODEL_DIR": str(models)}
    for _ in range(turns):
        box.write("the quokka sleeps")
    box.start()

    assert until(lambda: "model.onnx" in degraded(box))
    code, checks = box.diagnose()
    assert (code, checks["model"]["state"]) == (1, "fault")
    assert "7 bytes instead of" in checks["model"]["detail"]
    assert len(box.ask("status")["degraded"]) == 1
    (models / "model.onnx").unlink()

    assert until(lambda: degraded(box) == "")
    assert box.diagnose()[1]["model"]["state"] == "ok"


def test_a_memd_that_is_away_is_a_fault(box: Box) -> None:
    assert box.ctl("status").returncode == 69

    code, checks = box.diagnose()

    assert (code, checks["daemon"]["state"]) == (1, "fault")
