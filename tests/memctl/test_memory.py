"""The commands of curated memory: what they ask of memd, what they print, and how they end (MC38)."""

from __future__ import annotations

import io
import json
import os

import pytest

from memctl import entries
from memctl.main import main
from tests.memctl.conftest import Start
from tests.memctl.fake_daemon import answer

EVIL = "\x1b[2Jx\u202e"
ENTRY = {
    "id": 1042,
    "content": f"port 8081 {EVIL}",
    "entry_type": "fact",
    "importance": 8,
    "created_at": "2026-11-30T09:00:00.000Z",
    "first_seen_at": "2026-11-29T09:00:00.000Z",
    "sightings": 3,
    "scope": "branch",
    "project": "/home/dev/app",
    "branch": "topic",
    "reviewed_at": None,
    "superseded_by": None,
    "superseded_at": None,
}
DEAD = {**ENTRY, "id": 41, "superseded_by": 1042, "superseded_at": "2026-11-30T09:00:00.000Z"}
CREATED = {"action": "created", **ENTRY, "change": 1007, "redacted": {}, "potential_conflicts": []}
MISSING = {"action": "not_found", "id": 99, "change": None}

# the command line, the method, its parameters (without cwd), an answer, the exit code, what stdout holds, and stderr
CALLS: list[tuple[list[str], str, dict[str, object], dict[str, object], int, list[str], str]] = [
    (
        ["remember", "port", "8081", "--type", "fact", "--importance", "8", "--branch", "topic"],
        "remember",
        {"text": "port 8081", "type": "fact", "importance": 8, "branch": "topic"},
        CREATED,
        0,
        ["remembered as #1042 (fact, app:topic); memctl undo 1007 takes it back\n"],
        "",
    ),
    (
        ["remember", "port 8081"],
        "remember",
        {"text": "port 8081"},
        {
            **CREATED,
            "content": "it's 8081",
            "redacted": {"password": 1},
            "potential_conflicts": [{"id": 1041, "content": EVIL, "similarity": 0.9561}],
        },
        0,
        [
            "secrets were taken out of it: password 1\n",
            "it may contradict:\n  #1041  96%  \\x1b[2Jx<U+202E>\n",
            "memctl supersede 1041 'it'\"'\"'s 8081'\n",
        ],
        "",
    ),
    (
        ["remember", "port 8081", "--scope", "global"],
        "remember",
        {"text": "port 8081", "scope": "global"},
        {**CREATED, "action": "deduplicated", "scope": "global", "reworded": False},
        0,
        [
            "known as #1042 (fact, everywhere), seen 3 times now; memctl undo 1007 takes it back\n",
            "it stands as: port 8081 \\x1b[2Jx<U+202E>\n",
        ],
        "",
    ),
    (
        ["remember", "port 8081"],
        "remember",
        {"text": "port 8081"},
        {**CREATED, "action": "deduplicated", "reworded": True},
        0,
        ["the new wording says more, and takes the place of the old one\n"],
        "",
    ),
    (
        ["merge", "2", "--into", "x"],
        "merge",
        {"ids": [2], "text": "x"},
        {"action": "merged", **ENTRY, "merged_ids": [2], "change": 8},
        0,
        ["#2 is now #1042; memctl undo 8 takes it back\n"],
        "",
    ),
    (
        ["supersede", "#41", "port", "8081"],
        "supersede",
        {"id": 41, "text": "port 8081"},
        {**CREATED, "action": "superseded", "old_id": 41},
        0,
        ["#41 is superseded by #1042; memctl undo 1007 takes it back\n"],
        "",
    ),
    (
        ["supersede", "41", "x"],
        "supersede",
        {"id": 41, "text": "x"},
        {"action": "already_superseded", "id": 41, "superseded_by": 42, "head": 50, "change": None},
        1,
        [],
        "memctl: #41 was superseded before, by #42; what holds now is #50\n",
    ),
    (
        ["merge", "3", "#4,5", "--into", "all of it", "--importance", "9"],
        "merge",
        {"ids": [3, 4, 5], "text": "all of it", "importance": 9},
        {**CREATED, "action": "merged", "merged_ids": [3, 4], "dead": [5], "not_found": [6]},
        0,
        [
            "#3, #4 are one now, #1042;",
            "#5 had gone before, and stay as they are\n",
            "there is no entry #6\n",
        ],
        "",
    ),
    (
        ["merge", "3", "--into", "x"],
        "merge",
        {"ids": [3], "text": "x"},
        {"action": "not_live", "old_ids": [3], "dead": [3], "not_found": []},
        1,
        [],
        "memctl: none of #3 is live; memctl show tells what became of each\n",
    ),
    (
        ["retire", "7"],
        "retire",
        {"id": 7},
        {"action": "retired", "id": 7, "change": 8},
        0,
        ["#7 is retired; memctl undo 8 takes it back\n"],
        "",
    ),
    (
        ["retire", "7"],
        "retire",
        {"id": 7},
        {"action": "already_retired", "id": 7, "change": None},
        0,
        ["#7 was retired before\n"],
        "",
    ),
    (["retire", "99"], "retire", {"id": 99}, MISSING, 1, [], "memctl: there is no entry #99\n"),
    (["delete", "99"], "delete", {"id": 99}, MISSING, 1, [], "memctl: there is no entry #99\n"),
    (
        ["delete", "7"],
        "delete",
        {"id": 7},
        {"action": "deleted", "id": 7, "change": 8},
        0,
        ["#7 is deleted; memctl undo 8 takes it back\n"],
        "",
    ),
    (
        ["reviewed", "7", "8", "99"],
        "reviewed",
        {"ids": [7, 8, 99]},
        {"results": [{"action": "reviewed", "id": 7}, {"action": "reviewed", "id": 8}, MISSING], "change": 3},
        1,
        ["#7, #8 hold still; memctl undo 3 takes it back\n"],
        "memctl: there is no entry #99\n",
    ),
    (
        ["reviewed", "7"],
        "reviewed",
        {"ids": [7]},
        {"results": [{"action": "already_retired", "id": 7}], "change": None},
        0,
        [],
        "memctl: #7 was retired before\n",
    ),
    (
        ["review", "-n", "3"],
        "review",
        {"limit": 3},
        {"due": [{**ENTRY, "recall": 0.123}], "scope": "/app"},
        0,
        ["12%     #1042  fact    8  2026-11-30 09:00  port 8081 \\x1b[2Jx", "memctl reviewed ID"],
        "",
    ),
    (["review"], "review", {}, {"due": [], "scope": "/app"}, 0, ["Nothing is due in /app.\n"], ""),
    (
        ["list", "--in", "entries", "--type", "fact", "--include-superseded"],
        "list",
        {"kind": "entries", "type": "fact", "include_superseded": True},
        {"entries": [ENTRY, DEAD], "scope": "/app"},
        0,
        ["#1042  fact    8  app:topic  live                 port", "superseded by #1042  port 8081 \\x1b"],
        "",
    ),
    (
        ["list", "--scope", "global"],
        "list",
        {"kind": "entries", "scope": "global"},
        {"entries": [], "scope": "/app"},
        0,
        ["No entries in /app.\n"],
        "",
    ),
    (
        ["list", "--in", "entries", "--since", "7d"],
        "list",
        {"kind": "entries", "since": "7d"},
        {"entries": [], "scope": "/app"},
        0,
        ["No entries in /app.\n"],
        "",
    ),
    (
        ["show", "1042"],
        "show",
        {"id": "1042"},
        {
            "entry": ENTRY,
            "turns": [],
            "supersedes": [DEAD],
            "successors": [{**DEAD, "id": 9}],
            "sources": [
                {"kind": "turn", "id": "t1", "role": "user", "text": EVIL},
                {"kind": "session", "id": "s1", "gone": True},
                {"kind": "observation", "id": "1", "trigger": "precompact", "log": "2026-11-30.jsonl"},
            ],
            "turn_begins_so": True,
        },
        0,
        [
            "#1042\n    port 8081 \\x1b[2Jx<U+202E>\ntype        fact\n",
            "in the place of #41: port 8081",
            "now #9: port 8081",
            "rests on turn t1  user: \\x1b[2Jx<U+202E>\n",
            "rests on session s1  is gone\n",
            "rests on observation 1  precompact: 2026-11-30.jsonl\n",
            "the id of a turn begins with 1042, too",
        ],
        "",
    ),
]
SCOPED = {"remember", "review", "list"}


@pytest.mark.parametrize(
    ("line", "method", "params", "result", "code", "shown", "told"),
    CALLS,
    ids=[" ".join(c[0]) for c in CALLS],
)
def test_a_command_asks_prints_and_ends(
    line: list[str],
    method: str,
    params: dict[str, object],
    result: dict[str, object],
    code: int,
    shown: list[str],
    told: str,
    daemon: Start,
    capfd: pytest.CaptureFixture[str],
) -> None:
    fake = daemon(answer(result))

    assert main(line) == code

    said = capfd.readouterr()
    assert [part for part in shown if part not in said.out] == []
    assert said.err == told
    expected = {**params, "cwd": os.getcwd()} if method in SCOPED else params
    assert (fake.requests[-1]["method"], fake.params) == (method, expected)


@pytest.mark.parametrize(("line", "result", "code"), [(call[0], call[3], call[4]) for call in CALLS])
def test_json_is_the_answer_and_the_code_stays(
    line: list[str],
    result: dict[str, object],
    code: int,
    daemon: Start,
    capfd: pytest.CaptureFixture[str],
) -> None:
    daemon(answer(result))

    assert main([*line, "--json"]) == code

    said = capfd.readouterr()
    assert json.loads(said.out) == result
    assert said.err == ""


@pytest.mark.parametrize("line", [["remember"], ["remember", "-"], ["remember", "--type", "decision", "-"]])
def test_remember_reads_standard_input(
    line: list[str], daemon: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = daemon(answer(CREATED))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("a naïve\ntext\n".encode())))
    monkeypatch.setattr("memctl.terminal.is_terminal", lambda fd: False)

    assert main(line) == 0

    assert fake.params["text"] == "a naïve\ntext\n"


@pytest.mark.parametrize(
    ("line", "raw", "told"),
    [
        (["remember", "-"], b"\xff\xfe", "standard input holds no UTF-8 text"),
        (["remember", "-"], b" \n", "TEXT is empty"),
        (["retire", "x"], b"", "ID is the number of an entry, not 'x'"),
        (["merge", "1"], b"", "--into TEXT is missing"),
        (["remember", "x", "--type", "rumour"], b"", "--type must be one of fact, preference"),
        (["remember", "é" * 9000], b"", "TEXT is longer than 16 KiB"),
        (["remember"], b"x" * 16385, "standard input holds more than 16 KiB"),
        (["supersede", "1", "x" * 16385], b"", "TEXT is longer than 16 KiB"),
        (["merge", "1", "2", "--into", "x" * 16385], b"", "INTO is longer than 16 KiB"),
        (["list", "--in", "turns", "--type", "fact"], b"", "--type is of entries alone"),
        (["list", "--scope", "project", "--role", "user"], b"", "--role is of turns alone"),
        (["list", "--since", "soon"], b"", "--since must be a time: 7d"),
        (["sessions", "--until", "soon"], b"", "--until must be a time: 7d"),
        (["export", "--since", "soon"], b"", "--since must be a time: 7d"),
        (["observations", "--day", "foo"], b"", "--day must be a day: YYYY-MM-DD, not 'foo'"),
    ],
)
def test_a_wrong_command_line_is_2(
    line: list[str],
    raw: bytes,
    told: str,
    daemon: Start,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    fake = daemon(answer(CREATED))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw)))

    assert main(line) == 2

    assert told in capfd.readouterr().err
    assert not fake.requests


def test_the_usage_of_merge_shows_what_it_needs(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["merge", "--help"]) == 0

    assert capfd.readouterr().out.startswith("usage: memctl merge ID --into TEXT [--importance N]\n")


def test_an_entry_holds_in_a_project_that_goes_by_the_end_of_its_path() -> None:
    named = [entries.where({"scope": "project", "project": path}) for path in ("/home/dev/app", "/")]

    assert named == ["app", "/"]


@pytest.mark.parametrize("method", ["retire", "delete"])
def test_several_entries_are_changed_one_by_one(
    method: str, daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    done = {"action": f"{method}d", "id": 7, "change": 8}
    fake = daemon(answer(done))

    assert main([method, "7", "#9", "7"]) == 0
    assert main([method, "7,9", "--json"]) == 0

    assert [(asked["method"], asked["params"]["id"]) for asked in fake.requests] == [
        (method, 7),
        (method, 9),
    ] * 2
    human, document = capfd.readouterr().out.split("{", 1)
    assert human == f"#7 is {method}d; memctl undo 8 takes it back\n" * 2
    assert json.loads("{" + document) == {"results": [done, done]}
