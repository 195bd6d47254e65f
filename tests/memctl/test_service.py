from __future__ import annotations

import configparser
import json
import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memctl.exits import Failure
from memctl.main import main
from memctl.supervisor import launchd, place, systemd
from memctl.supervisor.place import Place
from memctl.supervisor.steps import Remove, Run, Say, Show, Write, describe, perform
from tests.memctl.conftest import Start
from tests.memctl.fake_daemon import answer

ROOT = Path(__file__).parents[2]
PLACE = Place(
    memd="/opt/memd/bin/memd",
    user_home="/home/dev",
    uid=1000,
    config="/home/dev/.config",
    logs="/home/dev/logs",
    socket="/run/user/1000/memd/memd.sock",
    environment={},
)
ODD = Place(
    memd='/opt/a "b" 100%/memd',
    user_home="/home/dev",
    uid=1000,
    config="/home/dev/.config",
    logs="/home/dev/logs",
    socket="/tmp/100%/memd.sock",
    environment={"MEMD_HOME": '/tmp/a "b" 100% \\ &<'},
)


def unit(text: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]  # the documented way to keep case
    parser.read_string(text)
    return parser


PROMISED = {
    "Unit": {"StartLimitIntervalSec": "300", "StartLimitBurst": "10"},
    "Service": {
        "Type": "notify",
        "ExecStart": "/opt/memd/bin/memd run",
        "WatchdogSec": "60",
        "Restart": "on-failure",
        "RestartSec": "1",
        "RestartSteps": "6",
        "RestartMaxDelaySec": "60",
        "RestartPreventExitStatus": "65 73 77 78",
        "TimeoutStopSec": "15",
        "MemoryHigh": "600M",
        "MemoryMax": "1G",
        "TasksMax": "64",
        "OOMPolicy": "stop",
        "UMask": "0077",
        "NoNewPrivileges": "yes",
        "LockPersonality": "yes",
        "RestrictRealtime": "yes",
        "RestrictSUIDSGID": "yes",
        "RestrictAddressFamilies": "AF_UNIX AF_INET AF_INET6",
        "SystemCallArchitectures": "native",
    },
    "Install": {"WantedBy": "default.target"},
}


def test_the_unit_holds_what_is_promised_and_no_more() -> None:
    parsed = unit(systemd.service(PLACE))

    promised = {
        "Unit": {"Description": "memd, a memory for coding agents", **PROMISED["Unit"]},
        **{name: PROMISED[name] for name in ("Service", "Install")},
    }
    assert {name: dict(parsed[name]) for name in parsed.sections()} == promised


def test_the_sockets_unit_is_for_its_owner_alone() -> None:
    parsed = unit(systemd.socket(PLACE))

    assert dict(parsed["Socket"]) == {
        "ListenStream": "/run/user/1000/memd/memd.sock",
        "SocketMode": "0600",
        "DirectoryMode": "0700",
        "Accept": "no",
    }


def test_odd_paths_are_quoted_for_systemd() -> None:
    parsed = unit(systemd.service(ODD))

    assert parsed["Service"]["ExecStart"] == '"/opt/a \\"b\\" 100%%/memd" run'
    assert parsed["Service"]["Environment"] == '"MEMD_HOME=/tmp/a \\"b\\" 100%% \\\\ &<"'
    assert unit(systemd.socket(ODD))["Socket"]["ListenStream"] == "/tmp/100%%/memd.sock"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd")
def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path) -> None:
    real = Place(sys.executable, "/h", 1000, "/c", "/l", "/run/memd.sock", {"MEMD_HOME": "/tmp/a b"})
    (tmp_path / "memd.service").write_text(systemd.service(real))
    (tmp_path / "memd.socket").write_text(systemd.socket(real))

    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", *map(str, sorted(tmp_path.iterdir()))],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path)},
    )

    # Before systemd 254 two of the keys are not known yet.
    lines = [
        line
        for line in done.stderr.splitlines()
        if "RestartSteps" not in line and "RestartMaxDelay" not in line
    ]
    assert (done.returncode, lines) == (0, [])


def test_the_agent_holds_what_is_promised() -> None:
    agent = plistlib.loads(launchd.plist(ODD).encode())

    assert agent == {
        "Label": "dev.memd.memd",
        "ProgramArguments": [ODD.memd, "run", "--launchd"],
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 10,
        "ExitTimeOut": 15,
        "Umask": 0o077,
        "ProcessType": "Background",
        "StandardErrorPath": "/home/dev/logs/memd.err",
        "EnvironmentVariables": dict(ODD.environment),
    }


def test_the_agents_file_is_a_plist_as_it_lies_there() -> None:
    found = list((ROOT / "launchd").glob("*.plist"))

    assert [path.stem for path in found] == [plistlib.loads(path.read_bytes())["Label"] for path in found]
    assert found


def commands(action: str, where: object) -> list[str]:
    plan = systemd.plan if where is systemd else launchd.plan
    return [" ".join(step.command) for step in plan(action, PLACE) if isinstance(step, Run | Show)]


CHECK = "systemctl --user show-environment"


@pytest.mark.parametrize(
    ("action", "linux", "mac"),
    [
        (
            "install",
            [CHECK, "systemctl --user daemon-reload", "systemctl --user enable --now memd.service"],
            [
                "launchctl bootout gui/1000/dev.memd.memd",
                "launchctl enable gui/1000/dev.memd.memd",
                "launchctl bootstrap gui/1000 /home/dev/Library/LaunchAgents/dev.memd.memd.plist",
            ],
        ),
        (
            "uninstall",
            ["systemctl --user disable --now memd.service memd.socket", "systemctl --user daemon-reload"],
            ["launchctl bootout gui/1000/dev.memd.memd"],
        ),
        (
            "start",
            [CHECK, "systemctl --user start memd.service"],
            ["launchctl kickstart gui/1000/dev.memd.memd"],
        ),
        (
            "stop",
            [CHECK, "systemctl --user stop memd.socket memd.service"],
            ["launchctl kill SIGTERM gui/1000/dev.memd.memd"],
        ),
        (
            "restart",
            [CHECK, "systemctl --user restart memd.service"],
            ["launchctl kickstart -k gui/1000/dev.memd.memd"],
        ),
        (
            "status",
            [CHECK, "systemctl --user --no-pager status memd.service"],
            ["launchctl print gui/1000/dev.memd.memd"],
        ),
        (
            "logs",
            ["journalctl --user --unit memd.service --no-pager --lines 100"],
            ["tail -n 100 /home/dev/logs/memd.err /home/dev/logs/memd.log"],
        ),
    ],
)
def test_each_action_runs_these(action: str, linux: list[str], mac: list[str]) -> None:
    assert commands(action, systemd) == linux
    assert commands(action, launchd) == mac


def test_install_and_uninstall_are_about_the_same_files() -> None:
    for plan in (systemd.plan, launchd.plan):
        written = [step.path for step in plan("install", PLACE) if isinstance(step, Write)]
        removed = [step.path for step in plan("uninstall", PLACE) if isinstance(step, Remove)]

        assert written == removed
        assert written


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with memd and memctl in it, from which memctl runs."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("memd", "memctl"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(folder / "memctl")])
    monkeypatch.setattr(sys, "platform", "linux")
    return folder


GOLDEN = """\
run systemctl --user show-environment
write {home}/.config/systemd/user/memd.service
    [Unit]
    Description=memd, a memory for coding agents
    StartLimitIntervalSec=300
    StartLimitBurst=10

    [Service]
    Type=notify
    Environment="MEMD_HOME={home}/m"
    ExecStart={bin}/memd run
"""


def test_a_dry_run_prints_what_would_be_done_and_does_nothing(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMD_HOME", str(tmp_path / "m"))
    monkeypatch.setenv("PATH", "/nowhere")

    assert main(["service", "install", "--dry-run"]) == 0

    said = capfd.readouterr().out
    assert said.startswith(GOLDEN.format(home=tmp_path, bin=programs))
    assert f"    ListenStream={tmp_path}/m/run/memd.sock\n" in said
    assert said.endswith(
        "run systemctl --user daemon-reload\nrun systemctl --user enable --now memd.service\n"
    )
    assert not (tmp_path / ".config").exists()


def test_a_dry_run_speaks_json(programs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["service", "stop", "--dry-run", "--json"]) == 0

    told = json.loads(capfd.readouterr().out)
    assert told["action"] == "stop"
    assert [step["command"] for step in told["steps"]] == [
        CHECK.split(),
        ["systemctl", "--user", "stop", "memd.socket", "memd.service"],
    ]


def supervisor(folder: Path, log: Path, code: int) -> None:
    """A systemctl that notes how it is called."""
    path = folder / "systemctl"
    path.write_text(f'#!/bin/sh\necho "$@" >> {log}\necho shown\necho "no bus\nat all" >&2\nexit {code}\n')
    path.chmod(0o755)


def test_install_writes_the_units_and_starts_them(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    supervisor(programs, tmp_path / "log", 0)
    monkeypatch.setenv("PATH", f"{programs}:/bin:/usr/bin")

    assert main(["service", "install"]) == 0

    units = tmp_path / ".config/systemd/user"
    assert sorted(path.name for path in units.iterdir()) == ["memd.service", "memd.socket"]
    assert (tmp_path / "log").read_text().split("\n") == [
        "--user show-environment",
        "--user daemon-reload",
        "--user enable --now memd.service",
        "",
    ]
    assert "loginctl enable-linger" in capfd.readouterr().out

    assert main(["service", "uninstall"]) == 0
    assert list(units.iterdir()) == []
    assert main(["service", "uninstall"]) == 0  # there is nothing left to remove, which is as well


def test_without_systemd_it_says_what_to_do(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for path in (str(programs), "/nowhere"):  # a systemctl that fails, and none
        supervisor(programs, tmp_path / "log", 1)
        monkeypatch.setenv("PATH", path + ":/bin" if path != "/nowhere" else path)

        assert main(["service", "install"]) == 1

        said = capfd.readouterr().err
        assert said.count("\n") == 1 and "memd run" in said
        assert not (tmp_path / ".config").exists()


def test_the_supervisors_own_word_is_shown(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert perform([Show(("echo", "shown")), Say("said")], quiet=False) == (0, "")
    assert capfd.readouterr().out == "shown\nsaid\n"
    assert perform([Show(("echo", "shown")), Say("said")], quiet=True) == (0, "shown\nsaid\n")
    assert capfd.readouterr().out == ""


def test_a_program_that_fails_is_named_with_its_first_line() -> None:
    assert perform([Show(("false",))], quiet=False) == (1, "")
    with pytest.raises(Failure, match=r"^`sh -c 'echo one >&2; echo two >&2; exit 3'` failed: one$"):
        perform([Run(("sh", "-c", "echo one >&2; echo two >&2; exit 3"))], quiet=False)
    assert perform([Run(("false",), may_fail=True)], quiet=False) == (0, "")


def test_a_dry_run_obeys_no_escape_codes() -> None:
    assert describe([Remove("/tmp/\x1b[2J")]) == "remove /tmp/\\x1b[2J\n"


def test_templates_lie_in_the_package_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "memctl"
    (installed / "supervisor").mkdir(parents=True)
    (installed / "service/systemd").mkdir(parents=True)
    (installed / "service/systemd/memd.service").write_text("installed")
    monkeypatch.setattr(place, "__file__", str(installed / "supervisor/place.py"))

    assert place.template("systemd/memd.service") == "installed"
    with pytest.raises(Failure, match="install it anew"):
        place.template("systemd/memd.socket")


def test_a_line_break_does_not_get_into_a_unit(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Failure, match="MEMD_HOME holds a line break"):
        place.here({"MEMD_HOME": "/a\nExecStart=/bin/sh"})


def test_nothing_is_installed_beside_a_memd_that_was_started_by_hand(
    programs: Path,
    tmp_path: Path,
    daemon: Start,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    supervisor(programs, tmp_path / "log", 0)
    monkeypatch.setenv("PATH", f"{programs}:/bin:/usr/bin")
    daemon(answer({}))

    assert (main(["service", "install"]), main(["setup", "--yes"])) == (1, 1)

    assert "started by other means" in capfd.readouterr().err
    assert not (tmp_path / "log").exists() and not (tmp_path / ".config").exists()
