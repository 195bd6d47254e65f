"""The labelled conversations: what was said in two projects over eight weeks, and questions with the turns that answer.

They are written by hand in ``conversations/``. Between their sessions stand routine ones, made here, of the kind that
fills real histories and answers nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice
from pathlib import Path

from memd.memory.entry import EntryType
from memd.recall.context import StoredTurn

FOLDER = Path(__file__).parent / "conversations"
PROJECTS = ("shop", "relay")
ROLES = {"u": "user", "a": "assistant"}
ROUTINE_SESSIONS = 14  # a project, of five exchanges each

_TURN = re.compile(r"([ua])(?: #([\w-]+))?: ?(.*)")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, of what kind it is, and the turns that answer it, by id."""

    kind: str
    project: str
    text: str
    evidence: tuple[str, ...]


def turns(project: str) -> list[StoredTurn]:
    """Every turn of a project, oldest first. A named turn's id is its project and name."""
    spoken = [*_spoken(project), *_routine(project)]
    return sorted(spoken, key=lambda turn: (turn.sort_ms, turn.session, turn.seq))


def questions() -> list[Asked]:
    """Every question."""
    lines = (FOLDER / "questions.txt").read_text("utf-8").splitlines()
    rows = ([part.strip() for part in line.split("|")] for line in lines if " | " in line)
    return [
        Asked(kind, project, text, tuple(f"{project}:{name}" for name in names.split()))
        for kind, project, text, names in rows
        if project in PROJECTS
    ]


@dataclass(frozen=True, slots=True)
class Noted:
    """A curated entry; without a project it holds everywhere."""

    name: str
    project: str
    type: EntryType
    importance: int
    text: str


def prompts() -> list[Asked]:
    """Every prompt, as it is typed at work, with the turns and entries that bear on it; of many there are none."""
    return [
        Asked(
            "prompt",
            project,
            text,
            tuple(_named(project, name) for name in names.split()),
        )
        for project, text, names in _rows("prompts.txt", 3)
    ]


def _named(project: str, name: str) -> str:
    """The id of an entry, or of a turn, by its name or by its place in the session of a day."""
    if name.startswith("*"):
        return name
    day, counted, place = name.partition("/")
    if not counted:
        return f"{project}:{name}"
    session = f"{project} 2026-{day}"
    (turn,) = [one for one in _spoken(project) if one.session.startswith(session) and one.seq == int(place)]
    return turn.id


def entries() -> list[Noted]:
    """Every curated entry."""
    return [
        Noted(name, project, type, int(importance), text)  # type: ignore[arg-type]  # the file's own
        for name, project, type, importance, text in _rows("entries.txt", 5)
    ]


def _rows(name: str, columns: int) -> Iterator[list[str]]:
    for line in (FOLDER / name).read_text("utf-8").split("\n\n", 1)[1].splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == columns:
            yield cells


def _spoken(project: str) -> Iterator[StoredTurn]:
    text = (FOLDER / f"{project}.txt").read_text("utf-8")
    for session in text.split("\n== ")[1:]:
        time, _, body = session.partition("\n")
        began = datetime.strptime(time, "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
        for number, (who, name, words) in enumerate(_lines(body)):
            yield _turn(project, f"{project} {time}", number, began, ROLES[who], words, name)


def _lines(body: str) -> list[tuple[str, str, str]]:
    """Who spoke, under what name, and the words; a line that begins with nobody goes on from the one before."""
    found: list[tuple[str, str, str]] = []
    for line in body.split("\n"):
        if match := _TURN.fullmatch(line):
            found.append((match[1], match[2] or "", match[3]))
        else:
            who, name, words = found[-1]
            found[-1] = (who, name, f"{words}\n{line}")
    return [(who, name, words.strip()) for who, name, words in found]


def _turn(
    project: str, session: str, number: int, began: datetime, role: str, text: str, name: str = ""
) -> StoredTurn:
    at_ms = int((began + timedelta(minutes=2 * number)).timestamp() * 1000)
    turn_id = f"{project}:{name}" if name else f"{session} {number}"
    return StoredTurn(turn_id, role, text, session, number, at_ms, at_ms, project)


_MODULES = {
    "shop": ("api.py", "domain.py", "outbox.py", "settings.py", "refunds.py", "export.py", "the order list"),
    "relay": (
        "tail.rs",
        "batcher.rs",
        "reader.rs",
        "config.rs",
        "metrics.rs",
        "positions.rs",
        "the uploader",
    ),
}
_EXCHANGES = (
    ("Run the tests for {module}.", "All {n} tests of {module} pass, in {n}.4 seconds."),
    (
        "Rename the helper in {module}, the old name says nothing.",
        "Renamed it in {module} and in {n} call sites.",
    ),
    (
        "Can you read {module} once more before I merge?",
        "Read it. Two comments: a docstring was out of date, and line {n} had a leftover print.",
    ),
    (
        "Show me the diff of {module}.",
        "The diff of {module} has {n} added lines and no removals outside of the imports.",
    ),
    ("There's a typo in {module}.", "Fixed the typo at line {n} of {module}."),
    ("Did the pipeline run?", "Yes, run {n} is green after the change in {module}."),
    ("Sort the imports in {module} please.", "Sorted; {n} lines moved."),
    (
        "What does the warning in {module} mean?",
        "It is a deprecation at line {n} of {module}; nothing breaks before the next major version.",
    ),
    ("ok, merged", "Good. The branch for {module} is deleted."),
    ("Rebase onto main.", "Rebased; one conflict in {module} around line {n}, resolved in favour of main."),
)


def _routine(project: str) -> Iterator[StoredTurn]:
    """Sessions about nothing, spread over the same weeks."""
    exchanges, modules = cycle(_EXCHANGES), cycle(_MODULES[project])
    first = datetime(2026, 3, 2, 18, 0, tzinfo=UTC)
    for day in range(ROUTINE_SESSIONS):
        began = first + timedelta(days=4 * day)
        session = f"{project} routine {day}"
        for number, (asked, answered) in enumerate(islice(exchanges, 5)):
            said = {"module": next(modules), "n": 7 + 3 * day + number}
            yield _turn(project, session, 2 * number, began, "user", asked.format(**said))
            yield _turn(project, session, 2 * number + 1, began, "assistant", answered.format(**said))
