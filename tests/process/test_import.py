"""Bringing history in from other programs, through memctl (LS26, LS27, LS29)."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import zipfile

import pytest

from tests.bench import importing
from tests.bench.process import peak_mb
from tests.importers.exports import chatgpt
from tests.process.conftest import Box, until


def test_an_export_as_it_was_downloaded_is_found_by_search(box: Box) -> None:
    made = chatgpt.export()
    made.file(box.root, "conversations.json")
    with zipfile.ZipFile(box.root / "export.zip", "w") as archive:
        archive.write(box.root / "conversations.json", "conversations.json")
    box.start()

    tried = box.ask("import", str(box.root / "export.zip"), "--dry-run")
    first = box.ask("import", str(box.root / "export.zip"))
    second = box.ask("import", str(box.root / "conversations.json"))

    assert tried["imported"] == first["imported"] == second["duplicates"] == len(made.turns)
    assert (tried["sessions"], second["imported"], first["format"]) == (4, 0, "chatgpt")
    assert box.found("quokka hat") == ["A quokka, \nwith a hat."]
    [session] = [one for one in box.ask("sessions")["sessions"] if one["id"] == "full"]
    assert (session["title"], session["turns"]) == ("A picture", 5)


def test_what_was_exported_comes_back_as_what_it_was(box: Box) -> None:
    box.write("the quokka sleeps")
    chatgpt.export().file(box.root, "chats")
    box.start()
    box.settle()
    box.ask("import", str(box.root / "chats"))
    (box.root / "all.jsonl").write_text(box.ctl("export").stdout)
    before = box.export()

    again = box.ask("import", str(box.root / "all.jsonl"))
    assert (again["format"], again["imported"], again["duplicates"]) == ("memd", 0, len(before))
    box.stop()
    box.env["MEMD_HOME"] = str(box.root / "other")
    box.env["MEMD_PROJECTS_DIR"] = str(box.root / "none")
    box.start()
    box.ask("import", str(box.root / "all.jsonl"))
    same = ("id", "uuid", "session_id", "role", "text", "created_at", "project", "branch")
    assert [[turn[name] for name in same] for turn in box.export()] == [
        [turn[name] for name in same] for turn in before
    ]


def test_what_cannot_be_imported_is_one_line_and_exit_code_1(box: Box) -> None:
    (box.root / "export.zip").write_bytes(b"PK\x03\x04 and no archive")
    box.start()

    done = box.ctl("import", str(box.root / "export.zip"))

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "broken archive" in done.stderr


def test_an_import_that_is_broken_off_goes_on_where_it_stood(box: Box) -> None:
    count = 12_000
    path = box.root / "lines"
    records = (
        {"role": "user", "content": f"word{n} " + "of the kiln " * 20, "id": str(n)} for n in range(count)
    )
    path.write_text("\n".join(map(json.dumps, records)))
    box.start()

    command = [sys.executable, "-m", "memctl", "import", str(path)]
    with subprocess.Popen(command, env=box.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert until(lambda: box.ask("status")["counts"]["turns"] > 0)
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=30)
    assert (child.returncode, b"turns are in for good" in said) == (130, True)

    report = box.ask("import", str(path))
    assert 0 < report["imported"] < count
    assert report["imported"] + report["duplicates"] == box.ask("status")["counts"]["turns"] == count


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel is asked what memory was used")
def test_a_large_export_is_imported_in_little_memory(box: Box) -> None:
    """LS29: see also tests/bench/importing.py"""
    importing.archive(box.root / "export.zip", 24 << 20)
    box.start()
    assert box.process

    report = box.ask("import", str(box.root / "export.zip"))

    assert report["imported"] > 10_000
    assert peak_mb(box.process.pid) < 150
