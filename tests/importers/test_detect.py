"""What a file is shows in what it holds (LS26)."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import IO

import pytest

from memd.errors import HistoryImportError
from memd.importers import detect, zstd
from tests.importers.exports import codex
from tests.importers.test_formats import EXPORTS, gathered, said


@pytest.mark.parametrize("name", EXPORTS)
def test_each_format_is_known_again_under_a_name_of_another(name: str, tmp_path: Path) -> None:
    for number, other in enumerate(
        ("conversations.json", "rollout-1.jsonl", "session-1.json", "opencode.db", "x.zip")
    ):
        folder = tmp_path / str(number)
        folder.mkdir()

        into, _ = gathered(EXPORTS[name]().file(folder, other))

        assert into.format == EXPORTS[name]().format


def test_a_file_of_two_formats_says_so(tmp_path: Path) -> None:
    talk = {"mapping": {}, "id": "c"}
    (tmp_path / "file").write_text(json.dumps([talk, {"memory": "likes tea"}]))

    with pytest.raises(HistoryImportError, match="of chatgpt and of mem0: name one of them with --format"):
        gathered(tmp_path / "file")


def test_plain_messages_are_what_nothing_else_is(tmp_path: Path) -> None:
    records = [{"role": "user", "content": "hi"}]
    (tmp_path / "file").write_text("\n".join(map(json.dumps, records)))
    assert gathered(tmp_path / "file")[0].format == "jsonl"

    (tmp_path / "file").write_text("\n".join(map(json.dumps, [codex.meta(instructions=None), *records])))
    assert gathered(tmp_path / "file")[0].format == "codex"


@pytest.mark.parametrize(
    "record",
    [
        {"id": "7", "type": "error", "content": "disk full", "timestamp": "2026-01-01T00:00:00Z"},
        {"type": "result", "result": "done"},
        {"type": "mode", "value": 1},
        {"results": [{"name": "x"}]},
        {"session_id": "s", "ts": 1, "text": "what was typed"},
        {"role": "user", "parts": [{"text": "hi"}]},
    ],
)
def test_lines_of_other_programs_are_nobodys(record: dict[str, object], tmp_path: Path) -> None:
    (tmp_path / "file").write_text(json.dumps(record))

    with pytest.raises(HistoryImportError, match="holds no history"):
        gathered(tmp_path / "file")


def test_a_format_that_was_asked_for_is_the_only_one_named(tmp_path: Path) -> None:
    codex.export().file(tmp_path)
    (tmp_path / "second").mkdir()

    with pytest.raises(HistoryImportError, match=r"holds no history of the format mem0$"):
        gathered(tmp_path, format_="mem0")
    with pytest.raises(HistoryImportError, match=r"that memd knows \(claude-code, .*\)$"):
        gathered(tmp_path / "second")


def test_memds_own_export_which_no_flag_names_is_not_told_as_a_format(tmp_path: Path) -> None:
    with pytest.raises(HistoryImportError) as caught:
        gathered(tmp_path)

    assert f"({', '.join(detect.TOLD)})" in str(caught.value)
    assert set(detect.NAMES) - set(detect.TOLD) == {"memd"}


def test_a_link_where_history_was_looked_for_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(codex.rollout().lines[0])
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "rollout.jsonl").symlink_to(tmp_path / "outside")

    with pytest.raises(
        HistoryImportError, match=r"; \S+/folder/rollout.jsonl is a link, which is not followed$"
    ):
        gathered(folder)


def test_a_special_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(HistoryImportError, match="no regular file"):
        gathered(tmp_path / "pipe")


class Library(ModuleType):
    """As much of the library as is used; it packs nothing."""

    class ZstdDecompressor:
        def stream_reader(self, file: IO[bytes], read_across_frames: bool) -> IO[bytes]:
            assert read_across_frames and file.read(4) == zstd.MAGIC
            return file


def test_what_zstd_packed_is_unpacked_where_that_can_be_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "zstandard", Library("zstandard"))
    (tmp_path / "rollout.jsonl.zst").write_bytes(zstd.MAGIC + b"\n".join(codex.rollout().lines))

    into, sessions = gathered(tmp_path / "rollout.jsonl.zst")

    assert into.format == "codex"
    assert len(said(sessions)) == len(codex.export().turns)


def test_without_a_library_for_zstd_one_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("compression.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "rollout.jsonl.zst").write_bytes(zstd.MAGIC + b"...")

    with pytest.raises(HistoryImportError) as caught:
        gathered(tmp_path / "rollout.jsonl.zst")

    assert "memd[zstd]" in str(caught.value) and str(tmp_path) in str(caught.value)


def test_damaged_packing_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "zstandard", Library("zstandard"))
    monkeypatch.setattr(Library.ZstdDecompressor, "stream_reader", lambda *_, **__: Broken())
    (tmp_path / "a.zst").write_bytes(zstd.MAGIC)

    with pytest.raises(HistoryImportError, match="its packing is damaged or cut off: bad block"):
        gathered(tmp_path / "a.zst")


class Broken:
    def read(self, size: int) -> bytes:
        raise RuntimeError("bad block")
