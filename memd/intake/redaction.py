"""Turns without their secrets, before anything of them is written (R12)."""

from __future__ import annotations

from collections.abc import Iterable

from memd.turns.redact import redact_all
from memd.turns.turn import Turn


def redacted(turns: Iterable[Turn]) -> tuple[list[Turn], dict[str, dict[str, int]]]:
    """The turns without their secrets, and what was taken out, by turn id and kind."""
    clean = list(turns)
    counts: dict[str, dict[str, int]] = {}
    for number, result in redact_all([turn.text for turn in clean]).items():
        turn = clean[number]
        counts[turn.id] = dict(result.counts)
        clean[number] = turn._replace(text=result.text)
    return clean, counts
