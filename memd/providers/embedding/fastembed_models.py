"""Any text model of fastembed, from files that are here; the network is asked only for files that are not.

Files are looked for in MEMD_MODEL_DIR, then in the caches; fastembed is handed the folder found, which keeps
it off the network. Only embedding documents may start a download (``download.py``), a query never does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from memd.clock import Clock
from memd.providers.embedding import fastembed_library as library
from memd.providers.embedding import hub_cache, runtime, windows
from memd.providers.embedding.base import HOUR_S, Floats, ModelUnavailable, Space
from memd.providers.embedding.download import Download
from memd.providers.embedding.query_cache import QueryCache
from memd.providers.embedding.resident import Resident

DOWNLOADING_S = 30.0

Files = frozenset[tuple[str, int, int]]


class NotCached(ModelUnavailable):
    """No cache holds usable files of the model; a download may help."""


class FastembedEmbedder:
    """Vectors of a model by fastembed."""

    def __init__(
        self, name: str, *, model_dir: Path | None, cache_dir: Path | None, threads: int, clock: Clock
    ) -> None:
        self._listed = library.look_up(name)
        self._model_dir = model_dir
        self._cache_dir = cache_dir
        self._threads = threads
        self._damaged = False
        self._failed: dict[Path, tuple[Files, ModelUnavailable]] = {}
        self._model = Resident(self._load)
        self._queries: QueryCache[Floats] = QueryCache()
        self._download = Download(self._fetch, clock)

    @property
    def space(self) -> Space:
        return Space("fastembed", self._listed.name, self._listed.dim)

    @property
    def loaded(self) -> bool:
        return self._model.loaded

    @property
    def tokens(self) -> None:
        return None

    def check(self) -> str:
        # What is damaged is found when it is loaded, and remembered: here nothing but folders is read.
        if (given := self._given()) is not None:
            self._check_not_failed(given)
            return str(given)
        for folder in self._cached():
            try:
                self._check_not_failed(folder)
            except ModelUnavailable:
                continue
            return str(folder)
        raise self._not_cached()

    def embed_documents(self, texts: Sequence[str]) -> list[Floats]:
        if not texts:
            return []
        try:
            return self._embed(texts)
        except NotCached as missing:
            if library.fetchable(self._listed):
                self._download.start_if_due()
            raise self._not_cached() from missing

    def embed_query(self, text: str) -> Floats:
        return self._queries.get(windows.embeddable(text), self._embed_first)

    def release_if_idle(self, now: float, idle_s: float) -> bool:
        return self._model.release_if_idle(now, idle_s)

    def release(self) -> bool:
        return self._model.release()

    def close(self) -> None:
        self._model.close()

    def wait_for_download(self, timeout_s: float | None = None) -> None:
        """Return when no download is running."""
        self._download.wait(timeout_s)

    def _embed(self, texts: Sequence[str]) -> list[Floats]:
        with self._model.use() as model:
            cut = [model.windows(text) for text in texts]
            pieces = [piece for text in cut for piece in text]
            vectors = np.empty((len(pieces), self._listed.dim), dtype=np.float32)
            for batch in windows.batches([piece.tokens for piece in pieces]):
                self._model.check_open()
                vectors[batch] = model.documents([pieces[index].text for index in batch])
            runtime.trim()
        return np.split(vectors, np.cumsum([len(text) for text in cut])[:-1])

    def _embed_first(self, text: str) -> Floats:
        with self._model.use() as model:
            vector = model.query(text)
        vector.setflags(write=False)
        return vector

    def _load(self) -> library.Model:
        if self._download.running:
            raise self._not_cached()
        if (given := self._given()) is not None:
            return self._open(given)
        self._damaged = False
        for folder in self._cached():
            try:
                return self._open(folder)
            except ModelUnavailable:
                self._damaged = True
        raise self._not_cached()

    def _given(self) -> Path | None:
        """MEMD_MODEL_DIR, where it holds this model."""
        there = self._model_dir is not None and (self._model_dir / self._listed.files[0]).exists()
        return self._model_dir if there else None

    def _cached(self) -> Iterator[Path]:
        """Folders that hold all files of the model, sound or not."""
        for cache in (self._cache_dir, library.own_cache()):
            for folder in hub_cache.snapshots(cache, str(self._listed.repo)) if cache else ():
                if all((folder / file).exists() for file in self._listed.files):
                    yield folder

    def _open(self, folder: Path) -> library.Model:
        files = self._check_not_failed(folder)
        try:
            return library.Model(self._listed, folder, self._threads)
        except ModelUnavailable as error:
            self._failed[folder] = (files, error)
            raise

    def _check_not_failed(self, folder: Path) -> Files:
        """Damaged files may take long to fail, and every search would try: once is enough while they stay."""
        files = _fingerprint(folder)
        if folder in self._failed and self._failed[folder][0] == files:
            known = self._failed[folder][1]
            raise ModelUnavailable(known.what, known.hint)
        return files

    def _not_cached(self) -> NotCached:
        what = f"{self._listed.name} is {'damaged' if self._damaged else 'not'} in the model cache"
        by_hand = (
            f"or put {self._listed.files[0]}, tokenizer.json and tokenizer_config.json into MEMD_MODEL_DIR"
        )
        if not library.fetchable(self._listed):
            return NotCached(what, f"downloads are switched off (HF_HUB_OFFLINE); allow them, {by_hand}")
        retry_s = DOWNLOADING_S if self._download.running else self._download.due_s or HOUR_S
        return NotCached(what, f"{self._download.report()}; {by_hand}", retry_s=retry_s)

    def _fetch(self) -> None:
        target = self._cache_dir or library.own_cache()
        if target is None:
            raise PermissionError("fastembed's cache folder cannot be used, or is another user's")
        library.fetch(self._listed, target, anew=self._damaged)


def _fingerprint(folder: Path) -> Files:
    found = ((path, path.stat()) for path in folder.rglob("*") if path.is_file())
    return frozenset((str(path), stat.st_size, stat.st_mtime_ns) for path, stat in found)
