"""The ceiling of memory, from outside."""

from __future__ import annotations

from tests.process.conftest import Box, until


def test_over_the_ceiling_embedding_waits_and_questions_are_answered(box: Box) -> None:
    box.env["MEMD_GOVERNOR__MEMORY_MB"] = "50"  # less than any Python with numpy needs
    for n in range(60):
        box.write(f"word{n} " + "about the quokka " * 20)
    box.start()
    box.settle()

    def says() -> list[str]:
        return [str(one["what"]) for one in box.ask("status")["degraded"]]

    assert until(lambda: any("governor.memory_mb allows 50" in what for what in says())), box.log()
    status = box.ask("status")
    assert status["governor"]["background"] == "held: memory"
    assert status["governor"]["memory_ceiling_mb"] == 50
    assert status["memory_mb"] > 50
    assert box.found("word7")
    assert box.stop() == 0
