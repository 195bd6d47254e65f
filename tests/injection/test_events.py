"""The event of a hook: what is no event is none, and nothing in one is taken on trust."""

from __future__ import annotations

import json

import pytest

from memd.injection import events
from memd.injection.events import Event


def test_the_fields_of_an_event_are_read_and_others_passed_over() -> None:
    written = {
        "session_id": "s",
        "transcript_path": "/p/s.jsonl",
        "cwd": "/home/dev/app",
        "hook_event_name": "UserPromptSubmit",
        "permission_mode": "default",
        "prompt": "hello",
        "new_in_a_later_version": {"x": [1]},
    }

    assert events.read(json.dumps(written)) == Event("s", "/p/s.jsonl", "/home/dev/app", "", "hello", "")


@pytest.mark.parametrize(
    "raw",
    ["", " ", "{not json", "[]", "3", "null", '"text"', "[" * 5_000, "{" * 5_000, '{"a":1}x', "\ufeff{}"],
)
def test_what_is_no_object_is_no_event(raw: str) -> None:
    assert events.read(raw) is None


def test_wrong_types_are_as_good_as_left_out() -> None:
    wrong = {"session_id": 3, "transcript_path": ["x"], "cwd": None, "prompt": {"a": 1}, "source": True}

    assert events.read(json.dumps(wrong)) == events.read("{}") == Event()


def test_half_a_surrogate_pair_and_a_nul_are_made_harmless() -> None:
    event = events.read('{"session_id": "a\\ud83d", "prompt": "b\\u0000c"}')

    assert event is not None
    assert (event.session, event.prompt) == ("a?", "b\N{REPLACEMENT CHARACTER}c")
