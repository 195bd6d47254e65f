"""Where a new entry holds (MC21's half that people decide)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.errors import BadRequest, NotFound
from memd.server import holding
from memd.server.params import check
from memd.sources import attribution, projects
from tests.rows import database


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository ``app`` on a branch, one ``trunk`` on main, and a folder ``plain`` that is none."""
    for name, branch in (("app", "topic/x"), ("trunk", "main")):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / ".git" / "HEAD").write_text(f"ref: refs/heads/{branch}\n")
        (tmp_path / name / "src").mkdir()
    (tmp_path / "plain").mkdir()
    return tmp_path


def held(db: Database, folder: Path, **given: str) -> tuple[str, str | None, str | None]:
    """Level, the name of the project, and the branch."""
    places = {name: str(folder / value) for name, value in given.items() if name == "cwd"}

    def work(connection: object) -> tuple[str, str | None, str | None]:
        found = holding.of(connection, check(holding.FIELDS, {**given, **places}))  # type: ignore[arg-type]
        path = None if found.project is None else attribution.path_of(connection, found.project)  # type: ignore[arg-type]
        return found.level, path and Path(path).name, found.branch

    return db.write_now(work)


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({}, ("global", None, None)),  # nothing tells where
        ({"cwd": "plain"}, ("global", None, None)),
        ({"cwd": "app"}, ("project", "app", None)),  # a branch is not asked for
        ({"cwd": "app/src"}, ("project", "app", None)),
        ({"cwd": "app", "scope": "global"}, ("global", None, None)),
        ({"cwd": "app", "scope": "project"}, ("project", "app", None)),
        ({"cwd": "plain", "scope": "project"}, ("project", "plain", None)),
        ({"cwd": "app", "scope": "branch"}, ("branch", "app", "topic/x")),
        ({"cwd": "app", "branch": "other"}, ("branch", "app", "other")),
        ({"cwd": "trunk", "scope": "branch", "branch": "main"}, ("branch", "trunk", "main")),
        ({"cwd": "plain", "project": "known"}, ("project", "known", None)),
        ({"cwd": "app", "project": "known", "branch": "b"}, ("branch", "known", "b")),
    ],
)
def test_mc21_an_entry_holds_where_its_caller_says_or_works(
    given: dict[str, str], where: tuple[str, str | None, str | None], db: Database, folder: Path
) -> None:
    db.write_now(attribution.row_of, projects.Project("known", "/dev/known", "cwd"))

    assert held(db, folder, **given) == where


def test_a_folder_that_memd_knows_is_a_project(db: Database, folder: Path) -> None:
    place = str(folder / "plain")
    db.write_now(attribution.remember, place, projects.identify(place))

    assert held(db, folder, cwd="plain") == ("project", "plain", None)


def test_a_folder_can_be_named(db: Database, folder: Path) -> None:
    assert held(db, folder, project=str(folder / "app")) == ("project", "app", None)


@pytest.mark.parametrize(
    "given",
    [
        {"scope": "global", "project": "known"},
        {"scope": "global", "branch": "b"},
        {"scope": "project", "branch": "b", "cwd": "app"},
        {"scope": "project"},
        {"scope": "branch", "cwd": "trunk"},
        {"scope": "branch", "cwd": "plain"},
        {"scope": "branch", "cwd": "app", "project": "known"},
    ],
)
def test_what_does_not_go_together_is_refused(given: dict[str, str], db: Database, folder: Path) -> None:
    db.write_now(attribution.row_of, projects.Project("known", "/dev/known", "cwd"))

    with pytest.raises(BadRequest):
        held(db, folder, **given)


def test_a_project_that_is_none_is_not_made_up(db: Database, folder: Path) -> None:
    with pytest.raises(NotFound):
        held(db, folder, project="typo")
