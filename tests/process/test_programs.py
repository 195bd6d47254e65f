"""What other programs write is found by search soon after, through restarts of memd, and with the database in use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.importers.exports import codex, gemini
from tests.intake.programs import CODEX, EXPORTS, GEMINI, OPENCODE, PLACES, Live, append, said
from tests.process.conftest import Box, until


def watched(box: Box) -> dict[str, Path]:
    """Where the files of each program lie; the settings ask for all of them."""
    places = {
        CODEX: box.root / "codex" / "sessions",
        GEMINI: box.root / "user" / ".gemini" / "tmp",
        OPENCODE: box.root / "user" / ".local" / "share" / "opencode",
    }
    box.env["CODEX_HOME"] = str(box.root / "codex")
    for program in places:
        box.env[f"MEMD_SOURCES__{program.upper()}"] = "true"
    return {program: folder / PLACES[program] for program, folder in places.items()}


def test_what_they_write_is_found_without_a_question(box: Box) -> None:
    places = watched(box)
    box.start()
    assert box.ask("status")["watch"]["roots"][1:] == [
        os.path.realpath(box.root / "codex" / "sessions"),
        os.path.realpath(box.root / "user" / ".gemini" / "tmp"),
        os.path.realpath(box.root / "user" / ".local" / "share" / "opencode"),
    ]
    check = box.diagnose()[1]["sources"]
    assert check["state"] == "ok" and check["detail"].count("not there yet") == 3

    for path in places.values():
        path.parent.mkdir(parents=True)
    append(
        places[CODEX], {"type": "session_meta", "payload": codex.meta()}, said("user", "the quokka of codex")
    )
    append(places[GEMINI], {"sessionId": gemini.ID, "projectHash": "a"})
    append(places[GEMINI], gemini.message("a", "user", "the quokka of gemini"))
    live = Live(places[OPENCODE])
    live.store.session("s")
    live.say("m", "s", "the quokka of opencode")

    assert until(lambda: len(box.found("quokka")) == 3, 30)
    append(places[CODEX], said("assistant", "a wombat answers"))
    live.say("n", "s", "a wombat answers too")
    assert until(lambda: len(box.found("wombat")) == 2, 10)
    status = box.ask("status")
    assert status["counts"]["formats"] == {"codex": 2, "gemini": 1, "opencode": 2}
    assert status["counts"]["files"] == 3 and status["degraded"] == []
    assert {one["source"] for one in box.ask("sessions")["sessions"]} == {"present"}
    assert "not there yet" not in box.diagnose()[1]["sources"]["detail"]
    live.close()


@pytest.mark.parametrize("gently", [True, False])
def test_a_restart_reads_on_and_doubles_nothing(box: Box, gently: bool) -> None:
    places = watched(box)
    for program, path in places.items():
        path.parent.mkdir(parents=True)
        EXPORTS[program](30).write(path)
    box.start()
    if gently:
        box.stop()
    else:
        box.kill()
    append(places[CODEX], said("user", "while nobody was there"))

    box.start()
    box.settle()

    turns = box.export()
    expected = sum(len(EXPORTS[program](30).turns) for program in places) + 1
    assert len(turns) == len({turn["id"] for turn in turns})
    assert len([turn for turn in turns if not turn["other_branch"]]) == expected
    assert box.found("nobody there") == ["while nobody was there"]


def test_without_being_asked_for_they_are_left_alone(box: Box) -> None:
    places = watched(box)
    for program in places:
        del box.env[f"MEMD_SOURCES__{program.upper()}"]
    places[CODEX].parent.mkdir(parents=True)
    EXPORTS[CODEX]().write(places[CODEX])
    box.start()
    box.settle()

    assert box.ask("status")["counts"]["turns"] == 0
    assert "sources" not in box.diagnose()[1]


def test_killed_again_and_again_each_turn_is_there_once(box: Box) -> None:
    """R1"""
    places = watched(box)
    for path in places.values():
        path.parent.mkdir(parents=True)
    append(places[CODEX], {"type": "session_meta", "payload": codex.meta()})
    append(places[GEMINI], {"sessionId": gemini.ID, "projectHash": "a"})
    live, written = Live(places[OPENCODE]), 0
    live.store.session("s")
    for turns in (200, 330, 470):
        box.start()
        while written < turns:
            append(places[CODEX], said("user", f"codex {written}"))
            append(places[GEMINI], gemini.message(f"m{written}", "gemini", f"gemini {written}, half"))
            append(places[GEMINI], gemini.message(f"m{written}", "gemini", f"gemini {written}"))
            live.say(f"m{written:04d}", "s", f"opencode {written}")
            written += 1
        box.kill()

    box.start()
    box.settle()

    texts = [turn["text"] for turn in box.export()]
    assert sorted(texts) == sorted(f"{program} {n}" for program in places for n in range(written))
    live.close()
