"""Records of observation logs: what is one, by what it is known, and the batches of a day."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memd.sources import observations
from memd.sources.observations import Observation, observation_of, record_of
from memd.sources.scan import Survey
from tests.sources.logs import DAY, line, log, record

NAME = f"{DAY}.jsonl"
MIDNIGHT = 1_795_996_800_000


def observed(raw: bytes, name: str = NAME, position: int = 0) -> Observation | None:
    said = record_of(raw)
    return None if said is None else observation_of(name, position, raw, said)


def test_a_record_gives_all_that_is_known_of_a_capture() -> None:
    """MC23: the format of a log."""
    one = observed(line(record(90, branch="wip", facts=["it rains"], entities=None, mood="calm")))

    assert one
    assert (one.day, one.at_ms, one.trigger) == (DAY, MIDNIGHT + 90 * 60_000, "precompact")
    assert (one.project, one.branch) == ("app", "wip")
    assert one.extraction == {"facts": ["it rains"]}


def test_of_an_item_only_the_fields_of_the_format_are_kept() -> None:
    """R12: nobody can tell what another field holds."""
    edge = {"source": "a", "target": "b", "relationship_type": "uses", "context": "at night"}
    one = observed(
        line(
            record(
                facts=[{"content": "a", "importance": 7, "password": "x"}, ["b"], 7, "c"],
                decisions={"content": {"password": "x"}, "scope": "branch"},
                relationships=[{**edge, "note": "x"}],
            )
        )
    )

    assert one and one.extraction == {
        "facts": [{"content": "a", "importance": 7}, {}, {}, "c"],
        "decisions": {"scope": "branch"},
        "relationships": [edge],
    }


def test_the_trunk_is_no_branch() -> None:
    for branch in ("main", "master", None, "", 7):
        one = observed(line(record(branch=branch, facts=[])))
        assert one and one.branch is None


@pytest.mark.parametrize("timestamp", [7.5e30, "yesterday", ["x"], {}])
def test_a_record_without_a_time_is_of_the_day_of_its_log(timestamp: object) -> None:
    raw = line({**record(facts=[]), "timestamp": timestamp})
    one, nameless = observed(raw), observed(raw, "notes.jsonl")

    assert one and one.at_ms == MIDNIGHT
    assert nameless is None


@pytest.mark.parametrize(
    "raw",
    [
        b"not json",
        b"[1, 2]",
        b'"text"',
        b"null",
        b'{"extraction": null}',
        b'{"extraction": "facts"}',
        b'{"timestamp": "2026-11-30T00:00:00Z"}',
        b'{"extraction": ' + b"[" * 2000 + b"]" * 2000 + b"}",
        b'{"extraction": {"facts": [' + b"9" * 5000 + b"]",
        b"\xff\xfe{}",
    ],
)
def test_what_is_no_record_is_none_and_raises_nothing(raw: bytes) -> None:
    """MC20: whatever a line holds."""
    assert observed(raw) is None


@pytest.mark.parametrize(
    "raw",
    [
        b'\xef\xbb\xbf{"extraction": {"facts": ["x"]}}',
        b'\0\0{"extraction": {"facts": ["x"]}}\r',
        b'{"extraction": {"facts": ["x", ' + b"9" * 5000 + b"]}}",
        b'{"extraction": {"facts": ["x", "\\ud800"]}}',
    ],
)
def test_an_odd_line_that_can_be_read_is_read(raw: bytes) -> None:
    """MC20: a mark of the byte order, NULs, half a surrogate pair, a number of 5,000 digits."""
    one = observed(raw)

    assert one
    facts = one.extraction["facts"]
    assert isinstance(facts, list) and facts[0] == "x"


def test_a_record_is_known_by_file_name_position_and_bytes() -> None:
    same = observations.identity(NAME, 0, b"{}")

    assert observations.identity(NAME, 0, b"{}") == same
    others = [
        observations.identity("2026-11-29.jsonl", 0, b"{}"),
        observations.identity(NAME, 1, b"{}"),
        observations.identity(NAME, 0, b"{ }"),
    ]
    assert len({same, *others}) == 4


def test_logs_are_the_files_that_are_called_like_a_day(tmp_path: Path) -> None:
    log(tmp_path, record(facts=[]))
    for name in ("cursors.json", "notes.jsonl", "2026-11-29.jsonl.bak"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "2026-11-28.jsonl").symlink_to(tmp_path / NAME)
    (tmp_path / "2026-11-27.jsonl").mkdir()
    survey = Survey()

    found = [file.path for file in observations.files(os.fsencode(tmp_path), survey)]

    assert found == [os.fsencode(tmp_path / NAME)]
    assert survey.ignored == 2
    assert list(observations.files(b"/no/such/folder", survey)) == []


def test_the_batches_of_a_day_are_its_readable_records_in_their_order(tmp_path: Path) -> None:
    """MC23: a round trip; bad lines and what is no object are left out, and so is what counts nothing."""
    first = record(1, branch="wip", facts=["a", "b"], entities=[{"name": "Redis"}], decisions=[])
    log(
        tmp_path,
        first,
        b"torn {\n",
        b"[1]\n",
        record(2, project=None, bugs_fixed=["c"]),
        {"extraction": None},
    )

    batches = observations.daily_batches([os.fsencode(tmp_path)], DAY)

    assert [(one.timestamp, one.project, one.branch, dict(one.counts)) for one in batches] == [
        (first["timestamp"], "app", "wip", {"facts": 2, "entities": 1}),
        (record(2)["timestamp"], None, None, {"bugs_fixed": 1}),
        (None, None, None, {}),
    ]
    assert list(batches[0].counts) == ["facts", "entities"]


def test_a_day_without_a_log_has_no_batches(tmp_path: Path) -> None:
    """MC23: also one whose name is no day, and a log that is no file."""
    (tmp_path / "2026-11-29.jsonl").mkdir()
    log(tmp_path, record(facts=["a"]), day="2026-13-77")

    for day in ("2026-11-28", "2026-11-29", "2026-13-77", "../etc/passwd", ""):
        assert observations.daily_batches([os.fsencode(tmp_path)], day) == []


@pytest.mark.parametrize(
    ("text", "is_one"), [("2026-11-30", True), ("foo", False), ("2026-11", False), ("../2026-11-30", False)]
)
def test_a_day_is_named_as_its_log_is(text: str, is_one: bool) -> None:
    assert observations.is_day(text) is is_one
