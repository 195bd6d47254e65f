"""Times as transcripts hold them, to UTC milliseconds. Null is not "now": what cannot be read has no time."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s*(?:([Zz])|([+-])(\d\d)(?::?(\d\d))?)?",
    re.ASCII,
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
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
    year, month, day, hour, minute, second, fraction, _, sign, hours, minutes = found.groups()
    try:
        zone = UTC
        if sign:
            offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
            zone = timezone(-offset if sign == "-" else offset)
        moment = datetime(
            int(year), int(month), int(day), int(hour), int(minute), int(second or 0), tzinfo=zone
        )
        return (moment - _EPOCH) // _MILLISECOND + int((fraction or "0")[:3].ljust(3, "0"))
    except (ValueError, OverflowError):
        return None
