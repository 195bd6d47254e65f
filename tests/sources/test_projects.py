"""A repository is one project, from wherever in it; a folder that is none is its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memd.sources.projects import current_branch, identify


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    top = tmp_path / "myproject"
    (top / "src").mkdir(parents=True)
    git(top, "init")
    git(top, "commit", "--allow-empty", "-m", "first")
    git(top, "worktree", "add", "../zurich", "-b", "feature")
    (tmp_path / "zurich" / "src").mkdir()
    return top


@pytest.mark.parametrize("place", ["myproject", "myproject/src", "zurich", "zurich/src"])
def test_every_place_of_a_repository_is_one_project(repository: Path, place: str) -> None:
    project = identify(str(repository.parent / place))

    assert (project.name, project.path, project.origin) == ("myproject", str(repository), "git")


def test_the_branch_is_that_of_the_worktree(repository: Path) -> None:
    assert current_branch(str(repository)) == "main"
    assert current_branch(str(repository.parent / "zurich" / "src")) == "feature"


def test_a_folder_of_the_same_name_stays_apart(repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere" / "myproject"
    other.mkdir(parents=True)

    assert identify(str(other)).path == str(other)
    assert identify(str(other)).origin == "cwd"


@pytest.mark.parametrize(
    ("cwd", "name"),
    [
        ("/no/such/folder", "folder"),
        ("C:\\Work\\tide-chart", "tide-chart"),
        ("relative/one", "one"),
        ("/", "/"),
        ("nul\0here", "nul\0here"),
        ("", ""),
        ("/" + "deep/" * 2000, "deep"),
    ],
)
def test_no_path_is_too_odd_to_be_a_project(cwd: str, name: str) -> None:
    assert identify(cwd).name == name
    assert current_branch(cwd) is None
