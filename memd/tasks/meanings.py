"""What texts mean to the embedder that serves, for a job that stores them soon; nothing where there is no model."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from memd.memory.meaning import Meaning
from memd.services import Embedding, InUse


async def of_texts(embedding: Embedding, texts: Sequence[str]) -> Mapping[str, Meaning]:
    """The meanings by text. What has none here gets its vectors from the job that looks for such entries."""
    used = embedding.serving
    if used is None or not texts:
        return {}
    return await asyncio.to_thread(_meanings, used, texts)


def _meanings(used: InUse, texts: Sequence[str]) -> Mapping[str, Meaning]:
    try:
        found = list(used.embedder.embed_documents(list(texts)))
    except Exception:  # whatever a model may raise, the texts are stored
        return {}
    return {
        text: Meaning(used.space, windows) for text, windows in zip(texts, found, strict=True) if len(windows)
    }
