"""Embedding, with the embedder that memd's settings name. What cannot be embedded now is None, never an error."""

from __future__ import annotations

import os
import struct
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import cast

from memd.api import storage
from memd.api.storage import places
from memd.clock import SystemClock
from memd.config import load
from memd.db import driver
from memd.db.driver import Connection
from memd.errors import ConfigError, MemdError
from memd.memory.meaning import Meaning
from memd.providers.embedding.base import Embedder, Floats
from memd.providers.embedding.open import open_embedder
from memd.turns import serving

AGAIN_SECONDS = 60.0
QUERY = "search_query"


class EmbeddingProvider(ABC):
    """What makes vectors of texts."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """How many numbers a vector has."""

    @property
    @abstractmethod
    def model_name(self) -> str:
        """The name of the model."""

    @abstractmethod
    def embed(self, texts: list[str]) -> list[list[float]]:
        """One vector a text."""


class LocalProvider(EmbeddingProvider):
    """The embedder that memd's settings name. ConfigError where they name none that is here."""

    def __init__(self) -> None:
        settings = load.load(places().config_file, os.environ).settings.embedding
        opened = open_embedder(
            settings.embedder,
            model_dir=places().model_dir,
            cache_dir=places().models,
            threads=settings.threads,
            clock=SystemClock(),
        )
        if opened is None:
            raise ConfigError("no embedder is configured: embedding.embedder is none")
        self.setting, self.embedder = settings.embedder, opened

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self.embedder.space.dim

    @property
    def model_name(self) -> str:
        """The name of the model."""
        return self.embedder.space.model

    def embed(self, texts: list[str]) -> list[list[float]]:
        """One vector a text: of a long one the mean of its windows."""
        return [_mean(windows) for windows in self.embedder.embed_documents(texts)]

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return cast("list[float]", self.embedder.embed_query(text).tolist())


class BedrockProvider(LocalProvider):
    """AWS Bedrock, which is not in this version: ConfigError says so."""

    def __init__(self) -> None:
        open_embedder("bedrock:amazon.titan-embed-text-v2:0")


class _Current:
    """The provider of this process; one that failed is tried again after a while."""

    def __init__(self) -> None:
        self._provider: LocalProvider | None = None
        self._not_before = 0.0

    def get(self) -> LocalProvider | None:
        if self._provider is None and time.monotonic() >= self._not_before:
            try:
                self._provider = LocalProvider()
            except MemdError:
                self.failed()
        return self._provider if time.monotonic() >= self._not_before else None

    def failed(self) -> None:
        self._not_before = time.monotonic() + AGAIN_SECONDS

    def embedder(self) -> Embedder | None:
        provider = self.get()
        return None if provider is None else provider.embedder


_current = _Current()


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
    expected = _dimension()
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
    """The space that the database has vectors of, and the vector of a question in it; None where there is none."""
    embedder, placed = _current.embedder(), serving.serving(conn)
    if embedder is None or placed is None or placed.key != embedder.space.key:
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


def _mean(windows: Floats) -> list[float]:
    whole = windows.mean(axis=0)
    length = float((whole @ whole) ** 0.5) or 1.0
    return cast("list[float]", (whole / length).tolist())


def _dimension() -> int:
    embedder = _current.embedder()
    return embedder.space.dim if embedder else 0


def _model() -> str:
    embedder = _current.embedder()
    return embedder.space.model if embedder else ""


_LATE: Mapping[str, Callable[[], int | str]] = {"EMBEDDING_DIM": _dimension, "EMBEDDING_MODEL": _model}


def __getattr__(name: str) -> int | str:
    """``EMBEDDING_DIM`` and ``EMBEDDING_MODEL``: what the settings name when they are asked for."""
    if name in _LATE:
        return _LATE[name]()
    raise AttributeError(f"there is no {name!r} in {__name__}")
