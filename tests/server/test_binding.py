"""The socket's file: made for the owner alone, and nothing of others removed for it."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from memd.errors import CannotCreate, ConfigError
from memd.server.activation import passed_socket
from memd.server.binding import bind


@pytest.fixture
def path(folder: Path) -> Path:
    (folder / "run").mkdir()
    return folder / "run" / "memd.sock"


@pytest.mark.parametrize("umask", [0, 0o077])
def test_the_socket_and_its_folder_are_for_the_owner(path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        bound = bind(path)
        assert os.umask(umask) == umask
    finally:
        os.umask(before)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert bound.is_in_place()
    bound.remove()
    assert not path.exists()


def test_a_dead_socket_of_ours_is_replaced(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))

    bound = bind(path)

    assert bound.is_in_place()
    bound.remove()


def test_a_live_socket_is_left_alone(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
        other.listen(1)

        with pytest.raises(CannotCreate, match="another program listens"):
            bind(path)

        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))


def test_a_live_socket_too_busy_to_accept_is_left_alone(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as other, socket.socket(socket.AF_UNIX) as client:
        other.bind(str(path))
        other.listen(0)
        client.connect(str(path))

        with pytest.raises(CannotCreate):
            bind(path)

        assert path.exists()


def test_a_socket_of_another_type_is_left_alone(path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.bind(str(path))

        with pytest.raises(CannotCreate):
            bind(path)

        assert path.exists()


def test_a_file_at_the_path_is_left_alone(path: Path) -> None:
    path.write_text("keep")

    with pytest.raises(CannotCreate, match="no socket"):
        bind(path)

    assert path.read_text() == "keep"


def test_a_link_at_the_path_is_left_alone_even_to_a_dead_socket(path: Path) -> None:
    target = path.with_name("dead")
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(target))
    path.symlink_to(target)

    with pytest.raises(CannotCreate):
        bind(path)

    assert path.is_symlink() and target.exists()


def test_a_path_too_long_says_how_to_shorten_it(folder: Path) -> None:
    path = folder / ("d" * 90) / "run" / "memd.sock"

    with pytest.raises(ConfigError, match=r"memd\.sock is 1\d\d bytes long.*MEMD_SOCKET") as caught:
        bind(path)

    assert caught.value.exit_code == 78
    assert not path.parent.parent.exists()


def test_only_our_own_file_is_removed_at_the_end(path: Path) -> None:
    bound = bind(path)
    path.unlink()
    path.write_text("another's")

    assert not bound.is_in_place()
    bound.remove()

    assert path.read_text() == "another's"


def test_without_a_supervisor_no_socket_is_passed() -> None:
    assert passed_socket({}) is None
    assert passed_socket({"LISTEN_FDS": "1", "LISTEN_PID": "1"}) is None


@pytest.mark.skipif(sys.platform == "darwin", reason="systemd's way")
@pytest.mark.parametrize(
    ("family", "count", "expected"),
    [("AF_UNIX", "1", "True False"), ("AF_INET", "1", "ConfigError"), ("AF_UNIX", "2", "ConfigError")],
)
def test_a_passed_socket_is_taken_over(family: str, count: str, expected: str) -> None:
    code = f"""
import os, socket
from memd.errors import ConfigError
from memd.server.activation import passed_socket
sock = socket.socket(socket.{family}, socket.SOCK_STREAM)
os.dup2(sock.fileno(), 3)
try:
    passed = passed_socket({{"LISTEN_FDS": "{count}", "LISTEN_PID": str(os.getpid())}})
    print(passed.fileno() == 3, os.get_inheritable(3))
except ConfigError:
    print("ConfigError")
"""

    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert found.stdout.strip() == expected
