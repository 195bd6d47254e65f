"""The embedding models of Amazon Bedrock that memd knows, by their ids. Needs no boto3."""

from __future__ import annotations

from dataclasses import dataclass

from memd.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Family:
    """How a kind of model is asked: its dimensions (the default first), texts a request, characters of a text."""

    cohere: bool
    dims: tuple[int, ...]
    batch: int
    characters: int


_COHERE = Family(True, (1024,), 96, 2_000)
FAMILIES = {
    "amazon.titan-embed-text-v2:0": Family(False, (1024, 512, 256), 1, 6_000),
    "amazon.titan-embed-text-v1": Family(False, (1536,), 1, 6_000),
    "cohere.embed-english-v3": _COHERE,
    "cohere.embed-multilingual-v3": _COHERE,
}


def look_up(name: str) -> tuple[str, Family, int]:
    """Id, family and dimension of ``<id>`` or ``<id>@<dimension>``. ConfigError that says what there is."""
    model, _, dim = name.partition("@")
    family = FAMILIES.get(model)
    if family is None:
        raise ConfigError(f"embedder 'bedrock:{name}' is not known; Bedrock's are {', '.join(FAMILIES)}")
    if dim and dim not in map(str, family.dims):
        dims = ", ".join(map(str, family.dims))
        raise ConfigError(f"embedder 'bedrock:{name}' cannot have {dim} dimensions; it has {dims}")
    return model, family, int(dim or family.dims[0])


def setting_of(model: str, dim: int) -> str:
    """How a model with so many dimensions is named; also one of another version of memd."""
    family = FAMILIES.get(model)
    return f"{model}@{dim}" if family and dim != family.dims[0] else model
