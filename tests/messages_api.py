"""A Messages API on loopback that answers by a script: what it is to say, or how it is to fail."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-ant-api03-no-door-opens-to-this"


@dataclass(frozen=True)
class Asked:
    """One request as it came in."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        return str(self.body["messages"][0]["content"])


@dataclass(frozen=True)
class Answer:
    """What is sent back. ``length`` is the one that is announced, where it shall not be the body's."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = "application/json"
    length: int | None = None


def say(text: str, *, stop: str = "end_turn", usage: Mapping[str, object] | None = None) -> Answer:
    """A message with one text, or with none where it is empty."""
    return message([{"type": "text", "text": text}] if text else [], stop=stop, usage=usage)


def use_tool(data: object) -> Answer:
    """A message that uses the tool it was made to use."""
    return message([{"type": "tool_use", "id": "t", "name": "answer", "input": data}], stop="tool_use")


def message(content: object, *, stop: object = "end_turn", usage: object = None) -> Answer:
    """A message of the API."""
    whole = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage or {"input_tokens": 100, "output_tokens": 20},
    }
    return Answer(json.dumps(whole).encode())


def fail(status: int, kind: str, said: str = "no", *, code: str = "", **headers: str) -> Answer:
    """An error of the API."""
    error: dict[str, object] = {"type": kind, "message": said}
    if code:
        error["details"] = {"error_code": code}
    body = json.dumps({"type": "error", "error": error}).encode()
    return Answer(body, status, {name.replace("_", "-"): value for name, value in headers.items()})


def stream(text: str) -> Answer:
    """A message as server-sent events, which nobody asked for."""
    events = (
        ("message_start", {"type": "message_start", "message": {"type": "message", "content": []}}),
        (
            "content_block_delta",
            {"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}},
        ),
        ("message_stop", {"type": "message_stop"}),
    )
    lines = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
    return Answer(lines.encode(), kind="text/event-stream")


HANG = Answer(b"", status=0)
CLOSE = Answer(b"", status=-1)
PAGE = Answer(b"<html>please log in to this network</html>", kind="text/html")
CUT = Answer(b'{"id":"msg_1","type":"mess', length=9999)


class MessagesApi:
    """Answers with the next line of its script, with ``otherwise`` once that is over. Keeps every request."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.script: deque[Answer] = deque()
        self.otherwise = say('{"insights": []}')
        self.arrived = threading.Event()
        self.let_go = threading.Event()
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                try:
                    api._answer(self, Asked(self.path, dict(self.headers), json.loads(body)))
                except ConnectionError:
                    pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def _answer(self, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        self.asked.append(asked)
        self.arrived.set()
        answer = self.script.popleft() if self.script else self.otherwise
        if answer is HANG:
            self.let_go.wait(60)
        if answer.status <= 0:
            handler.close_connection = True
            return
        handler.send_response(answer.status)
        handler.send_header("content-type", answer.kind)
        handler.send_header("content-length", str(answer.length or len(answer.body)))
        for name, value in answer.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(answer.body)
        handler.close_connection = answer.length is not None

    def close(self) -> None:
        self.let_go.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def env(self) -> dict[str, str]:
        """What makes the SDK ask here."""
        return {"ANTHROPIC_BASE_URL": self.url, "ANTHROPIC_API_KEY": KEY}


@contextmanager
def serving() -> Iterator[MessagesApi]:
    """A server, closed at the end."""
    api = MessagesApi()
    try:
        yield api
    finally:
        api.close()
