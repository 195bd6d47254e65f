"""Clones of one repository are known to be one project, however it is fetched and by whom."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.db.driver import Connection
from memd.sources import attribution, remotes
from memd.sources.projects import Project
from memd.sources.remotes import Remotes
from tests.rows import database


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://github.com/team/app.git", "github.com/team/app"),
        ("https://ann:token@GitHub.com/team/app", "github.com/team/app"),
        ("https://ann@work:token@github.com/team/app", "github.com/team/app"),
        ("git@github.com:team/app.git", "github.com/team/app"),
        ("ssh://git@github.com:22/team/app/", "github.com/team/app"),
        ("https://github.com/team/app?token=hidden", "github.com/team/app"),
        ("build:app", "build/app"),
        ("ssh://[::1]:22/app", "[::1]/app"),
        ("/srv/app.git", None),
        ("../app", None),
        ("file:///srv/app.git", None),
        ("C:/code/app", None),
        ("C:\\code\\app", None),
    ],
)
def test_an_address_has_one_form_and_no_secret(url: str, address: str | None) -> None:
    assert remotes.normal(url) == address


def repository(folder: Path, config: str) -> str:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "config").write_text(config)
    return str(folder)


@pytest.mark.parametrize(
    ("config", "address"),
    [
        (
            '[core]\n\tbare = false\n[remote "up"]\n\turl = git@host:other/app\n'
            '[remote "origin"]\n\tfetch = +refs\n\turl = https://host/team/app.git\n'
            '[branch "main"]\n\tremote = origin\n',
            "host/team/app",
        ),
        ('[remote "up"]\n\turl = https://host/team/app.git\n', "host/team/app"),
        ('[remote "a"]\nurl = https://host/a\n[remote "b"]\nurl = https://host/b\n', None),
        ("[core]\n", None),
    ],
)
def test_the_address_is_that_of_origin_or_of_the_only_remote(
    tmp_path: Path, config: str, address: str | None
) -> None:
    assert remotes.of(repository(tmp_path / "app", config)) == address


def test_a_folder_in_a_repository_or_in_none_has_no_address_of_its_own(tmp_path: Path) -> None:
    top = repository(tmp_path / "app", '[remote "origin"]\nurl = https://host/app\n')
    (tmp_path / "app" / "inner").mkdir()

    assert remotes.of(f"{top}/inner") is None
    assert remotes.of(str(tmp_path)) is None
    assert remotes.of("remote:host/app") is None


def test_what_was_heard_of_a_project_is_its_clones_once_there_is_one(tmp_path: Path) -> None:
    top = repository(tmp_path / "app", '[remote "origin"]\nurl = https://host/app\n')

    def work(connection: Connection) -> tuple[int, int, list[int]]:
        heard = attribution.row_of(connection, Project("app", "remote:host/app", "folder"))
        connection.execute(
            "INSERT INTO session (key, format, project_id) VALUES ('s', 'claude-code', ?)", (heard,)
        )
        found = Remotes().by_address([top])
        before = remotes.adopt(connection, found)
        here = attribution.remember(connection, top, Project("app", top, "git"))
        after = remotes.adopt(connection, found)
        again = remotes.adopt(connection, found)
        assert remotes.local(connection) == [top]
        assert connection.execute("SELECT project_id FROM session").get == here
        assert attribution.row_of(connection, Project("app", "remote:host/app", "folder")) == here
        return before, after, [again]

    with database(tmp_path) as db:
        assert db.write_now(work) == (0, 1, [0])
