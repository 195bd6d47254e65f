"""Whatever stands where something else is expected, an import counts it and goes on."""

from __future__ import annotations

import copy
import json
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.importers import run, source
from memd.importers.gathering import Gathering, Wanted
from tests.importers.exports import chatgpt, claude_ai, codex, gemini

ODD = (
    None,
    True,
    0,
    -1,
    1e400,
    10**30,
    "",
    "x",
    "\x00",
    [],
    {},
    [[]],
    [None, 7, "x"],
    {"x": 1},
    {"type": "text"},
)


def lines_of(name: str) -> list[object]:
    """The sound records of an export."""
    match name:
        case "chatgpt":
            return [chatgpt.full(), chatgpt.conversation(0)]
        case "claude-ai":
            return [claude_ai.full(), claude_ai.conversation(0)]
        case "codex":
            return [json.loads(line) for line in codex.rollout().lines if line.endswith(b"}")]
        case "gemini":
            return [*gemini.records()]
        case "mem0":
            return [
                {
                    "id": "m",
                    "memory": "tea",
                    "created_at": "2026-01-01T00:00:00Z",
                    "user_id": "a",
                    "run_id": "r",
                }
            ]
    return [
        {
            "role": "user",
            "content": [{"type": "text", "text": "a"}],
            "timestamp": 1,
            "session_id": "s",
            "id": 1,
        }
    ]


def spoilt(value: object, draw: random.Random) -> object:
    """The value with something odd somewhere in it."""
    if isinstance(value, dict) and value and draw.random() < 0.95:
        key = draw.choice(list(value))
        return value | {key: spoilt(value[key], draw)}
    if isinstance(value, list) and value and draw.random() < 0.9:
        at = draw.randrange(len(value))
        return [*value[:at], spoilt(value[at], draw), *value[at + 1 :]]
    return draw.choice(ODD)


@pytest.mark.parametrize("name", ["chatgpt", "claude-ai", "codex", "gemini", "mem0", "jsonl"])
@given(seed=st.integers(0, 1 << 32), times=st.integers(1, 6), tools=st.booleans())
def test_odd_values_anywhere_are_counted_and_do_no_harm(
    name: str, seed: int, times: int, tools: bool
) -> None:
    draw = random.Random(seed)
    records: object = copy.deepcopy(lines_of(name))
    for _ in range(times):
        records = spoilt(records, draw)
    whole = records if isinstance(records, list) else [records]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_text('{"cut": "\n' + "\n".join(map(json.dumps, whole)))
        with source.opened(str(path), name, Wanted(tool_output=tools)) as found:
            into = Gathering(name, Wanted(tool_output=tools))
            turns = [
                turn for batch in run.batches(found, into) for one in batch.sessions for turn in one.turns
            ]

    assert into.malformed > 0  # at least the first line is
    assert all(turn.text.strip() and turn.role in ("user", "assistant", "tool") for turn in turns)
    assert all(turn.at_ms is None or isinstance(turn.at_ms, int) for turn in turns)
    assert len({turn.id for turn in turns}) >= len(
        {(turn.session_id, turn.role, turn.text) for turn in turns}
    )
