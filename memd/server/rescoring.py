"""Recall's candidates, read with the question by the cross-encoder on the query thread; and why, where they are not."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from memd.errors import MemdError
from memd.services import Services

SECONDS = 8.0  # for all pairs, within a read's ten
ON = "on"


class Rescoring:
    """Of one question. ``state`` is ``on``, or begins with ``off`` and says why."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self.state = ON

    async def prepare(self) -> None:
        """Find out whether there is a model, so that the answer can say so whatever is asked of it."""
        loop, encoder = asyncio.get_running_loop(), self._services.cross_encoder
        try:
            await loop.run_in_executor(self._services.query_thread, encoder.check)
        except MemdError as error:
            self.state = f"off: {error.message}"

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float] | None:
        """A score for each text; None where the model does not give them. For a reader thread: it waits."""
        if self.state != ON:
            return None
        work = self._services.query_thread.submit(self._services.cross_encoder.scores, query, texts)
        try:
            return work.result(SECONDS)
        except MemdError as error:
            self.state = f"off: {error.message}"
        except TimeoutError:
            work.cancel()
            self.state = "off: the cross-encoder took too long"
        except Exception as error:  # the model's own; who asked is answered without it, and told
            self.state = f"off: the cross-encoder failed ({type(error).__name__})"
        return None
