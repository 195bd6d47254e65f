"""What tells how near texts come to a question in meaning: nothing, memd's embedding model, or the caller's own.

With semantic relevance a cross-encoder reads the best of them with the question, where one lies in the model cache.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial

from memd.api import embeddings, providers
from memd.api.meaning import Meaning, Question, Scorer
from memd.errors import Degraded, MemdError
from memd.ids import content_key
from memd.providers.embedding.base import Embedder, Floats
from memd.recall.rescoring import Rescorer

RELEVANCES = ("lexical", "hybrid", "semantic")
ON = "on"
REMEMBERED = 20_000  # texts whose vectors are kept

Relevance = str | Callable[[str, Sequence[str]], Sequence[float]]


class Nearness:
    """Cosines of texts to a question by an embedding model; the vectors of texts are remembered."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, bytes], Floats] = OrderedDict()
        self._lock = threading.Lock()

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """The cosine of the nearest part of each text. Degraded where there is no model."""
        embedder = _embedder()
        vector = embedder.embed_query(query)
        with self._lock:
            return [float((self._vectors(embedder, text) @ vector).max()) for text in texts]

    def ask(self, query: str) -> Question:
        """The vector of a question, for a store that has vectors. Degraded where there is no model."""
        embedder = _embedder()
        return Question(embedder.space.key, embedder.embed_query(query).tolist())

    def _vectors(self, embedder: Embedder, text: str) -> Floats:
        key = (embedder.space.key, content_key(text))
        if key not in self._known:
            self._known[key] = embedder.embed_documents([text])[0]
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return self._known[key]


def _embedder() -> Embedder:
    embedder = embeddings.embedder()
    if embedder is None:
        raise Degraded("there is no embedding model here; ask with relevance='lexical', or set one up")
    return embedder


_nearness = Nearness()


def meaning(relevance: object) -> Meaning | None:
    """What tells of meaning for a relevance; None where words decide alone. ValueError for a relevance that is none."""
    if callable(relevance):
        return Meaning(partial(_bounded, relevance))
    if relevance not in RELEVANCES:
        raise ValueError(f"relevance is {relevance!r}; it must be {', '.join(RELEVANCES)} or a function")
    return None if relevance == "lexical" else Meaning(_nearness.scores, _nearness.ask)


class Ranking:
    """What ranks for one question. ``cross_encoder`` is empty where none was asked for, ``on``, or off and why."""

    def __init__(self, relevance: Relevance) -> None:
        self.meaning = meaning(relevance)
        self._asked = relevance if isinstance(relevance, str) else "scorer"
        self.cross_encoder = self._state() if relevance == "semantic" else ""

    @property
    def name(self) -> str:
        """The relevance that was used."""
        return "hybrid" if self.cross_encoder.startswith("off") else self._asked

    @property
    def rescore(self) -> Rescorer | None:
        """What reads the best texts with the question; None where nothing does."""
        return self._read if self.cross_encoder == ON else None

    def _state(self) -> str:
        try:
            providers.cross_encoder().check()
        except MemdError as error:
            return f"off: {error.message}"
        return ON

    def _read(self, query: str, texts: Sequence[str]) -> Sequence[float] | None:
        try:
            return providers.cross_encoder().scores(query, texts)
        except MemdError as error:
            self.cross_encoder = f"off: {error.message}"
            return None


def _bounded(given: Scorer, query: str, texts: Sequence[str]) -> list[float]:
    """The scores of a caller's own function, from 0 to 1: those of a model that gives others pass a logistic curve."""
    found = [float(score) for score in given(query, texts)]
    if all(0 <= score <= 1 for score in found):
        return found
    return [1 / (1 + math.exp(-max(-60.0, min(60.0, score)))) for score in found]
