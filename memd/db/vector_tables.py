"""The tables of vectors, and whose they are: the texts of turns, entries, and sections of native memory files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memd.db.driver import Value


@dataclass(frozen=True, slots=True)
class VectorTable:
    """One of them, by the names in its SQL.

    ``owner`` is the column that says whose a vector is, a row of ``texts`` with the text in the column ``text``. Those
    that have none in a space yet stand in ``backlog`` (``b``), the newest first by ``newest``; ``said`` names one to a
    person, who calls it a ``kind``. A condition is asked over the tables ``joined``, in which ``key`` is the owner.
    """

    name: str
    owner: str
    texts: str
    text: str
    backlog: str
    newest: str
    kind: str
    said: str
    key: str
    joined: tuple[str, ...]

    def rows(self, among: Among, join: str = "JOIN") -> str:
        """The rest of a query for those that fulfil a condition."""
        return f"FROM {f' {join} '.join(self.joined)} WHERE {among.where}"


TEXTS = VectorTable(
    name="vector",
    owner="content_id",
    texts="content",
    text="text",
    backlog="backlog",
    newest="b.sort_ms DESC, b.content_id DESC",
    kind="turn",
    said="(SELECT t.id FROM turn t WHERE t.content_id = b.content_id LIMIT 1)",
    key="t.content_id",
    joined=("turn t", "session s ON s.id = t.session_id"),
)
ENTRIES = VectorTable(
    name="entry_vector",
    owner="entry_id",
    texts="entry",
    text="content",
    backlog="entry_backlog",
    newest="b.entry_id DESC",
    kind="entry",
    said="b.entry_id",
    key="e.id",
    joined=("entry e",),
)
SECTIONS = VectorTable(
    name="native_vector",
    owner="section_id",
    texts="native_section",
    text="content",
    backlog="native_backlog",
    newest="b.section_id DESC",
    kind="native",
    said="""(SELECT f.path FROM native_section n JOIN native_file f ON f.id = n.file_id WHERE n.id = b.section_id)""",
    key="n.id",
    joined=("native_section n", "native_file f ON f.id = n.file_id"),
)
TABLES = (TEXTS, ENTRIES, SECTIONS)


@dataclass(frozen=True, slots=True)
class Among:
    """Only those that fulfil a condition: over ``t`` (turn) and ``s`` (session), ``e`` (entry), or ``n`` (section).

    ``few`` says that there are so few of them that each can be compared, ``fill`` how many must be found where there
    are as many.
    """

    where: str
    values: Sequence[Value]
    few: bool
    fill: int = 0
