"""Observation logs are followed as transcripts are: every record once, whatever happens to its file."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.db.driver import Connection
from memd.errors import BadRequest
from memd.sources import observation_figures
from tests.intake.home import Home
from tests.rows import database
from tests.sources.logs import line, log, record


def facts(home: Home) -> list[str]:
    """The first fact of every record, as they are stored."""

    def read(connection: Connection) -> list[str]:
        rows = connection.execute("SELECT extraction FROM observation ORDER BY id")
        return [json.loads(str(row[0]))["facts"][0] for row in rows]

    return home.db.read_now(read)


def figures(home: Home) -> dict[str, int]:
    return home.db.read_now(observation_figures.figures)


def test_records_are_stored_as_they_are_written_and_after_a_restart(home: Home) -> None:
    path = log(home.logs[0], record(1, facts=["one"]))
    home.start()
    home.settle()
    assert facts(home) == ["one"]

    log(home.logs[0], record(2, facts=["two"]))
    home.settle()
    home.stop()
    log(home.logs[0], record(3, facts=["three"]))
    log(home.logs[0], record(4, facts=["four"]), day="2026-12-01")
    home.start()
    home.settle()

    assert facts(home) == ["one", "two", "three", "four"]
    assert figures(home)["logs"] == 2
    assert home.db.read_now(lambda c: c.execute("SELECT offset FROM observation_log").fetchall())[0] == (
        path.stat().st_size,
    )


def test_an_event_in_the_folder_is_enough(home: Home) -> None:
    home.logs[0].mkdir()
    home.start()
    home.settle()
    assert home.intake
    path = log(home.logs[0], record(1, facts=["one"]))

    home.intake.hint([os.fsencode(path)])

    home.until(lambda: facts(home) == ["one"])


def test_a_last_line_waits_until_it_is_whole(home: Home) -> None:
    """R2: half a line is no error; one that lacks only its newline counts, and counts once."""
    whole = line(record(2, facts=["two"]))
    path = log(home.logs[0], record(1, facts=["one"]), whole[:20])
    home.start()
    home.settle()
    assert facts(home) == ["one"]

    with path.open("ab") as file:
        file.write(whole[20:-1])
    home.settle()
    assert facts(home) == ["one", "two"]

    log(home.logs[0], b"\n", record(3, facts=["three"]))
    home.settle()
    assert facts(home) == ["one", "two", "three"]
    assert figures(home)["bad_records"] == 0


def test_a_log_that_was_truncated_or_replaced_is_read_again_and_no_record_is_doubled(home: Home) -> None:
    """W19: the cursor is none of another file, nor of one that is shorter now."""
    said = [record(number, facts=[f"fact {number}"]) for number in range(4)]
    path = log(home.logs[0], *said)
    home.start()
    home.settle()

    path.write_bytes(b"".join(map(line, said[:2])))  # cut short
    home.settle()
    log(home.logs[0], record(9, facts=["nine"]))
    home.settle()
    other = path.with_name("new")
    other.write_bytes(b"".join(map(line, [*said, record(10, facts=["ten"])])))
    other.replace(path)  # as an editor or a synchroniser saves
    home.settle()

    assert facts(home) == ["fact 0", "fact 1", "fact 2", "fact 3", "nine", "ten"]


def test_a_rotated_folder_and_a_copy_of_it_hold_the_same_records(home: Home, tmp_path: Path) -> None:
    """W19: a log that moved goes on where it was; in a copy of the folder are the same records."""
    home.logs.append(tmp_path / "copy")
    path = log(home.logs[0], record(1, facts=["one"]))
    home.start()
    home.settle()

    home.logs[1].mkdir()
    path.rename(home.logs[1] / path.name)
    home.settle()
    shutil.copytree(home.logs[1], home.logs[0], dirs_exist_ok=True)
    log(home.logs[0], record(2, facts=["two"]))
    log(home.logs[1], record(2, facts=["two"]))
    home.settle()

    assert facts(home) == ["one", "two"]


def test_a_log_that_is_gone_is_counted_and_its_records_stay(home: Home) -> None:
    path = log(home.logs[0], record(1, facts=["one"]))
    home.start()
    home.settle()

    path.unlink()
    home.settle()

    assert facts(home) == ["one"]
    assert (figures(home)["logs"], figures(home)["missing_logs"]) == (1, 1)


def test_bad_lines_are_counted_with_their_place_and_block_nothing(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    """MC20: the log of memd has file and offset, and nothing of the text."""
    first = line(record(1, facts=["one"]))
    path = log(
        home.logs[0], first, b"a secret that is torn\n", b"\n", {"extraction": 7}, record(2, facts=["two"])
    )
    home.start()
    home.settle()

    assert facts(home) == ["one", "two"]
    assert figures(home)["bad_records"] == 2
    said = capsys.readouterr()
    told = said.out + said.err
    assert str(path) in told and str(len(first)) in told
    assert "secret" not in told


def test_secrets_do_not_settle(home: Home) -> None:
    """R12: what looks like a key, or is called one, is redacted in values and names, before it is stored."""
    key, password = "AKIAIOSFODNN7EXAMPLE", "Zq7vKp2mXw9TtB4c"
    said = {"content": f"the key is {key}", "password": password}
    log(home.logs[0], record(1, facts=[said], entities=[{"name": "AWS", key: key}, password]))
    home.start()
    home.settle()

    assert facts(home) == [{"content": "the key is [REDACTED:aws_key]"}]
    stored = home.db.read_now(lambda c: c.execute("SELECT extraction FROM observation").get)
    assert key not in str(stored) and "password" not in str(stored).replace("[REDACTED:password]", "")
    files = home.db.path.parent.glob(f"{home.db.path.name}*")
    assert not any(password.encode() in path.read_bytes() for path in files)
    counts = home.db.read_now(lambda c: c.execute("SELECT kind, n FROM redaction ORDER BY kind").fetchall())
    assert counts == [("aws_key", 3), ("password", 2)]


@pytest.mark.parametrize("project", ["/secret/app", "/secret", "secret", "app"])
def test_what_was_captured_in_an_excluded_folder_is_passed_over(home: Home, project: str) -> None:
    from memd.sources import attribution
    from memd.sources.projects import Project

    home.db.write_now(attribution.row_of, Project("app", "/secret/app", "git"))
    home.exclusions.replace(("/secret",))
    log(home.logs[0], record(1, project=project, facts=["hidden"]), record(2, project="open", facts=["open"]))
    home.start()
    home.settle()

    assert facts(home) == ["open"]


def test_records_and_the_job_that_absorbs_them_are_one_commit(home: Home) -> None:
    """R1: where the job cannot be queued, nothing is stored and nothing counts as read."""
    failing = [BadRequest("not now")]
    asked: list[int] = []

    def follow_up(connection: Connection) -> None:
        if failing:
            raise failing.pop()
        asked.append(int(connection.execute("SELECT count(*) FROM observation").get))

    home.log_follow_up = follow_up
    log(home.logs[0], record(1, facts=["one"]))
    home.start()
    home.settle()

    assert facts(home) == ["one"]
    assert asked == [1]


def test_a_log_over_many_batches_is_read_whole(home: Home) -> None:
    log(home.logs[0], *(record(number, facts=[f"fact {number}"]) for number in range(1_300)))
    home.start()
    home.settle()

    assert facts(home) == [f"fact {number}" for number in range(1_300)]


STEP = st.one_of(
    st.tuples(st.just("append"), st.integers(0, 2), st.integers(1, 3)),
    st.tuples(st.just("half"), st.integers(0, 2), st.integers(1, 40)),
    st.tuples(st.just("cut"), st.integers(0, 2), st.integers(0, 400)),
    st.tuples(st.just("replace"), st.integers(0, 2), st.just(0)),
    st.tuples(st.just("scan"), st.just(0), st.just(0)),
    st.tuples(st.just("restart"), st.just(0), st.just(0)),
)


@settings(deadline=None, max_examples=25)
@given(st.lists(STEP, max_size=12))
def test_every_record_that_stood_whole_at_a_scan_is_stored_once(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    """R1, W19: whatever is appended, cut short and replaced between the scans."""
    folder = tmp_path_factory.mktemp("logs")
    with database(folder) as db:
        home = Home(folder, db)
        said: dict[int, bytes] = dict.fromkeys(range(3), b"")
        seen: set[tuple[int, int, bytes]] = set()
        home.start()
        number = 0
        for step, file, much in [*steps, ("scan", 0, 0)]:
            path = home.logs[0] / f"2026-11-0{file + 1}.jsonl"
            home.logs[0].mkdir(exist_ok=True)
            if step == "append":
                for _ in range(much):
                    number += 1
                    said[file] += line(record(number, facts=[f"fact {number}"]))
                path.write_bytes(said[file])
            elif step == "half":
                number += 1
                said[file] += line(record(number, facts=[f"fact {number}"]))[:much]
                path.write_bytes(said[file])
            elif step == "cut":
                said[file] = said[file][:much]
                path.write_bytes(said[file])
            elif step == "replace" and path.exists():
                path.with_name("new").write_bytes(said[file])
                path.with_name("new").replace(path)
            elif step == "scan":
                home.settle()
                for at, content in said.items():
                    seen |= {(at, place, raw) for place, raw in _records(content)}
            elif step == "restart":
                home.stop()
                home.start()
        home.stop()
        stored = db.read_now(
            lambda c: c.execute("SELECT day, position, extraction FROM observation ORDER BY 1, 2").fetchall()
        )

    told = sorted(
        (f"2026-11-0{file + 1}", place, json.dumps(json.loads(raw)["extraction"]))
        for file, place, raw in seen
    )
    assert set(told) <= set(stored)
    assert len(stored) == len(set(stored))


def _records(content: bytes) -> list[tuple[int, bytes]]:
    """The whole records of a log, with their places."""
    found, at = [], 0
    for raw in content.split(b"\n")[:-1]:
        try:
            if isinstance(json.loads(raw), dict):
                found.append((at, raw))
        except ValueError:
            pass
        at += len(raw) + 1
    return found
