"""The only file that imports fastembed: what it lists, where it keeps models, and those in memory.

fastembed cuts a long text off and pads a batch to its longest; here texts become windows first.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TypedDict, cast

import fastembed
import numpy as np
from fastembed.common.utils import define_cache_dir
from fastembed.rerank.cross_encoder import TextCrossEncoder
from huggingface_hub import constants
from tokenizers import Tokenizer

from memd.errors import ConfigError
from memd.providers.embedding import hub_cache, windows
from memd.providers.embedding.base import Floats, ModelUnavailable

# What goes before a document and a query, where a model was trained so: fastembed leaves it to the caller.
PREFIXES = {
    "intfloat/multilingual-e5": ("passage: ", "query: "),
    "nomic-ai/nomic-embed-text": ("search_document: ", "search_query: "),
    "snowflake/snowflake-arctic-embed": ("", "Represent this sentence for searching relevant passages: "),
    "mixedbread-ai/mxbai-embed": ("", "Represent this sentence for searching relevant passages: "),
}


@dataclass(frozen=True, slots=True)
class Listed:
    """A model as fastembed lists it. ``files`` are those it needs beside the tokenizer's."""

    name: str
    dim: int
    repo: str | None
    files: tuple[str, ...]


class _Entry(TypedDict, total=False):
    """What is read of fastembed's list; a cross-encoder has no ``dim``."""

    model: str
    dim: int
    sources: dict[str, str | None]
    model_file: str
    additional_files: list[str]


@dataclass(frozen=True, slots=True)
class Piece:
    """One window of a text, and about how many tokens it is."""

    text: str
    tokens: int


def look_up(name: str) -> Listed:
    """The embedding model of that name, or a ConfigError naming similar ones."""
    models = cast("list[_Entry]", fastembed.TextEmbedding.list_supported_models())
    return _looked_up(name, models, f"embedder 'fastembed:{name}'")


def look_up_cross_encoder(name: str) -> Listed:
    """The cross-encoder of that name, or a ConfigError naming similar ones; it has no vectors."""
    models = cast("list[_Entry]", TextCrossEncoder.list_supported_models())
    return _looked_up(name, models, f"cross-encoder {name!r}")


def _looked_up(name: str, models: Iterable[_Entry], what: str) -> Listed:
    listed = {model["model"]: model for model in models}
    for known, model in listed.items():
        if known.lower() == name.lower():
            files = (model["model_file"], *model["additional_files"])
            return Listed(known, model.get("dim", 0), model["sources"].get("hf"), files)
    near = get_close_matches(name, listed, n=3, cutoff=0.4) or sorted(listed)[:3]
    raise ConfigError(f"{what}: fastembed has no such model; near: {', '.join(near)}")


def fetchable(model: Listed) -> bool:
    """Whether the hub may be asked for it."""
    return model.repo is not None and not constants.HF_HUB_OFFLINE


def fetch(model: Listed, cache: Path, *, anew: bool) -> None:
    """Download the model; ``anew`` mistrusts the files that are there. Raises what the hub's client does."""
    options = {"force_download": True} if anew else {}
    fastembed.TextEmbedding.download_files_from_huggingface(
        str(model.repo), cache_dir=str(cache), extra_patterns=list(model.files), **options
    )


def own_cache() -> Path | None:
    """fastembed's cache. It may lie in the shared temp folder: one that another user made is not trusted."""
    try:
        cache = define_cache_dir()
        return cache if cache.stat().st_uid == os.geteuid() else None
    except OSError:
        return None


class Model:
    """The model of one folder. Raises ModelUnavailable if its files do not do."""

    def __init__(self, listed: Listed, folder: Path, threads: int) -> None:
        for file in listed.files:
            hub_cache.check(folder / file)
        starts = (pair for start, pair in PREFIXES.items() if listed.name.lower().startswith(start))
        self._document_prefix, self._query_prefix = next(starts, ("", ""))
        try:
            self._model = _open(listed, folder, threads)
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._tokenizer.no_truncation()
            self._tokenizer.no_padding()
            self._window = _longest_input(folder) - len(self._tokenizer.encode(self._document_prefix))
            if len(self.query("a trial")) != listed.dim:
                raise ValueError("another model's dimensions")
        except Exception as error:  # onnxruntime's and tokenizers' errors have no common base
            raise _unusable(listed, folder, error) from error

    def windows(self, text: str) -> list[Piece]:
        """The text in pieces that the model takes whole."""
        text = windows.embeddable(text)
        offsets = self._tokenizer.encode(text, add_special_tokens=False).offsets
        if len(offsets) <= self._window:
            return [Piece(text, len(offsets))]
        cut = windows.spans(len(offsets), self._window)
        return [Piece(text[offsets[start][0] : offsets[end - 1][1]], end - start) for start, end in cut]

    def documents(self, texts: Sequence[str]) -> Floats:
        """One vector of length 1 a text; all go in one batch."""
        prefixed = [self._document_prefix + text for text in texts]
        return _unit(np.stack(list(self._model.passage_embed(prefixed, batch_size=len(prefixed)))))

    def query(self, text: str) -> Floats:
        """The vector of a question's first window."""
        first = self._query_prefix + self.windows(text)[0].text
        vector: Floats = _unit(np.stack(list(self._model.query_embed(first))))[0]
        return vector


class CrossModel:
    """The cross-encoder of one folder. Raises ModelUnavailable if its files do not do."""

    def __init__(self, listed: Listed, folder: Path, threads: int) -> None:
        for file in listed.files:
            hub_cache.check(folder / file)
        try:
            self._model = TextCrossEncoder(
                listed.name,
                threads=threads,
                providers=["CPUExecutionProvider"],
                specific_model_path=str(folder),
                local_files_only=True,
                enable_cpu_mem_arena=False,
            )
            self.scores("a trial", ["a text"])
        except Exception as error:  # onnxruntime's and tokenizers' errors have no common base
            raise _unusable(listed, folder, error) from error

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """A score a text, in one batch; the end of a long one is not read."""
        whole = [windows.embeddable(text) for text in texts]
        return [float(one) for one in self._model.rerank(windows.embeddable(query), whole, len(whole))]


def _open(listed: Listed, folder: Path, threads: int) -> fastembed.TextEmbedding:
    """fastembed on the files of a folder: so told, it does not look for them anywhere else."""
    return fastembed.TextEmbedding(
        listed.name,
        threads=threads,
        providers=["CPUExecutionProvider"],
        specific_model_path=str(folder),
        local_files_only=True,
        enable_cpu_mem_arena=False,
    )


def _unusable(listed: Listed, folder: Path, error: Exception) -> ModelUnavailable:
    reason = (str(error) or type(error).__name__).splitlines()[0][:200]
    return ModelUnavailable(f"{folder} holds no usable {listed.name} ({reason})", "replace its files")


def _longest_input(folder: Path) -> int:
    """Tokens of a window, special ones included: fastembed cuts at what the tokenizer's settings say."""
    config = json.loads((folder / "tokenizer_config.json").read_text())
    limits = [config.get(name) for name in ("model_max_length", "max_length")]
    return min([windows.WINDOW_TOKENS, *(limit for limit in limits if isinstance(limit, int) and limit > 0)])


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Floats = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)
    return unit
