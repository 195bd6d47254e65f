"""The queue: jobs list, show, retry, cancel, dismiss; pause and resume of a whole kind."""

from __future__ import annotations

from collections.abc import Sequence

from memctl import output, terminal
from memctl.arguments import Arguments
from memctl.client import ask
from memctl.command import Command, Word, choice, integer, text
from memctl.exits import Usage
from memctl.output import Record, line, part

_STATES = ("queued", "running", "retry", "paused", "done", "dead", "cancelled")
_ID = (Word("ID", "the number of the job"),)
_IDS = (Word("ID", "the number of the job; else all of a --state, of a --kind, or of both", optional=True),)
_KIND = (Word("KIND", "the kind of jobs, as `memctl jobs list` shows it"),)
_WHICH = (choice("--state", _STATES, "in this state"), text("--kind", "K", "of this kind"))


def list_jobs(arguments: Arguments) -> int:
    """The newest jobs, and the kinds that stand still."""
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
    jobs = output.table(names, cells, color=_color(arguments)) if cells else "No jobs.\n"
    return output.show(arguments, answer, jobs + _paused(output.rows(answer, "paused")))


def show(arguments: Arguments) -> int:
    """One job with all its fields and every attempt, and how answers began that were of no use."""
    answer = ask(arguments, "jobs.show")
    job = part(answer, "job")
    fields = {name: value for name, value in job.items() if name not in ("history", "answers")}
    text = output.fields({**fields, "id": str(job.get("id"))})
    history = _history(output.rows(job, "history"), _color(arguments))
    return output.show(arguments, answer, text + history + _answers(output.rows(job, "answers")))


def retry(arguments: Arguments) -> int:
    """Put jobs back into the queue."""
    return _changed(arguments, "retry", "queued")


def cancel(arguments: Arguments) -> int:
    """Call jobs off."""
    return _changed(arguments, "cancel", "cancelled")


def dismiss(arguments: Arguments) -> int:
    """Remove jobs that have ended."""
    _named(arguments)
    answer = ask(arguments, "jobs.dismiss")
    return output.show(arguments, answer, _told(answer.get("dismissed"), "gone"))


def pause(arguments: Arguments) -> int:
    """Hold a whole kind."""
    answer = ask(arguments, "jobs.pause")
    return output.show(arguments, answer, _paused(output.rows(answer, "paused")))


def resume(arguments: Arguments) -> int:
    """Let a kind go on."""
    answer = ask(arguments, "jobs.resume")
    return output.show(arguments, answer, f"{line(arguments.text('kind'))} goes on\n")


def _changed(arguments: Arguments, verb: str, state: str) -> int:
    _named(arguments)
    answer = ask(arguments, f"jobs.{verb}")
    return output.show(arguments, answer, _told(answer.get("changed"), state))


def _named(arguments: Arguments) -> None:
    """That it is said which jobs are meant."""
    narrowed = arguments.has("state") or arguments.has("kind")
    if arguments.has("id") == narrowed:
        raise Usage("an ID goes without --state and --kind" if narrowed else "give an ID, --state or --kind")


def _told(ids: object, state: str) -> str:
    """What became of which jobs, in a line."""
    numbers = [str(one) for one in ids] if isinstance(ids, list) else []
    if len(numbers) == 1:
        return f"job {line(numbers[0])} is {state}\n"
    return f"{len(numbers)} jobs are {state}{': ' if numbers else ''}{line(', '.join(numbers), 200)}\n"


def _paused(kinds: Sequence[Record]) -> str:
    return "".join(
        f"! {line(kind.get('kind'))} is paused since {output.when(kind.get('since'))}"
        f"{_until(kind)}: {line(kind.get('reason'))} (memctl jobs resume {line(kind.get('kind'))})\n"
        for kind in kinds
    )


def _until(kind: Record) -> str:
    return f", until {output.when(kind['until'])}" if kind.get("until") else ""


def _history(attempts: Sequence[Record], color: bool) -> str:
    """The attempts as a table; waits that follow each other are one row."""
    cells = [
        (
            line(row.get("attempt")),
            output.when(row.get("started_at")),
            output.when(row.get("ended_at")),
            line(row.get("ending"))
            + (f" x{line(row['times'])}" if row.get("times") not in (None, 1) else ""),
            output.when(row.get("next_at")),
            line(row.get("reason"), 80),
        )
        for row in attempts
    ]
    names = ("TRY", "BEGUN", "ENDED", "HOW", "NEXT", "WHY")
    return "\n" + output.table(names, cells, color=color) if cells else ""


def _answers(answers: Sequence[Record]) -> str:
    """What the language model said instead, as far as it is kept."""
    told = (
        f"! an answer of {output.when(row.get('at'))} was of no use ({line(row.get('result'))}):"
        f" {line(row.get('begins')) or 'it was empty'}\n"
        for row in answers
    )
    return "".join(["\n", *told]) if answers else ""


def _color(arguments: Arguments) -> bool:
    return terminal.has_color(arguments.has("no_color"))


COMMANDS = (
    Command(
        "jobs list",
        "list the newest jobs, and the kinds that are paused",
        list_jobs,
        flags=(*_WHICH, integer("--limit", 1, 1000, "how many at most (100)", short="-n")),
        default=True,
    ),
    Command("jobs show", "show a job in full, with every attempt", show, words=_ID),
    Command(
        "jobs retry",
        "put dead, cancelled, paused or waiting jobs back into the queue, with all their tries",
        retry,
        words=_IDS,
        flags=_WHICH,
    ),
    Command("jobs cancel", "call jobs off, also while they run", cancel, words=_IDS, flags=_WHICH),
    Command(
        "jobs dismiss",
        "remove jobs that have ended",
        dismiss,
        words=_IDS,
        flags=_WHICH,
        story="Dead jobs are kept until they are dismissed; the others that ended are forgotten after a while.",
    ),
    Command(
        "jobs pause",
        "hold a whole kind of jobs",
        pause,
        words=_KIND,
        flags=(text("--why", "TEXT", "the reason to show"),),
    ),
    Command("jobs resume", "let a kind of jobs go on", resume, words=_KIND),
)
