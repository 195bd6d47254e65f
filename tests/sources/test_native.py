"""Claude Code's own memory files, listed as they lie in a projects folder."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from memd.sources import native
from memd.sources.native import ProjectMemory
from memd.sources.scan import Survey


def note(root: Path, slug: str, name: str, text: str = "a note\n") -> Path:
    path = root / slug / "memory" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def listed(root: Path, **paths: str) -> list[ProjectMemory]:
    return native.listing(os.fsencode(root), lambda home: paths.get(os.path.basename(home).decode()))


def test_files_are_listed_by_project_the_index_first_and_the_rest_by_name(tmp_path: Path) -> None:
    """MC33"""
    for name in ("zeta.md", "Alpha.md", "MEMORY.md", "deep/er/beta.md", "notes.txt"):
        note(tmp_path, "-home-w-app", name)

    (project,) = listed(tmp_path)

    assert [file.name for file in project.files] == ["MEMORY.md", "Alpha.md", "deep/er/beta.md", "zeta.md"]
    assert project.folder == str(tmp_path / "-home-w-app" / "memory")
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", file.modified) for file in project.files)


def test_projects_are_listed_by_label_and_those_of_an_unknown_path_by_slug(tmp_path: Path) -> None:
    for slug in ("x", "y", "-Mid"):
        note(tmp_path, slug, "MEMORY.md")

    found = listed(tmp_path, x="/srv/zoo", y="/srv/Bar")

    assert [(project.label, project.path) for project in found] == [
        ("-Mid", None),
        ("Bar", "/srv/Bar"),
        ("zoo", "/srv/zoo"),
    ]


def test_projects_without_memory_files_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "empty" / "memory").mkdir(parents=True)
    (tmp_path / "none").mkdir()
    note(tmp_path, "other", "notes.txt")

    assert listed(tmp_path) == []
    assert listed(tmp_path / "no-such-folder") == []


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    note(outside, "app", "MEMORY.md")
    root = tmp_path / "projects"
    root.mkdir()
    (root / "slug").symlink_to(outside / "app")
    (root / "other").mkdir()
    (root / "other" / "memory").symlink_to(outside / "app" / "memory")
    inside = note(root, "real", "MEMORY.md")
    inside.with_name("link.md").symlink_to(outside / "app" / "memory" / "MEMORY.md")

    assert [(one.slug, [file.name for file in one.files]) for one in listed(root)] == [
        ("real", ["MEMORY.md"])
    ]


def test_a_folder_that_cannot_be_read_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = os.fsencode(note(tmp_path, "app", "sub/MEMORY.md").parent)
    survey = Survey()
    real = os.scandir

    def failing(folder: bytes) -> object:
        if folder == path:
            raise PermissionError(13, "Permission denied")
        return real(folder)

    monkeypatch.setattr(os, "scandir", failing)
    found = list(native.in_folder(os.path.dirname(path), survey))

    assert (found, survey.unreadable) == ([], {path: "Permission denied"})


def test_a_path_in_a_memory_folder_is_known_by_its_place() -> None:
    root = b"/p"

    assert native.place(root, b"/p/slug/memory/a/b.md") == b"/p/slug/memory"
    assert native.place(root, b"/p/slug/memory") == b"/p/slug/memory"
    assert native.place(root, b"/p/slug/other/b.md") is None
    assert native.place(root, b"/elsewhere/slug/memory") is None
