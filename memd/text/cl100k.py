"""The tokens of cl100k_base, counted by tiktoken from a file of ours: no network, the same count on every machine.

Loading costs 0.25 s of one thread and some 40 MB, so it waits for the first text that needs a count, and is given back
when none does any more.
"""

from __future__ import annotations

import threading
from base64 import b64decode
from hashlib import blake2b, sha256
from pathlib import Path
from typing import TYPE_CHECKING

from memd.errors import Degraded

if TYPE_CHECKING:
    from tiktoken import Encoding

RANKS = Path(__file__).parent / "data" / "cl100k" / "cl100k_base.tiktoken"
SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
REMEMBERED = 16_384

_PIECE = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)


class Unavailable(Degraded):
    """tiktoken cannot be imported here, or the file of ranks is not what it should be."""


class Cl100k:
    """Counts as cl100k_base does; a text that was counted lately is known by its digest. For any thread."""

    name = "cl100k_base"

    def __init__(self, ranks: Path = RANKS) -> None:
        self._ranks = ranks
        self._encoding: Encoding | None = None
        self._lock = threading.Lock()
        self._counts: dict[bytes, int] = {}
        self._used = False
        self._idle_since: float | None = None

    @property
    def loaded(self) -> bool:
        """Whether the encoding is in memory now."""
        return self._encoding is not None

    @property
    def ready(self) -> bool:
        """The same: nothing has to be loaded to count."""
        return self.loaded

    def count(self, text: str) -> int:
        """How many tokens the text is; 0 of an empty one. Raises Unavailable."""
        if not text:
            return 0
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        known = self._counts.get(digest)
        if known is None:
            known = len(self.load().encode_ordinary(text))
            if len(self._counts) >= REMEMBERED:
                self._counts.clear()
            self._counts[digest] = known
        return known

    def at_most(self, text: str) -> int:
        """What the text cannot go over: a token is a byte at least."""
        return len(text.encode("utf-8", "surrogatepass"))

    def load(self) -> Encoding:
        """The encoding, in memory from now on. Raises Unavailable."""
        self._used = True
        if (encoding := self._encoding) is not None:
            return encoding
        with self._lock:
            if self._encoding is None:
                self._encoding = _read(self._ranks)
            return self._encoding

    def release_if_idle(self, now: float, idle_s: float) -> bool:
        """Give the memory back if no text was counted between this call and one at least ``idle_s`` earlier."""
        if self._used or self._idle_since is None:
            self._used = False
            self._idle_since = now
        return now - self._idle_since >= idle_s and self.release()

    def release(self) -> bool:
        """Give the memory back now; counts stay known. True if the encoding went."""
        with self._lock:
            went = self._encoding is not None
            self._encoding = None
            return went


def _read(path: Path) -> Encoding:
    try:
        from tiktoken import Encoding

        data = path.read_bytes()
    except (ImportError, OSError) as error:
        raise Unavailable(f"cl100k_base cannot be loaded ({error})") from error
    if sha256(data).hexdigest() != SHA256:
        raise Unavailable(f"{path} is damaged: its SHA-256 is not that of cl100k_base; install memd anew")
    ranks = {b64decode(token): int(rank) for token, rank in (line.split() for line in data.splitlines())}
    encoding = Encoding("cl100k_base", pat_str=_PIECE, mergeable_ranks=ranks, special_tokens={})
    ranks.clear()  # tiktoken counts with a copy of its own; this one would stay for nothing (18 MB)
    return encoding
