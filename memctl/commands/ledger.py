"""What the language model cost: ledger."""

from __future__ import annotations

from memctl import output, terminal
from memctl.arguments import Arguments
from memctl.client import ask
from memctl.command import Command, integer, when
from memctl.output import Record, line, part, plain


def ledger(arguments: Arguments) -> int:
    """Every call with its tokens and price, the newest first, and the sums of today."""
    answer = ask(arguments, "ledger", arguments.params())
    cells = [_cells(row) for row in output.rows(answer, "calls")]
    names = ("TIME", "FOR", "JOB", "MODEL", "IN", "OUT", "PRICE", "RESULT")
    color = terminal.has_color(arguments.has("no_color"))
    calls = output.table(names, cells, color=color) if cells else "No calls.\n"
    return output.show(arguments, answer, calls + _today(part(answer, "today")))


def _cells(row: Record) -> tuple[str, ...]:
    job = row.get("job")
    return (
        output.when(row.get("at")),
        line(row.get("purpose")),
        "-" if job is None else str(job),
        line(row.get("model")),
        plain(row.get("input_tokens")),
        plain(row.get("output_tokens")),
        output.dollars(row.get("price"), 6),
        line(row.get("result")),
    )


def _today(today: Record) -> str:
    tokens = f"{plain(today.get('tokens'))} of {plain(today.get('cap_tokens'))} tokens"
    money = f"{output.dollars(today.get('money'), 4)} of {output.dollars(today.get('cap_money'), 9, 2)}"
    return f"today, until {output.when(today.get('until'))} UTC: {tokens}, {money}\n"


COMMANDS = (
    Command(
        "ledger",
        "list what the language model was asked for, and what it cost",
        ledger,
        flags=(
            when("--since", "not before: 7d, 12h, 2026-11-30"),
            integer("--limit", 1, 1000, "so many calls", short="-n"),
        ),
        story="A call stands here by its estimate until the provider has counted, and keeps that where nobody knows"
        " what came of it. A price of - is not known. llm.tokens_per_day and llm.money_per_day bound a day of UTC.",
        examples=("memctl ledger --since 7d",),
    ),
)
