"""Chinese, Japanese and Korean for an index that cuts words at spaces.

Such a run stands in the index as its overlapping pairs of characters, then its last character alone. A query's pairs
must stand in the text in a row; a single character is sought as the beginning of a pair, which finds it anywhere.
"""

from __future__ import annotations

import re

CHARACTER = (
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f\uac00-\ud7a3\u1100-\u11ff"
    "\U00020000-\U0003ffff]"
)
RUN = re.compile(f"{CHARACTER}+")


def segment(text: str) -> str:
    """The text with every such run written as pairs; other text as it is, at no cost where it is all ASCII."""
    if text.isascii():
        return text
    return RUN.sub(lambda run: f" {' '.join(pairs(run[0]))} {run[0][-1]} ", text)


def sought(text: str) -> str:
    """The text as it stands within an indexed one: every run as its pairs, without a last character alone."""
    return RUN.sub(lambda run: f" {' '.join(pairs(run[0]) or run[0])} ", text)


def pairs(run: str) -> list[str]:
    """The overlapping pairs of a run; none of one character alone."""
    return [run[at : at + 2] for at in range(len(run) - 1)]
