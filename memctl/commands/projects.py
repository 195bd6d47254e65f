"""Which sessions belong together: projects list, alias, merge."""

from __future__ import annotations

import os

from memctl import output, terminal
from memctl.arguments import Arguments
from memctl.client import ask
from memctl.command import Command, Word
from memctl.output import line, plain


def list_projects(arguments: Arguments) -> int:
    """Every project."""
    answer = ask(arguments, "projects.list")
    cells = [
        (
            line(row.get("name")),
            plain(row.get("turns")),
            line(row.get("from")),
            line(row.get("path")),
            _aliases(row),
        )
        for row in output.rows(answer, "projects")
    ]
    if not cells:
        return output.show(arguments, answer, "No projects.\n")
    names = ("NAME", "TURNS", "FROM", "PATH", "ALIASES")
    shown = len(names) if any(row[-1] for row in cells) else len(names) - 1
    color = terminal.has_color(arguments.has("no_color"))
    return output.show(
        arguments, answer, output.table(names[:shown], [row[:shown] for row in cells], color=color)
    )


def alias(arguments: Arguments) -> int:
    """Let a path stand for a project."""
    return _united(arguments, "projects.alias", "old", "new")


def merge(arguments: Arguments) -> int:
    """Give all of a project to another one."""
    return _united(arguments, "projects.merge", "from", "into")


def _united(arguments: Arguments, method: str, one: str, into: str) -> int:
    named = {name: _place(arguments.text(name) or "") for name in (one, into)}
    answer = ask(arguments, method, named)
    project, sessions = line(answer.get("project")), plain(answer.get("sessions"))
    undo = f"; memctl undo {line(str(answer['change']))} takes it back" if answer.get("change") else ""
    return output.show(
        arguments, answer, f"{line(named[one])} is {project} from now on, {sessions} sessions moved{undo}\n"
    )


def _place(word: str) -> str:
    """A path as memd needs it; a name stays a name."""
    return os.path.abspath(os.path.expanduser(word)) if word[:1] in (".", "~") or "/" in word else word


def _aliases(row: output.Record) -> str:
    aliases = row.get("aliases")
    return line(aliases) if isinstance(aliases, list) and aliases else ""


_UNDO = "`memctl undo` takes it back."

COMMANDS = (
    Command("projects list", "list the projects that memd knows", list_projects, default=True),
    Command(
        "projects alias",
        "let a path stand for a project, after its folder was moved or renamed",
        alias,
        words=(
            Word("OLD", "the path that it had; also the name of a project"),
            Word("NEW", "the name or path of a project, or a folder that is one"),
        ),
        story=f"Sessions that memd has from the old path are the new one's then, and so are those to come. {_UNDO}",
        examples=("memctl projects alias ~/old/app ~/dev/app",),
    ),
    Command(
        "projects merge",
        "give everything of a project to another one",
        merge,
        words=(
            Word("FROM", "the name or path of the project that goes"),
            Word("INTO", "the name or path of the project that stays"),
        ),
        story=f"The one that stays answers to the path and name of the other, too. {_UNDO}",
    ),
)
