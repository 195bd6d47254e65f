"""``memctl import``: its progress, its report, and what it says when it is broken off."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Mapping

import pytest

from memctl.main import main
from memd.importers import detect
from tests.memctl.conftest import CODE, Start
from tests.memctl.fake_daemon import Message, Reply, answer

REPORT = {
    "format": "chatgpt",
    "source": "/x",
    "imported": 3,
    "skipped": {"meta": 2},
    "errors": [],
    "redactions": {},
}


def events(request: Message) -> list[Mapping[str, object]]:
    return [
        {"v": 1, "id": request["id"], "event": {"stage": "import", "share": share, "imported": count}}
        for share, count in ((0.25, 1200), (1.0, 3000))
    ]


def with_progress(request: Message) -> Reply:
    return [*events(request), {"v": 1, "id": request["id"], "ok": True, "result": REPORT}]


def test_what_is_asked_for_is_sent(daemon: Start) -> None:
    fake = daemon(answer(REPORT))
    line = "import x --format codex --user-id ann --agent-id coach --include-tool-output --strict --no-redact"

    assert main(line.split()) == 0
    assert fake.params == {
        "path": os.path.abspath("x"),
        "format": "codex",
        "user_id": "ann",
        "agent_id": "coach",
        "include_tool_output": True,
        "strict": True,
        "no_redact": True,
    }


def test_every_format_that_an_error_of_memd_lists_can_be_asked_for(daemon: Start) -> None:
    fake = daemon(answer(REPORT))

    for name in detect.TOLD:
        assert main(["import", "x", "--format", name]) == 0
        assert fake.params["format"] == name


@pytest.mark.parametrize(("dry_run", "said"), [(True, "would import"), (False, "imported")])
def test_a_dry_run_says_what_it_would_do(
    dry_run: bool, said: str, daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    report = REPORT | {"dry_run": dry_run}
    daemon(answer(report))

    assert main(["import", "x"]) == 0
    shown = dict(line.split("  ", 1) for line in capfd.readouterr().out.splitlines())
    assert {name for name in shown if "import" in name} == {said}
    assert shown[said].strip() == "3"

    assert main(["import", "x", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["imported"] == 3


def test_the_help_says_what_the_ratio_does_not_judge(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "--help"]) == 0

    assert "a file in it under 1 MiB is never judged alone" in " ".join(capfd.readouterr().out.split())


def test_progress_is_a_bar_on_a_terminal(daemon: Start) -> None:
    daemon(with_progress)
    master, slave = pty.openpty()

    subprocess.run(
        [sys.executable, "-c", CODE, "import", "x"], stdout=subprocess.PIPE, stderr=slave, check=True
    )

    os.close(slave)
    said = os.read(master, 999).decode()
    os.close(master)
    assert "import: [######..................] 25 %, 1,200 imported" in said
    assert "import: [########################] 100 %, 3,000 imported" in said


def test_a_file_that_could_not_be_read_is_exit_code_1(
    daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    daemon(answer(REPORT | {"errors": ["a.json: it is cut off"]}))

    assert main(["import", "x", "--json"]) == 1
    assert json.loads(capfd.readouterr().out)["errors"] == ["a.json: it is cut off"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "interrupted: at least 3,000 new turns are in for good; the same command brings in the rest"),
        (["--dry-run"], "interrupted; a dry run stores nothing"),
    ],
)
def test_ctrl_c_says_what_is_in(daemon: Start, more: list[str], said: str) -> None:
    daemon(events)
    master, slave = pty.openpty()
    command = [sys.executable, "-c", CODE, "import", "x", *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave, stdin=slave) as child:
        shown = ""
        while "3,000 imported" not in shown:
            shown += os.read(master, 999).decode()
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=30)
    os.close(slave)
    shown += os.read(master, 999).decode()
    os.close(master)

    assert (child.returncode, out) == (130, b"")
    assert shown.endswith(f"\r\x1b[Kmemctl: {said}\r\n")


def test_limits_are_sent_and_what_was_over_one_is_said(
    daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    fake = daemon(answer(REPORT | {"over_limits": {"max_record_bytes": 2, "max_depth": 1}}))

    assert (
        main(["import", "x", "--max-record-bytes", "1000", "--max-depth", "90", "--max-zip-ratio", "500"])
        == 0
    )

    assert fake.params | {"path": ""} == {
        "path": "",
        "max_record_bytes": 1000,
        "max_depth": 90,
        "max_zip_ratio": 500,
    }
    said = capfd.readouterr().out
    assert said.splitlines()[-2:] == [
        "2 left out over --max-record-bytes: raise it, and import again",
        "1 left out over --max-depth: raise it, and import again",
    ]


@pytest.mark.parametrize("flag", ["--max-depth=201", "--max-file-bytes=0", "--max-zip-ratio=many"])
def test_a_limit_that_is_none_is_wrong_usage(flag: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "x", *flag.split("=")]) == 2
    assert flag.partition("=")[0] in capfd.readouterr().err
