"""A projects folder with an intake over it, and lines to write there."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from memd.clock import SystemClock
from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import Fatal
from memd.intake.accept import FollowUp
from memd.intake.loop import Intake
from memd.intake.reading import Reader
from memd.services import Synced, Troubles
from memd.sources import attribution
from memd.sources.exclusions import Exclusions
from memd.sources.foreign import ForeignRoot
from memd.sources.watched import Watched

SECONDS = 60


class Home:
    """A projects folder, a database, and an intake that can be stopped and started between them."""

    def __init__(self, folder: Path, db: Database) -> None:
        self.projects = folder / "projects"
        self.projects.mkdir()
        self.logs = [folder / "observations"]
        self.db = db
        self.exclusions = Exclusions((), lambda cwd: db.read_now(attribution.remembered, cwd))
        self.subagents = False
        self.foreign: list[ForeignRoot] = []
        self.intake: Intake | None = None
        self.asked: Future[Synced] | None = None
        self.follow_up: FollowUp | None = None
        self.native_follow_up: FollowUp | None = None
        self.log_follow_up: FollowUp | None = None
        self.fatal: list[Fatal] = []
        self.troubles = Troubles(SystemClock())

    def start(self) -> None:
        self.intake = Intake(
            self.db,
            Reader(self.db, self.exclusions, subagents=self.subagents, own_home="/no/home"),
            self.troubles,
            Watched([os.fsencode(self.projects)], self.foreign, subagents=self.subagents),
            interval=lambda: 3600.0,
            follow_up=self.follow_up,
            native_follow_up=self.native_follow_up,
            log_folders=[os.fsencode(folder) for folder in self.logs],
            log_follow_up=self.log_follow_up,
            on_stored=lambda n: None,
            on_quiet=lambda: None,
            on_fatal=self._died,
        )
        self.intake.start()

    def stop(self) -> None:
        if self.intake:
            self.intake.stop(SECONDS)

    def settle(self) -> None:
        """Until everything that stands there now is stored, or the intake has died of something."""
        self.ask().result(SECONDS)

    def until(self, true: Callable[[], bool]) -> None:
        """Wait for what no question tells of."""
        end = time.monotonic() + SECONDS
        while not true():
            assert time.monotonic() < end
            time.sleep(0.01)

    def ask(self) -> Future[Synced]:
        assert self.intake
        self.asked = self.intake.rescan()
        return self.asked

    def _died(self, error: Fatal) -> None:
        self.fatal.append(error)
        if self.asked and not self.asked.done():
            self.asked.set_exception(error)

    def turns(self) -> list[dict[str, object]]:
        def read(connection: Connection) -> list[dict[str, object]]:
            rows = connection.execute(
                "SELECT t.id, t.role, c.text, s.key, t.hidden, t.agent_id, p.path FROM turn t JOIN content c"
                " ON c.id = t.content_id JOIN session s ON s.id = t.session_id"
                " LEFT JOIN project p ON p.id = s.project_id"
            )
            names = ("id", "role", "text", "session_id", "hidden", "agent_id", "project")
            return [dict(zip(names, row, strict=True)) for row in rows]

        return self.db.read_now(read)

    def texts(self) -> Counter[str]:
        return Counter(str(turn["text"]) for turn in self.turns())


def line(text: str, *, session: str = "s", number: int = 0, cwd: str = "/home/dev/app") -> bytes:
    record = {
        "type": "user",
        "uuid": f"{text}-{number}",
        "sessionId": session,
        "cwd": cwd,
        "timestamp": f"2026-01-01T00:00:{number % 60:02d}.000Z",
        "message": {"role": "user", "content": text},
    }
    return json.dumps(record).encode() + b"\n"


def transcript(home: Home, number: int = 0, slug: str = "-home-dev-app") -> Path:
    path = home.projects / slug / f"{number:08x}-0000-4000-8000-000000000000.jsonl"
    path.parent.mkdir(exist_ok=True)
    return path
