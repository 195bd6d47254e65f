"""Reading ahead: the turns that may hold standing requests and preferences, read before a question needs them.

To read them takes a third of a second where turns are long, once. It is done behind a start, for the project that was
spoken in last; in portions, and questions go first.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from memd.db.driver import Connection
from memd.db.vectors import Lane
from memd.recall import statements
from memd.server.history import IndexedHistory
from memd.services import Services
from memd.turns import recalled
from memd.turns.search import Question

BEHIND_START_SECONDS = 5.0
PORTION = 8  # texts, of some milliseconds together


async def of_last(services: Services) -> None:
    """Read ahead for the project that was spoken in last, a while after the start."""
    await asyncio.sleep(BEHIND_START_SECONDS)
    project = await services.db.read(recalled.last_project)
    if project is not None:
        await of_projects(services, [project])


async def of_projects(services: Services, projects: Sequence[int]) -> None:
    """Read ahead for questions within these projects."""
    await services.governor.turn(0.0)

    def look(connection: Connection) -> Sequence[str]:
        question, lane = Question("", project_ids=projects), Lane(services.vectors)
        return statements.marked_texts(IndexedHistory(connection, question, lane, services.marks))

    texts = await services.db.read(look)
    for start in range(0, len(texts), PORTION):
        await services.governor.turn(await asyncio.to_thread(_read, texts[start : start + PORTION]))


def _read(texts: Sequence[str]) -> float:
    """Read a portion; the processor time that it took."""
    began = time.thread_time()
    for text in texts:
        statements.read(text)
    return time.thread_time() - began
