"""``search`` and ``ping``: what a person or a script runs all day, so it starts nothing but the interpreter.

The rule: no import that a bare interpreter has not loaded, beyond ``_socket`` and the few files of ours that
parse, pack and print. memd renders the text of a search; here it is only written out.
"""

from __future__ import annotations

import os
import time

from memctl import terminal
from memctl.command import TYPES, Command, Flag, Word, choice, integer, text, when
from memctl.connection import ANSWER_SECONDS, Connection
from memctl.exits import DONE, Usage, nonsense
from memd.wire.address import socket_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memctl.arguments import Arguments

QUERY_BYTES = 4 << 10


def search(arguments: Arguments) -> int:
    """Ask, and write what memd has rendered."""
    params = arguments.params()
    if len(_utf8(str(params["query"]))) > QUERY_BYTES:
        raise Usage("QUERY is longer than 4 KiB")
    if arguments.has("json"):
        params["render"] = "json"
    else:
        params["render"] = "color" if terminal.has_color(arguments.has("no_color")) else "text"
        if terminal.is_terminal(1):
            params["width"] = terminal.width()
    try:
        params["cwd"] = os.getcwd()
    except OSError:
        pass
    output = _ask(arguments, "search", params).get("output")
    if not isinstance(output, str):
        raise nonsense("a search without its output")
    terminal.write(output)
    return DONE


def ping(arguments: Arguments) -> int:
    """Ask whether memd lives, and say how long that took."""
    began = time.perf_counter()
    answer = _ask(arguments, "ping", {})
    took = round((time.perf_counter() - began) * 1000, 1)
    if arguments.has("json"):
        from memctl.output import document

        terminal.write(document({**answer, "ms": took}))
    else:
        from_whom = f"memd {answer.get('version', '')}".rstrip()
        terminal.write(f"{_plain(from_whom)} answers (pid {_plain(str(answer.get('pid')))}, {took} ms)\n")
    return DONE


def _plain(text: str) -> str:
    if text.isprintable():
        return text
    from memd.wire.visible import visible

    return visible(text)


def _ask(arguments: Arguments, method: str, params: dict[str, object]) -> dict[str, object]:
    path = socket_path(os.environ, home=arguments.text("home"), socket=arguments.text("socket"))
    payload = pack({"v": 1, "id": 1, "method": method, "params": params})
    connection = Connection(path)
    try:
        connection.send(len(payload).to_bytes(4, "big") + payload)
        return _result(connection.receive(arguments.number("timeout") or ANSWER_SECONDS))
    finally:
        connection.close()


def _result(payload: bytes) -> dict[str, object]:
    """The result of a plain answer. Whatever else it may be, the client of the other commands knows."""
    try:
        answer, end = unpack(payload, 0)
        if end == len(payload) and isinstance(answer, dict):
            result = answer.get("result")
            if (
                answer.get("v") == 1
                and answer.get("id") == 1
                and answer.get("ok") is True
                and isinstance(result, dict)
            ):
                return result
    except (IndexError, ValueError, TypeError, RecursionError):
        pass
    from memctl.client import result_of

    return result_of(payload, 1)


def _utf8(text: str) -> bytes:
    """Half a surrogate pair, which UTF-8 cannot hold, becomes a question mark."""
    return text.encode("utf-8", "replace")


def pack(value: object) -> bytes:
    """msgpack of maps, texts, booleans and whole numbers from 0, which is all that is asked with here."""
    if value is True:
        return b"\xc3"
    if isinstance(value, int):
        return bytes((value,)) if value < 0x80 else b"\xce" + value.to_bytes(4, "big")
    if isinstance(value, str):
        data = _utf8(value)
        size = len(data)
        return (bytes((0xA0 | size,)) if size < 32 else b"\xdb" + size.to_bytes(4, "big")) + data
    if isinstance(value, dict):
        return (
            b"\xde"
            + len(value).to_bytes(2, "big")
            + b"".join([pack(part) for item in value.items() for part in item])
        )
    raise TypeError(type(value).__name__)


def unpack(data: bytes, at: int) -> tuple[object, int]:
    """The value that starts at a place, and where the next one starts. ValueError for what is rare in an answer."""
    head = data[at]
    at += 1
    if head < 0x80:
        return head, at
    if head < 0x90:
        return _unpack_map(data, at, head & 0x0F)
    if 0xA0 <= head < 0xC0:
        return _unpack_text(data, at, head & 0x1F)
    if head in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[head], at
    size = {0xD9: 1, 0xDA: 2, 0xDB: 4, 0xCC: 1, 0xCD: 2, 0xCE: 4}.get(head)
    if size is None:
        raise ValueError(head)
    number = int.from_bytes(data[at : at + size], "big")
    return _unpack_text(data, at + size, number) if head > 0xD0 else (number, at + size)


def _unpack_text(data: bytes, at: int, size: int) -> tuple[str, int]:
    if at + size > len(data):
        raise IndexError(size)
    return data[at : at + size].decode(), at + size


def _unpack_map(data: bytes, at: int, count: int) -> tuple[dict[object, object], int]:
    found: dict[object, object] = {}
    for _ in range(count):
        key, at = unpack(data, at)
        found[key], at = unpack(data, at)
    return found, at


COMMANDS = (
    Command(
        "search",
        "find turns, entries and memory files",
        search,
        words=(Word("QUERY", "what to look for; several words need no quotes", many=True),),
        flags=(
            integer("--limit", 1, 100, "how many results at most", short="-n"),
            choice("--in", ("all", "turns", "entries", "native"), "what to look in"),
            choice("--mode", ("hybrid", "keyword", "vector"), "by word, by meaning, or both"),
            choice("--rank", ("fused", "seed"), "seed: entries alone, as mait-code ranks them"),
            text("--project", "P", "in this project: its name or path"),
            Flag("--all-projects", "in every project"),
            text("--branch", "B", "turns of this git branch; entries of it, and of no other"),
            text("--session", "ID", "said in this session"),
            choice("--role", ("user", "assistant", "system", "tool"), "said by"),
            choice("--type", TYPES, "entries of this type"),
            when("--since", "not before: 7d, 12h, 2026-11-30, 2026-11-30T09:00"),
            when("--until", "before"),
            Flag("--include-superseded", "entries that were replaced, too"),
            Flag("--subagents", "what subagents said, too"),
            Flag("--other-branches", "turns of branches of the conversation that were given up, too"),
            Flag("--explain", "say why each result is where it is"),
        ),
        apart=(("project", "all_projects"),),
        story=(
            "Ranked results in one list, best first, by word and by meaning. Without --project or --all-projects it"
            " looks in the project of the working directory where memd knows it, else in all; the last line names the"
            " scope. Entries that hold everywhere are in every scope."
        ),
        examples=(
            "memctl search how did we fix the flaky upload test",
            "memctl search --since 7d --role user -n 5 migration",
            "memctl search --json --all-projects -- --no-verify",
        ),
    ),
    Command(
        "ping",
        "ask whether memd answers",
        ping,
        story="Goes through memd's event loop, so an answer means that it works and not only that it is there.",
    ),
)
