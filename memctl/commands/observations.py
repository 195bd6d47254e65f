"""What was captured in observation logs, and what became of it: observations, restore."""

from __future__ import annotations

import os

from memctl import output, terminal
from memctl.arguments import Arguments
from memctl.client import LONG_SECONDS, ask
from memctl.command import Command, Flag, day, integer, text
from memctl.commands.history import long_call
from memctl.output import line, plain


def observations(arguments: Arguments) -> int:
    """Batches by their day, or the entries they led to."""
    params = arguments.params()
    if "project" in params:
        params["project"] = _place(str(params["project"]))
    answer = ask(arguments, "observations", params)
    color = terminal.has_color(arguments.has("no_color"))
    human = _entries(answer, color) if arguments.has("entries") else _days(answer, color)
    return output.show(arguments, answer, human or "No observations.\n")


def restore(arguments: Arguments) -> int:
    """Bring entries back from the logs."""
    answer = long_call(arguments, "restore", arguments.params(), LONG_SECONDS)
    verb = "would be stored" if answer.get("dry_run") else "stored"
    told = (
        f"{plain(answer.get('files'))} logs with {plain(answer.get('records'))} records read, "
        f"{plain(answer.get('new_records'))} of them new, {plain(answer.get('bad_records'))} bad lines; "
        f"{plain(answer.get('entries'))} entries {verb}, "
        f"{plain(answer.get('entries_lost'))} of them in the place of lost ones\n"
    )
    errors = answer.get("errors")
    for file, why in errors.items() if isinstance(errors, dict) else ():
        told += f"! {line(file)} cannot be read: {line(why)}\n"
    return output.show(arguments, answer, told)


def _days(answer: output.Record, color: bool) -> str:
    bold, off = ("\x1b[1m", "\x1b[0m") if color else ("", "")
    text = ""
    for one in output.rows(answer, "days"):
        text += f"{bold}{line(one.get('day'))}{off}\n"
        text += "".join(map(_batch, output.rows(one, "batches")))
    return text


def _batch(row: output.Record) -> str:
    project = line(row.get("project") or "-") + (f":{line(row['branch'])}" if row.get("branch") else "")
    waits = "" if row.get("absorbed") else "  (waits)"
    when, counts = output.when(row.get("timestamp"))[-5:], plain(row.get("counts"))
    return f"  {when}  {line(row.get('trigger')):<12}  {project}  {counts}{waits}\n"


def _entries(answer: output.Record, color: bool) -> str:
    cells = [
        (
            f"#{line(str(row.get('id')))}",
            output.when(row.get("created_at")),
            line(row.get("entry_type")),
            "yes" if row.get("reflected") else "-",
            line(row.get("content"), 80),
        )
        for row in output.rows(answer, "entries")
    ]
    return output.table(("ID", "TIME", "TYPE", "REFLECTED", "CONTENT"), cells, color=color) if cells else ""


def _place(word: str) -> str:
    """A path as memd needs it; a name stays a name."""
    return os.path.abspath(os.path.expanduser(word)) if word[:1] in (".", "~") or "/" in word else word


COMMANDS = (
    Command(
        "observations",
        "list what was captured of sessions, batch by batch, the newest day first",
        observations,
        flags=(
            day("--day", "of this day (UTC): 2026-11-30"),
            Flag("--entries", "the entries they led to, and whether reflection has seen them"),
            text("--project", "P", "of this project: its name or path"),
            integer("--limit", 1, 1000, "so many days (7), or entries (100)", short="-n"),
        ),
        apart=(("day", "entries"),),
        story="They stand in observation logs, a file a day: memd's own, those in [sources] observations, mait-code's.",
        examples=("memctl observations --day 2026-11-30", "memctl observations --entries --project myapp"),
    ),
    Command(
        "restore",
        "bring entries back from the observation logs, with their original times",
        restore,
        flags=(Flag("--dry-run", "say what would be stored, and store nothing"),),
        story="Reads every log again. What is stored already is not stored twice, and what was forgotten stays so;"
        " entries that somebody stored, superseded, retired or reviewed stay as they are.",
        examples=("memctl restore --dry-run",),
    ),
)
