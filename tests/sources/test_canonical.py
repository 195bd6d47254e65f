"""Projects that are one: by name, by a worktree that is gone, by a map of aliases. And those that are not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from memd.db import journal
from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import BadRequest, NotFound
from memd.memory import table
from memd.memory.entry import Draft, MemoryScope
from memd.sources import attribution, canonical
from memd.sources.projects import Project
from tests.rows import database, store, turn
from tests.sources.test_projects import git

NOW = 1_790_000_000_000


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


def known(db: Database, path: str, name: str, origin: str = "git") -> int:
    return db.write_now(attribution.row_of, Project(name, path, origin))  # type: ignore[arg-type]


def called(db: Database, name: str) -> int:
    """A project as a log knows it, with an entry."""

    def work(connection: Connection) -> int:
        project = attribution.called(connection, name)
        table.insert(connection, Draft(f"of {name}", scope=MemoryScope(project)), NOW)
        return project

    return db.write_now(work)


def kept_apart(db: Database, name: str) -> None:
    """A project of a name alone beside one that has the name, as a memd that did not fold left them."""

    def work(connection: Connection) -> None:
        connection.execute("INSERT INTO project (name, path, origin) VALUES (?1, ?1, 'folder')", (name,))
        holds = MemoryScope(connection.last_insert_rowid())
        table.insert(connection, Draft(f"of {name}", scope=holds), NOW)

    db.write_now(work)


def folded(db: Database, aliases: Mapping[str, str] | None = None) -> list[tuple[str, int, int]]:
    """Fold; of each project its path, and how many sessions and entries went with it."""

    def work(connection: Connection) -> list[tuple[str, int, int]]:
        folds = canonical.plan(connection, aliases or {})
        journal.record(connection, "fold", NOW, lambda: canonical.carry_out(connection, folds, aliases or {}))
        return [(fold.path, fold.sessions, fold.entries) for fold in folds]

    return db.write_now(work)


def entries(db: Database) -> dict[str, str]:
    """The path of each entry's project."""
    return db.read_now(
        lambda c: dict(
            c.execute(
                "SELECT e.content, p.path FROM entry e JOIN project p ON p.id = e.project_id"
            ).fetchall()
        )
    )


def test_a_project_known_by_name_alone_is_the_one_that_has_the_name(db: Database) -> None:
    """MC35"""
    known(db, "/dev/app", "app")
    kept_apart(db, "app")

    assert folded(db) == [("app", 0, 1)]

    assert entries(db) == {"of app": "/dev/app"}
    assert db.write_now(attribution.called, "app") == db.read_now(attribution.named, "/dev/app")[0]
    assert folded(db) == []


def test_a_name_alone_is_the_first_project_of_that_name_that_comes_and_stays_that_one(db: Database) -> None:
    called(db, "app")
    called(db, "other")

    first = known(db, "/a/app", "app")
    known(db, "/b/app", "app")
    known(db, "/c/tool", "tool")

    assert entries(db) == {"of app": "/a/app", "of other": "other"}
    assert db.read_now(attribution.known_as, "app") == [first] == [called(db, "app")]
    assert folded(db) == []


def test_a_name_that_another_project_once_had_is_not_taken(db: Database) -> None:
    db.write_now(attribution.alias, "/old/app", "app", known(db, "/a/tool", "tool"))
    db.write_now(attribution.alias, "/older/app", "app", known(db, "/a/work", "work"))
    called(db, "app")

    known(db, "/b/app", "app")

    assert entries(db) == {"of app": "app"}


def test_two_clones_of_one_name_stay_two_and_a_name_alone_is_neither(db: Database) -> None:
    """W23"""
    known(db, "/a/app", "app")
    known(db, "/b/app", "app")
    called(db, "app")

    assert folded(db) == []
    assert entries(db) == {"of app": "app"}


def test_folding_is_undone_as_one_change(db: Database) -> None:
    for name in ("app", "tool"):
        known(db, f"/dev/{name}", name)
        kept_apart(db, name)
    folded(db)
    assert entries(db) == {"of app": "/dev/app", "of tool": "/dev/tool"}

    db.write_now(journal.undo, None, NOW)

    assert entries(db) == {"of app": "app", "of tool": "tool"}


def test_a_former_name_is_the_project_that_the_map_says(db: Database) -> None:
    called(db, "old")
    known(db, "/dev/new", "new")

    assert folded(db, {"old": "new"}) == [("old", 0, 1)]
    assert entries(db) == {"of old": "/dev/new"}


def test_a_former_name_that_is_yet_to_come_is_the_projects_too(db: Database) -> None:
    known(db, "/dev/new", "new")

    assert folded(db, {"old": "new", "other": "nothing"}) == []

    called(db, "old")
    assert entries(db) == {"of old": "/dev/new"}


@pytest.mark.parametrize(
    "aliases", [{"a": "b", "b": "c"}, {"b": "c", "a": "b"}, {"a": "c", "b": "c", "c": "a"}]
)
def test_maps_that_go_on_or_in_a_circle_come_to_one_project(db: Database, aliases: dict[str, str]) -> None:
    for name in "ab":
        called(db, name)
    known(db, "/dev/c", "c")

    folded(db, aliases)

    assert set(entries(db).values()) == {"/dev/c"}


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "-m", "first")
    return folder


def test_a_worktree_that_is_gone_is_its_repositorys_while_git_still_lists_it(
    db: Database, tmp_path: Path
) -> None:
    top, tree = repository(tmp_path / "app"), tmp_path / "tree"
    git(top, "worktree", "add", str(tree), "-b", "feature")
    shutil.rmtree(tree)
    known(db, str(top), "app")
    store(db, [turn(1, "hello")], cwd=str(tree))

    assert folded(db) == [(str(tree), 1, 0)]
    assert db.read_now(attribution.identify, str(tree / "src")).path == str(top)


def test_a_worktree_that_claude_code_made_is_its_repositorys_even_when_all_is_gone(db: Database) -> None:
    tree = "/dev/app/.claude/worktrees/some-name"
    known(db, "/dev/app", "app", "cwd")
    store(db, [turn(1, "hello")], cwd=tree)
    assert db.read_now(attribution.identify, tree + "/src") == Project("app", "/dev/app", "cwd")

    assert folded(db) == [(tree, 1, 0)]


def test_a_repository_that_moved_is_another_until_it_is_said_to_be_the_same(
    db: Database, tmp_path: Path
) -> None:
    before = repository(tmp_path / "before")
    store(db, [turn(1, "hello")], cwd=str(before))
    after = before.rename(tmp_path / "after")
    store(db, [turn(2, "again", session="s2")], cwd=str(after))

    assert folded(db) == []
    assert folded(db, {"before": "after"}) == [(str(before), 1, 0)]


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', "no json"])
def test_a_map_that_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "aliases.json").write_text(text)

    with pytest.raises(BadRequest, match=r"aliases\.json is no map"):
        canonical.aliases_in(str(tmp_path / "aliases.json"))
    with pytest.raises(NotFound):
        canonical.aliases_in(str(tmp_path / "none.json"))


def test_a_map_is_one_json_object(tmp_path: Path) -> None:
    (tmp_path / "aliases.json").write_text(json.dumps({"old": "new"}))

    assert canonical.aliases_in(str(tmp_path / "aliases.json")) == {"old": "new"}
