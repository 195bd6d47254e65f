"""Where the socket is, for every mix of flags and environment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memd.wire.address import socket_path


@pytest.mark.parametrize(
    ("env", "flags", "expected"),
    [
        ({"MEMD_SOCKET": "/a/s", "MEMD_HOME": "/h"}, {"socket": "/flag/s", "home": "/f"}, "/flag/s"),
        ({"MEMD_SOCKET": "/a/s", "MEMD_HOME": "/h"}, {}, "/a/s"),
        ({"MEMD_SOCKET": "/a/s"}, {"home": "/f"}, "/a/s"),
        ({"MEMD_HOME": "/h"}, {"home": "/f"}, "/f/run/memd.sock"),
        ({"MEMD_HOME": "/h", "XDG_RUNTIME_DIR": "/"}, {}, "/h/run/memd.sock"),
        ({"MEMD_HOME": "~/m", "HOME": "/u"}, {}, "/u/m/run/memd.sock"),
        ({"MEMD_HOME": "/h/../k"}, {}, "/k/run/memd.sock"),
        # set but empty is not set
        ({"MEMD_SOCKET": "", "MEMD_HOME": "", "XDG_DATA_HOME": "/d"}, {}, "/d/memd/run/memd.sock"),
        # a run-time folder that is not there, or not absolute, does not count
        ({"XDG_RUNTIME_DIR": "/no/such", "XDG_DATA_HOME": "/d"}, {}, "/d/memd/run/memd.sock"),
        ({"XDG_RUNTIME_DIR": ".", "XDG_DATA_HOME": "/d"}, {}, "/d/memd/run/memd.sock"),
    ],
)
def test_the_nearest_saying_wins(env: dict[str, str], flags: dict[str, str], expected: str) -> None:
    assert socket_path(env, **flags) == expected


def test_the_runtime_folder_is_used_where_it_exists(tmp_path: Path) -> None:
    assert socket_path({"XDG_RUNTIME_DIR": str(tmp_path)}) == str(tmp_path / "memd" / "memd.sock")


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("linux", "/u/.local/share/memd/run/memd.sock"),
        ("darwin", "/u/Library/Application Support/memd/run/memd.sock"),
    ],
)
def test_the_last_resort_is_the_data_folder(
    monkeypatch: pytest.MonkeyPatch, platform: str, expected: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)

    assert socket_path({"HOME": "/u"}) == expected


def test_the_address_costs_the_client_no_module() -> None:
    code = (
        "import os, sys; before = set(sys.modules); import memd.wire.address; "
        "print(sorted(set(sys.modules) - before))"
    )

    found = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True)

    assert found.stdout.strip() == "['__future__', 'memd', 'memd.wire', 'memd.wire.address']"
