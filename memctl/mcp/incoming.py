"""Standard input as the library is to read it.

A client in JavaScript that cuts a text in the middle of a sign writes half of it as an escape. The library takes that
for no JSON and drops the call without an answer, so it is made a replacement character here.
"""

from __future__ import annotations

import re
import sys
from io import TextIOWrapper

import anyio

_ESCAPES = re.compile(r"\\\\|\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(?P<half>\\u[dD][89a-fA-F]\w\w)")


class Incoming(anyio.AsyncFile[str]):
    """Standard input, line by line."""

    def __init__(self) -> None:
        super().__init__(TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace"))

    async def readline(self) -> str:
        return whole(await super().readline())


def whole(line: str) -> str:
    """A line of JSON without halves of surrogate pairs."""
    return _ESCAPES.sub(lambda found: r"\ufffd" if found["half"] else found[0], line)
