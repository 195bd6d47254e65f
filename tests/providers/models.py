"""Model folders for tests, all made from the bundled model."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from fastembed import TextEmbedding
from fastembed.common.model_description import ModelSource, PoolingType

from memd.providers.embedding import bundled

# fastembed takes a model for good, once a process.
CUSTOM = "memd-tests/minilm"
TextEmbedding.add_custom_model(
    CUSTOM,
    pooling=PoolingType.MEAN,
    normalization=True,
    sources=ModelSource(hf="memd-tests/minilm-onnx"),
    dim=384,
    model_file="model.onnx",
)


def write_model(folder: Path) -> Path:
    """A folder as fastembed wants it."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(bundled.find_model(None), folder / "model.onnx")
    shutil.copy(bundled.TOKENIZER, folder / "tokenizer.json")
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 256}))
    return folder


def write_cache(cache: Path) -> Path:
    """A cache as the hub's client leaves it; returns the blob that holds the weights."""
    repo = cache / "models--memd-tests--minilm-onnx"
    snapshot = write_model(repo / "snapshots" / "f00d")
    blob = repo / "blobs" / bundled.MODEL_SHA256
    blob.parent.mkdir()
    (snapshot / "model.onnx").rename(blob)
    (snapshot / "model.onnx").symlink_to(blob)
    (repo / "refs").mkdir()
    (repo / "refs" / "main").write_text("f00d")
    return blob
