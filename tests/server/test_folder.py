"""Folders are ours alone, or refused."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from memd.errors import CannotCreate, ConfigError, Fatal, NotOurs
from memd.server.folder import private_folder

NOBODY = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make another user's folder")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("umask", [0, 0o022, 0o077])
def test_missing_folders_are_made_for_the_owner_alone(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        private_folder(tmp_path / "a" / "b" / "c")
    finally:
        os.umask(before)

    assert [mode(tmp_path / part) for part in ("a", "a/b", "a/b/c")] == [0o700] * 3


def test_a_loose_folder_is_tightened_and_those_above_are_left(tmp_path: Path) -> None:
    folder = tmp_path / "above" / "loose"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    folder.parent.chmod(0o755)

    private_folder(folder)

    assert (mode(folder), mode(folder.parent)) == (0o700, 0o755)


def make_link(path: Path) -> None:
    path.parent.joinpath("target").mkdir()
    path.symlink_to("target")


def make_dangling_link(path: Path) -> None:
    path.symlink_to("nowhere")


def make_file(path: Path) -> None:
    path.write_text("keep")


def make_shared(path: Path) -> None:
    path.mkdir()
    path.chmod(0o1777)


def make_foreign(path: Path) -> None:
    path.mkdir()
    os.chown(path, NOBODY, NOBODY)


@pytest.mark.parametrize(
    ("make", "refusal"),
    [
        (make_link, NotOurs),
        (make_dangling_link, NotOurs),
        (make_file, CannotCreate),
        (make_shared, ConfigError),
        pytest.param(make_foreign, NotOurs, marks=as_root),
    ],
)
def test_what_is_no_folder_of_ours_is_refused(tmp_path: Path, make: object, refusal: type[Fatal]) -> None:
    assert callable(make)
    make(tmp_path / "run")

    with pytest.raises(refusal, match="run"):
        private_folder(tmp_path / "run")


def test_the_users_home_is_not_tightened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o755)
    monkeypatch.setenv("HOME", str(home))

    with pytest.raises(ConfigError):
        private_folder(home)

    assert mode(home) == 0o755


@as_root
def test_a_folder_below_another_users_is_refused(tmp_path: Path) -> None:
    make_foreign(tmp_path / "theirs")

    with pytest.raises(NotOurs, match="theirs"):
        private_folder(tmp_path / "theirs" / "run")


def test_a_folder_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    make_file(tmp_path / "file")

    with pytest.raises(CannotCreate, match="file/run"):
        private_folder(tmp_path / "file" / "run")
