"""A memory to hand things over from: turns and entries in a database, and the two pages by words alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memd.db.database import Database
from memd.db.vectors import Lane, Vectors
from memd.injection import handed, opening, prompt
from memd.injection.handed import Context
from memd.injection.lines import Item
from memd.injection.opening import Start
from memd.injection.options import Options, Place
from memd.injection.page import Page
from memd.injection.prompt import Prompt
from memd.memory.entry import MemoryScope
from memd.sources import attribution
from memd.sources.projects import Project
from memd.text.tokens import Offline
from memd.turns.turn import Turn
from tests import rows
from tests.memory import stored

CWD = "/home/dev/app"
NOW = rows.START_MS + 30 * rows.DAY_MS
COUNTER = Offline()

PORT = "Staging uses port 8080 since the move."
ASKED = "which port does staging use since the move"


class Memory:
    """One project, what is said in it, and what sessions are handed of it."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.project = db.write_now(attribution.remember, CWD, Project("app", CWD, "cwd"))

    def say(self, *texts: str, session: str = "s1", role: str = "user", agent: str | None = None) -> None:
        """Store turns of the project, one after the other."""
        said = [
            rows.turn(number, text, session=session, role=role, agent=agent)
            for number, text in enumerate(texts)
        ]
        self.store(said)

    def store(self, turns: list[Turn], cwd: str | None = CWD) -> None:
        """Store turns as they are."""
        rows.store(self.db, turns, cwd=cwd)

    def note(self, text: str, *, branch: str | None = None, everywhere: bool = False, **more: object) -> int:
        """Store an entry of the project; its id."""
        scope = MemoryScope() if everywhere else MemoryScope(self.project, branch)
        return stored.created(self.db, text, scope=scope, **({"at_ms": rows.START_MS} | more))

    def context(self, session: str) -> Context:
        """What a session has in its context."""
        return self.db.read_now(handed.context, session)

    def hand(self, session: str, page: Page) -> None:
        """Note that a session was handed a page."""
        self.db.write_now(handed.note, session, page.items, NOW)

    def prompt(
        self,
        text: str = ASKED,
        *,
        session: str = "new",
        place: Place | None = None,
        options: Options | None = None,
        now_ms: int = NOW,
    ) -> Page:
        """What a prompt gets."""
        options = options or Options()
        asked = Prompt(text, place or Place([self.project]), now_ms, self.context(session))
        lane = Lane(Vectors())
        return self.db.read_now(prompt.page_for, asked, lane, options, COUNTER, options.prompt_tokens)

    def start(
        self,
        *,
        session: str = "new",
        place: Place | None = None,
        options: Options | None = None,
        now_ms: int = NOW,
        goes_on: bool = False,
    ) -> Page:
        """What a session's start says."""
        options = options or Options()
        start = Start(place or Place([self.project]), now_ms, self.context(session), goes_on)
        return self.db.read_now(opening.page_for, start, options, COUNTER, options.session_tokens)


@contextmanager
def memory(folder: Path) -> Iterator[Memory]:
    """An empty one; of a folder that has one, that one."""
    with rows.database(folder) as db:
        yield Memory(db)


def turn_items(page: Page) -> list[str]:
    """The turns on a page."""
    return [one.id for one in page.items if one.kind == "turn"]


def entry(id: int) -> Item:
    """The item that an entry is."""
    return Item("entry", str(id))
