"""Slugs: made as Claude Code makes them, and traced back to the folders they stand for."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.sources.slugs import fits, munge_path, resolve_slug

NESTED = "/home/dev/" + "/".join(["deep-nested-dir"] * 14)
LONG_SIBLING = NESTED.removesuffix("dir") + "dis"


@pytest.mark.parametrize(
    ("path", "slug"),
    [
        ("/home/w/mait.code", "-home-w-mait-code"),
        ("/srv/naïve_app/😀x", "-srv-na-ve-app---x"),  # two code units, two dashes
        ("/" + "a" * 199, "-" + "a" * 199),  # 200 are not too long
    ],
)
def test_a_slug_has_a_dash_for_each_code_unit_that_is_no_letter_or_digit(path: str, slug: str) -> None:
    """MC34"""
    assert munge_path(path) == slug


@pytest.mark.parametrize(
    ("path", "end"),
    [
        (NESTED, "sted-di-29xvte"),
        (LONG_SIBLING, "-29xvtf"),
        ("/" + "a" * 200, "-b6ymvl"),
    ],
)
def test_the_slug_of_a_long_path_ends_with_its_hash(path: str, end: str) -> None:
    slug = munge_path(path)

    assert slug.endswith(end)
    assert len(slug) == 207


def folder(root: Path, *names: str) -> Path:
    path = root.joinpath(*names)
    path.mkdir(parents=True)
    return path


@pytest.mark.parametrize("name", ["mait.code", "mait_code", "mait-code"])
def test_a_slug_stands_for_the_folder_that_is_there(tmp_path: Path, name: str) -> None:
    path = folder(tmp_path, "home", "w", name)

    assert resolve_slug("-home-w-mait-code", tmp_path) == path


def test_a_way_that_leads_nowhere_is_gone_back(tmp_path: Path) -> None:
    folder(tmp_path, "home", "a", "b")
    path = folder(tmp_path, "home", "a-b", "c")

    assert resolve_slug("-home-a-b-c", tmp_path) == path


def test_of_two_folders_the_repository_is_meant_else_the_first_by_name(tmp_path: Path) -> None:
    """W31"""
    first, second = folder(tmp_path, "a.b"), folder(tmp_path, "a_b")
    assert resolve_slug("-a-b", tmp_path) == first

    (second / ".git").mkdir()

    assert resolve_slug("-a-b", tmp_path) == second


@pytest.mark.parametrize("slug", ["", "-", "home-w", "-no-such-folder"])
def test_a_slug_that_fits_nothing_stands_for_nothing(tmp_path: Path, slug: str) -> None:
    folder(tmp_path, "home", "w")

    assert resolve_slug(slug, tmp_path) is None


def test_links_are_no_folders_of_a_path(tmp_path: Path) -> None:
    folder(tmp_path, "real", "app")
    (tmp_path / "link").symlink_to(tmp_path / "real")

    assert resolve_slug("-link-app", tmp_path) is None


def test_a_long_slug_stands_for_the_folder_with_its_hash(tmp_path: Path) -> None:
    """W31"""
    folder(tmp_path, *LONG_SIBLING.strip("/").split("/"))
    path = folder(tmp_path, *NESTED.strip("/").split("/"))

    assert resolve_slug(munge_path(NESTED), tmp_path) == path


def test_a_long_slug_of_another_versions_hash_stands_for_a_repository_that_begins_like_it(
    tmp_path: Path,
) -> None:
    path = folder(tmp_path, *NESTED.strip("/").split("/"))
    (path / ".git").mkdir()

    assert resolve_slug(munge_path(NESTED)[:200] + "-abc123", tmp_path) == path
    assert resolve_slug(munge_path(NESTED)[:200] + "-ABC", tmp_path) is None


@pytest.mark.parametrize(
    ("slug", "path", "fit"),
    [
        ("-home-w", "/home/w", True),
        ("-home-w", "/home/w/x", False),
        (munge_path(NESTED), NESTED, True),
        (munge_path(NESTED)[:200] + "-zzz", NESTED, True),
        (munge_path(NESTED)[:200], NESTED, False),
    ],
)
def test_a_slug_fits_the_paths_it_may_stand_for(slug: str, path: str, fit: bool) -> None:
    assert fits(slug, path) is fit
