"""Embedding, with the embedder that memd's settings name. What cannot be embedded now is None, never an error."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping

from memd.api import storage
from memd.api.providers import Current, EmbeddingProvider
from memd.db import driver
from memd.db.driver import Connection
from memd.errors import MemdError
from memd.memory.meaning import Meaning
from memd.providers.embedding.base import Embedder, Floats
from memd.turns import serving

QUERY = "search_query"

_current = Current()


def get_provider() -> EmbeddingProvider | None:
    """The provider in use; None while it cannot be had. It is tried again a minute later."""
    return _current.get()


def is_available() -> bool:
    """True where texts can be embedded now."""
    return embed_text("is the model there?") is not None


def embed_text(text: str, *, prefix: str = "search_document") -> list[float] | None:
    """The vector of a text, of a question with the prefix ``search_query``; None while there is no model."""
    found = embed_texts([text], prefix=prefix)
    return None if found is None else found[0]


def embed_texts(texts: list[str], *, prefix: str = "search_document") -> list[list[float]] | None:
    """The vectors of texts; None while there is no model."""
    provider = _current.get()
    if provider is None:
        return None
    try:
        return [provider.embed_query(text) for text in texts] if prefix == QUERY else provider.embed(texts)
    except MemdError:
        _current.failed()
        return None


def serialize_f32(vec: list[float]) -> bytes:
    """A vector as bytes, four a number."""
    return struct.pack(f"{len(vec)}f", *vec)


def check_dimension_match(conn: Connection) -> tuple[bool, int | None, int]:
    """Whether the vectors of the database have the length that the provider makes, and both; None where it has none."""
    expected = dimension()
    placed = serving.serving(conn)
    if placed is None:
        return True, None, expected
    have = driver.number(conn.execute("SELECT dim FROM space WHERE id = ?", (placed.id,)).get)
    return have == expected, have, expected


def meaning(conn: Connection, text: str, *, write: bool = False) -> Meaning | None:
    """The meaning of a text in the space that the database has vectors of; None where the provider speaks another.

    With ``write`` a database that has no vectors yet is given the provider's space.
    """
    embedder = _current.embedder()
    if embedder is None:
        return None
    placed = serving.serving(conn)
    if placed is None and write:
        placed = _place(conn, embedder)
    if placed is None or placed.key != embedder.space.key:
        return None
    try:
        return Meaning(placed.id, embedder.embed_documents([text])[0])
    except MemdError:
        _current.failed()
        return None


def question(conn: Connection, text: str) -> tuple[int, Floats] | None:
    """The space that the database has vectors of, and the vector of a question in it; None without one or the other."""
    embedder, placed = _current.embedder(), serving.serving(conn)
    if not text.strip() or embedder is None or placed is None or placed.key != embedder.space.key:
        return None
    try:
        return placed.id, embedder.embed_query(text)
    except MemdError:
        _current.failed()
        return None


def _place(conn: Connection, embedder: Embedder) -> serving.Placed | None:
    space = embedder.space
    with storage.transaction(conn):
        serving.settle(conn, space.provider, space.key, space.dim, storage.now_ms(), asked=False)
    return serving.serving(conn)


def embedder() -> Embedder | None:
    """The embedder in use; None while it cannot be had."""
    return _current.embedder()


def provider_name() -> str:
    """The kind of the provider that the settings name; nothing where they name none."""
    embedder = _current.embedder()
    return embedder.space.provider if embedder else ""


def dimension() -> int:
    """The length of its vectors."""
    embedder = _current.embedder()
    return embedder.space.dim if embedder else 0


def model() -> str:
    """The name of its model."""
    embedder = _current.embedder()
    return embedder.space.model if embedder else ""


_LATE: Mapping[str, Callable[[], int | str]] = {"EMBEDDING_DIM": dimension, "EMBEDDING_MODEL": model}


def __getattr__(name: str) -> int | str:
    """``EMBEDDING_DIM`` and ``EMBEDDING_MODEL``: what the settings name when they are asked for."""
    if name in _LATE:
        return _LATE[name]()
    raise AttributeError(f"there is no {name!r} in {__name__}")
