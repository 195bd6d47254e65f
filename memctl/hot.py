"""``search`` and ``ping``: what a person or a script runs all day, so it starts nothing but the interpreter.

The rule: no import that a bare interpreter has not loaded, beyond ``_socket`` and the few files of ours that
parse, ask and print. memd renders the text of a search; here it is only written out.
"""

from __future__ import annotations

import os
import time

from memctl import terminal
from memctl.command import TYPES, Command, Flag, Word, choice, integer, text, when
from memctl.exits import DONE, Usage, nonsense
from memctl.request import ask, utf8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memctl.arguments import Arguments

QUERY_BYTES = 4 << 10


def search(arguments: Arguments) -> int:
    """Ask, and write what memd has rendered."""
    params = arguments.params()
    if len(utf8(str(params["query"]))) > QUERY_BYTES:
        raise Usage("QUERY is longer than 4 KiB")
    try:
        params["cwd"] = os.getcwd()
    except OSError:
        pass
    if arguments.has("open"):
        from memctl import resume

        return resume.found(arguments, params)
    answer = ask(arguments, "search", {**params, **_rendered(arguments)})
    output, remark = answer.get("output"), answer.get("remark")
    if not isinstance(output, str):
        raise nonsense("a search without its output")
    terminal.write(output)
    if isinstance(remark, str):
        terminal.remark(remark)
    return DONE


def _rendered(arguments: Arguments) -> dict[str, object]:
    """How memd is to write what it finds: for a person at a terminal, or a line a hit for another program."""
    if arguments.has("json"):
        return {"render": "json"}
    if not terminal.is_terminal(1):
        return {"render": "tsv"}
    color = terminal.has_color(arguments.has("no_color"))
    return {"render": "color" if color else "text", "width": terminal.width()}


def ping(arguments: Arguments) -> int:
    """Ask whether memd lives, and say how long that took."""
    began = time.perf_counter()
    answer = ask(arguments, "ping", {})
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
            Flag("--open", "print the line that resumes the best result's session in Claude Code, instead"),
        ),
        apart=(("project", "all_projects"),),
        story=(
            "Ranked results in one list, best first, by word and by meaning. Without --project or --all-projects it"
            " looks in the project of the working directory where memd knows it, else in all; the last line names the"
            " scope. Entries that hold everywhere are in every scope. In a pipe each result is a line: id, kind, time,"
            " role or type, project, session and snippet, with tabs between; standard error says where it looked."
        ),
        examples=(
            "memctl search how did we fix the flaky upload test",
            "memctl search --since 7d --role user -n 5 migration",
            "memctl search --json --all-projects -- --no-verify",
            "memctl search flaky upload | cut -f 1 | head -n 3 | xargs -n 1 memctl show",
        ),
    ),
    Command(
        "ping",
        "ask whether memd answers",
        ping,
        story="Goes through memd's event loop, so an answer means that it works and not only that it is there.",
    ),
)
