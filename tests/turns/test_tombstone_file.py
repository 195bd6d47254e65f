"""The file of tombstones: it keeps what it was given, whatever happened to its end."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from memd.errors import Degraded
from memd.turns import tombstone_file

ONE, TWO, THREE = (bytes([n]) * 16 for n in (1, 2, 3))


def test_what_was_added_is_read_and_only_its_owner_may(tmp_path: Path) -> None:
    path = tombstone_file.beside(tmp_path / "memd.db")
    assert tombstone_file.read(path) == set()

    tombstone_file.add(path, [ONE, TWO])
    tombstone_file.add(path, [THREE])

    assert tombstone_file.read(path) == {ONE, TWO, THREE}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_tombstone_cut_short_costs_no_other(tmp_path: Path) -> None:
    path = tmp_path / "forgotten"
    path.write_bytes(ONE + TWO[:5])

    assert tombstone_file.read(path) == {ONE}
    tombstone_file.add(path, [THREE])

    assert tombstone_file.read(path) == {ONE, THREE}


def test_a_file_that_cannot_be_written_or_read_is_told(tmp_path: Path) -> None:
    path = tmp_path / "forgotten"
    path.mkdir()

    with pytest.raises(Degraded, match="keeps from coming back what was forgotten"):
        tombstone_file.add(path, [ONE])
    with pytest.raises(Degraded, match="cannot be read"):
        tombstone_file.read(path)
