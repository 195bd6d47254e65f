"""One line of a transcript, as bytes, to the records in it.

Nothing a line holds raises: it gives records, or the reason why it does not. Good lines pay for a count of brackets
and for orjson; all mending is done on lines that orjson refused.
"""

from __future__ import annotations

import json
import re
from itertools import accumulate

import orjson

from memd.importers.reasons import Skip

Record = dict[str, object]

BOM = b"\xef\xbb\xbf"
MAX_DEPTH = 64

_PADDING = b"\0 \t\r\n\v\f"
_GAP = re.compile(r"[\0 \t\r\n\v\f]*")
_FIRST_KEYS = "parentUuid|logicalParentUuid|type|uuid|sessionId|isSidechain|message|agentId|promptId"
_RECORD_START = re.compile(rf'\{{"(?:{_FIRST_KEYS})"')
_SURROGATE = re.compile("[\ud800-\udfff]")
_MOST_RECORDS = 10_000  # on one line; two writers at once make it a few
# Looking for a whole record behind a broken one may read so many characters, all tries together.
_SALVAGE_CHARACTERS = 1 << 27

_OPEN, _CLOSE = b"[{", b"]}"
_STEPS = bytes.maketrans(_OPEN + _CLOSE, b"\2\2\0\0")
_NO_BRACKETS = bytes(set(range(256)) - set(_OPEN + _CLOSE))
_STEP = (-1, 0, 1)


def parse(line: bytes) -> list[Record | Skip]:
    """The records of a line in their order; a reason stands where something could not be used. Blank: nothing."""
    if is_too_deep(line):
        return [Skip.TOO_DEEP]
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return _mend(line)
    return [_record(value)]


def value(raw: bytes) -> object | Skip:
    """The one JSON value of the bytes, mended where only odd characters ail it; a reason where there is none.

    Its depth is checked before, by ``is_too_deep`` or by whoever cut it out.
    """
    try:
        return orjson.loads(raw)  # type: ignore[no-any-return]  # JSON gives Any; nothing is known of it yet
    except orjson.JSONDecodeError:
        text = raw.strip(_PADDING).removeprefix(BOM).decode("utf-8", "replace")
    try:
        return _scrubbed(_DECODER.decode(text))
    except ValueError:
        return Skip.UNSUPPORTED
    except RecursionError:
        return Skip.TOO_DEEP


def value_of(line: bytes) -> object:
    """The one JSON value that a line is, however it came about; ValueError where it is none."""
    found = Skip.TOO_DEEP if is_too_deep(line) else value(line)
    if isinstance(found, Skip):
        raise ValueError("it nests too deep" if found is Skip.TOO_DEEP else "it is no JSON")
    return found


def is_too_deep(line: bytes, most: int = MAX_DEPTH) -> bool:
    """True where arrays and objects nest over the limit; found without parsing and without recursion."""
    if line.count(b"{") + line.count(b"[") <= most:
        return False
    bare = line.replace(b"\\\\", b"").replace(b'\\"', b"")
    outside = b"".join(bare.split(b'"')[::2])
    depths = accumulate(map(_STEP.__getitem__, outside.translate(_STEPS, _NO_BRACKETS)))
    return any(map(most.__lt__, depths))


def _record(value: object) -> Record | Skip:
    if isinstance(value, dict) and isinstance(value.get("type"), str):
        return value
    return Skip.UNSUPPORTED


def _mend(line: bytes) -> list[Record | Skip]:
    """A line that is no single strict JSON value: padded, several records, odd characters, or cut off."""
    bare = line.strip(_PADDING)
    if not bare:
        return []
    try:
        return _found(bare.decode("utf-8", "replace"))
    except RecursionError:  # a broken string before the record can hide its brackets from the first check
        return [Skip.TOO_DEEP]


def _found(text: str) -> list[Record | Skip]:
    values = _values(text)
    if values is not None:
        return [_record(_scrubbed(value)) for value in values]
    whole = _salvage(text)
    return [Skip.UNSUPPORTED] if whole is None else [Skip.UNSUPPORTED, _record(_scrubbed(whole))]


def _number(digits: str) -> int | float:
    try:
        return int(digits)
    except ValueError:  # Python refuses to read integers of many thousand digits
        return float(digits)


_DECODER = json.JSONDecoder(parse_int=_number)


def _values(text: str) -> list[object] | None:
    """The one value of the text, or the objects it is made of; None where it is not made of such."""
    values: list[object] = []
    at = 0
    while at < len(text) and len(values) < _MOST_RECORDS:
        try:
            value, at = _DECODER.raw_decode(text, at)
        except ValueError:
            return None
        values.append(value)
        gap = _GAP.match(text, at)
        at = gap.end() if gap else at
    whole = len(values) == 1 or all(isinstance(value, dict) for value in values)
    return values if whole and at == len(text) else None


def _salvage(text: str) -> object | None:
    """The first whole record that starts inside the text and reaches exactly to its end. Raises RecursionError."""
    left = _SALVAGE_CHARACTERS
    for start in _RECORD_START.finditer(text, 1):
        try:
            value, end = _DECODER.raw_decode(text, start.start())
        except json.JSONDecodeError as error:
            end = error.pos
        else:
            if end == len(text):
                if is_too_deep(text[start.start() :].encode()):
                    raise RecursionError  # how deep the parser itself goes differs between Pythons
                return value  # type: ignore[no-any-return]  # JSON gives Any; nothing is known of it yet
        left -= end
        if left < 0:
            return None
    return None


def _scrubbed(value: object) -> object:
    """The value with U+FFFD for every half of a surrogate pair. Depth is bounded before any parsing."""
    match value:
        case str():
            return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
        case list():
            return [_scrubbed(item) for item in value]
        case dict():
            return {str(_scrubbed(key)): _scrubbed(item) for key, item in value.items()}
    return value
