"""Which project a session of Gemini CLI is of: what the file above it says, where it is one path and no more."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memd.importers import project_root
from tests.importers.exports import gemini
from tests.importers.test_formats import gathered


def session(folder: Path, above: bytes | None) -> Path:
    path = folder / "kiln" / "chats" / "session-1.jsonl"
    path.parent.mkdir(parents=True)
    gemini.export().write(path)
    if above is not None:
        (folder / "kiln" / ".project_root").write_bytes(above)
    return path


def test_a_session_is_of_the_project_that_it_lies_under(tmp_path: Path) -> None:
    _, sessions = gathered(session(tmp_path, b"/home/dev/kiln\n"))

    assert {one.cwd for one in sessions} == {"/home/dev/kiln"}


@pytest.mark.parametrize("above", [None, b"", b"relative/path", b"/two\n/lines", b"/nul\0", b"x" * 100_000])
def test_what_is_no_path_says_nothing(above: bytes | None, tmp_path: Path) -> None:
    assert project_root.above(os.fsencode(session(tmp_path, above))) is None


def test_only_what_lies_in_chats_has_one_and_no_link_is_followed(tmp_path: Path) -> None:
    path = session(tmp_path, None)
    (tmp_path / "elsewhere").write_text("/home/dev/kiln")
    (path.parent.parent / ".project_root").symlink_to(tmp_path / "elsewhere")

    assert project_root.above(os.fsencode(path)) is None
    assert project_root.above(os.fsencode(tmp_path / "kiln" / "session-1.jsonl")) is None
