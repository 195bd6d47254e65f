"""Search results for a person, a pipe, or as one line of ASCII-safe JSON: the client only writes them out."""

from __future__ import annotations

import json
from collections.abc import Mapping

from memd.wire.visible import visible

_DIM, _BOLD, _OFF = "\x1b[2m", "\x1b[1m", "\x1b[0m"


def as_json(answer: Mapping[str, object]) -> str:
    """One document, ASCII alone."""
    return json.dumps(answer, ensure_ascii=True, separators=(", ", ": ")).replace("\x7f", "\\u007f") + "\n"


def as_text(answer: Mapping[str, object], *, color: bool, width: int) -> str:
    """A block a hit, best first, then a line that says where was looked and by which lanes."""
    dim, bold, off = (_DIM, _BOLD, _OFF) if color else ("", "", "")
    blocks = [_hit(hit, dim, bold, off, width) for hit in _hits(answer)]
    if not blocks:
        blocks.append(f"Nothing found for {visible(str(answer['query']))!r}.\n".replace("\\\\", "\\"))
    if "note" in answer:
        blocks.append(f"{answer['note']}\n")
    return "\n".join(blocks) + f"{dim}{_footer(answer)}{off}\n"


def as_tsv(answer: Mapping[str, object]) -> str:
    """A line a hit, best first: id, kind, time, role or type, project, session, snippet; and why, where asked for."""
    return "".join("\t".join(map(_cell, _row(hit))) + "\n" for hit in _hits(answer))


def as_remark(answer: Mapping[str, object]) -> str:
    """What is to be said beside the hits, on a line: where was looked, and by which lanes."""
    return f"{answer['note']} · {_footer(answer)}\n" if "note" in answer else f"{_footer(answer)}\n"


def _row(hit: Mapping[str, object]) -> list[object]:
    who = hit["role"] or hit["type"] or hit.get("heading")
    cells = [
        hit["id"],
        hit["kind"],
        hit["created_at"],
        who,
        hit["project"],
        hit["session_id"],
        hit["snippet"],
    ]
    return [*cells, _explained(hit)] if "explanation" in hit else cells


def _cell(value: object) -> str:
    return "" if value is None else visible(str(value)).replace("\t", " ").replace("\n", " ")


def _hits(answer: Mapping[str, object]) -> list[Mapping[str, object]]:
    results = answer["results"]
    return results if isinstance(results, list) else []


def _hit(hit: Mapping[str, object], dim: str, bold: str, off: str, width: int) -> str:
    name, facts = _HEADS[str(hit["kind"])](hit)
    head = f"{bold}{name}{off}{dim}  {'  '.join(facts)}{off}"
    body = visible(str(hit["snippet"])).replace("\n", " ")
    why = f"{dim}{_wrapped(_explained(hit), width)}{off}\n" if "explanation" in hit else ""
    return f"{head}\n{_wrapped(body, width)}\n{why}"


def _turn(hit: Mapping[str, object]) -> tuple[str, list[str]]:
    agent = " (subagent)" if hit.get("agent_id") else ""
    return f"{_when(hit)}  {hit['role']}{agent}", [_folder(hit), visible(str(hit["id"]))]


def _entry(hit: Mapping[str, object]) -> tuple[str, list[str]]:
    over = " (superseded)" if hit["superseded"] else ""
    place = [visible(str(hit[name])) for name in ("branch",) if hit[name]]
    return f"#{hit['id']} {hit['type']}{over}", [_when(hit), _folder(hit) or "everywhere", *place]


def _section(hit: Mapping[str, object]) -> tuple[str, list[str]]:
    facts = [_when(hit), _folder(hit), visible(str(hit["heading"]))]
    return visible(str(hit["name"])), [fact for fact in facts if fact]


_HEADS = {"turn": _turn, "entry": _entry, "native": _section}


def _when(hit: Mapping[str, object]) -> str:
    return str(hit["created_at"] or "no time")[:16].replace("T", " ")


def _folder(hit: Mapping[str, object]) -> str:
    return visible(str(hit["project"] or "")).rstrip("/").rsplit("/", 1)[-1]


def _explained(hit: Mapping[str, object]) -> str:
    """What made the score, in a line."""
    parts = hit["explanation"]
    told = parts.items() if isinstance(parts, Mapping) else ()
    made = [f"{name} {value:.3g}" for name, value in told if isinstance(value, float)]
    return f"score {hit['score']:.4g}: " + ", ".join(made).replace("_", " ")


def _wrapped(text: str, width: int) -> str:
    """The text in lines of at most ``width`` columns, indented; words longer than a line stay whole."""
    lines, line = list[str](), ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > width - 4:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join(f"    {line}" for line in (*lines, line))


def _footer(answer: Mapping[str, object]) -> str:
    lanes, fresh, outside = answer["lanes"], answer["fresh"], answer.get("outside")
    parts = [f"in {visible(str(answer['scope']))}"]
    if outside:
        parts.append(f"{outside} more {'turn' if outside == 1 else 'turns'} outside (--all-projects)")
    if isinstance(lanes, Mapping):
        parts += [f"{name} {state}" for name, state in lanes.items() if state != "on"]
    if isinstance(fresh, Mapping) and fresh["behind_files"]:
        parts.append(f"{fresh['behind_files']} files not read yet")
    if isinstance(fresh, Mapping) and fresh.get("store_away_since"):
        parts.append("the shared store does not answer")
    return f"{' · '.join(parts)} · {answer['elapsed_ms']} ms"
