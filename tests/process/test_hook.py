"""Hooks through the whole of memd: what a prompt and a session's start are handed (MC39, W34), over a restart."""

from __future__ import annotations

import json
import os
import signal
import time

from tests.process.conftest import Box

SESSION = "99999999-0000-4000-8000-000000000000"


def hook(box: Box, event: str, **fields: object) -> str:
    """What the hook is to print."""
    done = box.ctl("hook", event, said=json.dumps({"session_id": SESSION, "cwd": "/home/dev/app", **fields}))
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def context(output: str) -> str:
    """The text for the model in what a hook prints."""
    assert output.isascii() and "\n" not in output
    return str(json.loads(output)["hookSpecificOutput"]["additionalContext"])


def test_MC39_W34_a_session_is_told_what_is_known_and_a_prompt_each_thing_once(box: Box) -> None:
    box.write("Staging uses port 8080 since the move.", 1)
    box.start()
    box.settle("--embedded")
    box.ask("remember", "The relay is restarted with make relay", "--type", "procedure")

    started = hook(box, "session-start", source="startup")
    asked = hook(box, "user-prompt-submit", prompt="which port does staging use now")
    box.stop()
    box.start()
    again = hook(box, "user-prompt-submit", prompt="which port does staging use now")
    other = hook(
        box, "user-prompt-submit", prompt="which port does staging use now", session_id="another-session"
    )

    assert "Known procedure (" in context(started) and "Staging uses port 8080" in context(started)
    assert "- Earlier the user said (2026-01-01, app, turn " in context(asked)
    assert again == ""
    assert other == asked


def test_what_its_hook_did_not_wait_for_is_handed_over_with_the_next_prompt(box: Box) -> None:
    box.write("Staging uses port 8080 since the move.", 1)
    box.start()
    box.settle("--embedded")
    assert box.process
    hook(box, "user-prompt-submit", prompt="which port does staging use now", session_id="another-session")

    os.kill(box.process.pid, signal.SIGSTOP)
    late = hook(box, "user-prompt-submit", prompt="which port does staging use now")
    os.kill(box.process.pid, signal.SIGCONT)
    again = hook(box, "user-prompt-submit", prompt="which port does staging use now")

    assert late == ""
    assert "Staging uses port 8080" in context(again)


def test_B15_a_memd_that_hangs_and_one_that_was_killed_hold_up_no_session(box: Box) -> None:
    box.start()
    assert box.process

    os.kill(box.process.pid, signal.SIGSTOP)
    began = time.monotonic()
    hanging = [hook(box, "user-prompt-submit", prompt="which port"), hook(box, "stop")]
    took = time.monotonic() - began
    box.kill()  # its socket stays
    killed = [hook(box, event, source="startup") for event in ("stop", "session-end", "session-start")]

    assert hanging == ["", ""] and took <= 3.0
    assert killed[:2] == ["", ""]
    assert "memctl service start" in json.loads(killed[2])["systemMessage"]
