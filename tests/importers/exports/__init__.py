"""Made-up exports, one generator a format, each with what must come of it to the last count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

Said = tuple[str, str, str]  # session, role, words


@dataclass
class Export:
    """What a generator wrote: how to put it on disk, and what an import must find."""

    format: str
    write: Callable[[Path], object]
    turns: list[Said] = field(default_factory=list)
    tools: list[Said] = field(default_factory=list)  # with --include-tool-output
    skipped: Counter[str] = field(default_factory=Counter)
    malformed: int = 0
    titles: dict[str, str] = field(default_factory=dict)

    def file(self, folder: Path, name: str = "some file") -> Path:
        """The export under a name that says nothing."""
        path = folder / name
        self.write(path)
        return path
