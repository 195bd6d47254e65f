"""A hook as the client runs it: how it ends, and how long that takes."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping

from memctl.doctor.check import FAULT, OK, WARN, Check

SLOW_MS = 300
SECONDS = 5.0  # what the client gives it

_MEANS = "the client runs hooks before each prompt, and waits for them"
# memd has nothing to say to a subagent, so nothing counts as handed over
_EVENT = {"session_id": "doctor", "agent_id": "doctor", "transcript_path": "", "prompt": "doctor"}


def check(command: str, env: Mapping[str, str]) -> Check:
    """Run it once, with an event that leaves nothing behind."""
    said = json.dumps({**_EVENT, "hook_event_name": "UserPromptSubmit", "cwd": os.getcwd()})
    began = time.monotonic()
    try:
        done = subprocess.run(
            ["sh", "-c", command],
            input=said.encode(),
            capture_output=True,
            timeout=SECONDS,
            env=env,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Check(
            "hook time", FAULT, f"`{command}` has not ended in {SECONDS:g} s", _MEANS, "memctl status"
        )
    except OSError as error:
        return Check("hook time", WARN, f"sh cannot be run: {error.strerror}", _MEANS)
    took = (time.monotonic() - began) * 1000
    if done.returncode or done.stdout.strip():
        printed = f"printed {len(done.stdout)} bytes for an event of no matter"
        detail = f"`{command}` ended with {done.returncode} and {printed}"
        return Check("hook time", FAULT, detail, _MEANS, "memctl setup claude-code")
    detail = f"a prompt's hook ends in {took:.0f} ms, without what it says"
    return Check("hook time", OK if took <= SLOW_MS else WARN, detail, _MEANS)
