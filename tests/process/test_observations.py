"""Observation logs from their folder to what a person is shown, over a kill."""

from __future__ import annotations

import shutil

from tests.process.conftest import Box, until
from tests.sources.logs import log, record


def things(box: Box) -> dict[str, int]:
    return {row["name"]: row["mention_count"] for row in box.ask("entities", "--limit", "100")["entities"]}


def test_logs_become_entries_and_graph_over_a_kill(box: Box) -> None:
    """Each record once, mentions exact; sync waits until all of it is absorbed (R1)."""
    folder = box.home / "data" / "observations"
    said = [
        record(
            number,
            facts=[f"fact {number} says {number * 7919}"],
            entities=["Redis"],
            relationships=[{"source": "app", "target": "Redis", "relationship_type": "uses"}],
        )
        for number in range(120)
    ]
    log(folder, *said[:60])
    box.start()
    log(folder, *said[60:], b"torn\n")
    box.kill()
    box.start()
    box.settle()

    assert things(box) == {"Redis": 120, "app": 120}
    counts = box.ask("status")["counts"]
    assert (counts["observations"]["records"], counts["observations"]["waiting"]) == (120, 0)
    assert (counts["files"], counts["bad_lines"]) == (1, 1)


def test_the_graph_is_shown_merged_and_undone(box: Box) -> None:
    mait = box.root / "user" / ".claude" / "mait-code-data" / "memory" / "observations"
    log(
        mait,
        record(
            1,
            facts=["Redis is the cache of app"],
            entities=[{"name": "Redis", "entity_type": "tool"}, "User", "Ada"],
            relationships=[
                {"source": "User", "target": "Redis", "relationship_type": "uses", "context": "daily"}
            ],
        ),
    )
    box.start()
    box.settle()

    drawn = box.ctl("entity", "redis").stdout
    assert drawn.startswith("Redis (tool, mentioned once)\n└─ uses ← User: daily\n")
    assert "1 entry mentions it:\n  #1  Redis is the cache of app\n" in drawn
    assert box.ctl("entity", "redis", "--mermaid").stdout.startswith('graph LR\n  e1["Redis"]')

    merged = box.ask("entities", "merge", "user", "Ada")
    assert (merged["target"]["name"], merged["target"]["mention_count"]) == ("Ada", 2)
    assert merged["relationships_repointed"] == 1
    assert [row["source"] for row in box.ask("relationships", "Redis")["relationships"]] == ["Ada"]
    assert things(box) == {"Ada": 2, "Redis": 1}
    box.ask("undo", str(merged["change"]))
    assert things(box) == {"Redis": 1, "User": 1, "Ada": 1}
    missing = box.ctl("entity", "nobody")
    assert (missing.returncode, "no entity" in missing.stderr) == (1, True)


def test_what_was_captured_is_listed_and_restored(box: Box) -> None:
    folder = box.root / "elsewhere"
    box.env["MEMD_OBSERVATIONS_DIR"] = str(folder)
    log(folder, record(1, facts=["one"], entities=["Redis"]), record(2, preferences=["two"]))
    box.start()
    box.settle()

    [day] = box.ask("observations")["days"]
    assert [batch["counts"] for batch in day["batches"]] == [{"facts": 1, "entities": 1}, {"preferences": 1}]
    assert "precompact" in box.ctl("observations", "--day", "2026-11-30").stdout
    entries = box.ask("observations", "--entries", "--project", "app")["entries"]
    assert [(row["content"], row["reflected"]) for row in entries] == [("two", False), ("one", False)]
    assert box.ask("restore", "--dry-run") == {
        "dry_run": True,
        "files": 1,
        "records": 2,
        "bad_records": 0,
        "new_records": 0,
        "entries": 0,
        "entries_of_new_records": 0,
        "entries_lost": 0,
        "errors": {},
    }
    assert "0 entries stored" in box.ctl("restore").stdout

    box.ask("jobs", "pause", "absorb_observations")
    log(folder, record(3, facts=["three"]))
    refused = box.ctl("sync", "--wait")
    assert (refused.returncode, "absorbing is paused" in refused.stderr) == (1, True)
    assert box.ctl("restore").returncode == 1
    box.ask("jobs", "resume", "absorb_observations")
    box.settle()
    assert len(box.ask("observations", "--entries")["entries"]) == 3


def test_what_is_forgotten_is_nowhere_and_does_not_come_back_with_the_logs(box: Box) -> None:
    """Nor with another log that says it again, nor with an older database, nor with a new one."""
    data, old = box.home / "data", box.root / "old.db"
    said = record(
        1,
        facts=["quokka is the code name", "the cache is warm"],
        entities=["Quokka", "Redis"],
        relationships=[{"source": "Redis", "target": "app", "context": "as quokka has it"}],
    )
    log(data / "observations", said)
    box.start()
    box.settle()
    assert box.ctl("backup", str(old)).returncode == 0

    gone = box.ask("forget", "--match", "quokka", "--all-projects", "--yes")
    assert (gone["entries"], gone["graph"], gone["observations"]) == (1, 2, 1)
    box.ask("restore")
    assert things(box) == {"Redis": 1, "app": 1}
    log(data / "observations", said, day="2026-11-29")
    box.settle()
    assert things(box) == {"Redis": 2, "app": 2}
    assert not is_held(box, "quokka")

    for bring_back in (lambda: shutil.copyfile(old, data / "memd.db"), lambda: None):
        box.stop()
        assert not is_held(box, "quokka")
        for path in data.glob("memd.db*"):
            path.unlink()
        bring_back()
        box.start()
        box.settle()
        assert things(box) == {"Redis": 2, "app": 2}
        assert [row["content"] for row in box.ask("observations", "--entries")["entries"]] == [
            "the cache is warm"
        ]
        assert until(lambda: not is_held(box, "quokka")), box.log()


def is_held(box: Box, word: str) -> bool:
    """Whether a word stands anywhere in the files of the database."""
    files = (box.home / "data").glob("memd.db*")
    return any(word.encode() in path.read_bytes().lower() for path in files)
