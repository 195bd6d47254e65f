"""From the setting's word to an embedder; only the provider asked for is imported."""

from __future__ import annotations

from pathlib import Path

from memd.clock import Clock, SystemClock
from memd.errors import ConfigError
from memd.providers.embedding import runtime
from memd.providers.embedding.base import Embedder

CHOICES = "bundled, fastembed:<model name>, hash or none"


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
            raise ConfigError(f"embedder {name!r}: Bedrock is not in this version; use {CHOICES}")
    raise ConfigError(f"embedder {name!r} is not known; use {CHOICES}")


def setting_of(key: str) -> str:
    """The setting under which the embedder of a space's key (``base.Space.key``) is opened."""
    provider, _, rest = key.partition(":")
    return f"{provider}:{rest.rpartition(':')[0]}" if provider == "fastembed" else provider
