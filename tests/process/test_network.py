"""Nothing of memd waits for the network: a hub that takes every connection and never answers holds nothing up."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from tests.process.conftest import Box, until


class SilentHub:
    """Accepts, and is silent for good."""

    def __init__(self) -> None:
        self.asked: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._doorman = threading.Thread(target=self._accept)
        self._doorman.start()

    def _accept(self) -> None:
        try:
            while True:
                self.asked.append(self._listener.accept()[0])
        except OSError:
            pass  # closed

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._doorman.join()
        for one in (self._listener, *self.asked):
            one.close()


@pytest.fixture
def hub(box: Box) -> Iterator[SilentHub]:
    """The only network that the box's memd can reach."""
    one = SilentHub()
    box.env |= dict.fromkeys(("HF_ENDPOINT", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), one.url)
    yield one
    box.kill()
    one.close()


def test_without_a_model_it_is_ready_finds_words_and_ends_while_the_hub_is_silent(
    box: Box, hub: SilentHub
) -> None:
    """Field case B22 (b)."""
    box.env["MEMD_EMBEDDER"] = "fastembed:BAAI/bge-small-en-v1.5"
    box.write("the quokka sleeps")
    box.start()
    box.settle()
    assert until(lambda: bool(hub.asked))

    answer = box.ask("search", "quokka")
    began = time.monotonic()
    code = box.stop()

    assert [hit["text"] for hit in answer["results"]] == ["the quokka sleeps"]
    assert answer["lanes"]["vector"].startswith("off:")
    assert (code, time.monotonic() - began < 5) == (0, True)


def test_the_bundled_model_needs_no_network_at_all(box: Box, hub: SilentHub) -> None:
    """Field case B22 (a)."""
    box.env["MEMD_EMBEDDER"] = "bundled"
    box.write("the quokka sleeps")
    box.start()
    box.settle("--embedded")

    assert box.ask("search", "a marsupial takes a nap")["lanes"]["vector"] == "on"
    assert hub.asked == []
