"""Claude Code's own memory files, from outside."""

from __future__ import annotations

from tests.process.conftest import Box


def test_memory_files_are_listed_and_shown_without_secrets(box: Box) -> None:
    box.write("hello")
    folder = box.projects / "-home-dev-app" / "memory"
    (folder / "notes").mkdir(parents=True)
    (folder / "MEMORY.md").write_text("# Build\n\nthe key is AKIAIOSFODNN7EXAMPLE\n")
    (folder / "notes" / "shift.md").write_text("in days\n")
    box.start()
    box.settle()

    (project,) = box.ask("native")["projects"]

    assert (project["slug"], project["label"], project["path"]) == ("-home-dev-app", "app", "/home/dev/app")
    assert [file["name"] for file in project["files"]] == ["MEMORY.md", "notes/shift.md"]
    assert box.ctl("native", "show", "app/MEMORY.md").stdout == "# Build\n\nthe key is [REDACTED:aws_key]\n"
    assert box.ctl("native", "show", "none.md").returncode == 1
    assert box.ask("native", "--project", "/home/dev/app")["projects"] == [project]
    assert box.ctl("native", "--project", "other").returncode == 1
