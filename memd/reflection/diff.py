"""Operations on the curated file, shown as what goes and what comes, with what they do to the entries behind them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memd.reflection.op import Add, Merge, ReflectionOp, Retire, Rewrite

HEADER = "Proposed MEMORY.md changes:"
PREVIEW_CHARS = 80


def render(ops: Iterable[ReflectionOp], previews: Mapping[int, str] | None = None) -> str:
    """All of them under one header. ``previews``: how the entries begin that a merge takes the place of."""
    return "\n".join([HEADER, "", *(line for one in ops for line in lines(one, previews or {}))])


def lines(change: ReflectionOp, previews: Mapping[int, str]) -> Iterator[str]:
    """One of them: ``+`` comes, ``-`` goes, ``~`` becomes what stands behind the arrow."""
    match change:
        case Add(new):
            yield f"+ {new}"
        case Rewrite(old, new, entries):
            yield f"~ {old}"
            yield f"    → {new}{_tag('supersede', entries)}"
        case Retire(old, entries):
            yield f"- {old}{_tag('retire', entries)}"
        case Merge(new, entries, old):
            shown = [entry for entry in entries if entry in previews]
            yield from (f"- {text}" for text in old)
            yield from (f"- #{entry} {previews[entry]}" for entry in shown)
            yield f"+ {new}{'' if shown else _tag('merge', entries)}"


def _tag(verb: str, entries: Sequence[int]) -> str:
    return f"   [{verb} {', '.join(f'#{entry}' for entry in entries)}]" if entries else ""
