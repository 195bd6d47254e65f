"""The embedding models of Amazon Bedrock: Titan, one text a request, and Cohere, many.

Requests of one call run side by side. botocore waits and tries again where Bedrock throttles; a question, which
somebody waits for, is tried once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, cast

import boto3
import numpy as np
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from memd.providers.embedding import bedrock_models, windows
from memd.providers.embedding.base import HOUR_S, Floats, ModelUnavailable, Space
from memd.providers.embedding.query_cache import QueryCache
from memd.providers.embedding.resident import Resident

PARALLEL = 8
SOON_S = 60.0
DOCUMENT, QUERY = "search_document", "search_query"
_PASSING = (
    "ThrottlingException",
    "ServiceUnavailableException",
    "InternalServerException",
    "ModelTimeoutException",
)
_BLANK = "-"  # in the place of a text of nothing, which Bedrock does not take


class Runtime(Protocol):
    """What is used of the client ``bedrock-runtime``."""

    def invoke_model(self, *, modelId: str, body: str) -> Mapping[str, object]: ...  # noqa: N803  # boto3's name


@dataclass(frozen=True, slots=True)
class Clients:
    """For texts, with patience; for questions, without."""

    documents: Runtime
    queries: Runtime


class BedrockEmbedder:
    """Vectors of a model by its id; ``<id>@<dimensions>`` where the model has several."""

    def __init__(self, name: str) -> None:
        self._id, self._family, self._dim = bedrock_models.look_up(name)
        self._clients = Resident(_clients)
        self._queries: QueryCache[Floats] = QueryCache()
        self._problem: ModelUnavailable | None = None

    @property
    def space(self) -> Space:
        return Space("bedrock", self._id, self._dim)

    @property
    def loaded(self) -> bool:
        return self._clients.loaded

    @property
    def tokens(self) -> None:
        return None

    def check(self) -> str:
        if self._problem is not None:  # what Bedrock said last; to ask it anew costs
            raise self._problem
        return f"Amazon Bedrock, {boto3.DEFAULT_SESSION.region_name if boto3.DEFAULT_SESSION else 'not asked yet'}"

    def embed_documents(self, texts: Sequence[str]) -> list[Floats]:
        if not texts:
            return []
        cut = [_pieces(text, self._family.characters) for text in texts]
        pieces = [piece for text in cut for piece in text]
        size = self._family.batch
        batches = [pieces[start : start + size] for start in range(0, len(pieces), size)]
        with self._clients.use() as clients, ThreadPoolExecutor(min(PARALLEL, len(batches))) as pool:
            found = list(pool.map(lambda batch: self._ask(clients.documents, batch, DOCUMENT), batches))
        return np.split(np.concatenate(found), np.cumsum([len(text) for text in cut])[:-1])

    def embed_query(self, text: str) -> Floats:
        return self._queries.get(windows.embeddable(text), self._embed_first)

    def release_if_idle(self, now: float, idle_s: float) -> bool:
        return self._clients.release_if_idle(now, idle_s)

    def release(self) -> bool:
        return self._clients.release()

    def close(self) -> None:
        self._clients.close()

    def _embed_first(self, text: str) -> Floats:
        with self._clients.use() as clients:
            vector: Floats = self._ask(clients.queries, _pieces(text, self._family.characters)[:1], QUERY)[0]
            vector.flags.writeable = False
            return vector

    def _ask(self, runtime: Runtime, texts: Sequence[str], kind: str) -> Floats:
        """The vectors of a request's texts."""
        self._clients.check_open()
        try:
            answer = runtime.invoke_model(modelId=self._id, body=json.dumps(self._body(texts, kind)))
            said = json.loads(cast(_Body, answer["body"]).read())
            vectors = np.array(said["embeddings" if self._family.cohere else "embedding"], dtype=np.float32)
            found = _unit(vectors.reshape(len(texts), self._dim))
        except (BotoCoreError, ClientError, ValueError, KeyError, TypeError) as error:
            self._problem = _translated(self._id, error)
            raise self._problem from error
        self._problem = None
        return found

    def _body(self, texts: Sequence[str], kind: str) -> dict[str, object]:
        if self._family.cohere:
            return {"texts": list(texts), "input_type": kind, "truncate": "END"}
        if len(self._family.dims) > 1:
            return {"inputText": texts[0], "dimensions": self._dim, "normalize": True}
        return {"inputText": texts[0]}


class _Body(Protocol):
    def read(self) -> bytes: ...


def _clients() -> Clients:
    """The region and the credentials are those of the machine's AWS settings."""
    try:
        patient = Config(retries={"mode": "standard", "total_max_attempts": 6}, read_timeout=30)
        hasty = Config(retries={"total_max_attempts": 1}, connect_timeout=2, read_timeout=3)
        return Clients(
            boto3.client("bedrock-runtime", config=patient), boto3.client("bedrock-runtime", config=hasty)
        )
    except (BotoCoreError, ValueError) as error:
        raise _translated("Amazon Bedrock", error) from error


def _translated(model: str, error: Exception) -> ModelUnavailable:
    """What went wrong by its kind alone: messages may quote what was sent."""
    kind = (
        str(error.response.get("Error", {}).get("Code"))
        if isinstance(error, ClientError)
        else type(error).__name__
    )
    passing = kind in _PASSING or not isinstance(error, ClientError)
    hint = (
        "it is tried again" if passing else "look at the credentials, the region and the access to the model"
    )
    return ModelUnavailable(f"{model}: {kind}", hint, retry_s=SOON_S if passing else HOUR_S)


def _pieces(text: str, size: int) -> list[str]:
    """A text in parts that the model takes whole."""
    whole = windows.embeddable(text)
    return [whole[start:end].strip() or _BLANK for start, end in windows.spans(len(whole), size)]


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    found: Floats = vectors / np.maximum(lengths, np.float32(1e-12))
    return found
