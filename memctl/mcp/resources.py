"""What can be read by address: what is remembered, and the text of a session."""

from __future__ import annotations

from urllib.parse import quote, unquote

from memctl.exits import Usage
from memctl.mcp.memory import Memory
from memctl.output import line, plain, rows, when

MEMORY = "memd://memory"
SESSION = "memd://session/"
TEMPLATE = f"{SESSION}{{id}}{{?offset}}"

_LISTED = 20  # sessions
_ENTRIES = 200
_TURNS = 100


def recent(memory: Memory) -> list[tuple[str, str]]:
    """The addresses of the latest sessions, each with a name in which nothing of what is stored stands."""
    found = rows(memory.within("sessions", {"limit": _LISTED}), "sessions")
    return [
        (
            _address(one.get("id")),
            f"Session of {when(one.get('last_at'))}, turns: {plain(one.get('turns'))}",
        )
        for one in found
    ]


def read(memory: Memory, address: str) -> str:
    """The fenced text at an address; Usage where there is nothing of the kind."""
    if address == MEMORY:
        asked = {"kind": "entries", "limit": _ENTRIES}
        return memory.told("list", asked, more="search finds them", nothing="Nothing is remembered yet")
    path, _, query = address.partition("?")
    id, offset = unquote(path.removeprefix(SESSION)), query.removeprefix("offset=") or "0"
    if not path.startswith(SESSION) or not (offset.isascii() and offset.isdigit() and len(offset) < 10):
        raise Usage(f"there is nothing at {line(address, 100)}: there are {MEMORY} and {TEMPLATE}")
    return _session(memory, id, int(offset))


def _session(memory: Memory, id: str, offset: int) -> str:
    """A page of a session, and the address of the next one."""
    answer = memory.fenced("session", {"id": id, "limit": _TURNS, "offset": offset})
    pieces, left_out = answer.get("pieces"), answer.get("left_out")
    shown = pieces - left_out if isinstance(pieces, int) and isinstance(left_out, int) else 0
    if not shown:
        return "There are no more turns."
    is_last = shown < _TURNS and not left_out
    after = "" if is_last else f"\n(read on at {_address(id)}?offset={offset + shown})"
    return f"{answer.get('text')}{after}"


def _address(id: object) -> str:
    return f"{SESSION}{quote(str(id), safe='')}"
