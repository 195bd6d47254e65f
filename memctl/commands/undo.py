"""Taking changes back: undo."""

from __future__ import annotations

from memctl import output, terminal
from memctl.arguments import Arguments
from memctl.client import ask
from memctl.command import Command, Flag, Word, integer
from memctl.exits import Usage
from memctl.output import line, part, plain


def undo(arguments: Arguments) -> int:
    """Take a change back, by default the last one that was not."""
    if arguments.has("list"):
        return _list(arguments)
    if arguments.has("limit"):
        raise Usage("--limit goes with --list")
    answer = ask(arguments, "undo", _wanted(arguments))
    undone = part(answer, "undone")
    again = f"; memctl undo {line(str(answer['change']))} brings it back" if answer.get("change") else ""
    return output.show(
        arguments, answer, f"undone: {line(undone.get('what'))}, {plain(undone.get('rows'))} rows{again}\n"
    )


def _wanted(arguments: Arguments) -> dict[str, object]:
    word = arguments.text("id")
    if word is None:
        return {}
    if not (word.isascii() and word.isdigit() and len(word) < 16):
        raise Usage(f"ID is the number of a change, not {word!r}: memctl undo --list shows them")
    return {"id": int(word)}


def _list(arguments: Arguments) -> int:
    if arguments.has("id"):
        raise Usage("--list takes no ID")
    limit = arguments.number("limit")
    answer = ask(arguments, "undo.list", {} if limit is None else {"limit": int(limit)})
    cells = [
        (
            line(str(row.get("id"))),
            output.when(row.get("at")),
            plain(row.get("rows")),
            _state(row),
            line(row.get("what")),
        )
        for row in output.rows(answer, "changes")
    ]
    color = terminal.has_color(arguments.has("no_color"))
    names = ("ID", "TIME", "ROWS", "UNDONE", "CHANGE")
    return output.show(
        arguments, answer, output.table(names, cells, color=color) if cells else "No changes.\n"
    )


def _state(row: output.Record) -> str:
    if row.get("final"):
        return "never"
    by = row.get("undone_by")
    return "-" if by is None else f"by {line(str(by))}"


COMMANDS = (
    Command(
        "undo",
        "take a change back: of projects, and of whatever says that undo takes it back",
        undo,
        words=(
            Word(
                "ID", "the number of a change; the last one that was not undone is the default", optional=True
            ),
        ),
        flags=(
            Flag("--list", "list the last changes, and undo none"),
            integer("--limit", 1, 1000, "with --list: so many (30)", short="-n"),
        ),
        story="Every row that the change touched gets back what it held. Where one has changed since, nothing is"
        " undone, and the answer says which. An undoing is a change too, and can be undone. Forgetting cannot.",
        examples=("memctl undo --list", "memctl undo 12"),
    ),
)
