"""memctl doctor: with a memd to ask and without, red where something promised does not hold."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memctl.doctor import check, claude, files, service
from memctl.main import main
from memctl.supervisor import place
from tests.memctl.conftest import Start
from tests.memctl.fake_daemon import answer

GOOD = {"name": "index", "state": "ok", "detail": "5 turns", "means": "…", "fix": ""}
BAD = {
    "name": "index",
    "state": "fault",
    "detail": "4 of 5\x1b[2J",
    "means": "not found",
    "fix": "memctl repair",
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home as memd makes it, with no memd in it; no systemd to ask."""
    data = tmp_path / "m" / "data"
    (data / "backups").mkdir(parents=True, mode=0o700)
    data.chmod(0o700)
    monkeypatch.setenv("MEMD_HOME", str(tmp_path / "m"))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("sys.platform", "linux")
    return data


def doctor(capfd: pytest.CaptureFixture[str], *more: str) -> tuple[int, dict[str, dict[str, str]]]:
    code = main(["doctor", "--json", *more])
    told = json.loads(capfd.readouterr().out)
    assert told["ok"] is (code == 0)
    return code, {one["name"]: one for one in told["checks"]}


def test_with_memd_its_checks_are_told_and_ours_beside_them(
    daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    daemon(answer({"checks": [GOOD], "places": {}}))

    code, found = doctor(capfd)

    assert code == 0
    assert {name: one["state"] for name, one in found.items()} == {
        "daemon": "ok",
        "index": "ok",
        "folders": "ok",
        "service": "warn",
        "retention": "ok",
        "hooks": "unknown",
        "mcp": "unknown",
    }


def test_a_fault_ends_it_with_1_and_says_what_it_means_and_what_mends_it(
    daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    daemon(answer({"checks": [BAD], "places": {}}))

    assert main(["doctor"]) == 1

    said = capfd.readouterr()
    assert (
        "FAULT  index      4 of 5\\x1b[2J\n                  not found\n                  -> memctl repair\n"
        in said.out
    )
    assert said.out.endswith("1 of what is promised does not hold; 1 to look at\n")
    assert said.err == ""


def test_without_memd_it_is_red_and_looks_at_what_can_be_seen(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (home / "memd.db").write_bytes(b"SQLite format 3\0" + bytes(84))
    (home / "memd.db").chmod(0o600)

    code, found = doctor(capfd)

    assert code == 1
    assert found["daemon"]["state"] == "fault" and "no memd at" in found["daemon"]["detail"]
    assert (found["database"]["state"], found["folders"]["state"]) == ("ok", "ok")


def test_a_state_of_a_newer_memd_counts_as_a_fault(daemon: Start, capfd: pytest.CaptureFixture[str]) -> None:
    daemon(answer({"checks": [{**GOOD, "state": "splendid"}]}))

    assert doctor(capfd)[1]["index"]["state"] == "fault"


def test_mc41_fix_tightens_modes_and_has_memd_mend_its_index(
    daemon: Start, home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    fake = daemon(answer({"checks": [BAD]}))
    (home / "memd.db").write_text("")
    (home / "memd.db").chmod(0o644)
    home.chmod(0o755)
    asked = lambda: [request["method"] for request in fake.requests]  # noqa: E731

    assert doctor(capfd)[1]["folders"]["detail"].startswith(f"others may get at {home} and 1 more")
    assert asked() == ["ping", "doctor"]
    found = doctor(capfd, "--fix")[1]

    assert asked()[2:] == ["ping", "doctor", "repair", "ping", "doctor"]
    assert found["folders"]["state"] == "ok"
    assert (home.stat().st_mode & 0o777, (home / "memd.db").stat().st_mode & 0o777) == (0o700, 0o600)


@pytest.mark.parametrize(
    ("content", "state", "says"),
    [
        (None, "fault", "is not there"),
        (b"garbage" * 40, "fault", "no database any more"),
        (b"", "ok", "0 bytes"),
    ],
)
def test_the_database_without_memd(home: Path, content: bytes | None, state: str, says: str) -> None:
    if content is not None:
        (home / "memd.db").write_bytes(content)

    found = files.database(str(home))

    assert (found.state, says in found.detail) == (state, True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_a_fault(home: Path) -> None:
    home.chmod(0o500)

    assert files.database(str(home)).detail == f"{home} cannot be written"


def test_a_database_that_was_found_damaged_is_a_fault(home: Path) -> None:
    (home / "memd.db").write_bytes(b"SQLite format 3\0" + bytes(84))
    (home / "memd.db.damaged").write_text("page 3 is never used\n")

    assert files.database(str(home)).detail == f"{home}/memd.db was found damaged: page 3 is never used"


def test_a_home_that_is_not_there_yet_is_no_fault(tmp_path: Path) -> None:
    data = str(tmp_path / "new" / "data")

    assert (files.database(data).state, files.modes(data, "/no/memd.sock").state) == ("unknown", "unknown")
    assert files.disk(data).state == "ok"


def test_nor_is_one_where_memctl_came_before_the_first_memd(tmp_path: Path) -> None:
    (tmp_path / "data" / "setup").mkdir(parents=True)

    assert files.database(str(tmp_path / "data")).state == "unknown"


def test_a_database_that_was_set_aside_is_told(home: Path) -> None:
    for name in ("memd.db.corrupt-20261130", "memd.db.corrupt-20261130-wal", "memd.db"):
        (home / name).write_text("x")

    [found] = files.set_aside(str(home))

    assert found.state == "warn" and "memd.db.corrupt-20261130 was damaged" in found.detail


@pytest.mark.parametrize(
    ("settings", "state", "says"),
    [
        ({}, "ok", "30 days, the client's default"),
        ({"cleanupPeriodDays": 365}, "ok", "365 days"),
        ({"cleanupPeriodDays": 2}, "warn", "2 days"),
        ({"cleanupPeriodDays": 0}, "warn", "keeps no transcripts"),
        ({"cleanupPeriodDays": "soon"}, "unknown", "'soon'"),
    ],
)
def test_how_long_the_client_keeps_transcripts(settings: dict[str, object], state: str, says: str) -> None:
    found = claude.retention(settings)

    assert (found.state, says in found.detail) == (state, True)


def hook(*commands: str, event: str = "Stop") -> dict[str, object]:
    return {"hooks": {event: [{"hooks": [{"type": "command", "command": one} for one in commands]}]}}


OTHERS = {
    "hooks": {"Stop": [{"hooks": [{"command": "notify-send memctl"}]}], "x": 3, "y": [None, {"hooks": [1]}]}
}
PLUGIN = {"enabledPlugins": {"memd@market": True}}
TWICE = hook("memctl hook stop", "memctl hook stop")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memctl on PATH whose hooks say nothing."""
    path = tmp_path / "bin" / "memctl"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path.parent}:/usr/bin:/bin")
    return path


def look(
    tmp_path: Path, user: object, project: object = None, servers: object = None
) -> dict[str, check.Check]:
    """The checks of a client with these settings of the user and the project, and these servers."""
    files = {"c/settings.json": user, "work/.claude/settings.json": project, "c/.claude.json": servers}
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("// mine\n" + json.dumps(content or {}))
    env = {**os.environ, "CLAUDE_CONFIG_DIR": str(tmp_path / "c")}
    return {one.name: one for one in claude.checks(env, str(tmp_path / "work"))}


@pytest.mark.parametrize(
    ("user", "project", "state", "says"),
    [
        ({}, OTHERS, "unknown", "not set up"),
        (hook("memctl hook stop"), {}, "ok", "Stop"),
        # the same handler in two files runs once
        (hook("memctl hook stop"), hook("memctl hook stop"), "ok", "Stop"),
        (hook("memctl hook stop"), hook("BIN/memctl hook stop"), "warn", "more than once, in"),
        (TWICE, {}, "warn", "c/settings.json too"),
        (PLUGIN, {}, "ok", "by the plugin memd@market"),
        (hook("memctl hook stop"), {"disableAllHooks": False}, "ok", "Stop"),
        (
            hook("memctl hook stop"),
            {"disableAllHooks": True},
            "warn",
            "work/.claude/settings.json has disable",
        ),
        (hook("memctl hook stop"), PLUGIN, "warn", "c/settings.json and by the plugin memd@market"),
        (hook("/gone/memctl hook stop"), {}, "warn", "/gone/memctl is not there"),
        (hook("test -x '/a b/memctl' && '/a b/memctl' hook stop || true"), {}, "warn", "/a b/memctl is not"),
    ],
)
def test_mc41_hooks_are_there_once_and_find_memctl(
    user: object, project: object, state: str, says: str, program: Path, tmp_path: Path
) -> None:
    project = json.loads(json.dumps(project).replace("BIN", str(program.parent)))

    found = look(tmp_path, user, project)["hooks"]

    assert (found.state, says in found.detail) == (state, True), found


def test_a_plugin_without_memctl_on_the_path_says_nothing(tmp_path: Path) -> None:
    assert look(tmp_path, PLUGIN)["hooks"].detail == "they say nothing: memctl on PATH is not there"


@pytest.mark.parametrize(
    ("script", "state", "says"),
    [
        ("", "ok", " ms"),
        ("sleep 0.4", "warn", " ms"),
        ("exit 2", "fault", "ended with 2"),
        ("echo surprise", "fault", "printed 9 bytes"),
    ],
)
def test_a_hook_is_run_and_its_time_taken(
    script: str, state: str, says: str, program: Path, tmp_path: Path
) -> None:
    program.write_text(f"#!/bin/sh\n{script}\n")

    found = look(tmp_path, hook("memctl hook user-prompt-submit", event="UserPromptSubmit"))["hook time"]

    assert (found.state, says in found.detail) == (state, True), found


def test_a_hook_that_hangs_is_a_fault(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memctl.doctor.hook.SECONDS", 0.2)
    program.write_text("#!/bin/sh\nexec sleep 20\n")

    assert look(tmp_path, PLUGIN)["hook time"].state == "fault"


def entry(command: str, *args: str) -> object:
    return {"mcpServers": {"memd": {"command": command, "args": [*args]}}}


@pytest.mark.parametrize(
    ("servers", "user", "extra", "state", "says"),
    [
        ({}, {}, True, "unknown", "not set up"),
        (entry("memctl", "mcp"), {}, True, "ok", "c/.claude.json"),
        ({}, PLUGIN, True, "ok", "by the plugin"),
        (entry("memctl", "mcp"), PLUGIN, True, "warn", "twice"),
        (entry("/gone/memctl", "mcp"), {}, True, "warn", "/gone/memctl is not there"),
        (entry("memctl", "mcp"), {}, False, "warn", "extra"),
        (entry("docker", "run", "memd"), {}, True, "unknown", "is not memctl"),
    ],
)
def test_the_server_is_there_once_and_can_be_started(
    servers: object,
    user: object,
    extra: bool,
    state: str,
    says: str,
    program: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("memctl.setup.servers.can_serve", lambda: extra)

    found = look(tmp_path, user, servers=servers)["mcp"]

    assert (found.state, says in found.detail) == (state, True), found


@pytest.mark.parametrize("text", ["{", "[]", '{"a": ' + "[" * 100_000])
def test_settings_that_are_no_json_leave_it_open(text: str, tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text(text)

    found = list(claude.checks({"CLAUDE_CONFIG_DIR": str(tmp_path)}, "/nowhere"))

    assert [one.state for one in found] == ["unknown"]


def installed(folder: Path, program: Path, *, enabled: bool = True) -> dict[str, str]:
    units = folder / "systemd" / "user"
    (units / "default.target.wants").mkdir(parents=True)
    (units / "memd.service").write_text(f'[Service]\nExecStart="{program}" run\n')
    if enabled:
        (units / "default.target.wants" / "memd.service").symlink_to(units / "memd.service")
    return {"XDG_CONFIG_HOME": str(folder), "USER": "nobody-here"}


def test_the_service_is_looked_at_in_its_files(tmp_path: Path) -> None:
    program = tmp_path / "a b" / "memd"
    program.parent.mkdir()
    program.write_text("")
    program.chmod(0o755)

    def seen(
        name: str, *, enabled: bool = True, running: bool = True, where: Path = program
    ) -> tuple[str, str]:
        found = service.check(
            installed(tmp_path / name, where, enabled=enabled), running=running, start=lambda: None
        )
        return found.state, found.detail

    assert service.check({"HOME": str(tmp_path)}, running=True, start=lambda: None).state == "warn"
    assert seen("good") == (
        "ok",
        "systemd starts it at login, and it ends when you log out (loginctl enable-linger keeps it)",
    )
    assert seen("off", enabled=False) == ("warn", "written, but it does not start at login")
    assert seen("gone", where=tmp_path / "moved")[0] == "fault"
    assert seen("down", running=False)[0] == "fault"


def test_without_memd_and_without_a_service_what_mends_it_is_a_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))

    assert main(["doctor", "--json"]) == 1

    assert json.loads(capfd.readouterr().out)["checks"][0]["fix"] == "memctl service install"


def test_fix_starts_a_service_that_is_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in (("memd", ""), ("memctl", ""), ("systemctl", f'echo "$@" >> {tmp_path}/log\n')):
        (folder / name).write_text(f"#!/bin/sh\n{text}")
        (folder / name).chmod(0o755)
    for name, value in installed(tmp_path / "c", folder / "memd").items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", f"{folder}:/bin:/usr/bin")
    monkeypatch.setattr("sys.argv", [str(folder / "memctl")])

    main(["doctor", "--fix", "--json"])

    told = json.loads(capfd.readouterr().out)
    assert told["checks"][0]["fix"] == "memctl service start"
    assert told["mended"] == ["service: done: memctl service start; memctl service logs"]
    assert "--user start memd.service" in (tmp_path / "log").read_text()
    assert place.config({"HOME": "/h"}) == "/h/.config"
