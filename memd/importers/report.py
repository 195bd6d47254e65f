"""What an import did, in numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field


@dataclass(slots=True)
class ImportedSession:
    """One session as it was imported: a conversation, a transcript, or one scope of a file that has none.

    ``turns`` counts those that were found, ``imported`` the new ones (in a dry run: that would be), ``duplicates``
    those that were known, ``skipped`` those left out here: outside of the window, forgotten, excluded, or too large.
    """

    format: str
    session_id: str
    title: str | None
    run_id: str | None
    user_id: str
    turns: int = 0
    imported: int = 0
    duplicates: int = 0
    skipped: int = 0

    def to_dict(self) -> dict[str, object]:
        """The session as plain values."""
        return asdict(self)


@dataclass(slots=True)
class ImportReport:
    """Filled while an import runs.

    ``imported`` counts the turns stored (in a dry run: that would be), ``duplicates`` those that were known,
    ``skipped`` what was left out by reason, ``malformed`` the lines or records that were not of the format's shape.
    ``errors`` names the files that could not be read to their end; ``limited`` says that it stopped at its limit.
    ``over_limits`` counts what was left out for its size or depth, by the name of the limit (see ``ImportLimits``); it
    is no part of the plain values, but of what memctl is told, which has a flag for each.
    """

    format: str
    source: str
    dry_run: bool = False
    files: int = 0
    sessions: list[ImportedSession] = field(default_factory=list)
    imported: int = 0
    duplicates: int = 0
    malformed: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    redactions: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    limited: bool = False
    over_limits: dict[str, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """True where every file was read."""
        return not self.errors

    @property
    def skipped_total(self) -> int:
        """All that was left out, over every reason."""
        return sum(self.skipped.values())

    def to_dict(self) -> dict[str, object]:
        """The report as plain values."""
        values = asdict(self)
        del values["over_limits"]
        return values

    def answer(self) -> dict[str, object]:
        """The same with no more than the number of the sessions: a frame does not hold those of a whole life."""
        return self.to_dict() | {"sessions": len(self.sessions), "over_limits": dict(self.over_limits)}


@dataclass(slots=True)
class MemoryReport(ImportReport):
    """Of curated memory: ``imported`` and ``duplicates`` count entries, and ``coerced`` rows that were bent to fit.

    ``observations`` counts records of logs whose items are entries already, ``memory_md`` says what became of the file.
    """

    entries: int = 0
    entities: int = 0
    relationships: int = 0
    observations: int = 0
    coerced: dict[str, int] = field(default_factory=dict)
    memory_md: str = "there is none"
