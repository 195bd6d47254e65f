"""Why a recall answered as it did, for a person: what was kept and at what rank, and what was not, by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memctl import output
from memctl.output import line, part, plain, rows

_TURNS = ("KEPT", "PLACE", "SCORE", "TOKENS", "TIME", "ROLE", "TURN")
_SECTIONS = ("SECTION", "TOKENS", "AT MOST", "STATEMENTS", "")
_ID_LETTERS = 12


def text(answer: output.Record) -> str:
    """The explanation in an answer: how, the sections, the turns that stand in the text, and the others by reason."""
    told = part(answer, "explanation")
    meanings = part(answer, "reasons")
    kept = list(_kept(told, meanings))
    blocks = [
        _how(told),
        output.table(_SECTIONS, _sections(told, meanings)),
        output.table(_TURNS, kept) if kept else "",
        _left_out(told, meanings),
    ]
    return "\n" + "\n".join(block for block in blocks if block)


def _how(told: output.Record) -> str:
    route = f", for the question is of the kind {line(told['route'])}" if told.get("route") else ""
    parts = [f"{line(told.get('mode')).replace('_', ' ')}{route}"]
    if told.get("user_room") is not None:
        parts.append(
            f"{plain(told.get('room'))} tokens for turns, {plain(told['user_room'])} kept for the user's"
        )
    if told.get("user_turn_cap") is not None:
        parts.append(f"at most {plain(told['user_turn_cap'])} for one of them")
    return "; ".join(parts) + "\n"


def _sections(told: output.Record, meanings: output.Record) -> Iterator[tuple[str, ...]]:
    for section in rows(told, "sections"):
        yield (
            line(section.get("name")),
            plain(section.get("tokens")),
            plain(section.get("cap")),
            plain(len(rows(section, "candidates"))),
            "" if section.get("shown") else _why(section.get("reason"), meanings),
        )


def _kept(told: output.Record, meanings: output.Record) -> Iterator[tuple[str, ...]]:
    """A row a turn that stands in the text, with the rank of its best part."""
    for turn in rows(told, "turns"):
        if turn.get("status") == "dropped":
            continue
        best = next(iter(rows(turn, "candidates")), {})
        part_of = "" if turn.get("status") == "kept" else f"in part: {_why(turn.get('reason'), meanings)}"
        yield (
            part_of or "whole",
            f"{line(turn.get('pool'))} {plain(best['rank'])}" if best.get("rank") else "-",
            f"{best['score']:.2f}" if isinstance(best.get("score"), float) else "-",
            plain(turn.get("tokens")),
            output.when(turn.get("created_at")),
            line(turn.get("role")),
            line(turn.get("id"), _ID_LETTERS).rstrip("…"),
        )


def _left_out(told: output.Record, meanings: output.Record) -> str:
    """How many turns are not there, by reason, the most frequent first."""
    counted = Counter(
        str(turn.get("reason")) for turn in rows(told, "turns") if turn.get("status") == "dropped"
    )
    for reason, n in part(told, "rest").items():
        counted[reason] += n if isinstance(n, int) else 0
    if not counted:
        return ""
    lines = [f"  {n:>7,}  {_why(reason, meanings)}" for reason, n in counted.most_common()]
    return "\n".join(["Turns left out:", *lines]) + "\n"


def _why(reason: object, meanings: output.Record) -> str:
    return line(meanings.get(str(reason), reason))
