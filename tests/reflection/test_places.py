"""Where the curated files lie, and what a project may not make of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.reflection.memory_md import Conflict
from memd.reflection.places import EVERYWHERE, Places


def test_unless_it_is_turned_on_there_is_one_file_for_all(tmp_path: Path) -> None:
    places = Places(tmp_path / "MEMORY.md")

    assert places.file_of("/home/dev/app") == places.file_of(None) == EVERYWHERE
    assert places.path(EVERYWHERE) == places.to_write(EVERYWHERE) == tmp_path / "MEMORY.md"
    with pytest.raises(Conflict, match=r"memory\.project_files is none"):
        places.path("/home/dev/app")


def test_what_is_about_all_goes_into_the_file_for_all(tmp_path: Path) -> None:
    assert Places(tmp_path / "MEMORY.md", "data").file_of(None) == EVERYWHERE
    assert Places(tmp_path / "MEMORY.md", "project").file_of(None) == EVERYWHERE


@pytest.mark.parametrize(
    ("project", "begins"),
    [
        ("/home/dev/app", "app-"),
        ("/home/dev/my app", "my-app-"),
        ("/home/dev/..hidden", "hidden-"),
        ("/", "project-"),
        ("/home/dev/日本", "日本-"),
        ("/home/dev/" + "x" * 200, "x" * 60 + "-"),
    ],
)
def test_in_the_data_folder_each_project_has_a_folder_that_is_its_alone(
    tmp_path: Path, project: str, begins: str
) -> None:
    places = Places(tmp_path / "MEMORY.md", "data")
    path = places.path(places.file_of(project))

    assert path.parent.parent == tmp_path / "projects"
    assert path.parent.name.startswith(begins) and path.name == "MEMORY.md"
    assert places.path(project) == places.to_write(project)
    assert places.path("/elsewhere" + project) != path


def test_in_the_project_it_lies_at_its_top(tmp_path: Path) -> None:
    places, app = Places(tmp_path / "MEMORY.md", "project"), tmp_path / "app"
    assert places.path(str(app)) == app / "MEMORY.md"
    with pytest.raises(Conflict, match="no folder now"):
        places.to_write(str(app))

    app.mkdir()

    assert places.to_write(str(app)) == app / "MEMORY.md"


def test_a_project_that_is_known_by_name_alone_has_it_in_the_data_folder(tmp_path: Path) -> None:
    places = Places(tmp_path / "MEMORY.md", "project")

    assert places.to_write("app").parent.parent == tmp_path / "projects"


@pytest.mark.parametrize("target", ["../secret", "/etc/passwd", "../app-2/MEMORY.md", ".."])
def test_a_link_that_leads_out_of_the_project_is_not_followed(tmp_path: Path, target: str) -> None:
    app = tmp_path / "app"
    app.mkdir()
    (app / "MEMORY.md").symlink_to(target)

    for ask in (Places.path, Places.to_write):
        with pytest.raises(Conflict, match="leads out of its project"):
            ask(Places(tmp_path / "MEMORY.md", "project"), str(app))


def test_a_link_within_the_project_is(tmp_path: Path) -> None:
    app = tmp_path / "app"
    (app / "docs").mkdir(parents=True)
    (app / "MEMORY.md").symlink_to("docs/memory.md")

    assert Places(tmp_path / "MEMORY.md", "project").to_write(str(app)) == app / "MEMORY.md"
