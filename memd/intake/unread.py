"""Files that cannot be read, as troubles: one for those that are withheld, one for those that are unsound."""

from __future__ import annotations

from collections.abc import Callable, Collection

from memd.services import Troubles
from memd.sources import cursors


class Unread:
    """What stands in the way now; what can be read again is struck off. ``ours`` is true of transcripts' folders."""

    def __init__(self, troubles: Troubles, ours: Callable[[bytes], bool]) -> None:
        self._troubles, self._ours = troubles, ours
        self._withheld: set[bytes] = set()  # since the last scan
        self._unsound: dict[bytes, str] = {}

    def scan(self) -> None:
        """A scan begins: what still cannot be read says so again."""
        self._withheld.clear()

    def withheld(self, path: bytes, why: str | None) -> None:
        """The system does not let it be read."""
        self._withheld.add(path)
        place = "of the projects folder" if self._ours(path) else "of the file, and of the folders above it"
        self._troubles.raise_(
            "unreadable",
            f"{cursors.key_of(path)} cannot be read: {why or 'no reason is given'}",
            f"check the modes {place}",
        )

    @property
    def unsound_files(self) -> int:
        """How many files are not what they should be."""
        return len(self._unsound)

    def unsound(self, path: bytes, why: str) -> None:
        """It is not what it should be."""
        self._unsound[path] = why

    def read(self, path: bytes) -> None:
        """It could be read."""
        self._unsound.pop(path, None)

    def keep(self, present: Collection[str]) -> None:
        """Forget those that are gone."""
        self._unsound = {path: why for path, why in self._unsound.items() if cursors.key_of(path) in present}

    def tell(self, *, idle: bool) -> None:
        """Bring the troubles up to date; ``idle`` where nothing waits to be read."""
        if idle and not self._withheld:
            self._troubles.clear("unreadable")
        if not self._unsound:
            self._troubles.clear("history")
            return
        path, why = next(iter(self._unsound.items()))
        name, others = cursors.key_of(path), len(self._unsound) - 1
        more = f" (and {others} more)" if others else ""
        self._troubles.raise_(
            "history",
            f"{name} is not read as history: {why.removeprefix(name + ': ')}{more}",
            "it is tried again when it changes; the settings sources.codex, gemini and opencode say what is read",
        )
