"""How texts become model inputs: which part is embedded, cut where, in which batches. Pure.

A text's windows overlap a little, so that a phrase on a seam is whole in one of them. The first window is
always as long as the model takes, hence equal to what plain truncation gives.
"""

from __future__ import annotations

from collections.abc import Sequence

MAX_CHARS = 100_000  # as much as the text index reads
MAX_WINDOWS = 128  # about 30,000 tokens; only dense text (CJK, hex) of over 30,000 characters meets it
WINDOW_TOKENS = 256
OVERLAP_TOKENS = 24
BATCH_TOKENS = 256  # padded; more gains up to 2 % on short texts, and costs 5 to 15 % on long ones


def embeddable(text: str) -> str:
    """The part of a text that gets vectors, without the lone surrogates that no tokenizer takes."""
    return text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8")


def spans(tokens: int, size: int) -> list[tuple[int, int]]:
    """Where to cut ``tokens`` tokens into windows of at most ``size``; one, maybe empty, at least."""
    overlap = min(OVERLAP_TOKENS, size // 4)
    found = [(0, min(size, tokens))]
    while found[-1][1] < tokens and len(found) < MAX_WINDOWS:
        start = found[-1][1] - overlap
        found.append((start, min(start + size, tokens)))
    return found


def batches(lengths: Sequence[int]) -> list[list[int]]:
    """Indices grouped by like length: little padding, and no batch over BATCH_TOKENS but for a single one."""
    groups: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if groups and (len(groups[-1]) + 1) * lengths[index] <= BATCH_TOKENS:
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups
