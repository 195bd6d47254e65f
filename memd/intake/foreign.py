"""Importing history of another program: what its importer found, into sessions and turns."""

from __future__ import annotations

from collections.abc import Callable

from memd.db.database import Database
from memd.importers import run
from memd.importers.gathering import DEFAULT_USER, Gathering, Session
from memd.importers.harvest import Harvest
from memd.importers.report import ImportedSession
from memd.importers.run import Batch
from memd.importers.source import Found
from memd.intake import accept
from memd.intake.accept import Facts, Part
from memd.intake.admission import Admission
from memd.services import ImportWish
from memd.sources import attribution
from memd.sources.cursors import Cursor
from memd.turns.redact import redact

LONGEST_TITLE = 500

Step = Callable[[int, int], None]


class ForeignImport:
    """One run over the files of a foreign history."""

    def __init__(
        self, db: Database, wish: ImportWish, admission: Admission, follow_up: accept.FollowUp | None
    ) -> None:
        self._db, self._wish, self._admission, self._follow_up = db, wish, admission, follow_up
        self._report = admission.report
        self._sessions: dict[str, ImportedSession] = {}

    def run(self, found: Found, into: Gathering, step: Step) -> None:
        """Import batch after batch; ``step`` hears the bytes that are read, and all there are."""
        report = self._report
        report.files = len(found.files)
        try:
            for batch in run.batches(found, into):
                self._store(batch)
                step(batch.done, found.size)
                if report.limited:
                    break
        finally:
            report.sessions = [session for session in self._sessions.values() if session.turns]
            report.errors = list(map(str, found.errors))
            report.malformed = into.malformed
            report.over_limits = dict(into.over_limits)
            self._admission.skipped.update({str(reason): count for reason, count in into.skipped.items()})

    def _store(self, batch: Batch) -> None:
        parts = [self._part(session, batch) for session in batch.sessions]
        if parts and not self._wish.dry_run:
            self._db.write_now(accept.batch, parts, self._follow_up)

    def _part(self, session: Session, batch: Batch) -> Part:
        admitted = self._admission.admit(session.turns, session.cwd)
        told = self._told(session)
        told.turns += len(session.turns)
        told.imported += len(admitted.new)
        told.duplicates += admitted.duplicates
        told.skipped += admitted.skipped + session.skipped
        project = self._db.read_now(attribution.identify, session.cwd) if session.cwd else None
        return Part(
            Cursor(batch.file.place, 0, 0, -1, 0, 0, b"", b""),
            False,
            Facts(
                session=session.key,
                title=told.title,
                project=project,
                cwd=session.cwd,
                branch=session.branch,
                continues=session.continues,
                skipped={},
                unknown={},
                duplicates=0,
                bad_lines=0,
                user_id=None if session.user_id == DEFAULT_USER else session.user_id,
                agent_id=session.agent_id,
            ),
            Harvest([turn for turn in admitted.turns if turn.id in admitted.new], [], [], b"", b""),
            admitted.redactions,
            watched=False,
            format=self._report.format,
        )

    def _told(self, session: Session) -> ImportedSession:
        """The line of the report on a session, which may come in several pieces."""
        known = self._sessions.get(session.key)
        title = title_of(session.title, clean=self._wish.redact)
        if known is None:
            known = ImportedSession(self._report.format, session.id, title, session.run_id, session.user_id)
            self._sessions[session.key] = known
        known.title = title or known.title
        return known


def title_of(title: str | None, *, clean: bool = True) -> str | None:
    """A title as it is stored."""
    title = title and title[:LONGEST_TITLE]
    return redact(title).text if title and clean else title
