"""Bringing history of other programs into turn memory, word for word; the same again stores only what is new."""

from __future__ import annotations

import os

from memd.api import messages, target, transcripts
from memd.api.admission import Admission
from memd.api.target import Into
from memd.api.telling import OnSession, Telling
from memd.errors import HistoryImportError, NotFound
from memd.importers import detect, run
from memd.importers import source as sources
from memd.importers.gathering import Gathering, Session, Wanted
from memd.importers.limits import ImportLimits
from memd.importers.report import ImportedSession, ImportReport
from memd.turns.redact import redact as redact_text

LONGEST_TITLE = 500
FORMATS = ("auto", *detect.NAMES)


def import_history(
    source: str | os.PathLike[str],
    memory: Into,
    *,
    format: str = "auto",
    user_id: str | None = None,
    agent_id: str | None = None,
    since: object = None,
    until: object = None,
    limit: int | None = None,
    include_tool_output: bool = False,
    dry_run: bool = False,
    strict: bool = False,
    redact: bool = True,
    limits: ImportLimits | None = None,
    on_session: OnSession | None = None,
) -> ImportReport:
    """Import the history at a path; the report says what came in and what was left out, and why.

    Each session becomes a ``run_id``, each message a turn at its own time, of ``user_id``, else of the record's user,
    else of "default". ``since`` counts in, ``until`` does not; ``limit`` is the most new turns. A dry run counts and
    stores nothing, and ``memory`` may be None then. ``on_session`` is called with each session once it is done.

    HistoryImportError where nothing can be read, the format cannot be told, a file is over the ``limits`` or unsafe,
    and with ``strict`` for the first record that is not sound; its ``limit`` names the one that was met. ValueError for
    a format, time or limit that is none.
    """
    if format not in FORMATS:
        raise ValueError(f"{format!r} is no format; use one of {', '.join(FORMATS)}")
    if limit is not None and limit < 1:
        raise ValueError(f"limit is {limit}; it must be 1 turn or more, or None")
    window = messages.moment(since), messages.moment(until)
    path = os.path.expanduser(os.fspath(source))
    wanted = Wanted(
        user_id, agent_id, include_tool_output, strict, limits or ImportLimits(), option=_argument
    )
    report = ImportReport(format=format, source=path, dry_run=dry_run)
    with target.opened(memory, dry_run) as into:
        admission = Admission(into, report, *window, limit, redact)
        telling = Telling(on_session)
        try:
            _run(path, wanted, admission, telling)
        except NotFound as error:
            raise HistoryImportError(str(error)) from None
        admission.finish()
    telling.done(report.sessions)
    return report


def _argument(limit: str) -> str:
    """By what a program raises a limit."""
    return f"limits=ImportLimits({limit}=…)"


def _run(path: str, wanted: Wanted, admission: Admission, telling: Telling) -> None:
    report = admission.report
    if not os.path.exists(path):
        raise HistoryImportError(f"there is nothing at {path}")
    of_claude = transcripts.files(path, admission) if _may_be_transcripts(path, report.format) else []
    if report.format == detect.CLAUDE_CODE or of_claude:
        report.format = detect.CLAUDE_CODE
        transcripts.run(of_claude, wanted, admission, telling)
        return
    with sources.opened(path, report.format, wanted) as found:
        report.format = str(found.format)
        if found.format != detect.CLAUDE_CODE:
            _foreign(found, Gathering(report.format, wanted), admission, telling)
        elif any(file.label != file.place for file in found.files):
            raise HistoryImportError(f"{path} holds transcripts of Claude Code: unpack it first")
        else:
            report.errors += map(str, found.errors)
            transcripts.run([os.fsencode(file.place) for file in found.files], wanted, admission, telling)


def _may_be_transcripts(path: str, format_: str) -> bool:
    """Whether transcripts are looked for by their places: where they are asked for, and in any folder."""
    return format_ == detect.CLAUDE_CODE or (format_ == "auto" and os.path.isdir(path))


def _foreign(found: sources.Found, into: Gathering, admission: Admission, telling: Telling) -> None:
    """Import the files of one format."""
    report, sessions = admission.report, dict[str, ImportedSession]()
    report.files = len(found.files)
    try:
        for batch in run.batches(found, into):
            for session in batch.sessions:
                told = sessions.get(session.key)
                if told is None:
                    told = sessions[session.key] = _told(session, report.format)
                    telling.begin(told)
                told.title = _title(session, admission.redact) or told.title
                told.skipped += session.skipped
                admission.take(told, session.agent_id, session.turns)
            telling.so_far(report.format, report.files)
            if report.limited:
                break
    finally:
        report.sessions = [told for told in sessions.values() if told.turns]
        report.errors = list(map(str, found.errors))
        report.malformed = into.malformed
        report.over_limits = dict(into.over_limits)
        admission.skipped.update({str(reason): n for reason, n in into.skipped.items()})


def _told(session: Session, format_: str) -> ImportedSession:
    return ImportedSession(format_, session.id, None, session.run_id, session.user_id)


def _title(session: Session, clean: bool) -> str | None:
    title = session.title and session.title[:LONGEST_TITLE]
    return redact_text(title).text if title and clean else title
