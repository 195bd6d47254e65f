"""What tells how near texts come to a question in meaning: nothing, memd's embedding model, or the caller's own."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial

from memd.api import embeddings
from memd.api.history import Scorer
from memd.errors import Degraded
from memd.ids import content_key
from memd.providers.embedding.base import Embedder, Floats

RELEVANCES = ("lexical", "hybrid", "semantic")
REMEMBERED = 20_000  # texts whose vectors are kept

Relevance = str | Callable[[str, Sequence[str]], Sequence[float]]


class Nearness:
    """Cosines of texts to a question by an embedding model; the vectors of texts are remembered."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, bytes], Floats] = OrderedDict()
        self._lock = threading.Lock()

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """The cosine of the nearest part of each text. Degraded where there is no model."""
        embedder = embeddings.embedder()
        if embedder is None:
            raise Degraded("there is no embedding model here; ask with relevance='lexical', or set one up")
        vector = embedder.embed_query(query)
        with self._lock:
            return [float((self._vectors(embedder, text) @ vector).max()) for text in texts]

    def _vectors(self, embedder: Embedder, text: str) -> Floats:
        key = (embedder.space.key, content_key(text))
        if key not in self._known:
            self._known[key] = embedder.embed_documents([text])[0]
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return self._known[key]


_nearness = Nearness()


def scorer(relevance: object) -> Scorer | None:
    """What scores for a relevance; None where words decide alone. ValueError for a relevance that is none."""
    if callable(relevance):
        return partial(_bounded, relevance)
    if relevance not in RELEVANCES:
        raise ValueError(f"relevance is {relevance!r}; it must be {', '.join(RELEVANCES)} or a function")
    return None if relevance == "lexical" else _nearness.scores


def _bounded(given: Scorer, query: str, texts: Sequence[str]) -> list[float]:
    """The scores of a caller's own function, from 0 to 1: those of a model that gives others pass a logistic curve."""
    found = [float(score) for score in given(query, texts)]
    if all(0 <= score <= 1 for score in found):
        return found
    return [1 / (1 + math.exp(-max(-60.0, min(60.0, score)))) for score in found]
