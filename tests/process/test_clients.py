"""Many clients of one daemon: each gets its own right answer, whatever the others do and whatever is imported."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter

import pytest

from tests.bench.clients import crowd, fill, while_importing
from tests.process.conftest import Box


@pytest.fixture
def marks(box: Box) -> list[str]:
    """Words that one turn each holds, in a running memd."""
    found = fill(box, "old", 300)
    box.start()
    box.settle()
    return found


def test_two_hundred_clients_all_get_their_answers_beside_stuck_ones(box: Box, marks: list[str]) -> None:
    stuck = [socket.socket(socket.AF_UNIX) for _ in range(40)]
    for number, plug in enumerate(stuck):
        plug.connect(str(box.home / "run" / "memd.sock"))
        plug.sendall(b"\0\0\1" if number % 2 else b"GET / HTTP/1.1")

    answers = asyncio.run(crowd(box, 200, 3, marks))

    for plug in stuck:
        plug.close()
    assert answers.failures == []
    assert len(answers.ms) == 600
    assert box.process and box.process.poll() is None


def test_an_import_beside_twenty_searching_clients_loses_nothing(box: Box, marks: list[str]) -> None:
    """Field case B16, the part of the searches."""
    answers = asyncio.run(while_importing(box, 500, 20, marks))

    assert answers.failures == []
    texts = Counter(turn["text"].split()[0] for turn in box.export())
    assert texts == Counter([*marks, *(f"fresh{number}mark" for number in range(500))])
