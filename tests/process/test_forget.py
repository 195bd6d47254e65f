"""Forgetting from outside: the words are in no file of the home, and nothing brings them back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.process.conftest import Box, until

WORDS = ("quokka", "zibeline", "marzipan")


def title(path: Path, said: str) -> None:
    with path.open("a") as file:
        file.write(json.dumps({"type": "ai-title", "aiTitle": said, "sessionId": path.stem}) + "\n")


def everywhere(box: Box) -> bytes:
    """Every byte of every file of the home, in small letters; the transcripts lie beside it."""
    return b"\0".join(path.read_bytes() for path in box.home.rglob("*") if path.is_file()).lower()


def test_forgotten_words_are_in_no_file_of_the_home_and_no_import_brings_them_back(box: Box) -> None:
    for n in range(300):
        box.write(f"turn {n} of an ordinary day", n % 3)
    box.write("the Quokka eats zibeline", 1)
    path = box.write("more about the quokka, marzipan this time", 1, role="assistant")
    title(path, "Quokka diet")
    whole = box.write("a session about marzipan alone", 7)
    title(whole, "Marzipan")
    box.start()
    box.settle("--embedded")
    assert len(box.found("quokka")) == 2
    held = everywhere(box)
    assert all(word.encode() in held for word in WORDS)

    refused = box.ctl("forget", "--match", "quokka", "--all-projects")
    assert refused.returncode == 2 and "--yes" in refused.stderr
    seen = box.ask("forget", "--match", "quokka", "--all-projects", "--dry-run")
    assert (seen["turns"], seen["sessions_total"], len(box.found("quokka"))) == (2, 1, 2)
    gone = box.ask("forget", "--match", "quokka", "--all-projects", "--yes")
    assert (gone["turns"], gone["compacted"]) == (2, True)
    assert box.ask("forget", "--session", whole.stem, "--yes")["turns"] == 1
    assert box.ctl("backup", str(box.home / "data" / "later.db")).returncode == 0

    assert [word for word in WORDS if word.encode() in everywhere(box)] == []
    assert box.ask("verify")["ok"] is True
    shutil.copytree(box.projects, box.root / "copy")
    report = box.ask("import", str(box.root / "copy"))
    assert (report["imported"], report["skipped"]["forgotten"]) == (0, 3)
    shutil.move(path, box.projects / "-elsewhere.jsonl")
    path.write_text((box.projects / "-elsewhere.jsonl").read_text())  # another inode: read from 0
    box.write("said since", 7)
    box.settle("--embedded")

    assert [word for word in WORDS if word.encode() in everywhere(box)] == []
    assert box.found("since") == ["said since"]
    assert box.ask("status")["counts"]["turns"] == 301
    box.stop()
    assert [word for word in WORDS if word.encode() in everywhere(box)] == []


def test_what_was_forgotten_stays_so_in_backups_and_in_a_database_brought_back_or_lost(box: Box) -> None:
    data = box.home / "data"
    (data / "backups").mkdir(parents=True)
    copy = data / "backups" / "memd-20260101T000000Z.db"
    box.write("the quokka", 1)
    box.write("other words", 2)
    box.start()
    box.settle()
    assert box.ctl("backup", str(copy)).returncode == 0
    shutil.copyfile(copy, box.root / "elsewhere.db")

    gone = box.ask("forget", "--match", "quokka", "--all-projects", "--yes")
    assert gone["copies"] == [str(copy)]
    assert b"quokka" in everywhere(box)
    assert box.ask("forget", "--backups", "--yes")["rewritten"] == [str(copy)]
    assert b"quokka" not in everywhere(box)

    for bring_back in (lambda: shutil.copyfile(box.root / "elsewhere.db", data / "memd.db"), lambda: None):
        box.stop()
        for name in ("memd.db", "memd.db-wal", "memd.db-shm"):
            (data / name).unlink(missing_ok=True)
        bring_back()
        box.start()
        box.settle()
        assert [turn["text"] for turn in box.export()] == ["other words"]
        assert until(lambda: b"quokka" not in everywhere(box)), box.log()


def test_projects_are_merged_and_taken_apart_again(box: Box) -> None:
    for n, name in enumerate(("one", "two")):
        path = box.write(f"said in {name}", n, slug=f"-{name}")
        path.write_text(path.read_text().replace("/home/dev/app", f"/home/dev/{name}"))
    box.start()
    box.settle()

    merged = box.ask("projects", "merge", "/home/dev/one", "two")
    assert (merged["project"], merged["sessions"]) == ("/home/dev/two", 1)
    assert box.ask("projects")["projects"][0]["aliases"] == ["/home/dev/one"]
    assert len(box.ask("search", "said", "--project", "one")["results"]) == 2
    assert box.ctl("projects", "merge", "one", "two").returncode == 1
    again = box.ask("undo")["change"]
    assert len(box.ask("search", "said", "--project", "one")["results"]) == 1
    box.ask("undo", str(again))
    assert [entry["undone_by"] for entry in box.ask("undo", "--list")["changes"]] == [None, again + 1, None]
    assert box.ask("forget", "--project", "one", "--yes")["turns"] == 2

    refused = box.ctl("undo")
    assert (refused.returncode, box.ask("status")["counts"]["turns"]) == (1, 0)


def test_an_excluded_project_is_passed_over_until_it_is_not(box: Box) -> None:
    private = box.root / "private"
    (private / ".git").mkdir(parents=True)
    (private / ".git" / "HEAD").write_text("ref: refs/heads/main\n")

    def say(text: str, number: int) -> None:
        path = box.write(text, number, slug="-private")
        path.write_text(path.read_text().replace("/home/dev/app", str(private)))

    say("the quokka", 1)
    box.write("public words", 2)
    box.start()
    box.settle()
    done = box.ask("exclude", str(private), "--drop", "--yes")
    assert (done["excluded"], done["forgotten"]["turns"]) == ([str(private)], 1)
    say("the zibeline", 3)
    box.settle()
    assert [turn["text"] for turn in box.export()] == ["public words"]
    assert box.ask("status")["counts"]["excluded_files"] == 1
    assert b"zibeline" not in everywhere(box)
    box.stop()
    box.start()
    box.settle()
    assert box.found("zibeline") == []

    assert box.ask("exclude", "--remove", str(private))["excluded"] == []
    box.settle()
    assert box.found("zibeline") == ["the zibeline"]
    assert box.found("quokka") == []
    assert box.ctl("exclude", "--remove", str(private)).returncode == 1


def test_where_the_marks_cannot_be_written_nothing_is_forgotten(box: Box) -> None:
    box.write("the quokka eats")
    box.start()
    box.settle()
    marks = box.home / "data" / "forgotten"
    marks.unlink(missing_ok=True)
    marks.symlink_to(box.home / "nowhere")

    refused = box.ctl("forget", "--match", "quokka", "--all-projects", "--yes")

    assert refused.returncode == 1 and str(marks) in refused.stderr
    assert len(box.found("quokka")) == 1


def test_a_name_that_is_no_folder_is_not_excluded(box: Box) -> None:
    box.start()

    for path, says in (("no-such-folder", "there is no folder"), ("/", "every project")):
        refused = box.ctl("exclude", path)
        assert refused.returncode == 1 and says in refused.stderr
    assert box.ask("exclude")["excluded"] == []
