"""A foreign file read as it grows, in any pieces and with restarts between, gives what it gives when read at once."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from memd.importers.gathering import Wanted
from memd.importers.growing import GrowingFile
from memd.turns.turn import Turn
from tests.importers.exports import Export, Said, codex, gemini
from tests.importers.exports.codex import Rollout

PLACE = b"/nowhere/rollout-1.jsonl"
EXPORTS = {"codex": codex.export(4), "codex, bare": codex.bare(), "gemini": gemini.export(4)}


class Kept:
    """What a store would hold of a file."""

    def __init__(self, format_: str) -> None:
        self.format = format_
        self.file = GrowingFile(format_, Wanted(), PLACE)
        self.turns: dict[str, Turn] = {}
        self.hidden: set[str] = set()
        self.head: bytes | None = None
        self.chunks: list[bytes] = []
        self.offset = 0

    def feed(self, *lines: bytes) -> None:
        for line in lines:
            self.file.feed(self.offset, line)
            self.offset += len(line) + 1

    def take(self) -> None:
        harvest, seen = self.file.take(), 0
        for left in harvest.left:
            self._store(harvest.turns[seen : left.turns])
            seen = left.turns
            self.hidden |= {id for id, turn in self.turns.items() if left.first <= turn.seq < left.last}
        self._store(harvest.turns[seen:])
        self.head, self.chunks = harvest.head, [*self.chunks, *filter(None, [harvest.nodes])]

    def _store(self, turns: list[Turn]) -> None:
        self.turns.update({turn.id: turn for turn in turns})
        self.hidden -= {turn.id for turn in turns}

    def restart(self) -> None:
        self.file = GrowingFile(self.format, Wanted(), PLACE, self.head, self.chunks)

    def shown(self) -> list[Said]:
        turns = sorted(self.turns.values(), key=lambda turn: turn.seq)
        return [(turn.session_id, turn.role, turn.text) for turn in turns if turn.id not in self.hidden]


def lines_of(made: Export, folder: Path) -> list[bytes]:
    return made.file(folder).read_bytes().split(b"\n")


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("made", EXPORTS.values(), ids=EXPORTS)
def test_it_ends_as_one_that_was_read_at_once(made: Export, seed: int, tmp_path: Path) -> None:
    chance, kept, lines = random.Random(seed), Kept(made.format), lines_of(made, tmp_path)
    while lines:
        size = chance.randint(0, 4)
        piece, lines = lines[:size], lines[size:]
        kept.feed(*piece)
        if lines and chance.random() < 0.3:
            ahead = kept.file.fork()
            ahead.feed(kept.offset, lines[0])
            ahead.take()
        kept.take()
        if chance.random() < 0.4:
            kept.restart()

    assert Counter(kept.shown()) == Counter(made.turns)
    assert kept.file.bad_lines == made.malformed
    assert kept.file.session == made.turns[0][0]


def test_what_was_taken_back_twice_and_said_again_is_told_apart() -> None:
    kept, rollout = Kept("codex"), Rollout()
    rollout.add("session_meta", **codex.meta())
    for words in ("first", "second"):
        rollout.say("user", words)
        rollout.say("assistant", f"answer to {words}")
    rollout.add("event_msg", type="thread_rolled_back", num_turns=1)
    rollout.say("user", "second")
    rollout.say("assistant", "another answer")
    for line in rollout.lines:
        kept.feed(line)
        kept.take()
        kept.restart()

    assert [words for _, _, words in kept.shown()] == ["first", "answer to first", "second", "another answer"]
    assert len(kept.turns) == 6


def test_a_message_that_comes_again_after_a_rewind_is_there_again() -> None:
    kept = Kept("gemini")
    for record in (
        {"sessionId": gemini.ID, "projectHash": "abc"},
        gemini.message("a", "user", "kept"),
        gemini.message("b", "gemini", "left"),
        {"$rewindTo": "b"},
        gemini.message("b", "gemini", "said after all"),
        {"$rewindTo": "nobody knows"},
        gemini.message("a", "user", "kept"),
    ):
        kept.feed(json.dumps(record).encode())
        kept.take()
        kept.restart()

    assert [words for _, _, words in kept.shown()] == ["kept"]
    assert kept.turns.keys() > set(kept.hidden)


@pytest.mark.parametrize("head", [b"", b"\x01", b"\x93\x01\x02\x03", b"\x92\xa9growing 1\xa6gemini"])
def test_what_another_version_kept_has_the_file_read_anew(head: bytes) -> None:
    with pytest.raises(ValueError, match="layout"):
        GrowingFile("codex", Wanted(), PLACE, head)


def test_hostile_lines_are_counts() -> None:
    kept = Kept("gemini")
    kept.feed(json.dumps({"sessionId": gemini.ID, "projectHash": "abc"}).encode())
    kept.feed(
        b"[" * 100_000, b"garbage", b"[]", b"\0\0", b'{"id": "x", "type": "user", "content": {"a": [[]]}}'
    )
    kept.file.too_large(kept.offset)
    kept.take()

    assert kept.file.skipped == {"too_deep": 1, "too_large": 1, "unsupported": 1}
    assert kept.file.bad_lines == 2
    assert not kept.turns


def test_many_rewinds_of_many_messages_take_no_longer_than_there_are_lines() -> None:
    kept = Kept("gemini")
    kept.feed(json.dumps({"sessionId": gemini.ID, "projectHash": "abc"}).encode())
    for n in range(20_000):
        kept.feed(json.dumps(gemini.message(f"m{n}", "user", "x")).encode(), b'{"$rewindTo": "m0"}')
    harvest = kept.file.take()

    assert (len(harvest.turns), len(harvest.left)) == (20_000, 20_000)
