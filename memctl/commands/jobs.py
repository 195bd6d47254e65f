"""The queue: jobs list, show, retry, cancel, dismiss."""

from __future__ import annotations

from memctl import output, terminal
from memctl.arguments import Arguments
from memctl.client import ask
from memctl.command import Command, Word, choice, integer, text
from memctl.output import line, part

_STATES = ("queued", "running", "retry", "paused", "done", "dead", "cancelled")
_ID = (Word("ID", "the number of the job"),)


def list_jobs(arguments: Arguments) -> int:
    """The newest jobs."""
    answer = ask(arguments, "jobs.list")
    cells = [
        (
            line(str(row.get("id"))),
            line(row.get("kind")),
            line(row.get("key"), 24),
            line(row.get("state")),
            line(row.get("attempts")),
            output.when(row.get("run_at")),
            line(row.get("error"), 60),
        )
        for row in output.rows(answer, "jobs")
    ]
    names = ("ID", "KIND", "KEY", "STATE", "TRIES", "DUE", "ERROR")
    color = terminal.has_color(arguments.has("no_color"))
    return output.show(arguments, answer, output.table(names, cells, color=color) if cells else "No jobs.\n")


def show(arguments: Arguments) -> int:
    """One job with all its fields."""
    answer = ask(arguments, "jobs.show")
    job = part(answer, "job")
    return output.show(arguments, answer, output.fields({**job, "id": str(job.get("id"))}))


def retry(arguments: Arguments) -> int:
    """Put a job back into the queue."""
    return _changed(arguments, "retry")


def cancel(arguments: Arguments) -> int:
    """Call a job off."""
    return _changed(arguments, "cancel")


def dismiss(arguments: Arguments) -> int:
    """Remove a job that has ended."""
    answer = ask(arguments, "jobs.dismiss")
    return output.show(arguments, answer, f"job {line(arguments.text('id'))} is gone\n")


def _changed(arguments: Arguments, verb: str) -> int:
    answer = ask(arguments, f"jobs.{verb}")
    state = line(part(answer, "job").get("state"))
    return output.show(arguments, answer, f"job {line(arguments.text('id'))} is {state}\n")


COMMANDS = (
    Command(
        "jobs list",
        "list the newest jobs",
        list_jobs,
        flags=(
            choice("--state", _STATES, "in this state"),
            text("--kind", "K", "of this kind"),
            integer("--limit", 1, 1000, "how many at most (100)", short="-n"),
        ),
        default=True,
    ),
    Command("jobs show", "show a job in full", show, words=_ID),
    Command(
        "jobs retry",
        "put a dead, paused or waiting job back into the queue, with all its tries",
        retry,
        words=_ID,
    ),
    Command("jobs cancel", "call a job off, also while it runs", cancel, words=_ID),
    Command("jobs dismiss", "remove a job that has ended", dismiss, words=_ID),
)
