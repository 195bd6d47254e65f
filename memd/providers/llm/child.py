"""The process that asks the model, so that memd itself never loads the SDK: two seconds and 77 MB.

It reads frames from stdin and writes one for each to stdout. It ends when nobody has asked for a while, and at once
when stdin is closed: its parent has ended then, however that came.
"""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Callable

from memd.errors import MemdError, ModelCrashed, ModelError
from memd.providers.llm import frames
from memd.providers.llm.base import Reply, Request
from memd.providers.llm.frames import Frame, Model

IDLE_SECONDS = 90.0  # the parent ends it sooner
NICENESS = 15  # nobody waits for a model as they wait for a search

Ask = Callable[[Request], Reply]


def main() -> None:
    """Serve the parent until it goes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is the parent's to answer
    os.nice(NICENESS)
    out = os.dup(1)
    os.dup2(2, 1)  # whatever prints something does not break a frame
    serve(0, out)


def serve(source: int, sink: int, idle_s: float = IDLE_SECONDS) -> None:
    """Answer every request that comes; back when there is nothing to wait for."""
    child = _Child(sink)
    while select.select([source], [], [], idle_s)[0] or child.is_busy:
        frame = _read(source)
        if frame is None:
            os._exit(0)  # in the middle of a call, too
        child.take(frame)


class _Child:
    """One request at a time, answered on a thread, so that the end of the parent is noticed meanwhile."""

    def __init__(self, sink: int) -> None:
        self._sink = sink
        self._model: Model | None = None
        self._ask: Ask | None = None
        self._thread: threading.Thread | None = None

    @property
    def is_busy(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def take(self, frame: Frame) -> None:
        if self._model is None:
            self._model = frames.to_model(frame)
            return
        self._thread = threading.Thread(target=self._answer, args=(frames.to_request(frame),), daemon=True)
        self._thread.start()

    def _answer(self, request: Request) -> None:
        try:
            told = frames.of_reply(self._open()(request))
        except ModelError as error:
            told = frames.of_error(error)
        except BaseException as error:  # its message may quote what was asked
            told = frames.of_error(ModelCrashed(f"asking the language model failed: {_name(error)}"))
        _write(self._sink, frames.packed(told))

    def _open(self) -> Ask:
        """The model, its SDK loaded at the first call."""
        if self._ask is None:
            assert self._model is not None
            self._ask = _opened(self._model)
        return self._ask


def _opened(model: Model) -> Ask:
    from memd.providers.llm import anthropic

    client = anthropic.open_client(model.provider, model.key_file, model.timeout_s)
    return anthropic.Messages(client, model.model).ask


def _name(error: BaseException) -> str:
    return error.message if isinstance(error, MemdError) else type(error).__name__


def _read(source: int) -> Frame | None:
    """The next frame; None where there is no other side any more."""
    head = _exactly(source, frames.HEAD)
    body = _exactly(source, int.from_bytes(head, "big")) if head else None
    return frames.unpacked(body) if body else None


def _exactly(source: int, size: int) -> bytes | None:
    found = bytearray()
    while len(found) < size:
        part = os.read(source, size - len(found))
        if not part:
            return None
        found += part
    return bytes(found)


def _write(sink: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(sink, view) :]


if __name__ == "__main__":
    main()
