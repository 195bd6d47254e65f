"""Which working directories an excluded folder covers."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.sources import exclusions
from memd.sources.exclusions import Exclusions


def nobody(cwd: str) -> str | None:
    return None


@pytest.mark.parametrize(
    ("folder", "cwd", "covered"),
    [
        ("/clients", "/clients", True),
        ("/clients/", "/clients/acme/src", True),
        ("/clients", "/clients-old", False),
        ("/clients/acme", "/clients", False),
        ("/a/../clients", "/clients/x", True),
        ("/", "/anything", True),
    ],
)
def test_a_folder_covers_itself_and_what_is_below(folder: str, cwd: str, covered: bool) -> None:
    assert Exclusions([folder], nobody).cover(cwd) is covered


def test_a_tilde_is_the_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/dev")

    assert Exclusions(["~/notes"], nobody).cover("/home/dev/notes/x")
    assert Exclusions(["/a", "~/notes"], nobody).covering("/home/dev/notes/x") == "~/notes"


def test_a_link_covers_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    covering = Exclusions([str(tmp_path / "link")], nobody)

    assert covering.cover(str(tmp_path / "real" / "x"))
    assert covering.cover(str(tmp_path / "link"))


def test_a_folder_is_covered_by_whatever_path_a_session_came_to_it(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    covering = Exclusions([str(tmp_path / "real")], nobody)

    assert covering.cover(str(tmp_path / "link"))
    assert covering.cover(f"{tmp_path}//real/")
    assert not covering.cover("/\0") and not covering.cover("/\ud800")


def test_a_worktree_elsewhere_is_covered_with_its_repository(tmp_path: Path) -> None:
    main, worktree = tmp_path / "clients" / "acme", tmp_path / "worktrees" / "one"
    inner = main / ".git" / "worktrees" / "one"
    inner.mkdir(parents=True)
    (main / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (inner / "HEAD").write_text("ref: refs/heads/one\n")
    (inner / "commondir").write_text("../..\n")
    worktree.mkdir(parents=True)
    (worktree / ".git").write_text(f"gitdir: {inner}\n")

    assert Exclusions([str(tmp_path / "clients")], nobody).cover(str(worktree))


def test_a_worktree_that_is_gone_is_covered_by_what_the_store_remembers() -> None:
    covering = Exclusions(["/clients"], {"/worktrees/one": "/clients/acme"}.get)

    assert covering.cover("/worktrees/one")
    assert not covering.cover("/worktrees/two")


def test_other_folders_count_at_once() -> None:
    covering = Exclusions(["/a"], nobody)
    assert covering.cover("/a/x")

    covering.replace(["/b"])

    assert not covering.cover("/a/x")
    assert covering.cover("/b/x")
    assert covering.folders == ("/b",)


def test_where_nothing_is_excluded_nothing_is_looked_up() -> None:
    def asked(cwd: str) -> str | None:
        raise AssertionError

    assert not Exclusions([], asked).cover("/a")
    assert exclusions.places("/a") == {"/a"}
