"""Which sessions belong together: projects list, alias, merge, canonicalize."""

from __future__ import annotations

import os

from memctl import output, terminal
from memctl.arguments import Arguments
from memctl.client import ask
from memctl.command import Command, Flag, Word, text
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


def canonicalize(arguments: Arguments) -> int:
    """Fold projects into those that they are."""
    params, named = arguments.params(), arguments.text("aliases")
    if file := os.path.abspath(os.path.expanduser(named)) if named else _usual_aliases():
        params["aliases"] = file
    answer = ask(arguments, "projects.canonicalize", params)
    is_dry = bool(answer.get("dry_run"))
    becomes = "would be" if is_dry else "is"
    lines = [
        f"{line(row.get('project'))} {becomes} {line(row.get('into'))}: {plain(row.get('sessions'))} sessions,"
        f" {plain(row.get('entries'))} entries\n"
        for row in output.rows(answer, "folded")
    ]
    if answer.get("aliases"):
        lines.append(f"{plain(answer['aliases'])} former names {'would be' if is_dry else 'are'} kept\n")
    if answer.get("change"):
        lines.append(f"memctl undo {line(str(answer['change']))} takes it back\n")
    return output.show(arguments, answer, "".join(lines) or "Every project is one of its own.\n")


def _usual_aliases() -> str | None:
    """The map that mait-code keeps, where there is one."""
    folder = os.environ.get("MAIT_CODE_DATA_DIR") or "~/.claude/mait-code-data"
    path = os.path.join(os.path.abspath(os.path.expanduser(folder)), "project-aliases.json")
    return path if os.path.isfile(path) else None


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
    Command(
        "projects canonicalize",
        "fold projects that are known twice into one",
        canonicalize,
        flags=(
            text(
                "--aliases",
                "FILE",
                "a JSON object of former names and the names now (mait-code's, where it is)",
            ),
            Flag("--dry-run", "say what would be folded, and change nothing"),
        ),
        story="A project known by name alone is the one project that has the name; a worktree that is gone is its"
        f" repository's; former names are what the map says. {_UNDO}",
    ),
)
