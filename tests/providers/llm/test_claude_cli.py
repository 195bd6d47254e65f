"""The client as a language model: its flags, its environment, what comes back and what goes wrong."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from memd.errors import ModelCrashed, ModelError, ModelRejected, ModelTimeout, ModelUnreachable
from memd.providers.llm.base import Reply, Request
from memd.providers.llm.claude_cli import ClaudeCli
from memd.text.fence import OWN_RUN

REQUEST = Request("You distil.", "Entries: the lamp stands left", {"type": "object"}, 100, "reflect")
USAGE = {"input_tokens": 650, "output_tokens": 9}
ANSWER = {"is_error": False, "result": "", "structured_output": {"insights": []}, "usage": USAGE}


def ask(folder: Path, script: str, seconds: float = 10.0) -> Reply:
    """The reply of a client that is this shell script."""
    program = folder / "claude"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    env = {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(folder), "ANTHROPIC_API_KEY": "k"}
    return asyncio.run(ClaudeCli("haiku", seconds, env).complete(REQUEST))


def test_it_leaves_no_transcript_runs_no_hook_and_uses_the_login(tmp_path: Path) -> None:
    note = f"printf '%s\\n' \"$@\" > {tmp_path}/args; env > {tmp_path}/env; cat > {tmp_path}/stdin"
    ask(tmp_path, f"{note}; echo '{json.dumps(ANSWER)}'")

    arguments = (tmp_path / "args").read_text()
    for flag in ("--no-session-persistence", "--setting-sources\n\n", "--strict-mcp-config", "--tools\n\n"):
        assert flag in arguments
    env = (tmp_path / "env").read_text()
    assert "MEMD_MODEL_CALL=1" in env and "ANTHROPIC_API_KEY" not in env
    assert (tmp_path / "stdin").read_text() == f"{OWN_RUN}\n{REQUEST.prompt}"
    assert "lamp" not in arguments


def test_the_reply_is_the_value_and_what_it_took(tmp_path: Path) -> None:
    reply = ask(tmp_path, f"cat > /dev/null; echo '{json.dumps(ANSWER)}'")

    assert (reply.data, reply.text) == ({"insights": []}, '{"insights": []}')
    assert (reply.model, reply.input_tokens, reply.output_tokens) == ("claude-cli:haiku", 650, 9)


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("exit 1", ModelCrashed),
        ("echo a warning", ModelCrashed),
        ("""echo '{"is_error": true, "result": "the lamp"}'""", ModelUnreachable),
        ("exec sleep 30", ModelTimeout),
    ],
)
def test_what_goes_wrong_is_an_error_that_passes(
    tmp_path: Path, script: str, error: type[ModelError]
) -> None:
    with pytest.raises(error) as caught:
        ask(tmp_path, script, seconds=0.5)

    assert caught.value.transient
    assert "lamp" not in caught.value.message


def test_without_the_program_it_is_said_what_is_missing() -> None:
    with pytest.raises(ModelRejected, match="no program claude"):
        asyncio.run(ClaudeCli("haiku", 5.0, {"PATH": "/nowhere"}).complete(REQUEST))
