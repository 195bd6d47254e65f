"""What memd asks of an embedding model: the vector space it speaks, and vectors for texts.

Importing this file costs nothing: numpy and the runtimes load with the provider that ``open.py`` opens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from memd.errors import Degraded

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from memd.ranking.late import Tokens

Floats: TypeAlias = "npt.NDArray[np.float32]"

HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class Space:
    """A vector space: vectors of two spaces never mix."""

    provider: str
    model: str
    dim: int

    @property
    def key(self) -> str:
        """The one name of the space, stable over restarts and versions; what the database stores."""
        return f"{self.provider}:{self.model}:{self.dim}"


class ModelUnavailable(Degraded):
    """The embedding model cannot be used now.

    ``what`` names the model and the place, ``hint`` what to do. Before ``retry_s`` seconds a
    new try is in vain.
    """

    def __init__(self, what: str, hint: str, *, retry_s: float = HOUR_S) -> None:
        super().__init__(f"{what}: {hint}", detail=hint)
        self.what = what
        self.hint = hint
        self.retry_s = retry_s


@dataclass(frozen=True, slots=True)
class Embedded:
    """A text: its vectors (windows, dim), and of each window, up to a number of tokens, the signs of theirs.

    All tokens have equally many bytes. Those that tell nothing (stop words, punctuation) are left out.
    """

    windows: Floats
    tokens: Sequence[bytes]


class TokenEmbedder(Protocol):
    """An embedder that gives a vector for each token beside, in the same pass. As for the rest see ``Embedder``."""

    @property
    def token_bytes(self) -> int:
        """How many bytes the signs of a token are."""
        ...

    def embed_with_tokens(self, texts: Sequence[str]) -> list[Embedded]:
        """For each text what ``embed_documents`` gives, and its tokens. Raises ModelUnavailable."""
        ...

    def tokens_of_query(self, text: str) -> Tokens:
        """The tokens of the question's first window; no second pass after ``embed_query``. Raises ModelUnavailable."""
        ...


class Embedder(Protocol):
    """Texts in, vectors of length 1 (float32) out; the model loads at the first call that needs it.

    All methods may be called from any thread, side by side. Documents belong on one thread and queries on
    another; neither waits for the other but while the model loads (0.3 s). A call with documents returns
    after its last batch: the bundled model needs some 40 ms for 1,000 characters of prose, so hand over few
    texts at a time. ``close`` ends a running call after its present batch of at most 256 tokens (some 40 ms).
    """

    @property
    def space(self) -> Space:
        """The space of all vectors of this embedder; known before the model is loaded."""
        ...

    @property
    def loaded(self) -> bool:
        """Whether the model is in memory now."""
        ...

    @property
    def tokens(self) -> TokenEmbedder | None:
        """The same embedder, where it can give a vector for each token too; else None."""
        ...

    def check(self) -> str:
        """Where the model lies, once its files were found to be what they should be; ModelUnavailable if not.

        Loads nothing, asks no network; cheap enough for every ten seconds, but for the first time.
        """
        ...

    def embed_documents(self, texts: Sequence[str]) -> list[Floats]:
        """For each text an array (windows, dim): one row for a short text, several for a long one.

        Raises ModelUnavailable; nothing of the call is done then.
        """
        ...

    def embed_query(self, text: str) -> Floats:
        """One vector (dim,), read only, of the question's first window; recent questions need no model.

        Raises ModelUnavailable. Never waits for the network.
        """
        ...

    def release_if_idle(self, now: float, idle_s: float) -> bool:
        """Give the model's memory back if no call has run for ``idle_s`` seconds; True if the model went.

        ``now`` is any clock that only grows. To be called every now and then, off the event loop: it may
        take 50 ms.
        """
        ...

    def release(self) -> bool:
        """Give the model's memory back now, unless a call is running. True if the model went."""
        ...

    def close(self) -> None:
        """Give everything back; a running call ends with ModelUnavailable after its present batch."""
        ...
