"""Which files of other programs are watched, by their places and names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memd.sources.foreign import CODEX, GEMINI, OPENCODE, ForeignRoot
from memd.sources.scan import Survey

WHERE = {  # program: files that are its, and files that are not
    CODEX: (
        ["2026/06/01/rollout-a.jsonl", "rollout-b.jsonl", "2026/06/01/rollout-c.jsonl.zst"],
        ["2026/history.jsonl", "rollout-d.json", "a/b/c/d/e/f/g/h/i/rollout-deep.jsonl"],
    ),
    GEMINI: (
        ["abc/chats/session-1.jsonl", "x/y/chats/session-2.jsonl"],
        ["abc/logs/session-3.jsonl", "abc/chats/other.jsonl", "abc/chats/sub/session-4.jsonl"],
    ),
    OPENCODE: (
        ["opencode.db", "opencode-dev.db"],
        ["other.db", "deep/opencode.db", "opencode.db-wal", "auth.json"],
    ),
}


def root(folder: Path, program: str) -> ForeignRoot:
    return ForeignRoot(program, os.fsencode(folder))


def make(folder: Path, *names: str) -> list[bytes]:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"x")
    return [os.fsencode(folder / name) for name in names]


@pytest.mark.parametrize("program", WHERE)
def test_a_scan_and_an_event_tell_the_same_files(program: str, tmp_path: Path) -> None:
    ours, others = (make(tmp_path, *names) for names in WHERE[program])

    found = {file.path for file in root(tmp_path, program).files(Survey())}

    assert found == set(ours)
    told = {path for path in (*ours, *others) if root(tmp_path, program).file(path)}
    assert told - {os.fsencode(tmp_path / "opencode.db-wal")} == set(ours)
    assert {file.format for file in root(tmp_path, program).files(Survey())} == {program}


@pytest.mark.parametrize("program", WHERE)
def test_a_folder_that_is_not_there_has_none(program: str, tmp_path: Path) -> None:
    survey = Survey()

    assert list(root(tmp_path / "none", program).files(survey)) == []
    assert root(tmp_path / "none", program).file(os.fsencode(tmp_path / "none" / "opencode.db")) is None
    assert survey.unreadable == {}


def test_links_and_pipes_are_passed_over_and_counted(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    make(elsewhere, "rollout-x.jsonl")
    here = tmp_path / "here"
    here.mkdir()
    (here / "rollout-link.jsonl").symlink_to(elsewhere / "rollout-x.jsonl")
    (here / "2026").symlink_to(elsewhere)
    os.mkfifo(here / "rollout-pipe.jsonl")
    (here / "rollout-folder.jsonl").mkdir()
    survey = Survey()

    assert list(root(here, CODEX).files(survey)) == []
    assert survey.ignored == 3
    assert root(here, CODEX).file(os.fsencode(here / "rollout-link.jsonl")) is None


def test_what_stands_beside_a_database_says_that_it_changed(tmp_path: Path) -> None:
    make(tmp_path, "opencode.db")
    one = root(tmp_path, OPENCODE)
    [before] = one.files(Survey())
    make(tmp_path, "opencode.db-wal")
    [after] = one.files(Survey())

    assert before.stat.st_size + 1 == after.stat.st_size
    assert one.file(os.fsencode(tmp_path / "opencode.db-wal")) == after
    assert one.file(os.fsencode(tmp_path / "opencode.db-shm")) is None


def test_a_new_folder_is_looked_through(tmp_path: Path) -> None:
    [path] = make(tmp_path, "2026/06/01/rollout-a.jsonl")
    one = root(tmp_path, CODEX)

    assert one.folder_of(os.fsencode(tmp_path / "2026")) == os.fsencode(tmp_path / "2026")
    assert [file.path for file in one.within(os.fsencode(tmp_path / "2026"))] == [path]
    assert one.folder_of(path) is None
    assert one.folder_of(os.fsencode(tmp_path / "none")) is None
    assert root(tmp_path, OPENCODE).folder_of(os.fsencode(tmp_path / "2026")) is None
