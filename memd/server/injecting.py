"""From an event to what the model is handed: the place, the meaning, the page, and the note that it was handed.

The rule: nobody waits for a model that is not loaded, nor for the disk. What a session was handed is written down
once the answer has reached a client that was still there, and its next event waits for that.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

from memd.db.driver import Connection
from memd.db.vectors import Lane
from memd.injection import handed, opening, prompt, query
from memd.injection.events import Event
from memd.injection.handed import Context
from memd.injection.opening import Start
from memd.injection.options import Place
from memd.injection.page import EMPTY, Page
from memd.injection.prompt import Prompt
from memd.server import meaning, scope
from memd.server.dispatch import Delivery
from memd.server.params import Params
from memd.services import InUse, Services
from memd.sources import attribution, projects
from memd.text.tokens import Bound, Counter
from memd.turns.search import ByWords

NOTHING_BEARS = "nothing stored bears on the prompt"
NOTHING_KNOWN = "nothing is known here"
TOO_LITTLE = "the prompt says too little to look for"

EMBED_SECONDS = 0.3
COUNT_SECONDS = 0.4  # for what tokens are counted with to be loaded; then the room is measured in bytes
WRITE_SECONDS = 0.2  # that the next event of a session waits for what is being written down

EMPTIED = ("clear", "compact")
GOES_ON = ("resume", "fork")


class Injecting:
    """Makes the pages of hooks, and remembers what was in them."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._writing: dict[str, asyncio.Future[None]] = {}

    async def at_start(self, event: Event, delivery: Delivery) -> str:
        """What the hook of a session's start prints."""
        services, emptied = self._services, event.source in EMPTIED
        options = services.injection
        self._warm(event.session)
        await self._written(event.session)
        now_ms = services.clock.now_ms()
        if emptied:  # whether the answer arrives or not
            self._write(event.session, lambda connection: handed.empty(connection, event.session, now_ms))
        counter = await self._counter()

        def look(connection: Connection) -> Page:
            known = handed.context(connection, event.session)
            context = Context(known.sessions) if emptied else known
            start = Start(place_of(connection, event.cwd), now_ms, context, event.source in GOES_ON)
            return opening.page_for(connection, start, options, counter, options.session_tokens)

        page = await services.db.read(look) if options.session_start else EMPTY
        self._note(event.session, page, now_ms, delivery)
        return _output("SessionStart", page.text)

    async def at_prompt(self, event: Event, delivery: Delivery) -> str:
        """What the hook of a prompt prints."""
        services, options = self._services, self._services.injection
        asked = query.of(event.prompt) if options.prompt else None
        if asked is None:
            return ""
        await self._written(event.session)
        used = services.embedding.serving
        now_ms = services.clock.now_ms()

        def by_words(connection: Connection) -> tuple[Prompt, ByWords]:
            context = handed.context(connection, event.session)
            about = Prompt(asked, place_of(connection, event.cwd), now_ms, context)
            return about, prompt.by_words(connection, about, options)

        with services.governor.question():
            lane, counter, (about, words) = await asyncio.gather(
                self._lane(asked, used), self._counter(), services.db.read(by_words)
            )
            page = await services.db.read(
                prompt.page_for, about, lane, options, counter, options.prompt_tokens, words
            )
        self._note(event.session, page, now_ms, delivery)
        return _output("UserPromptSubmit", page.text)

    async def shown(self, params: Params) -> tuple[str, Page, str, int]:
        """The scope's name, the page, the state of meaning (or ``TOO_LITTLE``), and the budget: for a person."""
        services, options = self._services, self._services.injection
        text = params.maybe_text("query")
        budget = params.maybe_integer("budget") or (
            options.session_tokens if text is None else options.prompt_tokens
        )
        asked = None if text is None else query.of(text)
        used, now_ms = services.embedding.serving, services.clock.now_ms()
        lane, state = Lane(services.vectors), meaning.NOT_ASKED_FOR if text is None else TOO_LITTLE
        with services.governor.question():
            if asked is not None:
                lane, state = await meaning.of_question(services, query.meant(asked), used, seconds=None)

            def look(connection: Connection) -> tuple[str, Page]:
                where = scope.of(connection, params)
                place = Place(where.projects, _branch(params, where))
                if text is None:
                    start = Start(place, now_ms)
                    return where.name, opening.page_for(connection, start, options, services.counter, budget)
                if asked is None:
                    return where.name, EMPTY
                about = Prompt(asked, place, now_ms)
                return where.name, prompt.page_for(connection, about, lane, options, services.counter, budget)

            name, page = await services.db.read(look)
        return name, page, state, budget

    async def _lane(self, asked: str, used: InUse | None) -> Lane:
        """The lane of meaning, where the model is there and quick enough."""
        services = self._services
        if used is None or not used.embedder.loaded:
            self._warm(asked)
            return Lane(services.vectors)
        lane, _ = await meaning.of_question(services, query.meant(asked), used, seconds=EMBED_SECONDS)
        return lane

    async def _counter(self) -> Counter:
        """What tokens are counted with; a bound of it where that is not there in time."""
        counter = self._services.counter
        if counter.ready:
            return counter
        loading = asyncio.get_running_loop().run_in_executor(None, counter.count, "a text")
        done, _ = await asyncio.wait([loading], timeout=COUNT_SECONDS)
        return counter if done else Bound(counter)

    def _warm(self, text: str) -> None:
        """Have the model loaded, for the prompts to come."""
        used = self._services.embedding.serving
        if used is not None and not used.embedder.loaded:
            loop = asyncio.get_running_loop()
            loading = loop.run_in_executor(self._services.query_thread, used.embedder.embed_query, text)
            loading.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def _written(self, session: str) -> None:
        """Wait for what is being written down of a session, but not for long."""
        if writing := self._writing.get(session):
            await asyncio.wait([writing], timeout=WRITE_SECONDS)

    def _note(self, session: str, page: Page, now_ms: int, delivery: Delivery) -> None:
        """Have written down what a session is handed, if it gets there."""

        def work(connection: Connection) -> None:
            handed.note(connection, session, page.items, now_ms)

        if page.text:
            delivery.then.append(lambda: self._write(session, work))

    def _write(self, session: str, work: Callable[[Connection], None]) -> None:
        """Write something down of a session, behind the answer."""
        if not session:
            return

        def done(future: asyncio.Future[None]) -> None:
            if self._writing.get(session) is future:
                del self._writing[session]
            future.cancelled() or future.exception()  # it may be handed over twice then, which is no harm

        writing = self._writing[session] = asyncio.wrap_future(self._services.db.submit_write(work))
        writing.add_done_callback(done)


def place_of(connection: Connection, cwd: str) -> Place:
    """Where a session runs. In a folder that memd does not know only what holds everywhere holds."""
    row = attribution.find(connection, projects.identify(cwd), cwd) if cwd.startswith("/") else None
    return Place([]) if row is None else Place([row], projects.current_branch(cwd))


def _branch(params: Params, where: scope.Scope) -> str | None:
    """The branch that is checked out where a person asks about the project there."""
    cwd = params.maybe_text("cwd")
    if cwd is None or where.projects is None or params.maybe_text("project"):
        return None
    return projects.current_branch(cwd)


def _output(event: str, text: str) -> str:
    if not text:
        return ""
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
