"""What all foreign formats share: what memd itself put into a conversation is no turn of it (B19)."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from memd.importers.gathering import Gathering, Wanted
from memd.text.fence import Line, fenced

PAGE = fenced([Line("turn 1", "2026-11-01", "the port is 8080")])


@dataclass
class Case:
    text: str
    kept: str | None
    skipped: dict[str, int]


CASES = {
    "before the words": Case(f"{PAGE}\n\nwhich port?", "which port?", {}),
    "behind them": Case(f"which port?\n{PAGE}", "which port?", {}),
    "between them": Case(f"which\n{PAGE}\nport?", "which\n\nport?", {}),
    "cut off before its end": Case(f"which port?\n{PAGE[:-30]}", "which port?", {}),
    "and nothing else": Case(f" {PAGE}\n", None, {"meta": 1}),
    "words about it": Case("what does <memd-memory> do?", "what does <memd-memory> do?", {}),
    "nothing at all": Case(" \n", None, {"empty": 1}),
}


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_fence_is_cut_out_whoever_repeats_it(case: Case, role: str) -> None:
    into = Gathering("codex", Wanted())
    session = into.session("s")

    into.turn(session, role, case.text, seq=0, id="a")

    assert [turn.text for turn in session.turns] == ([case.kept] if case.kept else [])
    assert dict(into.skipped) == case.skipped


def test_the_id_is_that_of_the_words_as_they_came() -> None:
    with_fence, without = Gathering("jsonl", Wanted()), Gathering("jsonl", Wanted())

    with_fence.turn(with_fence.session("s"), "user", f"{PAGE}\nwhich port?", seq=0)
    without.turn(without.session("s"), "user", "which port?", seq=0)

    [[one], [other]] = [[s.turns[0] for s in into.take()] for into in (with_fence, without)]
    assert one.text == other.text
    assert one.id != other.id
