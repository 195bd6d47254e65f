from __future__ import annotations

from pathlib import Path

import pytest

from memd.errors import ConfigError
from memd.providers.embedding.base import Space
from memd.providers.embedding.open import open_embedder


def test_none_is_no_embedder() -> None:
    assert open_embedder("none") is None


@pytest.mark.parametrize(
    "name",
    [
        "",
        "bundle",
        "BUNDLED",
        "bundled:x",
        "hash:x",
        "none:x",
        "fastembed",
        "fastembed:",
        "openai:x",
        "bedrock",
    ],
)
def test_an_unknown_name_is_answered_with_the_choices(name: str) -> None:
    with pytest.raises(
        ConfigError, match="bundled, fastembed:<model name>, bedrock:<model id>, hash or none"
    ) as fault:
        open_embedder(name)

    assert repr(name) in fault.value.message
    assert fault.value.exit_code == 78


def test_spaces_differ_by_each_part() -> None:
    keys = {Space("a", "m", 3).key, Space("b", "m", 3).key, Space("a", "n", 3).key, Space("a", "m", 4).key}

    assert len(keys) == 4


def test_the_files_of_others_have_their_notices() -> None:
    root = Path(__file__).parents[2]

    assert "tokenizer.json" in (root / "NOTICE").read_text()
    assert "Apache License" in (root / "memd/providers/embedding/data/minilm/NOTICE").read_text()
