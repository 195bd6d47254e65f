"""Claude Code's own memory files: what is stored of them follows them, whatever becomes of them."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from memd.db.driver import Connection
from memd.sources import native, native_table
from memd.sources.slugs import munge_path
from tests.intake.home import Home, line, transcript

SLUG = "-home-dev-app"


def note(home: Home, text: str, name: str = "MEMORY.md", slug: str = SLUG) -> Path:
    path = home.projects / slug / "memory" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def sections(home: Home) -> list[tuple[str, str, str | None]]:
    """File, text and project of what is stored."""

    def read(connection: Connection) -> list[tuple[str, str, str | None]]:
        rows = connection.execute(
            """SELECT f.name, s.content, p.path FROM native_section s JOIN native_file f ON f.id = s.file_id
               LEFT JOIN project p ON p.id = f.project_id ORDER BY f.name, s.position"""
        )
        return [(str(name), str(text), project and str(project)) for name, text, project in rows]

    return home.db.read_now(read)


def found(home: Home, word: str) -> int:
    def count(connection: Connection) -> int:
        return int(
            connection.execute("SELECT count(*) FROM native_fts WHERE native_fts MATCH ?", (word,)).get
        )

    return home.db.read_now(count)


def ids(home: Home) -> dict[str, int]:
    return home.db.read_now(lambda c: dict(c.execute("SELECT content, id FROM native_section").fetchall()))


def started(home: Home) -> Home:
    home.start()
    home.settle()
    return home


def test_memory_files_are_stored_in_sections_and_found_by_word(home: Home) -> None:
    note(home, "# Build\n\nuse make\n\n# Test\n\nuse pytest\n")
    note(home, "shifts are in days\n", "notes/shift.md")

    started(home)

    assert [(name, text.split("\n")[0]) for name, text, _ in sections(home)] == [
        ("MEMORY.md", "# Build"),
        ("MEMORY.md", "# Test"),
        ("notes/shift.md", "shifts are in days"),
    ]
    assert (found(home, "pytest"), found(home, "nothing")) == (1, 0)


def test_what_the_transcripts_beside_them_say_tells_their_project(home: Home) -> None:
    transcript(home).write_bytes(line("hello", session="00000000-0000-4000-8000-000000000000"))
    note(home, "use make\n")

    started(home)

    assert [project for _, _, project in sections(home)] == ["/home/dev/app"]


def test_a_transcript_that_comes_later_tells_their_project_too(home: Home) -> None:
    note(home, "use make\n")
    started(home)
    assert [project for _, _, project in sections(home)] == [None]

    transcript(home).write_bytes(line("hello", session="00000000-0000-4000-8000-000000000000"))
    home.settle()
    home.settle()

    assert [project for _, _, project in sections(home)] == ["/home/dev/app"]


def test_a_slug_without_transcripts_is_traced_to_a_folder(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "some.app"
    folder.mkdir()
    note(home, "use make\n", slug=munge_path(str(folder)))

    started(home)

    assert [project for _, _, project in sections(home)] == [str(folder)]


def test_a_file_that_changes_keeps_the_sections_that_did_not(home: Home) -> None:
    note(home, "# Build\n\nuse make\n\n# Test\n\nuse pytest\n")
    started(home)
    before = ids(home)

    note(home, "# Test\n\nuse pytest\n# Build\n\nuse ninja\n")
    home.settle()

    after = ids(home)
    assert [text.split("\n")[0] for _, text, _ in sections(home)] == ["# Test", "# Build"]
    assert before.items() & after.items() == {("# Test\n\nuse pytest\n", before["# Test\n\nuse pytest\n"])}
    assert (found(home, "make"), found(home, "ninja")) == (0, 1)


def test_a_change_is_seen_by_its_event(home: Home) -> None:
    path = note(home, "use make\n")
    started(home)

    path.write_text("use ninja\n")
    assert home.intake
    home.intake.hint([os.fsencode(path)])

    end = time.monotonic() + 20
    while found(home, "ninja") == 0 and time.monotonic() < end:
        time.sleep(0.01)
    assert [text for _, text, _ in sections(home)] == ["use ninja\n"]


def test_a_file_that_goes_is_gone(home: Home) -> None:
    note(home, "use make\n")
    note(home, "use pytest\n", "test.md").unlink()
    started(home)
    assert found(home, "make") == 1

    shutil.rmtree(home.projects / SLUG)
    note(home, "other\n", slug="-other")  # the projects folder itself is still there
    home.settle()

    assert [text for _, text, _ in sections(home)] == ["other\n"]
    assert found(home, "make") == 0


def test_nothing_is_gone_while_the_projects_folder_is_away(home: Home) -> None:
    note(home, "use make\n")
    started(home)

    home.projects.rename(home.projects.with_name("unmounted"))
    home.projects.mkdir()
    home.settle()

    assert [text for _, text, _ in sections(home)] == ["use make\n"]


def test_secrets_are_taken_out_first(home: Home) -> None:
    note(home, "the key is AKIAIOSFODNN7EXAMPLE, do not lose it\n")

    started(home)

    assert [text for _, text, _ in sections(home)] == ["the key is [REDACTED:aws_key], do not lose it\n"]


def test_links_large_files_and_other_names_are_passed_over(home: Home, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("elsewhere\n")
    inside = note(home, "use make\n").parent
    (inside / "link.md").symlink_to(tmp_path / "secret.md")
    (inside / "folder").symlink_to(tmp_path)
    (inside / "large.md").write_text("x " * native.MOST_BYTES)
    (inside / "notes.txt").write_text("no markdown\n")

    started(home)

    assert [text for _, text, _ in sections(home)] == ["use make\n"]


def test_an_excluded_projects_memory_is_not_stored_and_comes_when_it_is_excluded_no_longer(
    home: Home,
) -> None:
    transcript(home).write_bytes(line("hello", session="00000000-0000-4000-8000-000000000000"))
    note(home, "use make\n")
    started(home)

    home.exclusions.replace(["/home/dev/app"])
    home.settle()
    assert sections(home) == []
    note(home, "use ninja\n")
    home.settle()
    assert sections(home) == []

    home.exclusions.replace([])
    home.settle()
    assert [text for _, text, _ in sections(home)] == ["use ninja\n"]


@pytest.mark.parametrize("slug", ["-home-dev-app", "-home-dev-app-part"])
def test_a_slug_that_may_be_an_excluded_folder_is_passed_over_where_nothing_tells_otherwise(
    home: Home, slug: str
) -> None:
    home.exclusions.replace(["/home/dev/app"])
    note(home, "use make\n", slug=slug)

    started(home)

    assert sections(home) == []


def test_files_that_did_not_change_are_not_read_again(home: Home) -> None:
    asked: list[int] = []
    home.native_follow_up = lambda connection: asked.append(1)
    note(home, "use make\n")
    started(home)

    home.settle()

    assert asked == [1]


def test_newer_rules_of_redaction_reach_what_is_stored(home: Home) -> None:
    note(home, "the key is lost\n")
    started(home)
    home.db.write_now(
        lambda c: c.execute("UPDATE native_section SET content = 'the key is AKIAIOSFODNN7EXAMPLE'") and None
    )

    home.db.write_now(native_table.redact_again)

    assert [text for _, text, _ in sections(home)] == ["the key is [REDACTED:aws_key]"]
    assert (found(home, "lost"), found(home, "redacted")) == (0, 1)
