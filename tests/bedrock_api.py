"""A Bedrock runtime on loopback: vectors of texts by their words, and failures by a script."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote
from zlib import crc32


@dataclass(frozen=True)
class Asked:
    """One request as it came in."""

    model: str
    body: dict[str, Any]


class BedrockApi:
    """Answers Titan and Cohere; the next of ``failures`` (status, code) first. ``most`` is how many it had at once."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.failures: deque[tuple[int, str]] = deque()
        self.most = 0
        self._now = 0
        self._lock = threading.Lock()
        self.together = threading.Barrier(2, timeout=2)
        self.meet = False
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with api._lock:
                    api._now += 1
                    api.most = max(api.most, api._now)
                    api.asked.append(Asked(unquote(self.path).split("/")[2], body))
                    status, code = api.failures.popleft() if api.failures else (200, "")
                try:
                    if api.meet:
                        api.together.wait()
                finally:
                    with api._lock:
                        api._now -= 1
                answer = {"message": "no"} if code else vectors(body)
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                if code:
                    self.send_header("x-amzn-errortype", code)
                self.end_headers()
                self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def env(self) -> dict[str, str]:
        """What makes boto3 ask here."""
        return {
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": f"http://127.0.0.1:{self._server.server_address[1]}",
            "AWS_REGION": "eu-central-1",
            "AWS_DEFAULT_REGION": "eu-central-1",
            "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
            "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "AWS_CONFIG_FILE": "/nowhere",
            "AWS_SHARED_CREDENTIALS_FILE": "/nowhere",
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


def vectors(body: dict[str, Any]) -> dict[str, Any]:
    """An answer of the model that is asked for: three times as long as one, so that nobody takes it as it is."""
    if "texts" in body:
        assert all(body["texts"]) and len(body["texts"]) <= 96
        return {"embeddings": [vector(text, 1024) for text in body["texts"]]}
    assert body["inputText"]
    return {"embedding": vector(body["inputText"], body.get("dimensions", 1536))}


def vector(text: str, dim: int) -> list[float]:
    found = [0.0] * dim
    for word in text.split() or [text]:
        found[crc32(word.encode()) % dim] = 3.0
    return found


@contextmanager
def serving() -> Iterator[BedrockApi]:
    """A server, closed at the end."""
    api = BedrockApi()
    try:
        yield api
    finally:
        api.close()
