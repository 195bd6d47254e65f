"""Search through the real programs: turns, entries and memory files in one list."""

from __future__ import annotations

from tests.process.conftest import Box


def test_turns_entries_and_memory_files_are_found_in_one_list(box: Box) -> None:
    """MC03, MC36: each with its vectors, by itself; and told of by status and stats."""
    memory = box.projects / "-home-dev-app" / "memory"
    memory.mkdir(parents=True)
    (memory / "ports.md").write_text("# Ports\n\nThe walrus service has a port of its own.\n")
    box.write("the walrus service listens on 8443, said in passing")
    box.start()
    box.settle("--embedded")
    entry = box.ask("remember", "The walrus service listens on port 8443", "--type", "decision")["id"]

    def kinds(*more: str) -> list[str]:
        return [hit["kind"] for hit in box.ask("search", "walrus port", *more)["results"]]

    assert kinds()[0] == "entry"
    assert sorted(kinds()) == ["entry", "native", "turn"]
    assert kinds("--in", "native") == ["native"]
    assert kinds("--role", "user") == ["turn"]
    assert kinds("--type", "decision") == kinds("--rank", "seed") == ["entry"]
    assert kinds("--type", "fact") == []
    assert box.ctl("search", "walrus", "--type", "fact", "--role", "user").returncode == 1

    told = [line.split("\t") for line in box.ctl("search", "walrus port", "--explain").stdout.splitlines()]
    assert told[0][:2] == [str(entry), "entry"] and all(len(row) == 8 and "cosine" in row[7] for row in told)
    assert "no letter and no digit" in box.ctl("search", "💥").stderr

    resumed = "cd /home/dev/app && claude --resume 00000000-0000-4000-8000-000000000000\n"
    assert box.ctl("search", "walrus passing", "--open").stdout == resumed

    counts = box.ask("status")["counts"]
    assert (counts["entries"], counts["embedded_pct"], counts["embed_waiting"]) == (1, 100.0, 0)
    stats = box.ask("stats")["memory"]
    assert (stats["total"], stats["by_type"], stats["embedded_pct"]) == (1, {"decision": 1}, 100)
    assert (stats["unreflected"], stats["last_reflected_at"]) == (1, None)
    assert "ENTRIES" in box.ctl("stats").stdout
    assert box.ask("verify")["ok"] is True
