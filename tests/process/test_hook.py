"""Hooks through the whole of memd: what a prompt and a session's start are handed (MC39, W34), over a restart."""

from __future__ import annotations

import json
import socket
from typing import Any

from memd.wire import frames, messages
from tests.process.conftest import Box

SESSION = "99999999-0000-4000-8000-000000000000"


def hook(box: Box, event: str, **fields: object) -> str:
    """What the hook is to print."""
    written = json.dumps({"session_id": SESSION, "cwd": "/home/dev/app", **fields})
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.settimeout(10)
        sock.connect(str(box.home / "run" / "memd.sock"))
        sock.sendall(frames.encode(messages.request(1, "hook", {"event": event, "input": written})))
        size = int.from_bytes(sock.recv(4, socket.MSG_WAITALL), "big")
        answer = frames.decode(sock.recv(size, socket.MSG_WAITALL), frames.ANSWER)
    result: Any = answer["result"]
    return str(result["output"])


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
