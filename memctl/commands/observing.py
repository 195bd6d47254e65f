"""Extraction that a person asks for: observe."""

from __future__ import annotations

import os

from memctl import output, terminal
from memctl.arguments import Arguments
from memctl.client import LONG_SECONDS, Answer
from memctl.command import Command, Flag, text, when
from memctl.commands.history import long_call
from memctl.exits import DONE, REFUSED, Usage
from memctl.output import line, plain, rows


def observe(arguments: Arguments) -> int:
    """Say what it costs, ask, and have sessions read; with --dry-run print exactly what would be sent."""
    params = _params(arguments)
    if arguments.has("dry_run"):
        answer = _ask(arguments, params, "dry_run")
        sent = "\n".join(map(_sent, rows(answer, "prompts"))) or "Nothing.\n"
        return output.show(arguments, answer, sent + _excluded(answer))
    if not arguments.has("yes"):
        if arguments.has("json") or not terminal.can_ask():
            raise Usage("it costs money: look first with --dry-run, then give --yes")
        cost = _ask(arguments, params, "cost")
        terminal.write(_cost(cost) + _excluded(cost))
        if not cost.get("calls"):
            return DONE
        if not terminal.agrees("Send this to the language model?"):
            terminal.complain("nothing was sent")
            return REFUSED
    answer = _ask(arguments, params, "now")
    jobs = answer.get("jobs")
    number = len(jobs) if isinstance(jobs, list) else 0
    told = f"{number} sessions are read now: memctl jobs list --kind observe_session\n"
    told = told if number else "There is nothing to read.\n"
    return output.show(arguments, answer, told + _excluded(answer))


def _params(arguments: Arguments) -> dict[str, object]:
    """Which sessions are meant; Usage where that is not said."""
    names = ("session", "project", "since")
    params = {name: value for name, value in arguments.params().items() if name in names}
    if not params:
        raise Usage("say which sessions: --session, --project or --since")
    if project := arguments.text("project"):
        is_path = project[:1] in (".", "~") or "/" in project
        params["project"] = os.path.abspath(os.path.expanduser(project)) if is_path else project
    return params


def _ask(arguments: Arguments, params: dict[str, object], stage: str) -> Answer:
    return long_call(arguments, "observe", {**params, "stage": stage}, LONG_SECONDS)


def _sent(row: output.Record) -> str:
    """A call in full, line for line."""
    lines = [line(one) for part in ("system", "prompt") for one in str(row.get(part)).split("\n")]
    return f"# session {line(row.get('session'))}\n" + "".join(f"{one}\n" for one in lines)


def _excluded(answer: Answer) -> str:
    """How many sessions are passed over, and for which folders."""
    folders = [str(row.get("folder")) for row in rows(answer, "excluded")]
    return "".join(
        f"! {folders.count(folder)} sessions are not read: {line(folder)} is excluded (memctl exclude)\n"
        for folder in sorted(set(folders))
    )


def _cost(answer: Answer) -> str:
    price = answer.get("price")
    money = (
        f"{output.dollars(price, 4)} at most"
        if isinstance(price, int | float)
        else "a price that is not known"
    )
    sessions = len(rows(answer, "sessions"))
    return (
        f"{sessions} sessions, {plain(answer.get('calls'))} calls of {line(answer.get('model'))}:"
        f" {plain(answer.get('input_tokens'))} tokens to it, {plain(answer.get('output_tokens'))} from it at most,"
        f" {money}\n"
    )


COMMANDS = (
    Command(
        "observe",
        "have the language model read sessions, and note what is worth knowing",
        observe,
        flags=(
            text("--session", "ID", "this session: its id, or how that begins"),
            text("--project", "P", "sessions of this project: its name or path"),
            when("--since", "sessions of which something was said since then"),
            Flag("--dry-run", "print exactly what would be sent, and send nothing"),
            Flag("--yes", "do not ask"),
        ),
        apart=(("dry_run", "yes"),),
        story="What was not read yet goes to the provider in [llm], without secrets, in calls of 8,000 tokens; nothing"
        " of excluded projects is. What comes back goes to memd's own observation log, and from there into the entries,"
        " each with the turns it rests on.",
        examples=("memctl observe --since 7d", "memctl observe --session 0c7e --dry-run"),
    ),
)
