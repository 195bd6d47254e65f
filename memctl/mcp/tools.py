"""Every tool there is. A client may load them on demand, so each says by which words one would look for it."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.mcp.reading import ENTITY, RECALL, RECENT_SESSIONS, SEARCH, SHOW
from memctl.mcp.tool import Tool
from memctl.mcp.writing import FORGET, REMEMBER, SUPERSEDE

_ALL = (SEARCH, RECALL, SHOW, ENTITY, RECENT_SESSIONS, REMEMBER, SUPERSEDE, FORGET)


def offered(*, read_only: bool) -> Mapping[str, Tool]:
    """The tools by name; with ``read_only`` those that change nothing."""
    return {tool.name: tool for tool in _ALL if not (read_only and tool.writes)}
