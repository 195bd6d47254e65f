"""What doctor says of the figures: green only where it was looked at and holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memd.clock import FixedClock
from memd.db.backup_folder import Kept
from memd.jobs.job import Job, State
from memd.jobs.pauses import Paused
from memd.server import checks
from memd.server.checks import Check, Importing, Verdict
from memd.services import Troubles
from memd.turns.spaces import Coverage

NOW = 1_790_000_000_000
HOUR = 3_600_000
CALM = Importing(
    roots=["/r"],
    missing_roots=[],
    interval=60,
    uptime=9_000,
    last_scan=5,
    last_import=500,
    behind_files=0,
    behind_bytes=0,
)


@pytest.mark.parametrize(
    ("change", "state", "says"),
    [
        ({}, "ok", "last scan 5 s ago, last import 500 s ago"),
        ({"last_import": None}, "ok", "nothing new since the start"),
        # a stopped import is never green: no scan any more, or files that wait and nothing that is stored
        ({"last_scan": 196}, "fault", "not looked at for 196 s"),
        ({"last_scan": None, "uptime": 196}, "fault", "not looked at for 196 s"),
        ({"last_scan": 46, "interval": 10}, "fault", "not looked at for 46 s"),
        ({"behind_files": 2, "behind_bytes": 5000}, "fault", "2 files with 5,000 bytes wait"),
        ({"behind_files": 2, "last_import": None}, "fault", "nothing was stored for 9000 s"),
        ({"behind_files": 2, "last_import": 3}, "ok", "2 files with 0 bytes wait"),
        ({"behind_files": 2, "last_import": None, "uptime": 9, "last_scan": 1}, "ok", "2 files"),
        ({"missing_roots": ["/r"]}, "warn", "/r: there is no such folder"),
    ],
)
def test_mc41_import(change: dict[str, object], state: str, says: str) -> None:
    found = checks.importing(replace(CALM, **change))  # type: ignore[arg-type]  # fields by name

    assert (found.state, says in found.detail) == (state, True)
    assert bool(found.fix) == (state != "ok")


JOB = Job(1, "embed_turns", "1", "embed", State.RUNNING, 0, 1, 5)
RETRY = replace(JOB, state=State.RETRY, error="the model is missing")


@pytest.mark.parametrize(
    ("covered", "job", "rate", "state", "says"),
    [
        (None, None, 0, "unknown", "no embedder"),
        (Coverage(10, 0, 0), None, 0, "ok", "10 of 10 texts have vectors"),
        (Coverage(900, 600, 0), JOB, 20, "ok", "300 of 900 texts have vectors; 20.0 a second, 30 s to go"),
        (Coverage(90_000, 90_000, 0), JOB, 20, "ok", "75 min to go"),
        (Coverage(10, 4, 0), JOB, 0, "ok", "6 of 10"),
        (Coverage(10, 4, 0), RETRY, 0, "warn", "the next try waits: the model is missing"),
        (Coverage(10, 4, 0), None, 0, "fault", "no job makes the others"),
        (Coverage(10, 0, 1), None, 0, "warn", "1 broke the model"),
    ],
)
def test_mc41_embedding(
    covered: Coverage | None, job: Job | None, rate: float, state: str, says: str
) -> None:
    found = checks.embedding(covered, job, rate)

    assert (found.state, says in found.detail) == (state, True)


def test_mc41_embedding_that_is_paused_says_how_it_goes_on() -> None:
    paused = Paused("embed_turns", "the laptop is hot", 1, None, automatic=False)

    found = checks.embedding(Coverage(10, 4, 0), replace(JOB, state=State.PAUSED), 20, paused)

    assert (found.state, found.fix) == ("warn", "memctl jobs resume embed_turns")
    assert "the laptop is hot" in found.detail and "to go" not in found.detail


@pytest.mark.parametrize(
    ("figures", "state"),
    [
        ({}, "ok"),
        ({"dead": 1}, "fault"),
        ({"oldest_due_s": 60}, "ok"),
        ({"oldest_due_s": 3_601}, "fault"),
        ({"paused": 2}, "warn"),
    ],
)
def test_jobs(figures: dict[str, int], state: str) -> None:
    assert checks.jobs(**{"dead": 0, "paused": 0, "oldest_due_s": None, **figures}, last="x").state == state


@pytest.mark.parametrize(
    ("age_h", "every", "turns", "uptime", "state"),
    [
        (5, 24, 9, 9_999, "ok"),
        (49, 24, 9, 9_999, "warn"),
        (49, 24, 9, 60, "ok"),  # it was switched off meanwhile: the next one comes soon
        (None, 24, 9, 9_999, "warn"),
        (None, 24, 9, 60, "unknown"),
        (None, 24, 0, 9_999, "ok"),
        (None, 0, 9, 9_999, "unknown"),
    ],
)
def test_backups(age_h: int | None, every: int, turns: int, uptime: float, state: str) -> None:
    newest = None if age_h is None else Kept(Path("memd-x.db"), 1, NOW - age_h * HOUR, True)
    found = checks.backups(newest, every_hours=every, turns=turns, now_ms=NOW, uptime=uptime)

    assert found.state == state


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (checks.index(5, 5), "ok"),
        (checks.index(5, 4), "fault"),
        (checks.watch("events", asked="auto", limits=""), "ok"),
        (checks.watch("poll", asked="auto", limits=""), "warn"),
        (checks.watch("poll", asked="poll", limits=""), "ok"),
        (checks.model("bundled", "/m/model.onnx"), "ok"),
        (checks.model("none", None), "unknown"),
        (checks.model("bundled", None, "it is garbage", "put a good one there"), "fault"),
        (checks.disk("/d", 5_000_000_000), "ok"),
        (checks.disk("/d", 500_000_000), "warn"),
        (checks.disk("/d", 50_000_000), "fault"),
    ],
)
def test_mc41_the_rest(found: Check, state: str) -> None:
    assert found.state == state
    assert bool(found.fix) == (state in ("warn", "fault") or found.detail == "no embedder is configured")


def test_mc41_a_trouble_that_stands_is_never_green() -> None:
    troubles = Troubles(FixedClock())
    troubles.raise_("import", "import paused: no space left", "it goes on by itself")
    troubles.raise_("sqlite-vec", "sqlite-vec does not load", "nothing to do", mild=True)
    troubles.raise_("embedding", "the model is cut", "put a good one there")
    troubles.raise_("news", "something nobody thought of", "see the log")
    good = [checks.importing(CALM), checks.model("bundled", "/m"), Check("sqlite", Verdict.OK, "SQLite 3")]

    told = {one.name: one for one in checks.with_troubles(good, troubles.all())}

    assert {name: one.state for name, one in told.items()} == {
        "import": "fault",
        "model": "fault",
        "sqlite": "warn",
        "news": "fault",
    }
    assert told["import"].detail == "import paused: no space left (since 2026-09-21 14:13)"
    assert told["news"].fix == "see the log"


def test_a_trouble_is_told_once_by_whatever_names() -> None:
    troubles = Troubles(FixedClock())

    assert troubles.raise_("model", "the model is cut", "a")
    assert not troubles.raise_("embedding", "the model is cut", "b")
    assert [one.name for one in troubles.all()] == ["model"]
