"""Coming from mait-code, from outside."""

from __future__ import annotations

from pathlib import Path

from tests.intake.mait_code_home import filled
from tests.process.conftest import Box


def test_a_home_is_known_by_what_it_is_and_comes_in_once(box: Box, tmp_path: Path) -> None:
    filled(tmp_path / "home").close()
    box.start()

    dry = box.ask("import", str(tmp_path / "home"), "--dry-run")
    first = box.ask("import", str(tmp_path / "home"))
    again = box.ask("import", str(tmp_path / "home"), "--format", "mait-code")

    assert [
        (report["format"], report["imported"], report["duplicates"]) for report in (dry, first, again)
    ] == [
        ("mait-code", 12, 0),
        ("mait-code", 12, 0),
        ("mait-code", 0, 12),
    ]
    nothing = box.ctl("import", str(tmp_path), "--format", "mait-code")
    assert (nothing.returncode, nothing.stderr.count("memory.db is not there")) == (1, 1)
    assert box.ctl("import", str(tmp_path / "home"), "--limit", "1").returncode == 1


def test_projects_known_by_name_alone_are_folded_and_taken_apart_again(box: Box, tmp_path: Path) -> None:
    """MC35"""
    filled(tmp_path / "home").close()
    path = box.write("hello")
    path.write_text(path.read_text().replace("/home/dev/app", "/home/dev/shop"))
    (tmp_path / "aliases.json").write_text('{"app": "shop"}')
    fold = ("projects", "canonicalize", "--aliases", str(tmp_path / "aliases.json"))
    box.start()
    box.ask("import", str(tmp_path / "home"))
    box.settle()

    def paths() -> set[str]:
        return {project["path"] for project in box.ask("projects")["projects"]}

    dry = box.ask(*fold, "--dry-run")
    assert dry["folded"] == [{"project": "app", "into": "/home/dev/shop", "sessions": 0, "entries": 3}]
    assert paths() == {"app", "/home/dev/shop"}

    done = box.ask(*fold)
    assert (done["folded"], paths()) == (dry["folded"], {"/home/dev/shop"})

    box.ask("undo", str(done["change"]))
    assert paths() == {"app", "/home/dev/shop"}


def test_what_came_by_a_name_alone_is_the_folders_that_comes_with_it(box: Box, tmp_path: Path) -> None:
    filled(tmp_path / "home").close()
    box.start()
    box.ask("import", str(tmp_path / "home"))
    box.write("hello")  # in /home/dev/app
    box.settle()

    assert [project["path"] for project in box.ask("projects")["projects"]] == ["/home/dev/app"]
    assert box.ask("list", "--scope", "project", "--project", "/home/dev/app")["entries"]
