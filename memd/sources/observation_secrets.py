"""Records of observation logs without their secrets (R12).

A model tore them apart: the name of a secret is a key here and its value a field, or one is named in a fact and stands
bare as an entity. So a value that is known for a secret in one place of a record is taken out of all the others too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from memd.sources.observations import FIELDS, Record, items_in
from memd.text.leaves import leaves, with_leaves
from memd.turns.redact import MARKER, Redacted, redact_all

LONG = 8  # characters from which a secret is sought within words too
PIECE = 24  # characters from which a text that is a stretch of a secret is taken for it: a key is headed by plain words


def redacted(records: Sequence[Record]) -> list[tuple[Record, Mapping[str, int]]]:
    """The records without their secrets, each with how many of which kind it held."""
    said = [list(leaves(record)) for record in records]
    told = [list(_told(record)) for record in records]
    found = redact_all([text for parts in zip(said, told, strict=True) for part in parts for text in part])
    clean: list[tuple[Record, Mapping[str, int]]] = []
    at = 0
    for record, texts, pairs in zip(records, said, told, strict=True):
        behind = at + len(texts)
        of_texts = [found.get(at + place) or Redacted(text, {}) for place, text in enumerate(texts)]
        of_pairs = [found[place] for place in range(behind, behind + len(pairs)) if place in found]
        clean.append(_clean(record, of_texts, of_pairs))
        at = behind + len(pairs)
    return clean


def _clean(
    record: Record, texts: Sequence[Redacted], pairs: Sequence[Redacted]
) -> tuple[Record, Mapping[str, int]]:
    secrets = {value: kind for one in (*texts, *pairs) for value, kind in one.secrets.items()}
    if not secrets:
        return record, {}
    sight, kinds = _sight(secrets), sum((Counter(one.counts) for one in texts), Counter[str]())

    def marker(match: re.Match[str]) -> str:
        if (kind := secrets.get(match[0])) is None:
            return match[0]  # a marker that stands there already
        kinds[kind] += 1
        return f"[REDACTED:{kind}]"

    def without(text: str) -> str:
        if kind := _piece(text, secrets):
            kinds[kind] += 1
            return f"[REDACTED:{kind}]"
        return sight.sub(marker, text)

    return cast(Record, with_leaves(record, iter([without(one.text) for one in texts]))), kinds


def _piece(text: str, secrets: Mapping[str, str]) -> str | None:
    """The kind of the secret that a text is a stretch of, however its lines are broken; None where it is none."""
    bare = "".join(text.split())
    if len(bare) < PIECE:
        return None
    return next((kind for value, kind in secrets.items() if bare in "".join(value.split())), None)


def _sight(secrets: Mapping[str, str]) -> re.Pattern[str]:
    """Finds markers and secrets, the longest first; a short one only as a word."""
    words = [
        re.escape(value) if len(value) >= LONG else rf"(?<!\w){re.escape(value)}(?!\w)"
        for value in sorted(secrets, key=len, reverse=True)
    ]
    return re.compile("|".join([MARKER.pattern, *words]))


def _told(value: object) -> Iterator[str]:
    """What the fields of a record say only together: a key with its value, one end of an edge with the other."""
    if isinstance(value, list):
        for item in value:
            yield from _told(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in FIELDS:
                yield from (f'"{key}": "{one}"' for one in items_in(item) if isinstance(one, str))
            yield from _told(item)
        for name, given in (("source", "target"), ("entity_type", "name"), ("type", "name")):
            if isinstance(value.get(name), str) and isinstance(value.get(given), str):
                yield f"{value[name]}: {value[given]} ."
