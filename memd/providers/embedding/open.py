"""From the setting's word to an embedder; only the provider asked for is imported."""

from __future__ import annotations

from pathlib import Path

from memd.clock import Clock, SystemClock
from memd.errors import ConfigError
from memd.providers.embedding import bedrock_models, runtime
from memd.providers.embedding.base import Embedder

CHOICES = "bundled, fastembed:<model name>, bedrock:<model id>, hash or none"


def open_embedder(
    name: str,
    *,
    model_dir: Path | None = None,
    cache_dir: Path | None = None,
    threads: int = 1,
    clock: Clock | None = None,
) -> Embedder | None:
    """The embedder of that name, its model not yet loaded; None for "none".

    Files in ``model_dir`` go before all others. fastembed's models are downloaded to ``cache_dir`` and looked
    for there, then in fastembed's own cache.
    """
    provider, _, model = name.partition(":")
    match provider, bool(model):
        case "none", False:
            return None
        case "bundled", False:
            from memd.providers.embedding.bundled import BundledEmbedder

            return BundledEmbedder(model_dir, threads=threads)
        case "hash", False:
            from memd.providers.embedding.hashed import HashEmbedder

            return HashEmbedder()
        case "fastembed", True:
            runtime.keep_quiet()
            try:
                from memd.providers.embedding.fastembed_models import FastembedEmbedder
            except ImportError as error:
                raise ConfigError(f"embedder {name!r}: fastembed cannot be imported ({error})") from error

            return FastembedEmbedder(
                model, model_dir=model_dir, cache_dir=cache_dir, threads=threads, clock=clock or SystemClock()
            )
        case "bedrock", True:
            try:
                from memd.providers.embedding.bedrock import BedrockEmbedder
            except ImportError as error:
                why = f"boto3 cannot be imported ({error}): pip install 'memd[bedrock]'"
                raise ConfigError(f"embedder {name!r}: {why}") from error

            return BedrockEmbedder(model)
    raise ConfigError(f"embedder {name!r} is not known; use {CHOICES}")


def setting_of(key: str) -> str:
    """The setting under which the embedder of a space's key (``base.Space.key``) is opened."""
    provider, _, rest = key.partition(":")
    model, _, dim = rest.rpartition(":")
    match provider:
        case "fastembed":
            return f"{provider}:{model}"
        case "bedrock":
            return f"{provider}:{bedrock_models.setting_of(model, int(dim))}"
    return provider
