"""A file read as it grows, in any pieces and with restarts between, ends as one read at once."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from typing import Any

import pytest

from memd.importers.claude_code import Transcript
from memd.turns.turn import Turn
from tests.importers.fixtures import EXPECTED, ROOT, SESSIONS, opened, whole_lines
from tests.importers.transcripts import Json, assistant, feed, lines_of, queued, result, system, text, user

Counted = dict[str, Any]

FACTS = ("skipped", "unknown", "duplicates", "bad_lines", "last_bad_offset", "session", "continues")
FACTS += ("title", "cwd", "project_cwd", "branch")


def facts(transcript: Transcript) -> Counted:
    return {name: getattr(transcript, name) for name in FACTS}


def read_at_once(name: str, lines: list[bytes]) -> tuple[list[Turn], set[str], Counted]:
    transcript = Transcript(name)
    feed(transcript, lines)
    harvest = transcript.take()
    return harvest.turns, set(harvest.hidden), facts(transcript)


def read_growing(
    name: str, lines: list[bytes], chance: random.Random
) -> tuple[list[Turn], set[str], Counted]:
    """Random pieces; in between a restart, a look ahead in a fork, or nothing."""
    transcript, offset = Transcript(name), 0
    turns: dict[str, Turn] = {}
    hidden, chunks, head = set[str](), list[bytes](), b""
    while lines:
        size = chance.randint(0, 4)
        piece, lines = lines[:size], lines[size:]
        offset = feed(transcript, piece, offset)
        if lines and chance.random() < 0.3:
            ahead = transcript.fork()
            ahead.take()
            feed(ahead, lines[:1], offset)
            ahead.take()
        harvest = transcript.take()
        assert not turns.keys() & {turn.id for turn in harvest.turns}
        turns |= {turn.id: turn for turn in harvest.turns}
        for turn_id, session, claim in harvest.claims:
            turns[turn_id] = turns[turn_id]._replace(session_id=session, claim=claim)
        hidden = (hidden | set(harvest.hidden)) - set(harvest.shown)
        head, chunks = harvest.head, [*chunks, harvest.nodes]
        if chance.random() < 0.4:
            transcript = Transcript.load(name, head, chunks)
    return list(turns.values()), hidden, facts(transcript)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("path", SESSIONS)
def test_a_fixture_file_that_grows(path: str, seed: int) -> None:
    lines = whole_lines(path)
    name = opened(path).session

    assert read_growing(name, lines, random.Random(seed)) == read_at_once(name, lines)


def invented(chance: random.Random, size: int) -> list[Json]:
    """A session of all kinds, with rewinds, compactions, replays, copies and nonsense."""
    records: list[Json] = [user("n0", "start")]
    for number in range(1, size):
        parent = str(chance.choice(records[-6:]).get("uuid") or "gone")
        uuid, words = f"n{number}", f"words {chance.randint(0, 5)}"
        request = chance.choice(({}, {"requestSessionId": f"s{chance.randint(0, 2)}"}))
        records.append(
            chance.choice(
                (
                    user(uuid, words, parent),
                    user(uuid, words, parent, timestamp=1_793_000_000 + chance.randint(0, 99)),
                    user(None, words, parent),
                    assistant(uuid, [text(words)], parent, reply=f"m{number // 3}", **request),
                    result(uuid, parent),
                    queued(uuid, words, parent),
                    system(uuid, parent),
                    system(uuid, parent, "compact_boundary")
                    if chance.random() < 0.2
                    else system(uuid, parent),
                    user(uuid, words, parent, isSidechain=True),
                    user(
                        uuid,
                        words,
                        parent,
                        forkedFrom={"sessionId": "origin", "messageUuid": f"o{number % 40}"},
                    ),
                    {"type": chance.choice(("tag", "novel", "mode")), "tag": words},
                    chance.choice(records),
                )
            )
        )
    if chance.random() < 0.5:  # two writers, or a resume that ties new records to old ones
        at = chance.randrange(len(records))
        records[at:] = chance.sample(records[at:], len(records) - at)
    return records


@pytest.mark.parametrize("seed", range(60))
def test_an_invented_file_that_grows(seed: int) -> None:
    chance = random.Random(seed)
    lines = lines_of(invented(chance, 120))
    lines.insert(chance.randrange(len(lines)), b"garbage")

    assert read_growing("name", lines, chance) == read_at_once("name", lines)


def test_a_fork_leaves_its_original_alone() -> None:
    transcript = Transcript("name")
    offset = feed(
        transcript, lines_of([user("p", "start"), assistant("a", [text("x")], "p"), user("b", "one", "a")])
    )
    before = facts(transcript)

    fork = transcript.fork()
    feed(
        fork,
        [*lines_of([user("c", "two", "a"), {"type": "tag", "tag": "t"}, {"type": "novel"}]), b"bad"],
        offset,
    )

    assert fork.take().hidden == ["b"]
    assert facts(transcript) == before
    assert [turn.id for turn in transcript.take().turns] == ["p", "a", "b"]


def test_taking_again_gives_nothing_new() -> None:
    transcript = Transcript("name")
    feed(transcript, lines_of([user("p", "start")]))
    transcript.take()

    harvest = transcript.take()

    assert (harvest.turns, harvest.claims, harvest.hidden, harvest.nodes) == ([], [], [], b"")


GROWING = EXPECTED["live"][0]


@pytest.mark.parametrize("cut", GROWING["cuts"], ids=lambda cut: str(cut["bytes"]))
def test_a_file_cut_anywhere_gives_the_turns_of_its_whole_lines(cut: dict[str, int]) -> None:
    *lines, rest = (ROOT / GROWING["file"]).read_bytes()[: cut["bytes"]].split(b"\n")
    transcript = Transcript("name")
    offset = feed(transcript, lines)
    ahead = transcript.fork()
    with suppress(ValueError):
        json.loads(rest)
        feed(ahead, [rest], offset)

    assert len(ahead.take().turns) == cut["turns"]
