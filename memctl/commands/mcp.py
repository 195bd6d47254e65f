"""``memctl mcp``: memory as an MCP server on standard input and output."""

from __future__ import annotations

import gc
import os
import signal
from types import FrameType

from memctl.arguments import Arguments
from memctl.command import Command, Flag, text
from memctl.exits import DONE, INTERRUPTED, NOT_INSTALLED, Failure

_MISSING = (
    "an MCP server needs the library mcp, 2.3 or later: install memd with it, pip install 'memd[mcp]'"
    " (or: uv tool install 'memd[mcp]', pipx install 'memd[mcp]')"
)


def mcp(arguments: Arguments) -> int:
    """Serve until standard input ends or somebody says so."""
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGINT, _leave)
    gc.disable()  # the library makes 100,000 objects that all stay: looking through them is a tenth of the start
    try:
        import anyio

        from memctl.mcp.bridge import Bridge
    except ImportError:
        raise Failure(NOT_INSTALLED, _MISSING) from None
    gc.freeze()
    gc.enable()
    try:
        anyio.run(Bridge(arguments).serve)
    except* BrokenPipeError:
        pass  # nobody reads the answers any more
    return DONE


def _leave(number: int, _: FrameType | None) -> None:
    """At once: a thread that waits for standard input would hold up any other way out."""
    os._exit(DONE if number == signal.SIGTERM else INTERRUPTED)


COMMANDS = (
    Command(
        "mcp",
        "offer memory to a model as an MCP server, on standard input and output",
        mcp,
        flags=(
            text("--project", "P", "held to this project: its name or path"),
            Flag("--all-projects", "of every project"),
            Flag("--read-only", "without the tools that remember, supersede and forget"),
        ),
        apart=(("project", "all_projects"),),
        story=(
            "Held to the project of the working directory, or to what the flags say, from start to end: no call of a"
            " model reaches beyond. What holds everywhere can be read from any project, and is superseded and"
            " forgotten with --all-projects alone. What is stored comes back behind a fence that says what it is."
            " While memd is away each call says so, and works again when it is back. Needs memd[mcp]."
        ),
        examples=(
            "claude mcp add --scope user memd -- memctl mcp",
            "claude mcp add --scope user memd -- memctl mcp --all-projects --read-only",
        ),
    ),
)
