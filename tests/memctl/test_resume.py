"""``--open``: the line that resumes the session of what was found or shown."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from memctl.main import main
from tests.memctl.conftest import Start
from tests.memctl.fake_daemon import Message, Script

SESSION = {"id": "5f3a0c1e", "format": "claude-code", "source": "present", "cwd": "/home/dev/app"}
NATIVE, ENTRY, TURN = ({"id": 7, "session_id": session} for session in (None, None, "5f3a0c1e"))


def told(session: Message, **lists: object) -> Script:
    """A memd that finds these, and knows one session."""

    def script(request: Message) -> Message:
        result = session if request["method"] == "session" else lists
        return {"v": 1, "id": request["id"], "ok": True, "result": result}

    return script


@pytest.mark.parametrize(
    ("words", "lists"),
    [
        (["search", "port"], {"results": [NATIVE, ENTRY, TURN]}),
        (["show", "01b7"], {"turns": [TURN]}),
        (["show", "7"], {"entry": ENTRY, "turns": [], "sources": [{"kind": "observation", "id": "1"}, TURN]}),
        (["show", "7"], {"entry": ENTRY, "turns": [], "sources": [{"kind": "session", "id": "5f3a0c1e"}]}),
    ],
)
def test_the_session_of_the_best_is_resumed(
    words: list[str], lists: dict[str, object], daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    fake = daemon(told(SESSION, **lists))

    assert main([*words, "--open"]) == 0

    assert capfd.readouterr() == ("cd /home/dev/app && claude --resume 5f3a0c1e\n", "")
    assert fake.params["id"] == "5f3a0c1e"
    first = fake.requests[0]["params"]
    assert isinstance(first, dict) and "open" not in first


def test_a_shell_ends_up_in_the_folder_whatever_it_is_called(
    daemon: Start, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "a b; $(touch x) 'quoted' größer"
    folder.mkdir()
    daemon(told({**SESSION, "id": "$(touch y)", "cwd": str(folder)}, results=[TURN]))
    main(["search", "port", "--open"])
    code = f'claude() {{ echo "$PWD $*"; }}\n{capfd.readouterr().out}'

    done = subprocess.run(["sh", "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)

    assert done.stdout == f"{folder} --resume $(touch y)\n"
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]


def test_the_line_is_in_the_json_too(daemon: Start, capfd: pytest.CaptureFixture[str]) -> None:
    daemon(told({**SESSION, "cwd": None}, results=[TURN]))

    assert main(["search", "port", "--open", "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == {"command": "claude --resume 5f3a0c1e"}


@pytest.mark.parametrize(
    ("change", "results", "says"),
    [
        ({}, [], "nothing of that was said in a session"),
        ({}, [NATIVE], "nothing of that was said in a session"),
        ({"format": "chatgpt"}, [TURN], "session 5f3a0c1e is of another program (chatgpt)"),
        ({"source": "missing"}, [TURN], "the transcript of session 5f3a0c1e is gone"),
    ],
)
def test_what_cannot_be_resumed_is_said(
    change: dict[str, object],
    results: list[object],
    says: str,
    daemon: Start,
    capfd: pytest.CaptureFixture[str],
) -> None:
    daemon(told({**SESSION, **change}, results=results))

    assert main(["search", "port", "--open"]) == 1

    said = capfd.readouterr()
    assert said.out == "" and says in said.err
