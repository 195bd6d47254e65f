"""boto3 asks a Bedrock runtime on loopback."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from memd.errors import ConfigError
from memd.providers.embedding.base import Embedder, ModelUnavailable
from memd.providers.embedding.open import open_embedder, setting_of
from tests import bedrock_api
from tests.bedrock_api import BedrockApi

TITAN, TITAN_1 = "amazon.titan-embed-text-v2:0", "amazon.titan-embed-text-v1"
COHERE = "cohere.embed-multilingual-v3"

Open = Callable[[str], Embedder]


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[BedrockApi]:
    with bedrock_api.serving() as one:
        for name, value in one.env().items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr("boto3.DEFAULT_SESSION", None)
        yield one


@pytest.fixture
def opened(api: BedrockApi) -> Iterator[Open]:
    embedders: list[Embedder] = []

    def open_one(model: str) -> Embedder:
        embedder = open_embedder(f"bedrock:{model}")
        assert embedder is not None
        embedders.append(embedder)
        return embedder

    yield open_one
    for embedder in embedders:
        embedder.close()


def meant(text: str) -> np.ndarray:
    """The vector of a text, of length one."""
    raw = np.array(bedrock_api.vector(text, 1024))
    return raw / np.linalg.norm(raw)


@pytest.mark.parametrize(
    ("model", "dim", "body"),
    [
        (TITAN, 1024, {"inputText": "the lamp", "dimensions": 1024, "normalize": True}),
        (f"{TITAN}@256", 256, {"inputText": "the lamp", "dimensions": 256, "normalize": True}),
        (TITAN_1, 1536, {"inputText": "the lamp"}),
        (COHERE, 1024, {"texts": ["the lamp"], "input_type": "search_document", "truncate": "END"}),
    ],
)
def test_each_model_is_asked_in_its_own_words(
    opened: Open, api: BedrockApi, model: str, dim: int, body: dict[str, object]
) -> None:
    embedder = opened(model)
    [vectors] = embedder.embed_documents(["the lamp"])

    assert (api.asked[0].model, api.asked[0].body) == (model.partition("@")[0], body)
    assert (vectors.shape, embedder.space.dim) == ((1, dim), dim)
    assert np.isclose(np.linalg.norm(vectors[0]), 1, atol=1e-6)
    assert setting_of(embedder.space.key) == f"bedrock:{model}"


def test_a_question_is_asked_as_a_question_and_once(opened: Open, api: BedrockApi) -> None:
    embedder = opened(COHERE)
    first, again = embedder.embed_query("which lamp"), embedder.embed_query("which lamp")

    assert [one.body["input_type"] for one in api.asked] == ["search_query"]
    assert (first == again).all()
    assert not first.flags.writeable


@pytest.mark.parametrize("model", [TITAN, COHERE])
def test_many_texts_keep_their_order_and_long_ones_have_windows(
    opened: Open, api: BedrockApi, model: str
) -> None:
    texts = [f"lamp{n} stands left" for n in range(200)] + ["", "word " * 4_000, "last"]
    found = opened(model).embed_documents(texts)

    assert [len(vectors) for vectors in found[:200]] == [1] * 200
    assert len(found[201]) > 3
    assert all(
        np.allclose(one[0], meant(text), atol=1e-5) for text, one in zip(texts[:200], found, strict=False)
    )
    assert len(api.asked) == (3 if model == COHERE else sum(map(len, found)))


def test_requests_run_side_by_side(opened: Open, api: BedrockApi) -> None:
    api.meet = True  # each waits for another
    opened(TITAN).embed_documents(["one", "two"])

    assert api.most == 2


def test_throttling_is_waited_for(opened: Open, api: BedrockApi) -> None:
    embedder = opened(TITAN)
    api.failures.append((429, "ThrottlingException"))

    assert len(embedder.embed_documents(["the lamp"])) == 1
    assert len(api.asked) == 2


@pytest.mark.parametrize(
    ("failure", "hint", "retry_s"),
    [
        ((403, "AccessDeniedException"), "access to the model", 3600),
        ((429, "ThrottlingException"), "tried again", 60),
    ],
)
def test_what_fails_is_told_by_its_kind_until_it_works_again(
    opened: Open, api: BedrockApi, failure: tuple[int, str], hint: str, retry_s: float
) -> None:
    embedder = opened(TITAN)
    api.failures.append(failure)
    with pytest.raises(ModelUnavailable) as caught:
        embedder.embed_query("the lamp")  # a question is tried once

    assert failure[1] in caught.value.what and hint in caught.value.hint
    assert caught.value.retry_s == retry_s
    with pytest.raises(ModelUnavailable):
        embedder.check()
    embedder.embed_query("the lamp again")
    assert "eu-central-1" in embedder.check()


@pytest.mark.parametrize("name", ["amazon.titan", f"{TITAN}@300", f"{TITAN_1}@512", f"{COHERE}@x"])
def test_a_model_or_dimension_that_is_not_known_is_a_wrong_setting(name: str) -> None:
    with pytest.raises(ConfigError, match="bedrock:"):
        open_embedder(f"bedrock:{name}")


def test_without_boto3_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "boto3", None)
    monkeypatch.delitem(__import__("sys").modules, "memd.providers.embedding.bedrock", raising=False)

    with pytest.raises(ConfigError, match=r"memd\[bedrock\]"):
        open_embedder(f"bedrock:{TITAN}")
