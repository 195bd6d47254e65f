"""Forgetting asks before it acts, and acts on nothing that was not meant."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from memctl.main import main
from tests.memctl.conftest import CODE, Start
from tests.memctl.fake_daemon import answer

SEEN = {
    "turns": 2,
    "titles": 0,
    "sessions_total": 1,
    "entries": 1,
    "entry_snippets": [{"id": 1003, "entry_type": "fact", "text": "the port"}],
    "scope": "/app",
    "last": 41,
    "last_entry": 7,
    "compacted": True,
}


def at_a_terminal(*words: str, says: str) -> tuple[int, str]:
    """Run memctl with a person who says this; its exit code, and what stood on standard error."""
    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", CODE, *words], stdin=slave, stderr=slave, stdout=subprocess.PIPE
    ) as child:
        os.close(slave)
        os.write(master, says.encode())
        child.communicate(timeout=30)
    said = b"".join(iter(lambda: _read(master), b"")).decode()
    os.close(master)
    return child.returncode, said


def _read(terminal: int) -> bytes:
    """What stands there; nothing at the end, which Linux calls an error."""
    try:
        return os.read(terminal, 9999)
    except OSError:
        return b""


def test_a_person_is_asked_and_what_was_shown_is_what_goes(daemon: Start) -> None:
    fake = daemon(answer(SEEN))

    code, said = at_a_terminal("forget", "--match", "x", "--all-projects", says="y\n")

    assert code == 0 and "Forget this for good? [y/N]" in said
    asked = [request["params"] for request in fake.requests]
    wanted = {"match": "x", "all_projects": True, "cwd": os.getcwd()}
    assert asked == [{**wanted, "dry_run": True}, {**wanted, "last": 41, "last_entry": 7}]


@pytest.mark.parametrize("says", ["n\n", "\n", "\x04"])
def test_without_a_yes_nothing_is_forgotten(says: str, daemon: Start) -> None:
    fake = daemon(answer(SEEN))

    code, said = at_a_terminal("forget", "abc", says=says)

    assert code == 1 and "nothing was forgotten" in said
    assert [request["params"].get("dry_run") for request in fake.requests] == [True]  # type: ignore[attr-defined]  # from a frame


def test_where_nothing_is_found_nobody_is_asked(daemon: Start) -> None:
    daemon(answer({**SEEN, "turns": 0, "entries": 0}))

    assert at_a_terminal("forget", "--match", "x", says="") == (0, "")


def test_what_is_stored_of_an_excluded_folder_goes_where_that_is_wanted(daemon: Start) -> None:
    fake = daemon(answer({**SEEN, "path": "/a"}))

    assert main(["exclude", "/a", "--drop", "--yes", "--json"]) == 0

    assert [(request["method"], request["params"]) for request in fake.requests] == [
        ("exclude", {"path": "/a"}),
        ("forget", {"folder": "/a"}),
    ]


def test_before_it_goes_the_person_is_asked(daemon: Start) -> None:
    fake = daemon(answer({**SEEN, "path": "/a"}))

    code, said = at_a_terminal("exclude", "/a", "--drop", says="n\n")

    assert code == 1 and "nothing was forgotten" in said
    assert [request["params"] for request in fake.requests[1:]] == [{"folder": "/a", "dry_run": True}]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("exclude --drop", "PATH is missing"),
        ("exclude --remove", "PATH is missing"),
        ("exclude /a --remove --drop", "do not go together"),
        ("exclude /a --drop", "then give --yes"),
        ("forget", "say what to forget"),
        ("forget --all-projects --yes", "say what to forget"),
        ("forget a --session b --yes", "only one of"),
        ("forget a --project b --yes", "only one of"),
        ("forget --session b --all-projects --yes", "goes with --match alone"),
        ("forget --project b --all-projects --yes", "do not go together"),
        ("forget abc", "look first with --dry-run, then give --yes"),
        ("forget abc --json", "look first with --dry-run, then give --yes"),
        ("forget a b --yes", "one word too many"),
        ("undo x", "ID is the number of a change"),
        ("undo 5 --list", "--list takes no ID"),
        ("undo --limit 5", "--limit goes with --list"),
    ],
)
def test_what_is_not_clear_is_not_asked_of_memd(
    line: str, says: str, daemon: Start, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = daemon(answer(SEEN))
    monkeypatch.setattr("memctl.terminal.is_terminal", lambda fd: False)

    assert main(line.split()) == 2

    assert says in capfd.readouterr().err
    assert fake.requests == []
