"""Curated memory through the real programs: a morning with it, and what hangs together over all rooms."""

from __future__ import annotations

import json

from tests.process.conftest import Box


def listed(box: Box, *more: str) -> list[str]:
    return [one["content"] for one in box.ask("list", "--in", "entries", *more)["entries"]]


def test_a_morning_with_it(box: Box) -> None:
    """MC12 to MC14, W8, W9: remembered, contradicted, superseded, found, undone."""
    box.start()

    first = box.ask("remember", "The API runs on port 8080")
    again = box.ask("remember", "--importance", "9", "The API runs on port 8080.")
    second = box.ask("remember", "The API runs on port 8081")
    assert (first["action"], again["action"], second["action"]) == ("created", "deduplicated", "created")
    assert [one["id"] for one in second["potential_conflicts"]] == [first["id"]]

    told = box.ask("supersede", str(first["id"]), "The API runs on port 8081")
    assert (told["action"], told["old_id"], told["id"]) == ("superseded", first["id"], second["id"])
    assert listed(box) == box.found("which port does the API run on") == ["The API runs on port 8081"]
    shown = box.ask("show", str(second["id"]))
    assert [one["id"] for one in shown["supersedes"]] == [first["id"]]
    assert box.ctl("supersede", str(first["id"]), "x").returncode == 1
    assert box.ctl("retire", str(first["id"])).returncode == 0

    box.ask("undo")
    assert sorted(listed(box)) == ["The API runs on port 8080", "The API runs on port 8081"]
    box.ask("undo", str(again["change"]))
    assert box.ask("show", "1")["entry"]["importance"] == 5
    assert box.ask("verify")["ok"] is True


def test_three_near_duplicates_become_one_and_come_back(box: Box) -> None:
    """MC14, W9: an undo brings all three back, and what derives from them."""
    box.start()
    texts = ["Reviews take two people", "Reviews take three people", "Reviews take four people"]
    ids = [str(box.ask("remember", text)["id"]) for text in texts]

    merged = box.ask("merge", *ids, "--into", "Reviews take two to four people")
    assert listed(box) == ["Reviews take two to four people"]
    assert box.found("reviews") == ["Reviews take two to four people"]

    box.ask("undo", str(merged["change"]))
    assert sorted(box.found("reviews")) == sorted(texts)
    assert sorted(listed(box)) == sorted(texts)
    assert box.ask("remember", "Reviews take three people.")["id"] == int(ids[1])


def test_what_is_remembered_belongs_where_it_was_said(box: Box) -> None:
    """R12 too: no secret is stored."""
    repository = box.root / "app"
    (repository / ".git").mkdir(parents=True)
    (repository / ".git" / "HEAD").write_text("ref: refs/heads/topic\n")
    box.start()

    def remember(*words: str) -> dict[str, object]:
        answer: dict[str, object] = json.loads(box.ctl("remember", "--json", *words, cwd=repository).stdout)
        return answer

    bound = remember("--scope", "branch", "It is half done")
    plain = remember("Deploys need DB_PASSWORD=hunter2-Xy81kq7 set")

    assert (bound["scope"], bound["branch"], bound["project"]) == ("branch", "topic", str(repository))
    assert (plain["scope"], plain["branch"]) == ("project", None)
    assert plain["redacted"] == {"password": 1}
    assert "hunter2" not in str(box.ask("show", "2")) + box.log()
    assert listed(box, "--project", "app") == ["Deploys need DB_PASSWORD=[REDACTED:password] set"]
    assert len(listed(box, "--project", "app", "--branch", "topic")) == 2


def test_an_entry_is_stored_without_a_model(box: Box) -> None:
    """MC02, MC03: what has no vector yet is stored, and compared by its letters."""
    box.env["MEMD_EMBEDDER"] = "none"
    box.start()

    assert box.ask("remember", "Deploys go out on Tuesdays")["action"] == "created"
    assert box.ask("remember", "Deploys go out on Tuesdays!")["action"] == "deduplicated"
    assert listed(box) == ["Deploys go out on Tuesdays"]


def test_a_forgotten_entry_is_in_no_file_and_comes_back_by_hand_alone(box: Box) -> None:
    box.start()
    box.ask("remember", "the quokka eats zibeline")
    box.ask("remember", "the quokka eats marzipan")
    box.ask("delete", "2")
    box.ask("remember", "an ordinary day")
    assert box.ctl("backup", str(box.home / "data" / "backups" / "memd-20260101T000000Z.db")).returncode == 0

    seen = box.ask("forget", "--match", "QUOKKA", "--all-projects", "--dry-run")
    assert (seen["turns"], seen["entries"], seen["undoable_entries"], len(seen["copies"])) == (0, 1, 1, 1)
    assert box.ask("forget", "3", "--yes")["entries"] == 1
    refused = box.ctl("undo")
    assert refused.returncode == 1
    assert "the last change was a forgetting (forget 1 entries), which nothing takes back" in refused.stderr
    assert [(one["what"], one["final"]) for one in box.ask("undo", "--list")["changes"]] == [
        ("forget 1 entries", True),
        ("delete 2", False),
        ("remember 2", False),
        ("remember 1", False),
    ]
    gone = box.ask("forget", "--match", "QUOKKA", "--all-projects", "--backups", "--yes")
    assert (gone["entries"], len(gone["rewritten"])) == (1, 1)

    held = b"\0".join(path.read_bytes() for path in box.home.rglob("*") if path.is_file())
    assert not [word for word in (b"quokka", b"zibeline", b"marzipan", b"ordinary") if word in held]
    assert box.ctl("undo", "1").returncode == 1
    assert box.ask("remember", "an ordinary day")["action"] == "created"
    assert box.stop() == 0
    box.start()
    assert listed(box) == ["an ordinary day"]
    assert box.ask("verify")["ok"] is True
