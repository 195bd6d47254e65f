"""Settings: what wins, what is refused, and what is said then."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.config import load
from memd.config.paths import projects_dirs, resolve
from memd.errors import ConfigError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_the_environment_wins_over_the_file_and_both_are_remembered(file: Path) -> None:
    file.write_text("[search]\nlimit = 7\nmode = 'keyword'\n")

    loaded = load.load(file, {"MEMD_SEARCH__LIMIT": "9", "MEMD_EMBEDDER": "hash", "MEMD_IMPORT__SUBAGENTS": "true"})

    assert (loaded.settings.search.limit, loaded.settings.search.mode) == (9, "keyword")
    assert loaded.settings.embedding.embedder == "hash"
    assert loaded.settings.import_.subagents is True
    assert loaded.origins["search.limit"] == "environment MEMD_SEARCH__LIMIT"
    assert loaded.origins["search.mode"] == f"{file}:3"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[search]\nlimt = 3\n", "config.toml:2.*limt.*did you mean search.limit"),
        ("[serach]\nlimit = 3\n", "serach.limit.*did you mean search.limit"),
        ("[search]\nlimit = 'many'\n", "search.limit is 'many'; allowed: 1 to 100"),
        ("[search]\nlimit = 1000\n", "allowed: 1 to 100"),
        ("[search]\nlimit = true\n", "allowed: 1 to 100"),
        ("[log]\nformat = 'xml'\n", "allowed: console, json"),
        ("limit = 3\n", "outside any section"),
        ("[search\n", "no TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place_and_what_is_allowed(file: Path, text: str, says: str) -> None:
    file.write_text(text)

    with pytest.raises(ConfigError, match=says) as caught:
        load.load(file, {})

    assert caught.value.exit_code == 78


@pytest.mark.parametrize("name", ["MEMD_SEARCH__LIMT", "MEMD_NO__SUCH"])
def test_a_wrong_variable_is_refused(file: Path, name: str) -> None:
    with pytest.raises(ConfigError, match=name):
        load.load(file, {name: "1"})


@pytest.mark.parametrize("before", ["", "# mine\n[search]\n# few\nlimit = 3 # three\nmode = 'keyword'\n\n[log]\nlevel = 'debug'\n"])
def test_setting_a_key_keeps_the_other_lines(file: Path, before: str) -> None:
    file.write_text(before)

    load.set_value(file, "search.limit", "12")

    loaded = load.load(file, {})
    assert loaded.settings.search.limit == 12
    assert file.stat().st_mode & 0o777 == 0o600
    for line in before.splitlines():
        assert line in file.read_text() or line.startswith("limit")


def test_one_home_holds_everything(tmp_path: Path) -> None:
    paths = resolve({"MEMD_HOME": str(tmp_path)})

    assert paths.database == tmp_path / "data" / "memd.db"
    assert paths.socket == tmp_path / "run" / "memd.sock"
    assert paths.config_file == tmp_path / "config.toml"


def test_the_watched_folders_are_those_named_else_the_clients(tmp_path: Path) -> None:
    assert projects_dirs({"MEMD_PROJECTS_DIR": "/a:/b"}) == ["/a", "/b"]
    assert projects_dirs({"CLAUDE_CONFIG_DIR": "/c,/d"}) == ["/c/projects", "/d/projects"]
    assert projects_dirs({"HOME": str(tmp_path)}) == [f"{tmp_path}/.claude/projects"]
    (tmp_path / ".config/claude/projects").mkdir(parents=True)
    assert projects_dirs({"HOME": str(tmp_path)}) == [f"{tmp_path}/.config/claude/projects"]
