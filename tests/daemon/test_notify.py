"""systemd hears what it should, and nothing that goes wrong there matters."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from collections.abc import Iterator

import pytest

from memd.daemon.notify import Notifier


@pytest.fixture(params=["path", "abstract"])
def supervisor(request: pytest.FixtureRequest) -> Iterator[tuple[str, socket.socket]]:
    """The address in the environment, and the socket behind it."""
    if request.param == "abstract" and sys.platform != "linux":
        pytest.skip("only Linux has abstract sockets")
    with (
        tempfile.TemporaryDirectory(prefix="m-") as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock,
    ):
        name = f"@memd-test-{os.getpid()}" if request.param == "abstract" else f"{folder}/notify"
        sock.bind(name.replace("@", "\0", 1))
        sock.settimeout(5)
        yield name, sock


def test_the_supervisor_is_told_each_step(supervisor: tuple[str, socket.socket]) -> None:
    address, sock = supervisor
    notifier = Notifier({"NOTIFY_SOCKET": address})

    notifier.starting("salvaging", 30)
    notifier.ready("serving 3\nfiles")
    notifier.alive()
    notifier.status("importing")
    notifier.stopping()

    assert [sock.recv(4096).decode() for _ in range(5)] == [
        "STATUS=salvaging\nEXTEND_TIMEOUT_USEC=30000000",
        "READY=1\nSTATUS=serving 3 files",
        "WATCHDOG=1",
        "STATUS=importing",
        "STOPPING=1",
    ]


@pytest.mark.parametrize(
    "address", ["", "/no/such/socket", "@nobody-listens-here", "vsock:2:3", "/" + "x" * 200]
)
def test_nobody_to_tell_is_no_trouble(address: str) -> None:
    Notifier({"NOTIFY_SOCKET": address}).ready()


def test_a_supervisor_that_does_not_listen_makes_nobody_wait(supervisor: tuple[str, socket.socket]) -> None:
    notifier = Notifier({"NOTIFY_SOCKET": supervisor[0]})

    for _ in range(5000):
        notifier.alive()


@pytest.mark.parametrize(
    ("env", "seconds"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "60000000"}, 60.0),
        ({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": str(os.getpid())}, 60.0),
        ({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
    ],
)
def test_the_watchdog_is_fed_only_where_it_watches_us(env: dict[str, str], seconds: float | None) -> None:
    assert Notifier(env).watchdog_seconds == seconds
