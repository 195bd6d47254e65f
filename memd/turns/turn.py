"""A turn: one message of a conversation, word for word."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Claim(IntEnum):
    """How a turn's session was found out. A stronger claim met later corrects a weaker one."""

    FILE = 0  # only the file's name tells
    RECORD = 1  # the record's own sessionId
    REQUEST = 2  # the session that made the API request of this reply, or of the next one
    FORK = 3  # the record says which session it was copied from


class Turn(NamedTuple):
    """One verbatim message, as an importer found it.

    ``id`` is the identity: the same message has the same id in whatever file and however often it is read.
    ``seq`` orders the turns of one file (byte offset of the line, plus the record's place in it).
    ``at_ms`` is UTC milliseconds or None where the source has no usable time; ``sort_ms`` is ``at_ms``, else the
    time of the turn before it (None only when no turn before it had one). ``timestamp`` is the raw text.
    """

    id: str
    role: str  # "user" | "assistant"
    text: str
    session_id: str
    claim: Claim
    seq: int
    uuid: str | None = None
    timestamp: str | None = None
    at_ms: int | None = None
    sort_ms: int | None = None
    message_id: str | None = None
    agent_id: str | None = None
    cwd: str | None = None
    branch: str | None = None
