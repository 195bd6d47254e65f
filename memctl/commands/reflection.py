"""Reflection: reflect, insights, and proposals list, show, apply, reject."""

from __future__ import annotations

import os

from memctl import entries, output, terminal
from memctl.arguments import Arguments
from memctl.client import ask
from memctl.command import Command, Flag, Word, choice, integer, text
from memctl.commands.history import long_call
from memctl.exits import DONE, REFUSED, Usage
from memctl.output import Record, line, part, plain, rows

WAIT_SECONDS = 600.0
_STATES = ("open", "applied", "rejected")


def reflect(arguments: Arguments) -> int:
    """Have memd reflect; without --now say what there is to reflect on."""
    params = {name: value for name, value in arguments.params().items() if name != "project"}
    if project := arguments.text("project"):
        params["project"] = _place(project)
    wait = arguments.number("timeout") or WAIT_SECONDS
    if arguments.has("wait"):
        params["seconds"] = wait
    if not arguments.has("now"):
        if arguments.has("wait") or arguments.has("key") or arguments.has("drain"):
            raise Usage("--wait, --key and --drain go with --now")
        return _waiting(arguments, ask(arguments, "reflect", params))
    answer = long_call(arguments, "reflect", params, wait + 10, own_timeout=True)
    code = REFUSED if answer.get("state") in ("dead", "cancelled") else DONE
    if code == REFUSED and not arguments.has("json"):
        terminal.complain(
            f"job {answer.get('job')} is {line(answer.get('state'))}: {line(answer.get('error'))}"
        )
        return code
    output.show(arguments, answer, _told(answer))
    return code


def _waiting(arguments: Arguments, answer: Record) -> int:
    told = (
        f"{plain(answer.get('waiting'))} entries wait to be reflected on, the last reflection was"
        f" {output.when(answer.get('last_reflected_at'))}; {plain(answer.get('open_proposals'))} proposals are open\n"
        f"{_passed_over(answer.get('passed_over'))}"
        "memctl reflect --now asks the language model about them\n"
    )
    return output.show(arguments, answer, told)


def _told(answer: Record) -> str:
    """What came of it, in a line or two."""
    job, result = line(str(answer.get("job"))), part(answer, "result")
    if "state" not in answer:
        return f"job {job} reflects: memctl jobs show {job}\n"
    passed_over = _passed_over(result.get("passed_over"))
    if result.get("skipped"):
        return f"nothing was sent: {line(result.get('reason'))}\n"
    numbers = result.get("proposals")
    proposed = len(numbers) if isinstance(numbers, list) else 0
    told = (
        f"{plain(result.get('read'))} entries read: {plain(result.get('insights'))} new insights,"
        f" {plain(result.get('repeated'))} known before, {proposed} proposals\n"
    )
    if applied := result.get("applied"):
        told += f"applied, as reflection.auto_apply says: {plain(applied)}; memctl undo --list shows how to undo it\n"
    if dropped := result.get("dropped"):
        told += f"{plain(dropped)} parts of the answer could not be used\n"
    return (
        told + passed_over + ("memctl proposals shows what would change in MEMORY.md\n" if proposed else "")
    )


def _passed_over(numbers: object) -> str:
    """Which entries were passed over, and how they are read all the same."""
    listed = ", ".join(f"#{plain(one)}" for one in numbers) if isinstance(numbers, list) else ""
    if not listed:
        return ""
    return f"passed over, for want of a usable answer: {listed}; the next memctl reflect --now tries again\n"


def insights(arguments: Arguments) -> int:
    """What reflection found, the newest first."""
    answer = ask(arguments, "insights", _placed(arguments))
    room = max(terminal.width() - 24, 30)
    cells = [
        (entries.number(row.get("id")), output.when(row.get("created_at")), line(row.get("text"), room))
        for row in rows(answer, "insights")
    ]
    listed = (
        output.table(("ID", "TIME", "INSIGHT"), cells, color=_color(arguments)) if cells else "No insights.\n"
    )
    return output.show(arguments, answer, listed)


def proposals(arguments: Arguments) -> int:
    """What reflection would change in MEMORY.md."""
    answer = ask(arguments, "proposals.list")
    room = max(terminal.width() - 40, 30)
    cells = [
        (
            line(str(row.get("id"))),
            line(row.get("op")),
            line(row.get("state")),
            output.when(row.get("created_at")),
            line(row.get("new") or row.get("old"), room),
        )
        for row in rows(answer, "proposals")
    ]
    listed = output.table(("ID", "WHAT", "STATE", "TIME", "TEXT"), cells, color=_color(arguments))
    hint = "memctl proposals show ID   memctl proposals apply ID…   memctl proposals reject ID…\n"
    return output.show(arguments, answer, listed + hint if cells else "No proposals.\n")


def show(arguments: Arguments) -> int:
    """Proposals as a diff of MEMORY.md."""
    answer = ask(arguments, "proposals.show", {"ids": _ids(arguments)})
    shown = [
        f"proposal {line(str(row.get('id')))} ({line(row.get('state'))}){_file(row)}\n{_diff(row)}"
        for row in rows(answer, "proposals")
    ]
    return output.show(arguments, answer, "\n".join(shown))


def _file(row: Record) -> str:
    """Which file it is about, where that is a project's own."""
    return f" of {line(row.get('file') or row.get('file_of'))}" if row.get("file_of") else ""


def _diff(row: Record) -> str:
    lines = "".join(f"  {line(one)}\n" for one in str(row.get("diff")).split("\n")[2:])
    return lines + (f"! {line(row.get('conflict'))}\n" if row.get("conflict") else "")


def apply(arguments: Arguments) -> int:
    """Change MEMORY.md and the store as proposed."""
    answer = ask(arguments, "proposals.apply", {"ids": _ids(arguments)})
    return output.show(arguments, answer, f"applied {plain(answer.get('applied'))}{entries.undo(answer)}\n")


def reject(arguments: Arguments) -> int:
    """Set proposals aside."""
    answer = ask(arguments, "proposals.reject", {"ids": _ids(arguments)})
    return output.show(arguments, answer, f"rejected {plain(answer.get('rejected'))}{entries.undo(answer)}\n")


def _ids(arguments: Arguments) -> list[int]:
    words = (arguments.text("id") or "").replace(",", " ").replace("#", "").split()
    for word in words:
        if not (word.isascii() and word.isdigit() and len(word) < 16):
            raise Usage(f"ID is the number of a proposal, not {word!r}: memctl proposals lists them")
    return [int(word) for word in words]


def _placed(arguments: Arguments) -> dict[str, object]:
    params = arguments.params()
    return {**params, "project": _place(str(params["project"]))} if "project" in params else params


def _place(word: str) -> str:
    """A path as memd needs it; a name stays a name."""
    return os.path.abspath(os.path.expanduser(word)) if word[:1] in (".", "~") or "/" in word else word


def _color(arguments: Arguments) -> bool:
    return terminal.has_color(arguments.has("no_color"))


_IDS = (Word("ID", "the numbers of proposals", many=True),)
_PROJECT = text("--project", "P", "of this project: its name or path")
_LIMIT = integer("--limit", 1, 1000, "how many at most (100)", short="-n")

COMMANDS = (
    Command(
        "reflect",
        "have the language model read what is new among the entries",
        reflect,
        flags=(
            _PROJECT,
            Flag("--now", "do it; else only say what there is to reflect on"),
            text("--key", "K", "the same key is the same job, also a day after it is done"),
            Flag("--drain", "go on until nothing is left, twenty times at most"),
            integer("--min-new", 0, 10_000, "with fewer new entries do nothing (3)"),
            integer("--days", 1, 36_500, "where a first reflection begins (7 days ago)"),
            Flag("--wait", "until it has ended; --timeout S says how long (600)"),
        ),
        story="What it finds is stored as insights, and what it would change in MEMORY.md is proposed (memctl"
        " proposals). Entries go to the provider in [llm] without secrets, of excluded projects none; memctl"
        " ledger tells what that cost.",
        examples=("memctl reflect --now --wait", "memctl reflect --now --drain --project myapp"),
    ),
    Command(
        "insights list",
        "list what reflection found",
        insights,
        flags=(_PROJECT, _LIMIT),
        default=True,
    ),
    Command(
        "proposals list",
        "list what reflection would change in MEMORY.md",
        proposals,
        flags=(choice("--state", _STATES, "in this state (open)"), _LIMIT),
        default=True,
    ),
    Command("proposals show", "show proposals as a diff", show, words=_IDS),
    Command(
        "proposals apply",
        "change MEMORY.md and the entries as proposed",
        apply,
        words=_IDS,
        story="All of them or none. Lines of yours stay as they are; where the text has changed, that is a conflict."
        " `memctl undo` takes it back.",
    ),
    Command(
        "proposals reject",
        "set proposals aside",
        reject,
        words=_IDS,
        story="The same is not proposed again. `memctl undo` takes it back.",
    ),
)
