"""What each command asks of memd, and what it prints of the answer."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memctl.main import main
from tests.memctl.conftest import CODE, Start
from tests.memctl.fake_daemon import FakeDaemon, Message, Reply, answer

EVIL = "\x1b[2Jx\x7f\u202e\r"
TURN = {
    "id": "abc123",
    "role": "user",
    "created_at": "2026-11-30T09:00:00.000Z",
    "project": "/home/dev/app",
    "text": f"first\nsecond {EVIL}",
    "asked": True,
}
SESSION = {
    "id": "s-1",
    "title": EVIL,
    "project": "/home/dev/app",
    "branch": "main",
    "started_at": "2026-11-30T08:00:00.000Z",
    "last_at": "2026-11-30T09:00:00.000Z",
    "turns": 1234,
    "continues": None,
    "source": "present",
}
JOB = {
    "id": 12345,
    "kind": "embed_turns",
    "key": "1",
    "state": "dead",
    "attempts": 5,
    "run_at": "2026-11-30T09:00:00.000Z",
    "error": EVIL,
    "history": [
        {
            "attempt": 1,
            "started_at": "2026-11-30T09:00:00.000Z",
            "ended_at": "2026-11-30T09:10:00.000Z",
            "ending": "waited",
            "reason": "no model " + EVIL,
            "next_at": "2026-11-30T09:11:00.000Z",
            "times": 7,
        }
    ],
}
PAUSED = {
    "kind": "k",
    "reason": "spent " + EVIL,
    "since": "2026-11-30T09:00:00.000Z",
    "until": "2026-12-01T00:00:00.000Z",
}
STATUS = {
    "ready": True,
    "pid": 42424,
    "version": "0.1.0",
    "uptime_s": 93784.2,
    "degraded": [
        {
            "what": "no events",
            "since": "2026-11-30T09:00:00.000Z",
            "hint": "raise fs.inotify.max_user_watches",
        }
    ],
    "watch": {"mode": "poll", "roots": ["/home/dev/.claude/projects" + EVIL], "last_scan_age_s": 3.1},
    "counts": {
        "turns": 12345,
        "sessions": 130,
        "entries": 0,
        "files": 240,
        "missing_files": 3,
        "bad_lines": 1,
        "redactions": 2,
        "embedded_pct": 62.5,
        "embed_waiting": 900,
        "token_signs_waiting": 4321,
    },
    "jobs": {
        "queued": 1,
        "running": 0,
        "retry": 0,
        "dead": 0,
        "oldest_due_s": None,
        "paused": 2,
        "paused_kinds": [{"kind": "k", "reason": "spent"}],
    },
    "embedder": {
        "name": "bundled",
        "dim": 384,
        "loaded": True,
        "building": {"name": "hash", "percent": 12.5},
    },
    "llm": {"provider": None, "spent_today": 0, "cap": None},
    "memory_mb": 88.1,
    "governor": {"memory_ceiling_mb": 600, "background": "slowed: on battery"},
    "socket": "/run/memd.sock",
    "database": "/data/memd.db",
}

CHANGE = {
    "id": 12345,
    "at": "2026-11-30T09:00:00.000Z",
    "what": f"projects merge a {EVIL}",
    "rows": 5,
    "undoes": None,
    "undone_by": None,
    "final": False,
}
FORGET = {
    "turns": 7,
    "snippets": [TURN],
    "sessions_total": 1,
    "sessions": [{"id": "s-1", "title": EVIL, "project": "/home/dev/app", "turns": 7, "left": 0}],
    "elsewhere": 2,
    "titles": 1,
    "scope": "all projects",
    "last": 99,
    "copies": ["/data/backups/one.db" + EVIL],
}

# the command line, the method, its parameters (without cwd), an answer, what the text for people holds
CALLS: list[tuple[str, str, dict[str, object], dict[str, object], list[str]]] = [
    (
        "show abc --around 2",
        "show",
        {"id": "abc", "around": 2},
        {"turns": [TURN]},
        ["> 2026-11-30 09:00  user  app"],
    ),
    (
        "show abc --around 3",
        "show",
        {"id": "abc", "around": 3},
        {"turns": [{**TURN, "other_branch": True}]},
        ["> 2026-11-30 09:00  user (other branch)  app"],
    ),
    (
        "sessions --since 7d -n 3",
        "sessions",
        {"since": "7d", "limit": 3},
        {"sessions": [SESSION], "scope": "all projects"},
        ["LAST", "2026-11-30 09:00  s-1  1,234  app      main    \\x1b[2Jx"],
    ),
    ("sessions", "sessions", {}, {"sessions": [], "scope": "/app"}, ["No sessions in /app."]),
    (
        "session s-1 --limit 1 --offset 10",
        "session",
        {"id": "s-1", "limit": 1, "offset": 10},
        {**SESSION, "offset": 10, "items": [TURN]},
        ["turns      1,234", "    second \\x1b[2Jx\\x7f<U+202E>\\x0d", "1,223 more: --offset 11"],
    ),
    (
        "list --role user --session s --all-projects",
        "list",
        {"kind": "turns", "role": "user", "session": "s", "all_projects": True},
        {"turns": [TURN], "scope": "all projects"},
        ["TIME", "2026-11-30 09:00  user  abc123  app      first second \\x1b[2J"],
    ),
    (
        "native --project app",
        "native.list",
        {"project": "app"},
        {
            "projects": [
                {
                    "slug": "-app",
                    "label": "app",
                    "path": "/app",
                    "memory_dir": "/p/-app/memory",
                    "files": [
                        {"name": "MEMORY.md", "path": "/p/-app/memory/MEMORY.md", "modified": "2026-11-30"},
                        {"name": EVIL, "path": "/p", "modified": "2026-11-30", "skipped": "too_large"},
                    ],
                }
            ]
        },
        ["app  /app\n  2026-11-30  MEMORY.md\n  2026-11-30  \\x1b[2Jx", "(too_large)"],
    ),
    ("native list", "native.list", {}, {"projects": []}, ["No memory files."]),
    (
        "native show app/MEMORY.md",
        "native.show",
        {"file": "app/MEMORY.md"},
        {"path": "/p/-app/memory/MEMORY.md", "text": "# Notes\n" + EVIL},
        ["# Notes\n\\x1b[2Jx"],
    ),
    (
        "projects",
        "projects.list",
        {},
        {"projects": [{"name": "app", "path": "/home/dev/app", "from": "git", "turns": 7, "aliases": []}]},
        ["NAME  TURNS  FROM  PATH\napp       7  git   /home/dev/app\n"],
    ),
    (
        "projects list",
        "projects.list",
        {},
        {"projects": [{"name": "a", "path": "/a", "from": "git", "turns": 7, "aliases": ["/old", EVIL]}]},
        ["PATH  ALIASES\na         7  git   /a    /old, \\x1b[2Jx"],
    ),
    (
        "projects alias /x/../old app",
        "projects.alias",
        {"old": "/old", "new": "app"},
        {"project": "/home/dev/app", "sessions": 1200, "change": 12345},
        ["/old is /home/dev/app from now on, 1,200 sessions moved; memctl undo 12345 takes it back"],
    ),
    (
        "projects merge one two",
        "projects.merge",
        {"from": "one", "into": "two"},
        {"project": "/two", "sessions": 0, "change": None},
        ["one is /two from now on, 0 sessions moved\n"],
    ),
    (
        "projects canonicalize --aliases /x/a.json --dry-run",
        "projects.canonicalize",
        {"aliases": "/x/a.json", "dry_run": True},
        {
            "folded": [{"project": "app" + EVIL, "into": "/dev/app", "sessions": 1200, "entries": 3}],
            "aliases": 1,
            "dry_run": True,
            "change": None,
        },
        ["\\x1b[2J", " would be /dev/app: 1,200 sessions, 3 entries\n1 former names would be kept\n"],
    ),
    (
        "projects canonicalize --aliases /x/a.json",
        "projects.canonicalize",
        {"aliases": "/x/a.json"},
        {"folded": [], "aliases": 0, "dry_run": False, "change": None},
        ["Every project is one of its own."],
    ),
    (
        "undo",
        "undo",
        {},
        {"undone": CHANGE, "change": 12346},
        ["undone: projects merge a \\x1b[2Jx", "5 rows"],
    ),
    (
        "undo 12345",
        "undo",
        {"id": 12345},
        {"undone": CHANGE, "change": 12346},
        ["; memctl undo 12346 brings"],
    ),
    (
        "undo --list -n 3",
        "undo.list",
        {"limit": 3},
        {
            "changes": [
                CHANGE,
                {**CHANGE, "undone_by": 12346},
                {**CHANGE, "what": "forget 3 turns", "final": True},
            ]
        },
        [
            "never     forget 3 turns",
            "12345  2026-11-30 09:00     5  -         projects merge a \\x1b[2Jx",
            "by 12346",
        ],
    ),
    ("undo --list", "undo.list", {}, {"changes": []}, ["No changes."]),
    ("status", "status", {}, STATUS, ["memd 0.1.0 is ready, up 1 d 2 h, pid 42424\n"]),
    (
        "stats",
        "stats",
        {},
        {"turns": 7, "skipped": {"meta": 1200}},
        ["meta 1,200"],
    ),
    (
        "verify",
        "verify",
        {},
        {"ok": True, "checks": [{"name": "pages", "ok": True, "detail": ""}]},
        ["ok     pages\nall is sound\n"],
    ),
    (
        "repair --redact",
        "repair",
        {"redact": True},
        {"ok": True, "checks": [], "redacted": {"texts": 9}},
        ["texts 9"],
    ),
    (
        "backup /x/../y.db --force",
        "backup",
        {"path": "/y.db", "force": True},
        {"path": "/y.db" + EVIL, "turns": 12345, "bytes": 3_400_000, "schema": 2},
        ["/y.db\\x1b[2J", ": 12,345 turns, 3 MiB, schema 2\n"],
    ),
    ("reindex --missing", "reindex", {"missing": True}, {"job": 12345}, ["memctl jobs show 12345"]),
    (
        "jobs --state dead",
        "jobs.list",
        {"state": "dead"},
        {"jobs": [JOB], "paused": [PAUSED]},
        ["12345  embed_turns    1  dead       5  2026-11-30 09:00  \\x1b[2Jx"],
    ),
    ("jobs", "jobs.list", {}, {"jobs": [], "paused": [PAUSED]}, ["No jobs.\n! k is paused since"]),
    ("jobs list --kind k --limit 3", "jobs.list", {"kind": "k", "limit": 3}, {"jobs": []}, ["No jobs."]),
    (
        "jobs show 12345",
        "jobs.show",
        {"id": "12345"},
        {"job": JOB},
        [
            "id        12345\n",
            "state     dead\n",
            "TRY  BEGUN             ENDED             HOW        NEXT              WHY\n"
            "  1  2026-11-30 09:00  2026-11-30 09:10  waited x7  2026-11-30 09:11  no model \\x1b[2Jx",
        ],
    ),
    (
        "jobs show 6",
        "jobs.show",
        {"id": "6"},
        {
            "job": {
                "id": 6,
                "answers": [
                    {"at": "2026-11-30T09:00:00.000Z", "result": "unusable", "begins": EVIL},
                    {"at": "2026-11-30T09:10:00.000Z", "result": "refused", "begins": ""},
                ],
            }
        },
        [
            "id  6\n\n! an answer of 2026-11-30 09:00 was of no use (unusable): \\x1b[2Jx",
            "! an answer of 2026-11-30 09:10 was of no use (refused): it was empty\n",
        ],
    ),
    ("jobs retry 3", "jobs.retry", {"id": "3"}, {"changed": [3]}, ["job 3 is queued\n"]),
    (
        "jobs retry --state dead --kind k",
        "jobs.retry",
        {"state": "dead", "kind": "k"},
        {"changed": [3, 4]},
        ["2 jobs are queued: 3, 4\n"],
    ),
    ("jobs cancel 3", "jobs.cancel", {"id": "3"}, {"changed": [3]}, ["job 3 is cancelled\n"]),
    ("jobs dismiss 3", "jobs.dismiss", {"id": "3"}, {"dismissed": [3]}, ["job 3 is gone\n"]),
    ("jobs dismiss --kind k", "jobs.dismiss", {"kind": "k"}, {"dismissed": []}, ["0 jobs are gone\n"]),
    (
        "jobs pause k --why later",
        "jobs.pause",
        {"kind": "k", "why": "later"},
        {"paused": [PAUSED]},
        ["! k is paused since 2026-11-30 09:00, until 2026-12-01 00:00: spent \\x1b[2Jx"],
    ),
    ("jobs resume k", "jobs.resume", {"kind": "k"}, {"paused": []}, ["k goes on\n"]),
    (
        "ledger --since 7d --limit 5",
        "ledger",
        {"since": "7d", "limit": 5},
        {
            "calls": [
                {
                    "at": "2026-11-30T09:00:00.000Z",
                    "job": 12345,
                    "purpose": "reflect",
                    "model": EVIL,
                    "input_tokens": 1200,
                    "output_tokens": 80,
                    "price": 0.00016,
                    "result": "ok",
                },
                {"at": "2026-11-30T08:00:00.000Z", "job": None, "purpose": "observe", "price": None},
            ],
            "today": {
                "tokens": 1280,
                "money": 0.00016,
                "cap_tokens": 200_000,
                "cap_money": 0.25,
                "until": "2026-12-01T00:00:00.000Z",
            },
        },
        [
            "2026-11-30 09:00  reflect  12345  \\x1b[2Jx",
            "  $0.000160  ok\n",
            "today, until 2026-12-01 00:00 UTC: 1,280 of 200,000 tokens, $0.0002 of $0.25\n",
        ],
    ),
    (
        "ledger -n 1",
        "ledger",
        {"limit": 1},
        {"calls": [], "today": {"money": 0.00002, "cap_money": 0.0025, "tokens": 7, "cap_tokens": 9}},
        ["7 of 9 tokens, $0.00002 of $0.0025\n"],
    ),
    ("ledger", "ledger", {}, {"calls": [], "today": {}}, ["No calls.\n"]),
    (
        "observe --session abc --dry-run",
        "observe",
        {"session": "abc", "stage": "dry_run"},
        {"prompts": [{"session": "abc", "system": "You read", "prompt": f"one\n{EVIL}"}]},
        ["# session abc\nYou read\none\n\\x1b[2Jx"],
    ),
    (
        "observe --session abc --yes",
        "observe",
        {"session": "abc", "stage": "now"},
        {"jobs": [], "excluded": [{"id": "abc", "folder": EVIL}, {"id": "abd", "folder": EVIL}]},
        [
            "There is nothing to read.\n! 2 sessions are not read: \\x1b[2Jx",
            " is excluded (memctl exclude)\n",
        ],
    ),
    (
        "observe --session abc --dry-run",
        "observe",
        {"session": "abc", "stage": "dry_run"},
        {"prompts": [], "excluded": [{"id": "abc", "folder": "/home/dev/secret"}]},
        ["Nothing.\n! 1 sessions are not read: /home/dev/secret is excluded (memctl exclude)\n"],
    ),
    (
        "observe --project app --since 7d --yes",
        "observe",
        {"project": "app", "since": "7d", "stage": "now"},
        {"jobs": [3, 4]},
        ["2 sessions are read now"],
    ),
    (
        "reflect --min-new 0",
        "reflect",
        {"min_new": 0},
        {"waiting": 1200, "last_reflected_at": None, "open_proposals": 2},
        ["1,200 entries wait to be reflected on, the last reflection was -; 2 proposals are open\n"],
    ),
    (
        "reflect --now --drain --project app --key k",
        "reflect",
        {"now": True, "drain": True, "project": "app", "key": "k"},
        {"job": 7},
        ["job 7 reflects: memctl jobs show 7\n"],
    ),
    (
        "reflect --now --wait --days 3",
        "reflect",
        {"now": True, "wait": True, "days": 3, "seconds": 600.0},
        {
            "job": 7,
            "state": "done",
            "result": {"read": 50, "insights": 2, "repeated": 1, "proposals": [4, 5], "dropped": 1},
        },
        [
            "50 entries read: 2 new insights, 1 known before, 2 proposals\n1 parts of the answer",
            "memctl proposals",
        ],
    ),
    (
        "reflect --now --wait",
        "reflect",
        {"now": True, "wait": True, "seconds": 600.0},
        {"job": 7, "state": "done", "result": {"skipped": True, "reason": f"no {EVIL}"}},
        ["nothing was sent: no \\x1b[2Jx"],
    ),
    (
        "insights --limit 5",
        "insights",
        {"limit": 5},
        {"insights": [{"id": 12345, "text": EVIL, "created_at": "2026-11-30T09:00:00.000Z"}]},
        ["#12345  2026-11-30 09:00  \\x1b[2Jx"],
    ),
    ("insights list", "insights", {}, {"insights": []}, ["No insights.\n"]),
    (
        "proposals --state applied",
        "proposals.list",
        {"state": "applied"},
        {"proposals": [{"id": 3, "op": "add", "state": "applied", "new": EVIL}]},
        ["add   applied  -     \\x1b[2Jx", "memctl proposals apply ID"],
    ),
    ("proposals", "proposals.list", {}, {"proposals": []}, ["No proposals.\n"]),
    (
        "proposals show 3 #4",
        "proposals.show",
        {"ids": [3, 4]},
        {
            "proposals": [
                {"id": 3, "state": "open", "diff": f"Proposed:\n\n+ {EVIL}", "conflict": "it has changed"}
            ]
        },
        ["proposal 3 (open)\n  + \\x1b[2Jx", "\n! it has changed\n"],
    ),
    (
        "proposals apply 3 4",
        "proposals.apply",
        {"ids": [3, 4]},
        {"applied": [3, 4], "change": 9},
        ["applied 3, 4"],
    ),
    ("proposals reject 3", "proposals.reject", {"ids": [3]}, {"rejected": [3], "change": 9}, ["rejected 3"]),
    (
        "config",
        "config.list",
        {},
        {"settings": [{"key": "search.limit", "value": 10_000, "origin": "default"}]},
        ["KEY           VALUE  FROM\nsearch.limit  10000  default\n"],
    ),
    ("config get a.b", "config.get", {"key": "a.b"}, {"key": "a.b", "value": True}, ["true\n"]),
    (
        "config set a.b 5",
        "config.set",
        {"key": "a.b", "value": "5"},
        {"key": "a.b", "value": "5", "restart": True},
        ["a.b is 5 in config.toml; it counts from the next start"],
    ),
    (
        "import /x/../y --format claude-code --dry-run --wait --limit 5",
        "import",
        {"path": "/y", "format": "claude-code", "dry_run": True, "wait": True, "limit": 5},
        {"imported": 5, "skipped": {"thinking": 2, EVIL: 1}, "errors": [], "redactions": {}},
        ["imported  5\n", "thinking 2, \\x1b[2Jx", "errors    none"],
    ),
    (
        "forget abc --dry-run",
        "forget",
        {"id": "abc", "dry_run": True},
        {**FORGET, "dry_run": True},
        [
            "7 turns of 1 sessions in all projects:\n",
            "  2026-11-30 09:00  user       first second \\x1b[2Jx",
            "  … and 6 more\n",
            "s-1          7     0  \\x1b[2Jx",
            "2 other turns say the same, and stay.",
            "takes it out of them):\n  /data/backups/one.db\\x1b[2Jx",
        ],
    ),
    (
        "forget --match x --project p --yes",
        "forget",
        {"match": "x", "project": "p"},
        {**FORGET, "compacted": True},
        ["7 turns of 1 sessions in all projects are forgotten"],
    ),
    (
        "forget abc --backups --yes",
        "forget",
        {"id": "abc", "backups": True},
        {**FORGET, "compacted": True, "copies": [], "rewritten": ["/b/one.db"], "removed": [EVIL]},
        ["without it:\n  /b/one.db\n", "were removed:\n  \\x1b[2Jx"],
    ),
    (
        "forget --backups --yes",
        "forget",
        {"backups": True},
        {"turns": 0, "titles": 0, "compacted": True, "copies": [], "rewritten": [], "removed": []},
        ["No copy holds anything that was forgotten.\n"],
    ),
    (
        "forget --session x --yes",
        "forget",
        {"session": "x"},
        {**FORGET, "compacted": False},
        ["may still hold words"],
    ),
    (
        "forget --match x --all-projects --yes",
        "forget",
        {"match": "x", "all_projects": True},
        {"turns": 0, "titles": 0, "scope": "all projects"},
        ["Nothing to forget in all projects."],
    ),
    ("sync", "sync", {}, {"files": 0, "turns": 0, "pending": 2}, ["2 files are waiting"]),
    (
        "sync --wait",
        "sync",
        {"wait": True},
        {"files": 3, "turns": 50, "pending": 0},
        ["3 files read, 50 turns stored"],
    ),
    (
        "sync --embedded --timeout 900",
        "sync",
        {"wait": True, "embedded": True, "timeout": 900.0},
        {"files": 3, "turns": 50, "pending": 0},
        ["0 files pending"],
    ),
]
SCOPED = {"sessions", "list", "forget"}


@pytest.mark.parametrize(
    ("line", "method", "params", "result", "shown"), CALLS, ids=[call[0] for call in CALLS]
)
def test_a_command_asks_and_prints(
    line: str,
    method: str,
    params: dict[str, object],
    result: dict[str, object],
    shown: list[str],
    daemon: Start,
    capfd: pytest.CaptureFixture[str],
) -> None:
    fake = daemon(answer(result))

    assert main(line.split()) == 0

    said = capfd.readouterr()
    assert said.err == ""
    assert [part for part in shown if part not in said.out] == []
    assert all(sign.isprintable() or sign == "\n" for sign in said.out)
    expected = {**params, "cwd": os.getcwd()} if method in SCOPED else params
    assert (fake.requests[-1]["method"], fake.params) == (method, expected)


@pytest.mark.parametrize(("line", "result"), [(call[0], call[3]) for call in CALLS])
def test_json_is_the_answer_in_ascii(
    line: str, result: dict[str, object], daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    daemon(answer(result))

    assert main([*line.split(), "--json"]) == 0

    said = capfd.readouterr().out
    assert json.loads(said) == result
    assert said.count("\n") == 1 and said[:-1].isascii() and said[:-1].isprintable()


def test_status_is_a_calm_screen(daemon: Start, capfd: pytest.CaptureFixture[str]) -> None:
    daemon(answer(STATUS))

    assert main(["status"]) == 0

    assert capfd.readouterr().out == (
        "memd 0.1.0 is ready, up 1 d 2 h, pid 42424\n"
        "  watching   by poll, last scan 3 s ago\n"
        "             /home/dev/.claude/projects\\x1b[2Jx\\x7f<U+202E>\\x0d\n"
        "  turns      12,345 in 130 sessions, 240 files (3 gone)\n"
        "  by meaning 62.5 % embedded, bundled; hash is built, 12.5 %\n"
        "             signs of tokens are being added, 4,321 vectors to go\n"
        "  jobs       1 queued, 0 running, 0 retry, 0 dead, 2 paused\n"
        "             k is paused: spent\n"
        "  left out   1 bad lines, 2 redactions\n"
        "  memory     88.1 MB of 600, background work slowed: on battery\n"
        "  database   /data/memd.db\n"
        "  socket     /run/memd.sock\n"
        "! no events (since 2026-11-30 09:00)\n"
        "    raise fs.inotify.max_user_watches\n"
    )


@pytest.mark.parametrize("line", [call[0] for call in CALLS])
def test_an_answer_without_the_expected_fields_is_no_bug(
    line: str, daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    daemon(
        answer({"turns": 3, "jobs": [1], "counts": None, "checks": {}, "ok": True, "watch": [], "roots": 1})
    )

    assert main(line.split()) == 0
    assert capfd.readouterr().err == ""


def test_faults_end_verify_with_1(daemon: Start, capfd: pytest.CaptureFixture[str]) -> None:
    checks = [
        {"name": "pages", "ok": True, "detail": ""},
        {"name": "text index", "ok": False, "detail": "3 turns lack"},
    ]
    daemon(answer({"ok": False, "checks": checks}))

    assert main(["verify"]) == 1

    said = capfd.readouterr().out
    assert said == "ok     pages\nFAULT  text index: 3 turns lack\nthere are faults: memctl repair\n"


def test_verify_with_json_ends_with_1_too(daemon: Start, capfd: pytest.CaptureFixture[str]) -> None:
    daemon(answer({"ok": False, "checks": []}))

    assert main(["verify", "--json"]) == 1
    assert json.loads(capfd.readouterr().out) == {"ok": False, "checks": []}


def test_repair_does_not_send_one_back_to_repair(daemon: Start, capfd: pytest.CaptureFixture[str]) -> None:
    daemon(answer({"ok": False, "checks": []}))

    assert main(["repair"]) == 1
    assert capfd.readouterr().out.endswith("bring back a backup (memctl backup --help)\n")


def paged(pages: list[list[dict[str, object]]]) -> Callable[[Message], Reply]:
    """A script that gives these pages, their number as the cursor."""

    def script(request: Message) -> Reply:
        params = request["params"]
        assert isinstance(params, dict)
        at = int(params.get("cursor", 0))
        following = at + 1 if at + 1 < len(pages) else None
        return {"v": 1, "id": request["id"], "ok": True, "result": {"turns": pages[at], "next": following}}

    return script


PAGES: list[list[dict[str, object]]] = [[{"id": 1, "text": EVIL}, {"id": 2}], [], [{"id": 3}]]
TURNS = [turn for page in PAGES for turn in page]


def test_export_writes_a_line_a_turn_over_all_pages(daemon: Start, capfd: pytest.CaptureFixture[str]) -> None:
    fake = daemon(paged(PAGES))

    assert main(["export", "--jsonl", "--since", "7d"]) == 0

    said = capfd.readouterr().out
    assert [json.loads(line) for line in said.splitlines()] == TURNS
    assert said.isascii() and said.endswith("\n")
    assert [request["params"] for request in fake.requests] == [
        {"since": "7d"},
        {"since": "7d", "cursor": 1},
        {"since": "7d", "cursor": 2},
    ]


@pytest.mark.parametrize("pages", [PAGES, [[]]])
def test_export_with_json_is_one_document(
    pages: list[list[dict[str, object]]], daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    daemon(paged(pages))

    assert main(["export", "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == {"turns": [turn for page in pages for turn in page]}


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_export_stops_at_its_limit(limit: int, daemon: Start, capfd: pytest.CaptureFixture[str]) -> None:
    daemon(paged(PAGES))

    assert main(["export", "--limit", str(limit)]) == 0
    assert [json.loads(line) for line in capfd.readouterr().out.splitlines()] == TURNS[:limit]


def test_export_writes_a_page_before_it_asks_for_the_next(daemon: Start) -> None:
    reader, writer = os.pipe()

    def script(request: Message) -> Reply:
        if len(fake.requests) == 2:  # its first page must be here by now
            assert os.read(reader, 99) == b'{"id": 1}\n'
        following = 1 if len(fake.requests) == 1 else None
        return {"v": 1, "id": request["id"], "ok": True, "result": {"turns": [{"id": 1}], "next": following}}

    fake = daemon(script)
    done = subprocess.run([sys.executable, "-c", CODE, "export"], stdout=writer, timeout=30, check=False)

    assert (done.returncode, os.read(reader, 99)) == (0, b'{"id": 1}\n')
    os.close(writer)
    os.close(reader)


def test_an_export_whose_reader_leaves_stops(daemon: Start) -> None:
    def script(request: Message) -> Reply:
        result = {"turns": [{"text": "x" * 70_000}], "next": len(fake.requests)}
        return {"v": 1, "id": request["id"], "ok": True, "result": result}

    fake = daemon(script)
    with subprocess.Popen(
        [sys.executable, "-c", CODE, "export"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdout and child.stderr
        child.stdout.read(10)
        child.stdout.close()
        said = child.stderr.read()

    assert (child.returncode, said) == (141, b"")


def test_an_export_that_does_not_move_on_ends(daemon: Start, capfd: pytest.CaptureFixture[str]) -> None:
    daemon(answer({"turns": [], "next": 5}))

    assert main(["export"]) == 76


def with_events(request: Message) -> Reply:
    events = [{"v": 1, "id": request["id"], "event": {"stage": "import", "files": 1200, "bytes": 4096}}] * 2
    return [
        *events,
        {"v": 1, "id": request["id"], "ok": True, "result": {"files": 1, "turns": 2, "pending": 0}},
    ]


def test_progress_is_silent_where_stderr_is_no_terminal(
    daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    daemon(with_events)

    assert main(["sync", "--wait"]) == 0
    assert capfd.readouterr() == ("1 files read, 2 turns stored, 0 files pending\n", "")


def test_progress_overwrites_itself_on_a_terminal(daemon: Start) -> None:
    daemon(with_events)
    master, slave = pty.openpty()

    done = subprocess.run(
        [sys.executable, "-c", CODE, "sync", "--wait"], stdout=subprocess.PIPE, stderr=slave, check=True
    )

    os.close(slave)
    said = os.read(master, 999).decode()
    os.close(master)
    assert said == "\r\x1b[Kimport: 1,200 files, 4 KiB" * 2 + "\r\x1b[K"
    assert done.stdout == b"1 files read, 2 turns stored, 0 files pending\n"


def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long memctl is ready to wait for each frame."""
    from memctl.connection import Connection

    asked: list[float] = []
    receive = Connection.receive

    def spy(connection: Connection, seconds: float) -> bytes:
        asked.append(seconds)
        return receive(connection, seconds)

    monkeypatch.setattr(Connection, "receive", spy)
    return asked


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("search x", 8),
        ("status", 8),
        ("status --timeout 2.5", 2.5),
        ("sync", 8),
        ("sync --wait", 65),  # memd's 60, and the grace for its answer
        ("sync --wait --timeout 120", 125),
        ("import x", 600),
        ("import x --timeout 3", 3),
        ("verify", 600),
        ("backup x", 600),
        ("export", 30),
    ],
)
def test_each_command_waits_its_time(
    line: str,
    seconds: float,
    daemon: Start,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    daemon(answer({"output": "", "ok": True, "next": None}))
    asked = waits(monkeypatch)

    assert main(line.split()) == 0
    assert asked == [seconds]


@pytest.mark.parametrize("command", ["import", "backup"])
def test_a_path_is_that_of_the_caller(
    command: str, daemon: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake: FakeDaemon = daemon(answer({}))
    monkeypatch.chdir(tmp_path)

    assert main([command, "old"]) == 0
    assert fake.params == {"path": str(tmp_path / "old")}
    assert main([command, "~/old"]) == 0
    assert fake.params == {"path": str(tmp_path / "old")}
