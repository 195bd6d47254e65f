"""One look at one thing: how it stands, what was seen, what it means, and what mends it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

OK, UNKNOWN, WARN, FAULT = "ok", "unknown", "warn", "fault"
STATES = (OK, UNKNOWN, WARN, FAULT)

Mend = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Check:
    """``fix`` is what to run or do; ``mend`` does it, where it can do no harm (``doctor --fix``)."""

    name: str
    state: str
    detail: str
    means: str = ""
    fix: str = ""
    mend: Mend | None = None

    def record(self) -> dict[str, object]:
        """The check for JSON."""
        return {
            "name": self.name,
            "state": self.state,
            "detail": self.detail,
            "means": self.means,
            "fix": self.fix,
        }


def told(record: Mapping[str, object], mend: Mend | None = None) -> Check:
    """A check as memd answered it; a state that is not known counts as a fault."""
    name, state, detail, means, fix = (
        str(record.get(field) or "") for field in ("name", "state", "detail", "means", "fix")
    )
    return Check(name, state if state in STATES else FAULT, detail, means, fix, mend)
