from __future__ import annotations

import socket
from pathlib import Path

import pytest

from memd.clock import FixedClock
from tests.providers.models import write_model


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("model"))


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def outbound(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Attempts to reach the network; each fails."""
    attempts: list[str] = []

    def refuse(*args: object, **options: object) -> None:
        attempts.append(repr(args))
        raise OSError(101, "Network is unreachable")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return attempts
