"""What is read: [import], [sources], [watch]."""

from __future__ import annotations

from dataclasses import dataclass

from memd.config import rules


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """[import]"""

    subagents: bool = rules.flag(False, "import the turns of subagents too, tied to their parent's session")
    exclude: tuple[str, ...] = rules.folders(
        "folders whose sessions are passed over, each with all below it; memctl exclude changes it at once"
    )


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """[sources]"""

    observations: tuple[str, ...] = rules.folders(
        "folders with observation logs, besides memd's own; none: that of mait-code, where there is one"
    )
    codex: bool = rules.flag(False, "read Codex's sessions as they are written, in CODEX_HOME or ~/.codex")
    gemini: bool = rules.flag(False, "read Gemini CLI's sessions as they are written, in ~/.gemini/tmp")
    opencode: bool = rules.flag(
        False, "read what opencode's database holds as it comes; it is never written to"
    )


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """[watch]"""

    mode: str = rules.choice(
        "auto", ("auto", "poll"), "auto: by events where the system has them; poll: by scans alone"
    )
    debounce_ms: int = rules.number(50, 1, 10_000, "collect events for so long")
    step_ms: int = rules.number(50, 1, 10_000, "look for more events so often")
    rescan_seconds: int = rules.number(60, 5, 3_600, "compare every file with the store so often")
    poll_seconds: int = rules.number(10, 1, 3_600, "the same, where events cannot be had")
