"""Autostart: a call that finds nobody starts memd where it is on; never a hook, nor where a supervisor has it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memctl import autostart
from memctl.main import main
from tests.memctl.conftest import CODE

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memd that notes how it was started, and ends with 78; where it notes that."""
    for name, text in (
        ("memctl", ""),
        ("memd", 'echo "$MEMD_HOME $MEMD_SOCKET $*" >> "$HOME/starts"; exit 78'),
    ):
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    monkeypatch.setattr("sys.argv", [str(tmp_path / "bin" / "memctl")])
    monkeypatch.setattr("sys.platform", "linux")
    return tmp_path / "starts"


@pytest.mark.parametrize(
    ("variable", "settings", "on"),
    [
        (None, None, False),
        (None, "[client]\nautostart = true\n", True),
        (None, "[client]\nautostart = false\n", False),
        (None, "# [client] autostart = true\n", False),
        (None, "autostart = true\n", False),
        (None, '[client]\nautostart = "yes"\n', False),  # which memd refuses
        (None, "[client\nautostart = true\n", False),
        ("on", None, True),
        ("0", "[client]\nautostart = true\n", False),
    ],
)
def test_the_settings_say_whether(
    variable: str | None, settings: str | None, on: bool, tmp_path: Path
) -> None:
    env = {"HOME": str(tmp_path)} | ({"MEMD_CLIENT__AUTOSTART": variable} if variable else {})
    places = {
        ".config/memd/config.toml": {},
        "m/config.toml": {"MEMD_HOME": str(tmp_path / "m")},
        "c.toml": {"MEMD_CONFIG": str(tmp_path / "c.toml")},
    }
    for name, told in places.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if settings is not None:
            path.write_text(settings)

        assert autostart.is_on({**env, **told}) is on


def test_off_it_stays_69_and_loads_nothing_for_it(starts: Path) -> None:
    code = CODE.replace("sys.exit(main())", "code = main(); print(*sys.modules); sys.exit(code)")

    done = subprocess.run(
        [sys.executable, "-c", code, "search", "x"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 69
    assert "memctl.autostart" in done.stdout
    assert not {"tomllib", "subprocess", "fcntl", "memctl.supervisor.place"} & set(done.stdout.split())
    assert not starts.exists()


def test_on_it_starts_the_memd_that_is_meant_and_says_how_that_ended(
    starts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    monkeypatch.setenv("MEMD_CLIENT__AUTOSTART", "1")

    assert main(["status", "--home", str(tmp_path / "m")]) == 69

    assert starts.read_text() == f"{tmp_path}/m {tmp_path}/m/run/memd.sock run\n"
    [said] = capfd.readouterr().err.splitlines()
    assert "ended with 78" in said and f"{tmp_path}/m/logs/memd.err" in said


@pytest.mark.parametrize("words", [["hook", "stop"], ["hook", "session-start"], ["doctor"]])
def test_hooks_and_doctor_start_nothing(
    words: list[str], starts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMD_CLIENT__AUTOSTART", "1")

    subprocess.run(
        [sys.executable, "-c", CODE, *words], input=b'{"source": "startup"}', capture_output=True, check=False
    )

    assert not starts.exists()


def test_where_a_supervisor_has_memd_it_is_left_to_it(
    starts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    monkeypatch.setenv("MEMD_CLIENT__AUTOSTART", "1")
    unit = tmp_path / ".config/systemd/user/memd.service"
    unit.parent.mkdir(parents=True)
    unit.write_text("[Service]\n")

    assert main(["ping"]) == 69

    assert "memctl service start" in capfd.readouterr().err
    assert not starts.exists()


def test_a_memd_that_starts_already_is_waited_for_alone(
    starts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMD_CLIENT__AUTOSTART", "1")
    monkeypatch.setenv("MEMD_HOME", str(tmp_path / "m"))
    monkeypatch.setattr("memctl.supervisor.detached.SECONDS", 0.1)
    (tmp_path / "m/data").mkdir(parents=True)
    (tmp_path / "m/data/memd.lock").write_text(f"{os.getpid()}\nit is starting\n")

    assert main(["ping"]) == 69

    assert not starts.exists()
