"""A cross-encoder for tests: a model whose score of a pair is the sum of its tokens' numbers, so the longer text wins.

Few bytes of ONNX, written by hand: a cast, and a sum over the tokens.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from memd.providers.embedding import bundled

NAME = "Xenova/ms-marco-MiniLM-L-6-v2"
FLOAT, INT64 = 1, 7


def write_cross_encoder(cache: Path) -> Path:
    """The model in a cache as the hub's client leaves it; its folder."""
    repo = cache / "models--Xenova--ms-marco-MiniLM-L-6-v2"
    folder = repo / "snapshots" / "f00d"
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "model.onnx").write_bytes(_model())
    shutil.copy(bundled.TOKENIZER, folder / "tokenizer.json")
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 512}))
    (repo / "refs").mkdir()
    (repo / "refs" / "main").write_text("f00d")
    return folder


def _model() -> bytes:
    cast = _text(1, "input_ids") + _text(2, "cast") + _text(4, "Cast") + _part(5, _attribute("to", FLOAT))
    summed = (
        _text(1, "cast")
        + _text(2, "logits")
        + _text(4, "ReduceSum")
        + _part(5, _text(1, "axes") + _number(8, 1) + _number(20, 7))
        + _part(5, _attribute("keepdims", 1))
    )
    graph = (
        _part(1, cast)
        + _part(1, summed)
        + _text(2, "sum")
        + _part(11, _tensor("input_ids", INT64))
        + _part(12, _tensor("logits", FLOAT))
    )
    return _number(1, 8) + _part(7, graph) + _part(8, _number(2, 12))


def _tensor(name: str, kind: int) -> bytes:
    """A matrix of any size."""
    shape = _part(1, _text(2, "rows")) + _part(1, _text(2, "columns"))
    return _text(1, name) + _part(2, _part(1, _number(1, kind) + _part(2, shape)))


def _attribute(name: str, value: int) -> bytes:
    return _text(1, name) + _number(3, value) + _number(20, 2)


def _text(field: int, value: str) -> bytes:
    return _part(field, value.encode())


def _part(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    return bytes([value]) if value < 0x80 else bytes([value & 0x7F | 0x80]) + _varint(value >> 7)
