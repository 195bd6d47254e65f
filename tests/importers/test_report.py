"""The report of an import says whether all went well and what was left out."""

from __future__ import annotations

import json

from memd.importers.report import ImportReport


def test_a_report_sums_up() -> None:
    report = ImportReport("claude-code", "/projects", files=2, skipped={"meta": 3, "empty": 1})

    assert report.ok
    assert report.skipped_total == 4

    report.errors.append("b.jsonl: Permission denied")
    assert not report.ok


def test_a_report_is_plain_values_with_every_field() -> None:
    report = ImportReport("claude-code", "/projects", dry_run=True)

    assert json.loads(json.dumps(report.to_dict())) == {
        "format": "claude-code",
        "source": "/projects",
        "dry_run": True,
        "files": 0,
        "sessions": [],
        "imported": 0,
        "duplicates": 0,
        "malformed": 0,
        "skipped": {},
        "redactions": {},
        "errors": [],
        "limited": False,
    }
