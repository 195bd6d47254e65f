"""All folders of a home are made private, and the first that cannot be stops it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.daemon.folders import make_private
from memd.errors import NotOurs


def test_all_folders_are_made_or_tightened(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir(mode=0o755)

    make_private([tmp_path / "data" / "backups", tmp_path / "run"])

    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")}
    assert modes == {"data": 0o700, "backups": 0o700, "run": 0o700}


def test_a_link_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "data").symlink_to("elsewhere")

    with pytest.raises(NotOurs):
        make_private([tmp_path / "data"])
