"""The method ``import``: history from a folder or a file."""

from __future__ import annotations

from collections.abc import Mapping

from memd.clock import parse_when
from memd.importers import detect
from memd.server.dispatch import Call, Method
from memd.server.params import choice, flag, integer, text
from memd.services import ImportWish, Services

FORMATS = ("auto", *detect.NAMES, "mait-code")

# What may be asked for. A record is held in memory while it is read, and the depth is that of the parsers.
LIMITS = {
    "max_file_bytes": 1 << 50,
    "max_record_bytes": 1 << 30,
    "max_depth": 200,
    "max_turn_chars": 100_000_000,
    "max_zip_members": 100_000_000,
    "max_zip_ratio": 1_000_000,
}

SCHEMA = {
    "path": text(most=16 << 10),
    "format": choice(*FORMATS, default="auto"),
    "since": text(optional=True),
    "until": text(optional=True),
    "limit": integer(1, optional=True),
    "dry_run": flag(),
    "strict": flag(),
    "no_redact": flag(),
    "wait": flag(),
    "include_tool_output": flag(),
    "user_id": text(optional=True),
    "agent_id": text(optional=True),
    **{name: integer(1, most, optional=True) for name, most in LIMITS.items()},
}


class Importing:
    """Answers ``import``."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        return {"import": Method(self.import_, SCHEMA, seconds=None)}

    async def import_(self, call: Call) -> Mapping[str, object]:
        """The report of the import; when it is here, what it imported is found by word."""
        params, now_ms = call.params, self._services.clock.now_ms()
        since, until = params.maybe_text("since"), params.maybe_text("until")
        wish = ImportWish(
            path=params.text("path"),
            format=params.text("format"),
            since_ms=parse_when(since, now_ms) if since else None,
            until_ms=parse_when(until, now_ms) if until else None,
            limit=params.maybe_integer("limit"),
            dry_run=params.flag("dry_run"),
            strict=params.flag("strict"),
            redact=not params.flag("no_redact"),
            tool_output=params.flag("include_tool_output"),
            user_id=params.maybe_text("user_id"),
            agent_id=params.maybe_text("agent_id"),
            limits={name: limit for name in LIMITS if (limit := params.maybe_integer(name)) is not None},
        )
        return await self._services.import_history(wish, call.event)
