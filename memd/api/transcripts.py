"""Importing Claude Code's transcripts into a store: a file at a time, without what a rewind left behind."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memd.api.admission import Admission
from memd.api.telling import Telling
from memd.errors import HistoryImportError
from memd.ids import derive
from memd.importers import detect, source
from memd.importers.claude_code import Transcript
from memd.importers.gathering import DEFAULT_USER, Wanted
from memd.importers.reasons import Skip
from memd.importers.report import ImportedSession
from memd.sources import scan, tail
from memd.sources.scan import Survey

if TYPE_CHECKING:
    from memd.turns.turn import Turn

STRETCH_LINES = 1_000
STRETCH_BYTES = 4 << 20


def files(path: str, admission: Admission) -> list[bytes]:
    """The transcripts at a path: a file, a project's folder, a projects folder, or a client's whole folder.

    Those of subagents are passed over and counted.
    """
    place = os.path.realpath(os.fsencode(path))
    if os.path.isfile(place):
        return [place]
    inner = os.path.join(place, b"projects")
    root = inner if os.path.isdir(inner) else place
    survey = Survey()
    found = [*scan.in_folder(root, survey), *scan.transcripts(root, survey)]
    admission.skipped[Skip.SUBAGENT] += survey.subagents
    return sorted({one.path for one in found})


def run(paths: Sequence[bytes], wanted: Wanted, admission: Admission, telling: Telling) -> None:
    """Import file after file; one that cannot be read goes to the errors, and the rest goes on."""
    report = admission.report
    for path in paths:
        if report.limited:
            break
        report.files += 1
        label = os.fsdecode(path)
        try:
            told = _file(path, label, wanted, admission)
        except OSError as error:
            if len(paths) == 1:
                raise HistoryImportError(f"{label}: {error.strerror}") from None
            report.errors.append(f"{label}: {error.strerror}")
            continue
        if told.turns:
            report.sessions.append(told)
            telling.done([told])


def _file(path: bytes, label: str, wanted: Wanted, admission: Admission) -> ImportedSession:
    name = os.path.basename(label).removesuffix(".jsonl")
    transcript = Transcript(name, tool_output=wanted.tool_output)
    _read(path, label, transcript, wanted)
    harvest = transcript.take()
    hidden = set(harvest.hidden)
    kept = [turn for turn in harvest.turns if turn.id not in hidden]
    short = [turn for turn in kept if len(turn.text) <= wanted.limits.max_turn_chars]
    admission.skipped.update(transcript.skipped)
    admission.skipped[Skip.OTHER_BRANCH] += len(harvest.turns) - len(kept)
    admission.skipped[Skip.TOO_LARGE] += len(kept) - len(short)
    if len(kept) > len(short):
        over = admission.report.over_limits
        over["max_turn_chars"] = over.get("max_turn_chars", 0) + len(kept) - len(short)
    admission.report.malformed += transcript.bad_lines
    admission.report.duplicates += transcript.duplicates
    user, title = wanted.user_id or DEFAULT_USER, transcript.title
    told = ImportedSession(detect.CLAUDE_CODE, transcript.session, title, transcript.session, user)
    told.skipped = len(kept) - len(short)
    for session, turns in _by_session(short).items():
        told.run_id = session
        admission.take(told, wanted.agent_id, [_owned(turn, user, wanted.agent_id) for turn in turns])
    told.run_id = transcript.session
    return told


def _by_session(turns: Sequence[Turn]) -> dict[str, list[Turn]]:
    """The turns by the session that each is of: a copy begins with those of another."""
    found: dict[str, list[Turn]] = {}
    for turn in turns:
        found.setdefault(turn.session_id, []).append(turn)
    return found


def _owned(turn: Turn, user: str, agent: str | None) -> Turn:
    """The turn with an id of its owner's: two users may import the same file."""
    return turn._replace(id=derive(detect.CLAUDE_CODE, user, agent or "", turn.id))


def _read(path: bytes, label: str, transcript: Transcript, wanted: Wanted) -> None:
    descriptor, info = tail.open_regular(path)
    try:
        if info.st_size > wanted.limits.max_file_bytes:
            most = wanted.limits.max_file_bytes
            over = HistoryImportError(
                f"it has {info.st_size:,} bytes, more than the limit of {most:,}", limit="max_file_bytes"
            )
            raise source.named(label, over, wanted)
        offset, at_end = 0, False
        while not at_end:
            lines = tail.complete_lines(
                descriptor,
                offset,
                max_lines=STRETCH_LINES,
                max_bytes=STRETCH_BYTES,
                max_line=wanted.limits.max_record_bytes,
            )
            for at, line in lines.lines:
                transcript.feed(at, line)
            for at in lines.too_large:
                transcript.too_large(at)
            offset, at_end = lines.offset, lines.at_end
            if at_end and lines.rest:
                transcript.feed(offset, lines.rest)
            if wanted.strict and transcript.bad_lines:
                raise HistoryImportError(
                    f"{label}: a line is no record that memd can read; nothing is imported"
                )
    finally:
        os.close(descriptor)
