"""A home of its own for each test, an embedder without a model, and a connection."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd import api
from memd.api import embeddings, providers
from memd.api.providers import Current
from memd.db.driver import Connection


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("MEMD_EMBEDDER", "hash")
    monkeypatch.setenv("MAIT_CODE_DATA_DIR", str(tmp_path / "none"))
    for name in ("MEMD_PROJECTS_DIR", "MEMD_OBSERVATIONS_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(embeddings, "_current", Current())
    providers.cross_encoder.cache_clear()
    return tmp_path / "home"


@pytest.fixture
def conn(home: Path) -> Iterator[Connection]:
    with api.connection() as conn:
        yield conn
