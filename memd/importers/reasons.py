"""Why a record, or a block of one, gives no turn. The words are those of import reports."""

from __future__ import annotations

from enum import StrEnum


class Skip(StrEnum):
    """A reason for leaving something out."""

    THINKING = "thinking"
    TOOL_OUTPUT = "tool_output"
    META = "meta"
    SYSTEM = "system"
    ATTACHMENT = "attachment"
    OTHER_BRANCH = "other_branch"
    SUBAGENT = "subagent"
    UNSUPPORTED = "unsupported"
    EMPTY = "empty"
    OUTSIDE_WINDOW = "outside_window"
    FORGOTTEN = "forgotten"
    EXCLUDED = "excluded"
    TOO_LARGE = "too_large"
    TOO_DEEP = "too_deep"
