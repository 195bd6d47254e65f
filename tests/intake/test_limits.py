"""The limits of an import: what was over one is told by its name, and comes in once a person raises it."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from dataclasses import fields
from pathlib import Path

import pytest

from memd.errors import HistoryImportError
from memd.importers.limits import ImportLimits
from memd.server.methods import importing
from tests.intake.home import Home, line, transcript
from tests.intake.test_foreign import imported


def message(words: str, **more: object) -> dict[str, object]:
    return {"role": "user", "content": words, "session_id": "s"} | more


def lines(folder: Path, *records: object) -> Path:
    path = folder / "history"
    path.write_text("\n".join(map(json.dumps, records)))
    return path


def nested(depth: int) -> object:
    value: object = "deep"
    for _ in range(depth):
        value = [value]
    return value


OVER = {
    "max_record_bytes": (message("large", padding="x" * 9_000), 1_000, 10_000),
    "max_depth": (message("deep", more=nested(90)), 64, 100),
    "max_turn_chars": (message("long " * 400), 1_000, 5_000),
}


@pytest.mark.parametrize("name", OVER)
def test_what_is_over_a_limit_is_told_and_comes_in_once_it_is_raised(
    home: Home, name: str, tmp_path: Path
) -> None:
    record, low, high = OVER[name]
    path = lines(tmp_path, message("short"), record)

    first = imported(home, path, limits={name: low})
    again = imported(home, path, limits={name: high})

    assert (first.imported, first.over_limits) == (1, {name: 1})
    assert (again.imported, again.duplicates, again.over_limits) == (1, 1, {})


@pytest.mark.parametrize("name", OVER)
def test_strict_says_which_limit_it_was(home: Home, name: str, tmp_path: Path) -> None:
    record, low, _ = OVER[name]
    flag = "--" + name.replace("_", "-")

    with pytest.raises(HistoryImportError, match=f"raise the limit with {flag}"):
        imported(home, lines(tmp_path, message("short"), record), limits={name: low}, strict=True)


def archive(folder: Path) -> Path:
    """One that unpacks to two hundred times its size."""
    records = [message("said", id=str(n)) for n in range(2)] + [message("padding " + " " * 3_000_000)]
    with zipfile.ZipFile(folder / "export.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        packed.writestr("a.jsonl", "\n".join(map(json.dumps, records)))
        packed.writestr("b.txt", "nothing")
    return folder / "export.zip"


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("max_file_bytes", 1_000, 1 << 30), ("max_zip_members", 1, 10), ("max_zip_ratio", 10, 100_000)],
)
def test_an_archive_that_is_refused_says_how_to_have_it_taken(
    home: Home, name: str, low: int, high: int, tmp_path: Path
) -> None:
    path, flag = archive(tmp_path), "--" + name.replace("_", "-")
    enough = {"max_zip_ratio": 100_000}

    with pytest.raises(HistoryImportError, match=f"raise the limit with {flag}"):
        imported(home, path, limits=enough | {name: low})

    assert imported(home, path, limits=enough | {name: high}).imported == 2


def test_a_file_among_others_says_it_in_the_report(home: Home, tmp_path: Path) -> None:
    lines(tmp_path, message("short"))
    (tmp_path / "large").write_text(json.dumps(message("long " * 400)))

    report = imported(home, tmp_path, limits={"max_file_bytes": 1_000})

    [error] = report.errors
    assert report.imported == 1
    assert error.startswith(f"{tmp_path / 'large'}: ")
    assert error.endswith("; if you trust the file, raise the limit with --max-file-bytes")


def test_a_transcripts_line_may_be_longer_too(home: Home) -> None:
    path = transcript(home)
    path.write_bytes(line("short") + line("long " * 500, number=1))

    first = imported(home, path, limits={"max_record_bytes": 1_000})
    again = imported(home, path)

    assert (first.imported, first.over_limits) == (1, {"max_record_bytes": 1})
    assert (again.imported, again.over_limits) == (1, {})
    assert sum(home.texts().values()) == 2
    assert home.texts() == Counter(["short", "long " * 500])


def test_every_limit_can_be_asked_for() -> None:
    assert set(importing.LIMITS) == {one.name for one in fields(ImportLimits)}
    assert set(importing.LIMITS) < set(importing.SCHEMA)
    assert all(getattr(ImportLimits(), name) < most for name, most in importing.LIMITS.items())
