"""Times as transcripts hold them, to UTC milliseconds. Null is not "now": what cannot be read has no time."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

_ISO = re.compile(
    r"(\d{4}-\d\d-\d\d[Tt ](?:[01]\d|2[0-3]):\d\d(?::\d\d(?:[.,]\d+)?)?)"
    r"\s*(?:[Zz]|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)?",
    re.ASCII,
)
_EPOCH = datetime(1970, 1, 1)  # local times, whose zones are reckoned with apart
_MILLISECOND = timedelta(milliseconds=1)
_FIRST, _LAST = -62_135_596_800_000, 253_402_300_799_999  # the years 1 to 9999
_SECONDS_UP_TO = 1e11


def milliseconds(value: object) -> int | None:
    """UTC milliseconds of ISO text (without a zone: UTC) or of a number of seconds or milliseconds; else None."""
    match value:
        case bool():
            return None
        case int() | float():
            found = _of_number(value)
        case str():
            found = _of_text(value)
        case _:
            return None
    return found if found is not None and _FIRST <= found <= _LAST else None


def raw(value: object) -> str | None:
    """The time as it stood in the record."""
    if isinstance(value, str):
        return value
    return repr(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _of_number(value: float) -> int | None:
    if not -_LAST <= value <= _LAST:  # NaN and the infinities fail this too
        return None
    return round(value if value > _SECONDS_UP_TO else value * 1000)


def _of_text(text: str) -> int | None:
    found = _ISO.fullmatch(text.strip())
    if found is None:
        return None
    local, sign, hours, minutes = found.groups()
    try:
        at_ms = (datetime.fromisoformat(local) - _EPOCH) // _MILLISECOND
    except ValueError:
        return None
    if sign is None:
        return at_ms
    offset = (int(hours) * 60 + int(minutes or 0)) * 60_000
    return at_ms - offset if sign == "+" else at_ms + offset
