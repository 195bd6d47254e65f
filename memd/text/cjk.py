"""Chinese, Japanese and Korean for an index that cuts words at spaces.

Such a run stands in the index as its overlapping pairs of characters, so that any two characters in a row are found.
The same is done to a query, whose pairs must stand in the text in a row.
"""

from __future__ import annotations

import re

RUN = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f\uac00-\ud7a3\u1100-\u11ff"
    "\U00020000-\U0003ffff]+"
)


def segment(text: str) -> str:
    """The text with every such run written as pairs; other text as it is, at no cost where it is all ASCII."""
    if text.isascii():
        return text
    return RUN.sub(lambda run: " " + " ".join(pairs(run[0])) + " ", text)


def pairs(run: str) -> list[str]:
    """The overlapping pairs of a run; one character alone is itself."""
    if len(run) == 1:
        return [run]
    return [run[at : at + 2] for at in range(len(run) - 1)]
