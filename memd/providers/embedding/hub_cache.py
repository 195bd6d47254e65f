"""How a cache of the Hugging Face hub lies on disk; read without the hub's client, so never over the network.

``models--owner--name/refs/main`` names the folder below ``snapshots/`` whose files are links to blobs. The
blob of a large file is named by its SHA-256.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memd.providers.embedding import model_file

_SHA256 = re.compile(r"[0-9a-f]{64}")


def snapshots(cache: Path, repo: str) -> Iterator[Path]:
    """Folders with the newest files of ``repo`` (owner/name, in any case: it differs between releases)."""
    wanted = f"models--{repo}".replace("/", "--").lower()
    for folder in cache.glob("models--*"):
        main = folder / "refs" / "main"
        if folder.name.lower() == wanted and main.is_file():
            yield folder / "snapshots" / main.read_text().strip()


def check(file: Path) -> None:
    """Raise ModelUnavailable if ``file`` links to a blob that does not match its name."""
    stored = file.resolve().name
    if _SHA256.fullmatch(stored):
        model_file.check(file, stored, hint="remove it, and it is downloaded again")
