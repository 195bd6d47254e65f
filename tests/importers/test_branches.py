"""A rewind leaves the earlier wording, and all below it, on another branch; nothing else does (LS24)."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

import pytest

from memd.importers.branches import Branches, Kind
from tests.importers.transcripts import Json, assistant, queued, reading, result, system, text, user

WORDS = [text("words")]


def hidden(*records: Json) -> list[str]:
    return sorted(reading(*records)[1].hidden)


def boundary(uuid: str) -> Json:
    return system(uuid, subtype="compact_boundary")


A = assistant("A", WORDS, "P0")
START = (user("P0", "start"), A)


@pytest.mark.parametrize(
    ("records", "left"),
    [
        # a chain has no rewind
        ((*START, user("P1", "a", "A"), assistant("B", WORDS, "P1"), user("P2", "b", "B")), []),
        # the earlier of two wordings goes, with its reply and what follows
        ((*START, user("P1", "a", "A"), assistant("B", WORDS, "P1"), user("P2", "b", "A")), ["B", "P1"]),
        (
            (
                *START,
                user("P1", "a", "A"),
                assistant("B", WORDS, "P1"),
                user("C", "c", "B"),
                queued("Q", "q", "C"),
                user("P2", "b", "A"),
                assistant("D", WORDS, "P2"),
            ),
            ["B", "C", "P1", "Q"],
        ),
        # two rewinds to one place; a rewind within a branch that is left
        ((*START, user("P1", "a", "A"), user("P2", "b", "A"), user("P3", "c", "A")), ["P1", "P2"]),
        (
            (
                *START,
                user("P1", "a", "A"),
                assistant("B", WORDS, "P1"),
                user("P2", "b", "B"),
                user("P3", "c", "B"),
                user("P4", "d", "A"),
            ),
            ["B", "P1", "P2", "P3"],
        ),
        # what comes below a branch after it was left is on it too
        ((*START, user("P1", "a", "A"), user("P2", "b", "A"), assistant("B", WORDS, "P1")), ["B", "P1"]),
        # notices between a prompt and its anchor are walked over
        (
            (
                *START,
                system("S", "A"),
                user("P1", "a", "S"),
                user("M", "x", "A", isMeta=True),
                {"type": "progress", "uuid": "N", "parentUuid": "M"},
                {"type": "attachment", "uuid": "T", "parentUuid": "N", "attachment": {"type": "todo"}},
                user("P2", "b", "T"),
            ),
            ["P1"],
        ),
        # the records of one reply are one anchor
        (
            (
                user("P0", "start"),
                assistant("A1", WORDS, "P0", reply="m"),
                assistant("A2", WORDS, "A1", reply="m"),
                user("P1", "a", "A2"),
                user("P2", "b", "A1"),
            ),
            ["P1"],
        ),
        # ... but a prompt below another goes on from it
        (
            (
                user("P0", "start"),
                assistant("A1", WORDS, "P0", reply="m"),
                user("P1", "a", "A1"),
                assistant("A2", WORDS, "P1", reply="m"),
                user("P2", "b", "A2"),
            ),
            [],
        ),
        # tool results and turns are anchors of their own; parallel ones are no rewind
        ((*START, result("R1", "A"), result("R2", "A"), user("P1", "a", "R1"), user("P2", "b", "R2")), []),
        ((*START, result("R1", "A"), user("P1", "a", "R1"), user("P2", "b", "R1")), ["P1"]),
        ((*START, user("P1", "a", "A"), user("P2", "b", "P1")), []),
        ((*START, queued("Q1", "a", "A"), queued("Q2", "b", "A")), []),
        # a result with typed words is a prompt as well
        ((*START, result("R1", "A") | {"message": {"content": [text("no")]}}, user("P1", "a", "A")), ["R1"]),
        # no parent at all is no anchor; the last record reached is one
        ((user("P1", "a"), user("P2", "b")), []),
        ((user("P1", "a", "gone"), user("P2", "b", "gone")), []),
        ((system("S", "gone"), user("P1", "a", "S"), user("P2", "b", "S")), ["P1"]),
        # a compaction in between keeps both
        ((*START, user("P1", "a", "A"), boundary("C"), user("P2", "b", "A")), []),
        ((*START, user("P1", "a", "A"), user("P2", "b", "A"), boundary("C"), user("P3", "c", "A")), ["P1"]),
        ((*START, user("P1", "a", "A"), boundary("C"), user("P2", "b", "A"), user("P3", "c", "A")), ["P2"]),
        (
            (
                *START,
                user("P1", "a", "A"),
                system("C", "A", subtype="microcompact_boundary"),
                user("P2", "b", "A"),
            ),
            ["P1"],
        ),
        ((boundary("C"), user("P1", "a", "C"), user("P2", "b", "C")), ["P1"]),
        # a copy of an old record changes nothing, a copy of a boundary neither
        ((*START, user("P1", "a", "A"), user("P2", "b", "A"), user("P1", "a", "A")), ["P1"]),
        ((boundary("C"), *START, user("P1", "a", "A"), boundary("C"), user("P2", "b", "A")), ["P1"]),
        # a parent may come late
        ((user("P1", "a", "A"), user("P2", "b", "A"), *START), ["P1"]),
        (
            (
                user("P1", "a", "A"),
                assistant("B", WORDS, "P1"),
                user("P2", "b", "S"),
                *START,
                system("S", "A"),
            ),
            ["B", "P1"],
        ),
        # circles and records that are their own parent end nothing
        ((user("P1", "a", "P1"), user("P2", "b", "P1")), []),
        ((system("S", "T"), system("T", "S"), user("P1", "a", "S"), user("P2", "b", "T")), ["P1"]),
        # sidechains are nobody's rewind
        (
            (
                *START,
                user("P1", "a", "A", isSidechain=True),
                user("P2", "b", "A", isSidechain=True),
                user("P3", "c", "A"),
            ),
            [],
        ),
    ],
)
def test_what_is_left_behind(records: tuple[Json, ...], left: list[str]) -> None:
    assert hidden(*records) == left
    assert reading(*records)[0].skipped["other_branch"] == len(left)
    assert sorted(reading(*records, subagents=True)[1].hidden) == left


def test_a_turn_left_behind_is_told_once() -> None:
    transcript, harvest = reading(*START, user("P1", "a", "A"), user("P2", "b", "A"))

    assert harvest.hidden == ["P1"]
    assert transcript.take().hidden == []


@dataclass(frozen=True)
class Step:
    uuid: str
    parent: str | None
    kind: Kind
    reply: str | None


def random_tree(chance: random.Random, size: int, *, replies: bool) -> list[Step]:
    steps: list[Step] = []
    for number in range(size):
        near = steps[-8:] if chance.random() < 0.8 else steps
        parent = chance.choice(near).uuid if near and chance.random() > 0.03 else None
        kind = chance.choices(list(Kind), weights=[4, 4, 0.3, 4])[0]
        reply = f"m{number // 3}" if replies and kind == Kind.ANCHOR and chance.random() < 0.7 else None
        steps.append(Step(f"n{number}", parent, kind, reply))
    return steps


def by_the_rule(steps: list[Step]) -> set[str]:
    """The rule as it is written, over the whole file at once."""
    at = {step.uuid: number for number, step in enumerate(steps)}
    groups: dict[object, list[Step]] = defaultdict(list)
    epoch = 0
    for step in steps:
        epoch += step.kind == Kind.BOUNDARY
        if step.kind == Kind.PROMPT and step.parent in at:
            groups[(_anchor(steps, at, step.parent), epoch)].append(step)
    left = {
        older.uuid
        for prompts in groups.values()
        for older, newer in pairwise(prompts)
        if not _is_below(steps, at, newer, older)
    }
    return {step.uuid for step in steps if any(up in left for up in _way_up(steps, at, step))}


def _way_up(steps: list[Step], at: dict[str, int], step: Step) -> list[str]:
    way = [step.uuid]
    while step.parent in at:
        step = steps[at[step.parent]]
        way.append(step.uuid)
    return way


def _is_below(steps: list[Step], at: dict[str, int], step: Step, above: Step) -> bool:
    return above.uuid in _way_up(steps, at, step)


def _anchor(steps: list[Step], at: dict[str, int], uuid: str) -> object:
    step = steps[at[uuid]]
    while step.kind == Kind.NOTICE and step.parent in at:
        step = steps[at[step.parent]]
    return ("reply", step.reply) if step.reply else step.uuid


def _grown(steps: list[Step]) -> Branches:
    tree = Branches()
    for step in steps:
        tree.add(step.uuid, step.parent, step.kind, reply=step.reply, turn=step.uuid)
    return tree


@pytest.mark.parametrize("seed", range(60))
def test_settling_record_by_record_is_the_rule_over_the_whole_file(seed: int) -> None:
    steps = random_tree(random.Random(seed), 120, replies=True)

    assert set(_grown(steps).hidden) == by_the_rule(steps)


@pytest.mark.parametrize("seed", range(60))
def test_parents_that_come_late_change_nothing(seed: int) -> None:
    chance = random.Random(seed)
    steps = random_tree(chance, 80, replies=False)
    chance.shuffle(steps)

    assert set(_grown(steps).hidden) == by_the_rule(steps)


@pytest.mark.parametrize("seed", range(20))
def test_a_tree_taken_in_pieces_and_loaded_again_is_the_same(seed: int) -> None:
    chance = random.Random(seed)
    steps = random_tree(chance, 120, replies=True)
    if seed % 2:
        chance.shuffle(steps)
    tree, chunks, told = Branches(), list[bytes](), list[str]()
    for step in steps:
        tree.add(step.uuid, step.parent, step.kind, reply=step.reply, turn=step.uuid)
        if chance.random() < 0.1:
            fresh, chunk = tree.take()
            told += fresh
            chunks.append(chunk)
            tree = Branches.load(chunks) if chance.random() < 0.5 else tree.copy()
    fresh, _ = tree.take()

    assert told + fresh == list(_grown(steps).hidden)


def _long_chain(size: int) -> Branches:
    tree = Branches()
    for number in range(size):
        kind = (Kind.PROMPT, Kind.ANCHOR, Kind.NOTICE, Kind.NOTICE)[number % 4]
        tree.add(f"n{number}", f"n{number - 1}" if number else None, kind, turn=f"n{number}")
    return tree


def test_a_prompt_behind_a_hundred_thousand_records_costs_next_to_nothing() -> None:
    tree = _long_chain(100_000)
    tree.take()
    began = time.process_time()

    for number in range(100):
        tree.add(f"p{number}", "n99999", Kind.PROMPT, turn=f"p{number}")
        tree.take()

    assert time.process_time() - began < 0.5
    assert len(tree.hidden) == 99


@pytest.mark.parametrize("kind", [Kind.NOTICE, Kind.ANCHOR])
def test_a_chain_written_backwards_is_settled_in_linear_time(kind: Kind) -> None:
    began = time.process_time()
    tree = Branches()
    for number in range(60_000, 0, -1):
        tree.add(f"n{number}", f"n{number - 1}", kind)
        tree.add(f"p{number}", f"n{number}", Kind.PROMPT, turn=f"p{number}")

    assert time.process_time() - began < 5
    assert len(tree.hidden) == (59_999 if kind == Kind.NOTICE else 0)
