"""Times are read where they are times; everything else has none."""

from __future__ import annotations

import pytest

from memd.importers import timestamps

NOON = 1_793_361_600_000  # 2026-10-30T12:00:00Z


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-10-30T12:00:00Z", NOON),
        ("2026-10-30T12:00:00.250Z", NOON + 250),
        ("2026-10-30T12:00:00.2Z", NOON + 200),
        ("2026-10-30T12:00:00.250999999Z", NOON + 250),
        ("2026-10-30T12:00:00,5z", NOON + 500),
        ("2026-10-30T12:00Z", NOON),
        ("2026-10-30T14:00:00+02:00", NOON),
        ("2026-10-30T08:30:00-0330", NOON),
        ("2026-10-30T14:00:00+02", NOON),
        ("2026-10-30T12:00:00", NOON),  # without a zone: UTC
        (" 2026-10-30 12:00:00 ", NOON),
        (NOON, NOON),
        (NOON / 1000, NOON),
        (NOON // 1000, NOON),
        (NOON + 0.4, NOON),
        (1_793_361_600.25, NOON + 250),
        (0, 0),
        (-1, -1000),
        ("1969-12-31T23:59:59.999Z", -1),
        # no times
        (None, None),
        (True, None),
        ("", None),
        ("soon", None),
        ("2026-10-30", None),
        ("1793361600", None),
        ("2026-13-30T12:00:00Z", None),
        ("2026-02-30T12:00:00Z", None),
        ("2026-10-30T25:00:00Z", None),
        ("2026-10-30T12:00:00+99:00", None),
        ("9999999-99-99T99:99:99Z", None),
        ("٢٠٢٦-10-30T12:00:00Z", None),
        ("0001-01-01T00:00:00+23:59", None),
        ("9999-12-31T23:59:59-23:59", None),
        (1e300, None),
        (10**400, None),
        (-(10**400), None),
        (float("inf"), None),
        (float("-inf"), None),
        (float("nan"), None),
        ([], None),
        ({"at": 1}, None),
    ],
    ids=repr,
)
def test_a_time(value: object, expected: int | None) -> None:
    assert timestamps.milliseconds(value) == expected


def test_the_raw_time_is_kept_as_text() -> None:
    assert timestamps.raw("soon") == "soon"
    assert timestamps.raw(1793361600) == "1793361600"
    assert timestamps.raw(False) is None
    assert timestamps.raw(None) is None
