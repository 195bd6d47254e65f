"""Gemini CLI's sessions, ``session-*.jsonl``: a line a message, a change of what is said of the session, or a rewind.

A message is written again whenever something of it changes: of equal ids the last wins, in the place of the first. A
rewind leaves a message and all behind it. Both are found by reading the file once ahead, or told once they come where
a file is read as it grows. Old files are one object.
"""

from __future__ import annotations

import os
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memd.importers import project_root
from memd.importers.gathering import Gathering, Session
from memd.importers.reader import DataFile
from memd.importers.reasons import Skip
from memd.importers.records import text_of
from memd.importers.roles import role_of

Json = Mapping[str, object]
Place = tuple[int, int]  # the offset of a record, and the number of a message in it
Step = tuple[str, int | None]  # a message with its first place, or what a rewind went back to
Stretch = tuple[int, int]  # offsets of lines: from the first on, up to the second

_NOTICES = ("info", "error", "warning")
_CONTEXT = ("<session_context>", "<hook_context>")


def fits(record: Json) -> bool:
    """True for the first line of a session, and for a whole old one; other lines could be anybody's."""
    return isinstance(record.get("sessionId"), str) and isinstance(record.get("projectHash"), str)


def _is_line(record: Json) -> bool:
    return fits(record) or "$rewindTo" in record or "$set" in record or _is_message(record)


def _is_message(record: Json) -> bool:
    return text_of(record, "id") is not None and record.get("type") in ("user", "gemini", *_NOTICES)


def read(file: DataFile, into: Gathering) -> Iterator[int]:
    """Gather the session; how far the file is read, after each line."""
    survey = _Survey()
    for raw in into.records(file):
        if isinstance(raw.value, dict):
            survey.note(raw.value, raw.at)
    if survey.id is None:
        into.bad()
        return
    survey.cwd = survey.cwd or project_root.above(os.fsencode(file.place))
    for raw in into.records(file):
        record = into.value(raw)
        if isinstance(record, dict):
            _line(record, raw.at, survey, into)
        elif record is not None:
            into.bad()
        yield raw.end


def _line(record: Json, at: int, survey: _Survey, into: Gathering) -> None:
    """Take in a line that the survey knows."""
    if not _is_line(record):
        into.bad()
    for number, message in enumerate(_messages(record)):
        _message(message, (at, number), survey, into)


class Growing:
    """A session that is read as it grows: a message that is written again is its turn once more, with other words."""

    rewords = True

    def __init__(self, into: Gathering, facts: Mapping[str, object] | None, steps: Sequence[object]) -> None:
        self._into, self._survey = into, _Survey()
        if facts is not None:
            self._survey.load(facts, steps)

    @property
    def session(self) -> str | None:
        """The session that the file is of, as far as it tells."""
        return self._survey.id

    @property
    def cwd(self) -> str | None:
        """Its working directory."""
        return self._survey.cwd

    def line(self, record: Json, at: int) -> Stretch | None:
        """Take in a line; the stretch that it takes back, where it does."""
        survey = self._survey
        title = survey.title
        gone = survey.note(record, at)
        if survey.id is None:
            self._into.bad()
            return None
        if survey.title != title:
            self._into.session(survey.id).title = survey.title
        _line(record, at, survey, self._into)
        return gone

    def facts(self) -> Mapping[str, object]:
        """What is small of what must be known to read on."""
        return self._survey.facts()

    def steps(self) -> Sequence[Step]:
        """What was added since the last time to that which grows with the file."""
        steps, self._survey.steps = self._survey.steps, []
        return steps


def _messages(record: Json) -> list[object]:
    """The messages that a line holds: itself, those of an old file, or those of a checkpoint."""
    if _is_message(record):
        return [record]
    change = record.get("$set")
    held = (change if isinstance(change, dict) else record).get("messages")
    return held if isinstance(held, list) else []


class _Survey:
    """What must be known of a file before its turns: its session, the last place of each message, what was left.

    ``steps`` are kept to know it again: a message and its first place, or what a rewind went back to.
    """

    def __init__(self) -> None:
        self.id: str | None = None
        self.subagent = False
        self.title: str | None = None
        self.cwd: str | None = None
        self.last: dict[str, Place] = {}
        self.first: dict[str, int] = {}
        self.left: set[str] = set()
        self._here: list[tuple[int, str]] = []  # those that were not left, by their first places
        self.steps: list[Step] = []  # since the last time

    def facts(self) -> dict[str, object]:
        """What it knows of the session, but for its title, which stands with the session."""
        return {"id": self.id, "subagent": self.subagent, "cwd": self.cwd}

    def load(self, facts: Mapping[str, object], steps: Iterable[object]) -> None:
        """Go on from what ``facts`` gave, and the steps so far."""
        self.id, self.cwd = text_of(facts, "id"), text_of(facts, "cwd")
        self.subagent = facts["subagent"] is True
        for step in steps:
            match step:
                case [str(back), None]:
                    self._rewind(back)
                case [str(name), int(place)]:
                    self._meet(name, (place, 0))

    def note(self, record: Json, at: int) -> Stretch | None:
        """Take in a line; the stretch that it takes back, where it does."""
        gone = None
        if back := text_of(record, "$rewindTo"):
            gone = (self.first.get(back, 0), at)
            self._rewind(back)
            self.steps.append((back, None))
        for number, message in enumerate(_messages(record)):
            name = text_of(message, "id") if isinstance(message, dict) else None
            if name and self._meet(name, (at, number)):
                self.steps.append((name, self.first[name]))
        change = record.get("$set")
        if not _is_message(record):
            self._describe(change if isinstance(change, dict) else record)
        return gone

    def _rewind(self, back: str) -> None:
        start = bisect_left(self._here, (self.first.get(back, 0), ""))
        self.left.update(name for _, name in self._here[start:])
        del self._here[start:]

    def _meet(self, name: str, place: Place) -> bool:
        """Whether a message is new, or back again."""
        new = name not in self.first or name in self.left
        self.last[name] = place
        self.first.setdefault(name, sum(place))
        self.left.discard(name)
        if new:
            insort(self._here, (self.first[name], name))
        return new

    def _describe(self, facts: Json) -> None:
        self.id = self.id or text_of(facts, "sessionId")
        self.title = text_of(facts, "summary") or self.title
        self.subagent = self.subagent or facts.get("kind") == "subagent"
        folders = facts.get("directories")
        if isinstance(folders, list) and folders and isinstance(folders[0], str):
            self.cwd = folders[0]


def _message(message: object, place: Place, survey: _Survey, into: Gathering) -> None:
    if not isinstance(message, dict) or not _is_message(message):
        into.bad()
        return
    name = str(message["id"])
    if survey.last[name] != place:
        return  # it comes again
    if message["type"] in _NOTICES:
        into.skip(Skip.SYSTEM)
    elif survey.subagent or name in survey.left:
        into.skip(Skip.SUBAGENT if survey.subagent else Skip.OTHER_BRANCH)
    else:
        session = into.session(survey.id)
        session.title, session.cwd = survey.title, survey.cwd
        _turn(message, name, survey.first[name], session, into)


def _turn(message: Json, name: str, seq: int, session: Session, into: Gathering) -> None:
    role = role_of(message["type"]) or "user"
    shown = message.get("displayContent")  # what was typed, before files were put into it
    content = message.get("content") if shown is None else shown
    words: list[str] = []
    others = _count(message, into)
    for part in content if isinstance(content, list) else [content]:
        said, reason = _part(part)
        if reason:
            others += 1
            into.skip(reason)
        elif said:
            words.append(said)
    text = "".join(words)
    if role == "user" and text.lstrip().startswith(_CONTEXT):
        into.skip(Skip.META)
    elif text.strip() or not others:
        into.turn(session, role, text, seq=seq, id=name, time=message.get("timestamp"))


def _count(message: Json, into: Gathering) -> int:
    """Count the thoughts and tool calls that stand beside the content; how many there are."""
    found = 0
    for key, reason in (("thoughts", Skip.THINKING), ("toolCalls", Skip.TOOL_OUTPUT)):
        held = message.get(key)
        count = len(held) if isinstance(held, list) else 0
        into.skip(reason, count)
        found += count
    return found


def _part(part: object) -> tuple[str, Skip | None]:
    """The words of a part, or why it has none."""
    if isinstance(part, str) or part is None:
        return part or "", None
    if not isinstance(part, dict):
        return "", Skip.UNSUPPORTED
    if part.get("thought"):
        return "", Skip.THINKING
    if "text" in part:
        return text_of(part, "text") or "", None
    if part.keys() & {"functionCall", "functionResponse", "executableCode", "codeExecutionResult"}:
        return "", Skip.TOOL_OUTPUT
    return "", Skip.ATTACHMENT if part.keys() & {"inlineData", "fileData"} else Skip.UNSUPPORTED
