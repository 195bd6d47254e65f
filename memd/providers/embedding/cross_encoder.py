"""A cross-encoder: a model that reads a question and a text together and tells how well the one answers the other.

It is one of fastembed's, from files that lie in a cache here. Nothing is ever downloaded for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memd.errors import ConfigError
from memd.providers.embedding import hub_cache, runtime
from memd.providers.embedding.base import ModelUnavailable
from memd.providers.embedding.resident import Resident

if TYPE_CHECKING:
    from memd.providers.embedding.fastembed_library import CrossModel, Listed

BATCH = 16  # pairs at once, of like length: the shorter ones are padded


class CrossEncoder:
    """The model of that name, loaded by the first call that needs it. For any thread."""

    def __init__(self, name: str, *, cache_dir: Path | None, threads: int = 1) -> None:
        self.name = name
        self._cache_dir = cache_dir
        self._threads = threads
        self._model: Resident[CrossModel] = Resident(self._load)

    def check(self) -> str:
        """Where the model lies; ModelUnavailable, with what to do, where it lies nowhere. Loads nothing."""
        return str(self._folder(self._listed()))

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """A score for each text, on the model's own scale; the same for the same texts. Raises ModelUnavailable."""
        order = sorted(range(len(texts)), key=lambda n: (len(texts[n]), n))
        found = [0.0] * len(texts)
        with self._model.use() as model:
            for start in range(0, len(order), BATCH):
                self._model.check_open()
                batch = order[start : start + BATCH]
                read = model.scores(query, [texts[n] for n in batch])
                for n, score in zip(batch, read, strict=True):
                    found[n] = score
            runtime.trim()
        return found

    def release_if_idle(self, now: float, idle_s: float) -> bool:
        """As an embedder does."""
        return self._model.release_if_idle(now, idle_s)

    def release(self) -> bool:
        """As an embedder does."""
        return self._model.release()

    def close(self) -> None:
        """Give everything back; a running call ends with ModelUnavailable."""
        self._model.close()

    def _load(self) -> CrossModel:
        listed = self._listed()
        folder = self._folder(listed)
        from memd.providers.embedding.fastembed_library import CrossModel  # it is there: the list was read

        return CrossModel(listed, folder, self._threads)

    def _listed(self) -> Listed:
        runtime.keep_quiet()
        try:
            from memd.providers.embedding.fastembed_library import look_up_cross_encoder

            return look_up_cross_encoder(self.name)
        except ImportError as error:
            raise ModelUnavailable(f"fastembed cannot be imported ({error})", "install memd anew") from error
        except ConfigError as error:
            raise ModelUnavailable(error.message, "memctl config set recall.cross_encoder NAME") from error

    def _folder(self, listed: Listed) -> Path:
        for folder in self._cached(listed):
            return folder
        cache = self._cache_dir or "<folder>"
        by_hand = f"TextCrossEncoder({listed.name!r}, {str(cache)!r})"
        raise ModelUnavailable(
            f"the cross-encoder {listed.name} is not in the model cache",
            f"memd downloads none; fetch it once in Python: from fastembed.rerank.cross_encoder import"
            f" TextCrossEncoder; {by_hand}",
        )

    def _cached(self, listed: Listed) -> Iterator[Path]:
        """Folders that hold all files of the model, sound or not."""
        from memd.providers.embedding.fastembed_library import own_cache

        for cache in (self._cache_dir, own_cache()):
            for folder in hub_cache.snapshots(cache, str(listed.repo)) if cache else ():
                if all((folder / file).exists() for file in listed.files):
                    yield folder
