"""What a call will take at most, counted before it is made."""

from __future__ import annotations

from collections.abc import Iterable

from memd.ledger.call import Tokens
from memd.text.tokens import Counter, Scaled

# A counter is rough, or another model's; the newer ones make up to a quarter more of the same text.
FACTOR = 1.3
FRAME_TOKENS = 20  # what the provider adds around the texts


def of(texts: Iterable[str], max_tokens: int, counter: Counter) -> Tokens:
    """The tokens of a call with these texts, if the answer is as long as it may be. Costs processor time."""
    scaled = Scaled(counter, FACTOR)
    return Tokens(FRAME_TOKENS + sum(map(scaled.count, texts)), 0, max_tokens)
