"""The folders of one home, each 0700 and ours before anything is written there."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from memd.server.folder import private_folder

__all__ = ["make_private", "private_folder"]


def make_private(folders: Iterable[Path]) -> None:
    """Make or tighten each folder; NotOurs, CannotCreate or ConfigError at the first that cannot be had so."""
    for folder in folders:
        private_folder(folder)
