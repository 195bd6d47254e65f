"""Places: what the environment decides, and what holds where it is silent."""

from __future__ import annotations

from pathlib import Path

from memd.config.paths import history_dirs, observations_dirs, projects_dirs, resolve


def test_one_home_holds_everything(tmp_path: Path) -> None:
    paths = resolve({"MEMD_HOME": str(tmp_path)})

    assert paths.home == tmp_path
    assert paths.config_file == tmp_path / "config.toml"
    data = tmp_path / "data"
    assert (paths.database, paths.lock, paths.backups) == (
        data / "memd.db",
        data / "memd.lock",
        data / "backups",
    )
    assert (paths.observations, paths.memory_md) == (data / "observations", data / "MEMORY.md")
    assert (paths.models, paths.logs) == (tmp_path / "models", tmp_path / "logs")
    assert paths.socket == tmp_path / "run" / "memd.sock"


def test_without_a_home_the_platforms_folders_hold_it(tmp_path: Path) -> None:
    places = {"XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s"}

    paths = resolve({**places, "XDG_RUNTIME_DIR": str(tmp_path)})

    assert paths.home is None
    assert (paths.database, paths.config_file) == (Path("/d/memd/memd.db"), Path("/c/memd/config.toml"))
    assert (paths.logs, paths.models) == (Path("/s/memd"), Path("/d/memd/models"))
    assert paths.socket == tmp_path / "memd" / "memd.sock"
    assert resolve(places).socket == Path("/d/memd/run/memd.sock")


def test_what_is_named_wins_over_the_home() -> None:
    paths = resolve({"MEMD_HOME": "/h", "MEMD_SOCKET": "/s.sock", "MEMD_CONFIG": "/c.toml"})

    assert (paths.socket, paths.config_file) == (Path("/s.sock"), Path("/c.toml"))


def test_a_tilde_that_no_shell_expanded_is_the_home_everywhere() -> None:
    env = {"HOME": "/home/me", "MEMD_HOME": "~/memory", "MEMD_MODEL_DIR": "~/models"}

    paths = resolve(env)

    assert paths.data == Path("/home/me/memory/data")
    assert paths.socket == Path("/home/me/memory/run/memd.sock")
    assert paths.model_dir == Path("/home/me/models")
    assert projects_dirs({"HOME": "/home/me", "MEMD_PROJECTS_DIR": "~/p"}) == ["/home/me/p"]


def test_the_watched_folders_are_those_named_else_the_clients(tmp_path: Path) -> None:
    assert projects_dirs({"MEMD_PROJECTS_DIR": "/a:/b"}) == ["/a", "/b"]
    assert projects_dirs({"CLAUDE_CONFIG_DIR": "/c,/d"}) == ["/c/projects", "/d/projects"]
    assert projects_dirs({"HOME": str(tmp_path)}) == [f"{tmp_path}/.claude/projects"]
    (tmp_path / ".config/claude/projects").mkdir(parents=True)
    assert projects_dirs({"HOME": str(tmp_path)}) == [f"{tmp_path}/.config/claude/projects"]


def test_observation_logs_lie_in_memds_own_folder_and_in_those_named_else_in_mait_codes() -> None:
    own, home = Path("/d/observations"), {"HOME": "/home/me"}
    usual = "/home/me/.claude/mait-code-data/memory/observations"

    assert observations_dirs(home, own, ()) == [str(own), usual]
    assert observations_dirs({**home, "MAIT_CODE_DATA_DIR": "/m"}, own, ()) == [
        str(own),
        "/m/memory/observations",
    ]
    assert observations_dirs(home, own, ("~/logs",)) == [str(own), "/home/me/logs"]
    named = {**home, "MEMD_OBSERVATIONS_DIR": f"/a:~/b:{own}"}
    assert observations_dirs(named, own, ("~/logs",)) == [str(own), "/a", "/home/me/b"]


def test_other_programs_keep_their_history_where_their_own_variables_say() -> None:
    named = {"HOME": "/home/me", "CODEX_HOME": "~/c", "GEMINI_CLI_HOME": "/g", "XDG_DATA_HOME": "/d"}

    assert list(history_dirs({"HOME": "/home/me"}).values()) == [
        "/home/me/.codex/sessions",
        "/home/me/.gemini/tmp",
        "/home/me/.local/share/opencode",
    ]
    assert history_dirs(named) == {
        "codex": "/home/me/c/sessions",
        "gemini": "/g/.gemini/tmp",
        "opencode": "/d/opencode",
    }
