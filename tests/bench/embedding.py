"""What embedding costs: memd's bundled model against fastembed's default batching, on the same mixed texts.

``python -m tests.bench.embedding`` prints one table. Both sides run in this process, in turns, on the same
weights; memory is measured in a process of its own, which never imports fastembed.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np

from memd.providers.embedding.bundled import TOKENIZER, BundledEmbedder, find_model

COUNT = 80
ROUNDS = 3
QUESTION = "how is the search index rebuilt after a crash of {}"


def texts() -> list[str]:
    """Docstrings and sources of the standard library, from a line to as many tokens as one window takes."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    found = []
    for module in (ast, asyncio.events, inspect, json, subprocess, textwrap, threading):
        for _, thing in inspect.getmembers(module, inspect.isfunction):
            found += [part for part in (inspect.getdoc(thing), inspect.getsource(thing)) if part]
    chosen = sorted(set(found), key=lambda text: text[::-1])[:: max(1, len(set(found)) // COUNT)][:COUNT]
    cut = ((text, tokenizer.encode(text, add_special_tokens=False).offsets) for text in chosen)
    return [text if len(offsets) <= 254 else text[: offsets[253][1]] for text, offsets in cut]


def cpu_s(work: Callable[[], object]) -> float:
    """CPU seconds of one call, of all threads."""
    before = time.process_time()
    work()
    return time.process_time() - before


def rss_mb() -> float:
    """Resident memory of this process."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def fastembed_model(folder: Path, threads: int | None) -> Callable[[list[str]], np.ndarray]:
    """fastembed as it comes, on the bundled weights."""
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    name = "memd-bench/minilm"
    if not any(model["model"] == name for model in TextEmbedding.list_supported_models()):
        TextEmbedding.add_custom_model(
            name,
            pooling=PoolingType.MEAN,
            normalization=True,
            sources=ModelSource(hf=name),
            dim=384,
            model_file="model.onnx",
        )
        (folder / "model.onnx").symlink_to(find_model(None))
        (folder / "tokenizer.json").symlink_to(TOKENIZER)
        (folder / "tokenizer_config.json").write_text('{"model_max_length": 256}')
    model = TextEmbedding(name, specific_model_path=str(folder), threads=threads)
    return lambda batch: np.stack(list(model.embed(batch)))


def speed() -> dict[str, float]:
    """Texts a CPU second of both sides, their ratio, and the least cosine between their vectors."""
    batch, ours = texts(), BundledEmbedder()
    with tempfile.TemporaryDirectory() as folder:
        default, single = fastembed_model(Path(folder), None), fastembed_model(Path(folder), 1)
        mine = np.concatenate(ours.embed_documents(batch))
        cosine = np.einsum("ij,ij->i", mine, default(batch)).min()
        single(batch)
        sides = (ours.embed_documents, default, single)
        rounds = [[cpu_s(lambda side=side: side(batch)) for side in sides] for _ in range(ROUNDS)]
    our_s, default_s, single_s = (median(times) for times in zip(*rounds, strict=True))
    queries = [cpu_s(lambda n=n: ours.embed_query(QUESTION.format(n))) * 1000 for n in range(30)]
    cached = [cpu_s(lambda n=n: ours.embed_query(QUESTION.format(n))) * 1000 for n in range(30)]
    return {
        "texts": len(batch),
        "memd texts/CPU s": len(batch) / our_s,
        "fastembed texts/CPU s": len(batch) / default_s,
        "ratio": default_s / our_s,
        "fastembed on one thread": len(batch) / single_s,
        "ratio on one thread": single_s / our_s,
        "least cosine": float(cosine),
        "query CPU ms": median(queries),
        "cached query CPU ms": median(cached),
    }


def memory() -> dict[str, float]:
    """Resident MB and load times; meaningful only in a fresh process."""
    embedder, batch = BundledEmbedder(), texts()
    before = rss_mb()
    load_ms = cpu_s(lambda: embedder.embed_query("load")) * 1000
    loaded = rss_mb()
    peak = 0.0
    for start in range(0, len(batch), 20):
        embedder.embed_documents(batch[start : start + 20])
        peak = max(peak, rss_mb())
    release_ms = cpu_s(embedder.release) * 1000
    released = rss_mb()
    reload_ms = cpu_s(lambda: embedder.embed_query("load again")) * 1000
    return {
        "load CPU ms": load_ms,
        "reload CPU ms": reload_ms,
        "release CPU ms": release_ms,
        "RSS MB before": before,
        "RSS MB loaded": loaded,
        "RSS MB after documents": peak,
        "RSS MB released": released,
    }


def main() -> dict[str, float]:
    """Measure, print, and hand back all figures."""
    child = [sys.executable, "-m", "tests.bench.embedding", "--memory"]
    figures = speed() | json.loads(subprocess.run(child, capture_output=True, text=True, check=True).stdout)
    for name, value in figures.items():
        print(f"{name:26}{value:12.7f}" if name == "least cosine" else f"{name:26}{value:12.2f}")
    return figures


if __name__ == "__main__":
    if "--memory" in sys.argv:
        print(json.dumps(memory()))
    else:
        main()
