"""What makes vectors: the providers, and the one that this process uses."""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from functools import cache
from typing import cast

from memd.api.storage import places
from memd.clock import SystemClock
from memd.config import load
from memd.errors import ConfigError, MemdError
from memd.providers.embedding.base import Embedder, Floats
from memd.providers.embedding.cross_encoder import CrossEncoder
from memd.providers.embedding.open import open_embedder

AGAIN_SECONDS = 60.0
BEDROCK = "bedrock:amazon.titan-embed-text-v2:0"


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
        setting = self._chosen(settings.embedder)
        opened = open_embedder(
            setting,
            model_dir=places().model_dir,
            cache_dir=places().models,
            threads=settings.threads,
            clock=SystemClock(),
        )
        if opened is None:
            raise ConfigError("no embedder is configured: embedding.embedder is none")
        self.setting, self.embedder = setting, opened

    def _chosen(self, configured: str) -> str:
        return configured

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


@cache
def cross_encoder() -> CrossEncoder:
    """The cross-encoder that memd's settings name, which may not be here; one a process."""
    settings = load.load(places().config_file, os.environ).settings
    return CrossEncoder(
        settings.recall.cross_encoder, cache_dir=places().models, threads=settings.embedding.threads
    )


class BedrockProvider(LocalProvider):
    """Amazon Bedrock: the model that memd's settings name, else Titan v2. ConfigError without memd[bedrock]."""

    def _chosen(self, configured: str) -> str:
        return configured if configured.startswith("bedrock:") else BEDROCK


class Current:
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


def _mean(windows: Floats) -> list[float]:
    whole = windows.mean(axis=0)
    length = float((whole @ whole) ** 0.5) or 1.0
    return cast("list[float]", (whole / length).tolist())
