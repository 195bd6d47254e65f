"""A repository is one project, from wherever in it; a folder that is none is its own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memd.sources.projects import branch_scope, current_branch, identify


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


def test_a_worktree_is_of_its_repository_by_whatever_link_it_is_reached(
    repository: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "zurich")

    assert identify(str(tmp_path / "link" / "src")).path == str(repository)


def test_a_submodule_is_a_project_of_its_own_wherever_it_is_checked_out(
    repository: Path, tmp_path: Path
) -> None:
    part = tmp_path / "part"
    part.mkdir()
    git(part, "init")
    git(part, "commit", "--allow-empty", "-m", "first")
    git(repository, "-c", "protocol.file.allow=always", "submodule", "add", str(part), "sub")
    git(repository / "sub", "worktree", "add", str(tmp_path / "sub-two"), "-b", "two")

    assert identify(str(repository / "sub")).path == str(repository / "sub")
    assert identify(str(tmp_path / "sub-two")).path == str(repository / "sub")


@pytest.mark.parametrize(("bare", "name"), [("tool/.bare", "tool"), ("tool.git", "tool")])
def test_the_worktrees_of_a_bare_repository_are_one_project(
    repository: Path, tmp_path: Path, bare: str, name: str
) -> None:
    (tmp_path / bare).parent.mkdir(exist_ok=True)
    git(tmp_path, "clone", "--bare", str(repository), bare)
    git(tmp_path / bare, "worktree", "add", str(tmp_path / "one"), "-b", "one")
    git(tmp_path / bare, "worktree", "add", str(tmp_path / "two"), "-b", "two")

    one, two = identify(str(tmp_path / "one")), identify(str(tmp_path / "two"))

    assert one == two
    assert (one.name, one.origin) == (name, "git")


def test_a_folder_that_is_gone_is_no_part_of_what_lies_above_it(repository: Path) -> None:
    gone = identify(str(repository / "gone"))

    assert (gone.name, gone.origin) == ("gone", "cwd")


def test_two_clones_of_a_repository_are_two_projects_of_one_name(repository: Path, tmp_path: Path) -> None:
    """W23"""
    git(tmp_path, "clone", str(repository), str(tmp_path / "other" / "myproject"))

    one, two = identify(str(repository / "src")), identify(str(tmp_path / "other" / "myproject"))

    assert one.name == two.name == "myproject"
    assert one.path != two.path


def test_a_worktree_that_claude_code_made_is_of_its_repository_also_when_it_is_gone(repository: Path) -> None:
    """W23"""
    git(repository, "worktree", "add", ".claude/worktrees/zen", "-b", "zen")
    tree = repository / ".claude" / "worktrees" / "zen"
    assert identify(str(tree)).path == str(repository)

    git(repository, "worktree", "remove", str(tree))

    assert identify(str(tree / "src")).path == str(repository)
    assert identify("/gone/app/.claude/worktrees/zen").path == "/gone/app"


def test_no_branch_is_checked_out_at_a_detached_head(repository: Path) -> None:
    git(repository, "checkout", "--detach")

    assert current_branch(str(repository)) is None


@pytest.mark.parametrize(
    ("checkout", "branch"),
    [
        (["-b", "topic/one"], "topic/one"),
        (["-b", "master"], None),  # the trunk's memory is the project's
        (["main"], None),
        (["--detach"], None),
    ],
)
def test_a_branch_that_is_no_trunk_has_a_memory_of_its_own(
    repository: Path, checkout: list[str], branch: str | None
) -> None:
    """MC35"""
    git(repository, "checkout", *checkout)

    assert branch_scope(str(repository / "src")) == branch


def test_no_branch_is_meant_outside_of_git(tmp_path: Path) -> None:
    assert branch_scope(str(tmp_path)) is None
    assert branch_scope("/no/such/folder") is None


@pytest.mark.parametrize(
    "pointer", [b"", b"gitdir: /no/such", b"gitdir: .", b"\xff\xfe", b"gitdir: a\0b", b"x" * 9000]
)
def test_a_broken_git_file_makes_no_repository(tmp_path: Path, pointer: bytes) -> None:
    (tmp_path / ".git").write_bytes(pointer)

    assert identify(str(tmp_path)).origin == "cwd"
    assert current_branch(str(tmp_path)) is None


def test_pipes_and_loops_in_the_place_of_git_files_are_passed_over(tmp_path: Path) -> None:
    for name, files in {"a": (".git",), "b": (".git/HEAD",), "c": (".git/commondir",)}.items():
        for file in files:
            place = tmp_path / name / file
            place.parent.mkdir(parents=True)
            os.mkfifo(place)
    (tmp_path / "c" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / ".git").symlink_to(".git")

    assert [identify(str(tmp_path / name)).origin for name in "abcd"] == ["cwd", "cwd", "git", "cwd"]
    assert [current_branch(str(tmp_path / name)) for name in "abcd"] == [None, None, "main", None]
