from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest
from huggingface_hub import constants

from memd.clock import FixedClock
from memd.errors import ConfigError
from memd.providers.embedding import fastembed_library
from memd.providers.embedding.base import ModelUnavailable
from memd.providers.embedding.fastembed_models import FastembedEmbedder
from tests.providers.models import CUSTOM, write_cache, write_model


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """fastembed's own cache, empty."""
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path / "own"))
    return tmp_path / "own"


def open_custom(
    clock: FixedClock, *, model_dir: Path | None = None, cache_dir: Path | None = None, name: str = CUSTOM
) -> FastembedEmbedder:
    return FastembedEmbedder(name, model_dir=model_dir, cache_dir=cache_dir, threads=1, clock=clock)


def test_a_cached_model_never_asks_the_network(
    tmp_path: Path, clock: FixedClock, outbound: list[str]
) -> None:
    write_cache(tmp_path)
    environment = dict(os.environ)
    embedder = open_custom(clock, cache_dir=tmp_path)

    embedder.embed_documents(["a text", "another"])
    embedder.embed_query("a question")

    assert outbound == []
    assert dict(os.environ) == environment


def test_fastembeds_own_cache_is_looked_in(own_cache: Path, clock: FixedClock, outbound: list[str]) -> None:
    write_cache(own_cache)

    open_custom(clock, cache_dir=own_cache.parent / "ours").embed_query("a question")

    assert outbound == []


def test_a_missing_model_is_told_to_a_query_without_asking_the_network(
    tmp_path: Path, clock: FixedClock, outbound: list[str]
) -> None:
    with pytest.raises(ModelUnavailable, match=f"{CUSTOM} is not in the model cache"):
        open_custom(clock, cache_dir=tmp_path).embed_query("x")

    assert outbound == []


def test_without_a_network_documents_fail_at_once_and_the_network_is_tried_once_an_hour(
    tmp_path: Path, clock: FixedClock, outbound: list[str]
) -> None:
    embedder = open_custom(clock, cache_dir=tmp_path)
    with pytest.raises(ModelUnavailable):
        embedder.embed_documents(["x"])
    embedder.wait_for_download(30)
    first = len(outbound)
    assert first > 0

    clock.move(3590)
    with pytest.raises(ModelUnavailable, match="the last download failed") as fault:
        embedder.embed_documents(["x"])
    embedder.wait_for_download(30)
    assert len(outbound) == first
    assert fault.value.retry_s == pytest.approx(10)

    clock.move(10)
    with pytest.raises(ModelUnavailable):
        embedder.embed_documents(["x"])
    embedder.wait_for_download(30)
    assert len(outbound) > first


def test_offline_by_the_users_will_no_download_is_tried(
    tmp_path: Path, clock: FixedClock, outbound: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    embedder = open_custom(clock, cache_dir=tmp_path, name="BAAI/bge-small-en-v1.5")

    with pytest.raises(ModelUnavailable, match="HF_HUB_OFFLINE"):
        embedder.embed_documents(["x"])

    assert outbound == []
    assert embedder.space.key == "fastembed:BAAI/bge-small-en-v1.5:384"


def test_the_backlog_embeds_once_the_model_arrives(
    tmp_path: Path, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()

    def arrive(model: fastembed_library.Listed, cache: Path, *, anew: bool) -> None:
        go.wait(30)
        write_cache(cache)

    monkeypatch.setattr(fastembed_library, "fetch", arrive)
    embedder = open_custom(clock, cache_dir=tmp_path)
    with pytest.raises(ModelUnavailable, match="it is being downloaded") as fault:
        embedder.embed_documents(["x"])
    assert fault.value.retry_s == 30
    go.set()
    embedder.wait_for_download(30)

    assert len(embedder.embed_documents(["x"])) == 1


@pytest.mark.parametrize("content", [b"", b"garbage" * 1000])
@pytest.mark.parametrize("named_by_hash", [True, False])
def test_a_damaged_model_in_the_cache_is_fetched_anew(
    tmp_path: Path, clock: FixedClock, monkeypatch: pytest.MonkeyPatch, content: bytes, named_by_hash: bool
) -> None:
    blob = write_cache(tmp_path)
    if not named_by_hash:
        link = tmp_path / "models--memd-tests--minilm-onnx" / "snapshots" / "f00d" / "model.onnx"
        blob = blob.replace(link)
    good = blob.read_bytes()
    blob.write_bytes(content)
    asked: list[bool] = []

    def repair(model: fastembed_library.Listed, cache: Path, *, anew: bool) -> None:
        asked.append(anew)
        blob.write_bytes(good)

    monkeypatch.setattr(fastembed_library, "fetch", repair)
    embedder = open_custom(clock, cache_dir=tmp_path)
    with pytest.raises(ModelUnavailable, match="damaged in the model cache"):
        embedder.embed_documents(["x"])
    embedder.wait_for_download(30)

    assert len(embedder.embed_documents(["x"])) == 1
    assert asked == [True]


@pytest.mark.parametrize("damage", ["empty", "garbage", "no tokenizer", "no settings", "garbage settings"])
def test_a_bad_model_folder_is_a_fault_that_shows_and_starts_no_download(
    tmp_path: Path, clock: FixedClock, outbound: list[str], damage: str
) -> None:
    folder = write_model(tmp_path / "model")
    match damage:
        case "empty":
            (folder / "model.onnx").write_bytes(b"")
        case "garbage":
            (folder / "model.onnx").write_bytes(os.urandom(5000))
        case "no tokenizer":
            (folder / "tokenizer.json").unlink()
        case "no settings":
            (folder / "tokenizer_config.json").unlink()
        case _:
            (folder / "tokenizer_config.json").write_text("{")
    embedder = open_custom(clock, model_dir=folder)

    for _ in range(2):
        with pytest.raises(ModelUnavailable) as fault:
            embedder.embed_documents(["x"])
        assert str(folder) in fault.value.what
    assert outbound == []


def test_damaged_files_are_opened_once_while_they_stay_the_same(
    tmp_path: Path, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_model(tmp_path / "model")
    tokenizer = (folder / "tokenizer.json").rename(folder / "elsewhere")
    opened: list[Path] = []
    load = fastembed_library.Model

    def count(listed: fastembed_library.Listed, place: Path, threads: int) -> fastembed_library.Model:
        opened.append(place)
        return load(listed, place, threads)

    monkeypatch.setattr(fastembed_library, "Model", count)
    embedder = open_custom(clock, model_dir=folder)
    for _ in range(3):
        with pytest.raises(ModelUnavailable):
            embedder.embed_query("x")
    assert len(opened) == 1

    shutil.copy(tokenizer, folder / "tokenizer.json")
    assert embedder.embed_query("x").shape == (384,)


def test_another_models_files_are_refused(model_folder: Path, clock: FixedClock) -> None:
    embedder = open_custom(clock, model_dir=model_folder, name="sentence-transformers/all-MiniLM-L6-v2")
    assert embedder.embed_query("the same model").shape == (384,)

    wrong = open_custom(clock, model_dir=model_folder, name="intfloat/multilingual-e5-large")
    with pytest.raises(ModelUnavailable):
        wrong.embed_query("384 dimensions instead of 1024")


def test_names_are_taken_in_any_case_and_unknown_ones_answered_with_near_ones(clock: FixedClock) -> None:
    assert open_custom(clock, name="baai/BGE-small-en-v1.5").space.model == "BAAI/bge-small-en-v1.5"

    with pytest.raises(ConfigError, match=r"near: .*BAAI/bge-small-en-v1\.5"):
        open_custom(clock, name="BAAI/bge-smal-en-v1.5")


def test_windows_of_a_long_text_are_each_whole(model_folder: Path, clock: FixedClock) -> None:
    text = " ".join(f"sentence {n} stands here." for n in range(300))
    embedder = open_custom(clock, model_dir=model_folder)
    model = fastembed_library.Model(fastembed_library.look_up(CUSTOM), model_folder, 1)

    pieces = model.windows(text)

    assert len(pieces) > 4
    assert text.startswith(pieces[0].text)
    assert text.endswith(pieces[-1].text)
    [long] = embedder.embed_documents([text])
    alone = np.concatenate(embedder.embed_documents([piece.text for piece in pieces]))
    assert np.einsum("ij,ij->i", long, alone).min() >= 0.9999
