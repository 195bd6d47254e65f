"""Importing history once: ``memctl import``. What is stored already is found by its ids."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from memd.db.database import Database
from memd.errors import Busy, HistoryImportError, NotFound
from memd.importers import detect, source
from memd.importers.gathering import Gathering, Wanted
from memd.importers.limits import ImportLimits
from memd.importers.report import ImportReport
from memd.intake import accept
from memd.intake.admission import Admission
from memd.intake.foreign import ForeignImport
from memd.intake.transcripts import TranscriptImport
from memd.services import ImportWish
from memd.sources import scan
from memd.sources.exclusions import Exclusions
from memd.sources.scan import Found, Survey

TELL_SECONDS = 0.1

Tell = Callable[[Mapping[str, object]], None]


class Import:
    """One run of an import; ``run`` gives its report."""

    def __init__(
        self,
        db: Database,
        wish: ImportWish,
        exclusions: Exclusions,
        *,
        follow_up: accept.FollowUp | None,
        tell: Tell,
        cancelled: Callable[[], bool],
    ) -> None:
        self._db, self._wish, self._follow_up, self._tell = db, wish, follow_up, tell
        self._cancelled, self._told_at = cancelled, 0.0
        self.report = ImportReport(format=detect.CLAUDE_CODE, source=wish.path, dry_run=wish.dry_run)
        self._admission = Admission(db, wish, exclusions, self.report)

    def run(self) -> ImportReport:
        """Import all there is. HistoryImportError where it is of no known format, unsafe, or unfit for ``strict``."""
        transcripts = self._transcripts()
        if transcripts is not None:
            self._import(transcripts)
        else:
            wish = self._wish
            wanted = Wanted(
                wish.user_id,
                wish.agent_id,
                wish.tool_output,
                wish.strict,
                ImportLimits(**wish.limits),
                self._stop_if_called_off,
                option=_flag,
            )
            with source.opened(wish.path, wish.format, wanted) as found:
                self._foreign(found, wanted)
        self._admission.finish()
        return self.report

    def _transcripts(self) -> Sequence[Found] | None:
        """The transcripts at the path by their names and places; None where something else must be looked for."""
        if self._wish.format == detect.CLAUDE_CODE:
            return list(_files(self._wish))
        if self._wish.format == "auto" and os.path.isdir(os.fsencode(self._wish.path)):
            return list(_files(self._wish)) or None
        return None

    def _foreign(self, found: source.Found, wanted: Wanted) -> None:
        if found.format == detect.CLAUDE_CODE:
            if any(file.label != file.place for file in found.files):
                raise HistoryImportError(
                    f"{self._wish.path} holds transcripts of Claude Code: unpack it first"
                )
            self._import([_named(os.fsencode(file.place)) for file in found.files])
            self.report.errors += map(str, found.errors)
            return
        self.report.format = str(found.format)
        into = Gathering(self.report.format, wanted)
        ForeignImport(self._db, self._wish, self._admission, self._follow_up).run(found, into, self._step)

    def _import(self, transcripts: Sequence[Found]) -> None:
        TranscriptImport(self._db, self._wish, self._admission, self._follow_up).run(transcripts, self._step)

    def _step(self, done: int, total: int) -> None:
        """Tell how far it is, now and then; Busy where it was called off."""
        self._stop_if_called_off()
        now = time.monotonic()
        if now - self._told_at >= TELL_SECONDS:
            self._told_at = now
            share = round(done / total, 3) if total else 1.0
            self._tell({"stage": "import", "share": share, "imported": self.report.imported})

    def _stop_if_called_off(self) -> None:
        if self._cancelled():
            raise Busy("the import was called off; what was stored stays")


def _flag(limit: str) -> str:
    """By what memctl, which every such import comes from, raises a limit."""
    return f"--{limit.replace('_', '-')}"


def _files(wish: ImportWish) -> Iterator[Found]:
    """The transcripts at the path: a file, a project's folder, a projects folder, or a client's whole folder."""
    path = os.fsencode(wish.path)
    survey = Survey()
    if os.path.isfile(path):
        yield _named(path)
        return
    if not os.path.isdir(path):
        raise NotFound(f"there is nothing at {wish.path}")
    inner = os.path.join(path, b"projects")
    root = inner if os.path.isdir(inner) else path
    found = sorted(scan.in_folder(root, survey, subagents=wish.subagents), key=lambda file: file.path)
    found += sorted(scan.transcripts(root, survey, subagents=wish.subagents), key=lambda file: file.path)
    yield from found


def _named(path: bytes) -> Found:
    """The transcript in a file that was named."""
    name = os.path.basename(path).removesuffix(b".jsonl").decode("utf-8", "replace")
    agent = name.removeprefix("agent-") if name.startswith("agent-") else None
    return Found(path, os.stat(path), "" if agent else name, agent)
