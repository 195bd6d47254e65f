"""``--open``: the line that brings a session back in Claude Code, for a shell to run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from shlex import quote

from memctl import output
from memctl.arguments import Arguments
from memctl.client import connect
from memctl.exits import REFUSED, Failure
from memctl.output import Record
from memd.wire.visible import visible

_OWN = "claude-code"  # the format of the sessions that it can resume


def found(arguments: Arguments, params: Mapping[str, object]) -> int:
    """Print the line for the best hit of a search that was said in a session."""
    return _printed(arguments, "search", params, "results")


def shown(arguments: Arguments, params: Mapping[str, object]) -> int:
    """Print the line for the session of a turn, or the first one that an entry rests on."""
    return _printed(arguments, "show", params, "turns", "sources")


def _printed(arguments: Arguments, method: str, params: Mapping[str, object], *lists: str) -> int:
    client = connect(arguments)
    try:
        answer = client.call(method, {name: value for name, value in params.items() if name != "open"})
        records = [row for name in lists for row in output.rows(answer, name)]
        line = _line(client.call("session", {"id": _session(records), "limit": 1}))
    finally:
        client.close()
    return output.show(arguments, {"command": line}, f"{visible(line)}\n")


def _session(records: Iterable[Record]) -> object:
    for row in records:
        if session := row.get("session_id") or (row.get("kind") == "session" and row.get("id")):
            return session
    raise Failure(REFUSED, "nothing of that was said in a session, so there is none to resume")


def _line(session: Record) -> str:
    id, folder = str(session.get("id")), session.get("cwd")
    if session.get("format") != _OWN:
        raise Failure(REFUSED, f"session {id} is of another program ({session.get('format')})")
    if session.get("source") != "present":
        raise Failure(
            REFUSED, f"the transcript of session {id} is gone: memctl session {id} shows what was said"
        )
    return f"{f'cd {quote(str(folder))} && ' if folder else ''}claude --resume {quote(id)}"
