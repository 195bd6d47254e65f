"""What is stored: show, sessions, session, list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memctl import entries, output, resume, terminal
from memctl.arguments import Arguments
from memctl.client import ask, with_cwd
from memctl.command import SCOPES, TYPES, Command, Flag, Word, choice, integer, text, when
from memctl.exits import Usage
from memd.wire.visible import visible

_SCOPE = (
    text("--project", "P", "of this project: its name or path"),
    Flag("--all-projects", "of every project"),
)
_TIMES = (
    when("--since", "not before: 7d, 12h, 2026-11-30, 2026-11-30T09:00"),
    when("--until", "before"),
)
_PAGE = (
    integer("--limit", 1, 1000, "how many at most (50)", short="-n"),
    integer("--offset", 0, None, "leave out so many"),
)
_OF_TURNS = ("role", "session")
_OF_ENTRIES = ("type", "scope", "branch", "include_superseded")
_APART = (("project", "all_projects"),)
_SCOPED = "Without --project or --all-projects: of the working directory's project where memd knows it, else of all."


def show(arguments: Arguments) -> int:
    """One entry, or one turn with its neighbours where asked; with --open how its session is resumed."""
    if arguments.has("open"):
        return resume.shown(arguments, arguments.params())
    answer = ask(arguments, "show")
    if "entry" in answer:
        return output.show(arguments, answer, entries.shown(answer))
    return output.show(arguments, answer, _turns(arguments, output.rows(answer, "turns")))


def session(arguments: Arguments) -> int:
    """One session and a page of its turns."""
    answer = ask(arguments, "session")
    items = output.rows(answer, "items")
    head = {
        name: answer.get(name)
        for name in ("id", "title", "project", "branch", "turns", "continues", "source")
    }
    times = {"started": output.when(answer.get("started_at")), "last": output.when(answer.get("last_at"))}
    human = f"{output.fields({**head, **times})}\n{_turns(arguments, items)}"
    return output.show(arguments, answer, human + _more(answer, len(items)))


def sessions(arguments: Arguments) -> int:
    """The latest sessions."""
    answer = ask(arguments, "sessions", with_cwd(arguments.params()))
    cells = [
        (
            output.when(row.get("last_at")),
            output.line(row.get("id")),
            output.plain(row.get("turns")),
            _folder(row.get("project")),
            output.line(row.get("branch"), 20),
            output.line(row.get("title"), 60),
        )
        for row in output.rows(answer, "sessions")
    ]
    names = ("LAST", "ID", "TURNS", "PROJECT", "BRANCH", "TITLE")
    return output.show(arguments, answer, _listed(arguments, answer, names, cells, "sessions"))


def list_latest(arguments: Arguments) -> int:
    """The latest turns, or entries."""
    kind = _listed_kind(arguments)
    asked = {name: value for name, value in arguments.params().items() if name != "in"}
    answer = ask(arguments, "list", with_cwd({"kind": kind, **asked}))
    if kind == "entries":
        return output.show(arguments, answer, _entries(arguments, answer))
    room = max(terminal.width() - 48, 30)
    cells = [
        (
            output.when(row.get("created_at")),
            output.line(row.get("role")),
            output.line(row.get("id"), 16).rstrip("…"),
            _folder(row.get("project")),
            output.line(row.get("text"), room),
        )
        for row in output.rows(answer, "turns")
    ]
    names = ("TIME", "ROLE", "ID", "PROJECT", "TEXT")
    return output.show(arguments, answer, _listed(arguments, answer, names, cells, "turns"))


def _listed_kind(arguments: Arguments) -> str:
    """Turns or entries, as asked, else as what was given tells; Usage where something is of the other kind."""
    kind = arguments.text("in") or ("entries" if any(map(arguments.has, _OF_ENTRIES)) else "turns")
    others, what = (_OF_ENTRIES, "entries") if kind == "turns" else (_OF_TURNS, "turns")
    for name in filter(arguments.has, others):
        raise Usage(f"--{name} is of {what} alone".replace("_", "-"))
    return kind


def _entries(arguments: Arguments, answer: output.Record) -> str:
    found = output.rows(answer, "entries")
    if not found:
        return f"No entries in {output.line(answer.get('scope'))}.\n"
    return entries.listed(found, color=terminal.has_color(arguments.has("no_color")))


def _listed(
    arguments: Arguments,
    answer: output.Record,
    names: tuple[str, ...],
    cells: Sequence[tuple[str, ...]],
    what: str,
) -> str:
    where = f" in {output.line(answer['scope'])}" if "scope" in answer else ""
    if not cells:
        return f"No {what}{where}.\n"
    return output.table(names, cells, color=terminal.has_color(arguments.has("no_color")))


def _turns(arguments: Arguments, turns: list[output.Record]) -> str:
    """Each turn in full under a line that says who, when and where."""
    color = terminal.has_color(arguments.has("no_color"))
    return "\n".join(_turn(turn, color) for turn in turns)


def _turn(turn: Mapping[str, object], color: bool) -> str:
    bold, dim, off = ("\x1b[1m", "\x1b[2m", "\x1b[0m") if color else ("", "", "")
    agent = " (subagent)" if turn.get("agent_id") else ""
    left = " (other branch)" if turn.get("other_branch") else ""
    mark = "> " if turn.get("asked") else ""
    head = f"{bold}{mark}{output.when(turn.get('created_at'))}  {output.line(turn.get('role'))}{agent}{left}{off}"
    body = "\n".join(f"    {line}".rstrip() for line in visible(str(turn.get("text", ""))).split("\n"))
    return f"{head}{dim}  {_folder(turn.get('project'))}  {output.line(turn.get('id'))}{off}\n{body}\n"


def _more(answer: output.Record, shown: int) -> str:
    offset, turns = answer.get("offset"), answer.get("turns")
    if not isinstance(offset, int) or not isinstance(turns, int) or offset + shown >= turns or not shown:
        return ""
    return f"\n{turns - offset - shown:,} more: --offset {offset + shown}\n"


def _folder(path: object) -> str:
    return output.line(path).rstrip("/").rsplit("/", 1)[-1] if path else "-"


COMMANDS = (
    Command(
        "show",
        "show an entry or a turn in full",
        show,
        words=(
            Word("ID", "the number of an entry, or the id of a turn, or an unambiguous beginning of that"),
        ),
        flags=(
            integer("--around", 0, 50, "of a turn: and so many before and after it"),
            Flag("--open", "print the line that resumes its session in Claude Code, instead"),
        ),
        story="Of an entry it shows where it comes from, too, and what stood and stands in its place.",
        examples=("memctl show 42", "memctl show 01b7c2 --around 3", 'eval "$(memctl show 01b7c2 --open)"'),
    ),
    Command(
        "sessions",
        "list the latest sessions",
        sessions,
        flags=(*_SCOPE, *_TIMES, integer("--limit", 1, 1000, "how many at most (30)", short="-n")),
        apart=_APART,
        story=_SCOPED,
    ),
    Command(
        "session",
        "show a session and its turns",
        session,
        words=(Word("ID", "the id of a session, or an unambiguous beginning of it"),),
        flags=_PAGE,
    ),
    Command(
        "list",
        "list the latest turns, or entries",
        list_latest,
        flags=(
            choice(
                "--in",
                ("turns", "entries"),
                "what to list (turns, or entries where --type or another one of theirs is given)",
            ),
            *_SCOPE,
            choice("--role", ("user", "assistant", "system", "tool"), "said by"),
            text("--session", "ID", "said in this session"),
            choice("--type", TYPES, "entries of this type"),
            choice("--scope", SCOPES, "entries that hold everywhere, in a project, or on a branch"),
            text("--branch", "B", "entries of this branch, too"),
            Flag("--include-superseded", "and entries that hold no longer"),
            *_TIMES,
            *_PAGE,
        ),
        apart=_APART,
        story=_SCOPED,
    ),
)
