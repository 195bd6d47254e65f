"""What ``memctl hook`` hands over, and what of the answer it prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memctl.main import main
from tests.memctl.conftest import Hook, Start
from tests.memctl.events import CONTEXT, EVENTS
from tests.memctl.fake_daemon import FakeDaemon, answer
from tests.memctl.test_hot import HEAVY, loaded_by

NOTICE = '{"systemMessage": "3 entries are due for review"}'


def handed(fake: FakeDaemon) -> object:
    """The event of the last request, as memd reads it."""
    assert len(str(fake.params["input"]).encode()) <= 64 << 10  # memd takes no longer text
    return json.loads(str(fake.params["input"]))


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_is_handed_over_as_it_came(
    name: str, hook: Hook, daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    fake = daemon(answer({"output": ""}))
    said = json.dumps(EVENTS[name], ensure_ascii=False)

    assert hook(name, said.encode()) == 0

    assert fake.requests == [
        {"v": 1, "id": 1, "method": "hook", "params": {"event": name, "input": said}},
    ]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("output", [CONTEXT, CONTEXT + "\n", NOTICE, f"{CONTEXT[:-1]}, {NOTICE[1:]}"])
def test_what_memd_says_is_printed_as_it_came(
    output: str, hook: Hook, daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    daemon(answer({"output": output}))

    assert hook("user-prompt-submit") == 0

    assert capfd.readouterr() == (output, "")
    assert json.loads(output)


@pytest.mark.parametrize(
    "output",
    [
        None,
        7,
        "plain text",
        "{}",
        "{",
        "[]",
        CONTEXT[:-1],
        CONTEXT + "}",
        CONTEXT + CONTEXT,
        f"{CONTEXT}\n{CONTEXT}\n",
        NOTICE.replace("review", "größer"),
        NOTICE.replace("review", "\x1b[2J"),
        NOTICE.replace("review", "\x7f"),
        NOTICE.replace("review", "\\x"),
        NOTICE.replace("}", ",}"),
        NOTICE.replace(":", ""),
        '{"systemMessage": null}',
        '{"hookSpecificOutput": "text"}',
        '{"decision": "block", "reason": "no"}',
        '{"continue": false, "stopReason": "no"}',
        f'{NOTICE[:-1]}, "decision": "block"}}',
        f'{NOTICE[:-1]}, "dec\\u0069sion": "block"}}',
        '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}',
        "{" * 100_000,
    ],
)
def test_what_is_no_whole_answer_or_decides_something_is_not_printed(
    output: object, hook: Hook, daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    daemon(answer({"output": output}))

    assert hook("stop") == 0

    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "said",
    [b"", b" \n", b"null", b"[1]", b"not json", b"\xff{", b'{"prompt":"' + b"x" * (1 << 20) + b'"}'],
    ids=lambda said: repr(said[:12]),
)
def test_what_is_no_event_is_not_handed_over(
    said: bytes, hook: Hook, daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    fake = daemon(answer({"output": CONTEXT}))

    assert hook("user-prompt-submit", said) == 0

    assert fake.requests == []
    assert capfd.readouterr() == ("", "")


def test_bytes_that_are_no_text_are_replaced(hook: Hook, daemon: Start) -> None:
    fake = daemon(answer({"output": ""}))

    hook("user-prompt-submit", b'{"prompt": "caf\xe9"}')

    assert handed(fake) == {"prompt": "caf\ufffd"}


def test_of_a_long_event_beginnings_and_ends_are_handed_over(hook: Hook, daemon: Start) -> None:
    fake = daemon(answer({"output": ""}))
    long = {
        **EVENTS["stop"],
        "last_assistant_message": "first " + "🦆" * 80_000 + " last",
        "background_tasks": [1],
    }

    hook("stop", json.dumps(long).encode())

    event = handed(fake)
    assert isinstance(event, dict)
    assert event["session_id"] == EVENTS["stop"]["session_id"]
    assert event["last_assistant_message"].startswith("first ")
    assert event["last_assistant_message"].endswith(" last")
    assert "background_tasks" not in event


@pytest.mark.parametrize("said", [b"{" + b"x" * 70_000, b'{"a":' * 20_000])
def test_a_long_event_that_is_no_json_is_not_handed_over(said: bytes, hook: Hook, daemon: Start) -> None:
    fake = daemon(answer({"output": CONTEXT}))

    assert hook("stop", said) == 0
    assert fake.requests == []


def test_below_a_model_call_of_memds_own_a_hook_does_nothing(
    hook: Hook, daemon: Start, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    fake = daemon(answer({"output": CONTEXT}))
    monkeypatch.setenv("MEMD_MODEL_CALL", "1")

    assert [hook(name) for name in EVENTS] == [0] * len(EVENTS)

    assert fake.requests == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("name", "source", "noticed"),
    [
        ("session-start", "startup", True),
        ("session-start", "resume", False),
        ("session-start", "clear", False),
        ("session-start", "compact", False),
        ("session-start", "fork", False),
        ("session-start", None, False),
        ("user-prompt-submit", "startup", False),
        ("stop", "startup", False),
    ],
)
def test_a_missing_memd_is_told_of_once_a_session(
    name: str,
    source: str | None,
    noticed: bool,
    hook: Hook,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MEMD_SOCKET", "/nowhere/memd.sock")

    assert hook(name, json.dumps({**EVENTS[name], "source": source}).encode()) == 0

    told = capfd.readouterr()
    assert told.err == ""
    assert ("memctl service start" in json.loads(told.out)["systemMessage"]) if noticed else told.out == ""


@pytest.mark.parametrize("said", [b"{", b'{"source": 1}', b'{"source":' * 2000])
def test_an_event_that_cannot_be_read_brings_no_notice(
    said: bytes, hook: Hook, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMD_SOCKET", "/nowhere/memd.sock")

    assert hook("session-start", said) == 0
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["hook"], "EVENT is missing"),
        (["hook", "pre-tool-use"], "EVENT must be one of session-start"),  # of a later version
        (["hook", "stop", "--later-flag"], "there is no flag --later-flag"),
        (["--json", "hook", "stop", "start"], "one word too many"),
    ],
)
def test_a_wrong_command_line_is_told_and_still_0(
    words: list[str], says: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 0

    told = capfd.readouterr()
    assert told.out == "" and says in told.err


def test_why_nothing_was_printed_is_told_where_asked(
    hook: Hook, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMD_SOCKET", "/nowhere/memd.sock")

    hook("stop", None, "--debug")
    hook("stop", b"", "--debug")

    absent, empty = capfd.readouterr().err.splitlines()
    assert absent.startswith("memctl: no memd at /nowhere/memd.sock")
    assert empty.startswith("memctl: standard input holds no event")


def test_broken_settings_are_none_of_a_hooks_business(
    hook: Hook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.toml").write_text("[[[")
    monkeypatch.setenv("MEMD_HOME", str(tmp_path))

    assert hook("stop") == 0
    assert capfd.readouterr() == ("", "")


def test_a_hook_loads_next_to_nothing(daemon: Start) -> None:
    daemon(answer({"output": CONTEXT}))

    loaded = loaded_by("hook", "user-prompt-submit", said=json.dumps(EVENTS["user-prompt-submit"]))

    assert not loaded & set(HEAVY.split())
    assert {"_socket", "_json"} <= loaded
    assert len(loaded) <= 20
