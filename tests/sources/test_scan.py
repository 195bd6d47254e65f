"""What of a tree is a transcript, and what is passed over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memd.sources import scan
from memd.sources.scan import Survey

ONE, TWO = (f"{n:08x}-0000-4000-8000-000000000000" for n in (1, 2))


def found(
    root: Path, *, subagents: bool = False, survey: Survey | None = None
) -> set[tuple[str, str, str | None]]:
    """Path below the root, session, agent of everything that a scan finds."""
    return {
        (os.fsdecode(os.path.relpath(file.path, os.fsencode(root))), file.session, file.agent)
        for file in scan.transcripts(os.fsencode(root), survey or Survey(), subagents=subagents)
    }


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_sessions_lie_one_folder_below_the_root_and_are_named_by_a_uuid(tmp_path: Path) -> None:
    touch(tmp_path / "-p" / f"{ONE}.jsonl")
    touch(tmp_path / "-q" / f"{TWO.upper()}.jsonl")
    for other in (
        f"{ONE}.jsonl",
        "-p/notes.jsonl",
        f"-p/{ONE}.json",
        f"-p/{ONE}.jsonl.tmp",
        f"-p/deep/{TWO}.jsonl",
    ):
        touch(tmp_path / other)

    assert found(tmp_path) == {
        (f"-p/{ONE}.jsonl", ONE, None),
        (f"-q/{TWO.upper()}.jsonl", TWO.upper(), None),
    }


def test_subagents_files_are_counted_and_taken_only_where_they_are_wanted(tmp_path: Path) -> None:
    touch(tmp_path / "-p" / "agent-a1.jsonl")
    touch(tmp_path / "-p" / ONE / "subagents" / "agent-b2.jsonl")
    touch(tmp_path / "-p" / ONE / "tool-results" / "agent-c3.jsonl")
    survey = Survey()

    assert found(tmp_path, survey=survey) == set()
    assert survey.subagents == 2
    assert found(tmp_path, subagents=True) == {
        ("-p/agent-a1.jsonl", "", "a1"),
        (f"-p/{ONE}/subagents/agent-b2.jsonl", ONE, "b2"),
    }


def test_links_pipes_and_folders_with_such_names_are_counted_and_not_followed(tmp_path: Path) -> None:
    root, aside = tmp_path / "root", tmp_path / "aside"
    inside = touch(root / "-p" / f"{ONE}.jsonl").parent
    touch(aside / f"{TWO}.jsonl")
    (root / "-link").symlink_to(aside)
    (inside / f"{TWO}.jsonl").symlink_to(aside / f"{TWO}.jsonl")
    (inside / f"{TWO.replace('2', '3')}.jsonl").mkdir()
    os.mkfifo(inside / f"{TWO.replace('2', '4')}.jsonl")
    survey = Survey()

    assert found(root, survey=survey) == {(f"-p/{ONE}.jsonl", ONE, None)}
    assert survey.ignored == 3


def test_folders_may_have_any_name(tmp_path: Path) -> None:
    for name in (b"bad\xff", b"new\nline", b" "):
        folder = os.path.join(os.fsencode(tmp_path), name)
        os.mkdir(folder)
        touch(Path(os.fsdecode(folder)) / f"{ONE}.jsonl")

    assert len(found(tmp_path)) == 3


def test_a_root_that_is_missing_has_none_and_one_that_cannot_be_read_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = Survey()
    assert found(tmp_path / "none", survey=survey) == set()
    assert survey.unreadable == {}

    def refuse(_: bytes) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(scan.os, "scandir", refuse)
    assert found(tmp_path, survey=survey) == set()
    assert survey.unreadable == {os.fsencode(tmp_path): "Permission denied"}


@pytest.mark.parametrize("subagents", [False, True])
def test_the_place_of_a_path_says_what_a_scan_would(tmp_path: Path, subagents: bool) -> None:
    everything = [
        f"{ONE}.jsonl",
        f"-p/{ONE}.jsonl",
        "-p/notes.jsonl",
        "-p/agent-a1.jsonl",
        f"-p/{ONE}/subagents/agent-b2.jsonl",
        f"-p/{ONE}/other/agent-c3.jsonl",
        "-p/none/subagents/agent-d4.jsonl",
        f"-p/deep/{TWO}.jsonl",
    ]
    placed = set()
    for name in everything:
        path = touch(tmp_path / name)
        place = scan.place(os.fsencode(tmp_path), os.fsencode(path), subagents=subagents)
        if place:
            placed.add((name, *place))

    assert placed == found(tmp_path, subagents=subagents)
    assert scan.place(os.fsencode(tmp_path / "-p"), os.fsencode(tmp_path / f"-px/y/{ONE}.jsonl")) is None


@pytest.mark.parametrize(
    ("path", "plain", "with_agents"),
    [
        (b"/r", None, None),
        (b"/r/-p", b"/r/-p", b"/r/-p"),
        (b"/r/-p/notes", None, None),
        (b"/r/-p/" + ONE.encode(), None, b"/r/-p"),
        (b"/r/-p/" + ONE.encode() + b"/subagents", None, b"/r/-p"),
        (b"/r/-p/" + ONE.encode() + b"/subagents/deeper", None, None),
        (b"/r/-p/" + ONE.encode() + b"/tool-results", None, None),
        (b"/rest/-p", None, None),
    ],
)
def test_a_new_folder_is_looked_through_where_transcripts_can_be_in_it(
    path: bytes, plain: bytes | None, with_agents: bytes | None
) -> None:
    assert scan.project_of(b"/r", path) == plain
    assert scan.project_of(b"/r/", path, subagents=True) == with_agents


def test_a_transcript_whose_name_is_no_session_is_counted(tmp_path: Path) -> None:
    folder = tmp_path / "-home-dev-app"
    folder.mkdir()
    (folder / "renamed.jsonl").write_text("{}\n")
    (folder / "notes.txt").write_text("")
    survey = Survey()

    assert list(scan.transcripts(os.fsencode(tmp_path), survey)) == []
    assert survey.ignored == 1
