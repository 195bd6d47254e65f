"""How memd looks after itself: [log], [retention], [backup], [client]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from memd.config import rules


@dataclass(frozen=True, slots=True)
class LogSettings:
    """[log]"""

    format: Literal["console", "json"] = cast(
        Literal["console", "json"],
        rules.choice("console", ("console", "json"), "how a line of the log looks"),
    )
    level: Literal["debug", "info", "warning", "error"] = cast(
        Literal["debug", "info", "warning", "error"],
        rules.choice("info", ("debug", "info", "warning", "error"), "the least that is logged"),
    )


@dataclass(frozen=True, slots=True)
class RetentionOptions:
    """[retention]"""

    turn_days: int = rules.number(
        0, 0, 36_500, "forget turns after so many days, for good; 0: keep everything"
    )
    job_days: int = rules.number(
        30, 1, 3_650, "forget ended jobs after so many days; dead ones stay until dismissed"
    )
    journal_days: int = rules.number(90, 1, 3_650, "changes can be undone for so many days")


@dataclass(frozen=True, slots=True)
class BackupOptions:
    """[backup]"""

    every_hours: int = rules.number(24, 0, 8_760, "copy the database into backups/ so often; 0: never")
    keep: int = rules.number(7, 1, 1_000, "keep so many of those copies")
    max_mb: int = rules.number(
        2_048, 1, 100_000_000, "what all of backups/ may take on the disk, the newest copy at least"
    )


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """[client], which memctl reads for itself."""

    autostart: bool = rules.flag(False, "memctl starts memd where nobody answers and it is no service")
