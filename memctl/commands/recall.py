"""The text to put before a model: recall, and context behind a fence."""

from __future__ import annotations

from memctl import explained, output, terminal
from memctl.arguments import Arguments
from memctl.client import ask, with_cwd
from memctl.command import Command, Flag, Word, choice, integer, text
from memctl.output import line, plain
from memd.wire.visible import visible

SECONDS = 40.0  # memd may have to load its model first
ON, NOT_ASKED_FOR = "on", "off: not asked for"


def recall(arguments: Arguments) -> int:
    """The recalled text, and with --explain why it is so, on standard output; its figures on standard error."""
    answer = ask(arguments, "recall", with_cwd(arguments.params()), seconds=SECONDS)
    told = explained.text(answer) if arguments.has("explain") else ""
    done = output.show(arguments, answer, _text(answer) + told)
    if not arguments.has("json"):
        terminal.remark(_figures(answer))
    return done


def context(arguments: Arguments) -> int:
    """The fenced text and nothing else; why there is none stands on standard error."""
    answer = ask(arguments, "context", with_cwd(arguments.params()), seconds=SECONDS)
    if answer.get("note") and not arguments.has("json"):
        terminal.complain(line(answer["note"]))
    return output.show(arguments, answer, _text(answer))


def _text(answer: output.Record) -> str:
    recalled = str(answer.get("text") or "")
    return f"{visible(recalled)}\n" if recalled else ""


def _figures(answer: output.Record) -> str:
    about = "" if answer.get("history_exact") else "about "
    parts = [
        *([line(answer["note"])] if answer.get("note") else []),
        f"in {line(answer.get('scope'))}",
        f"{plain(answer.get('tokens'))} of {plain(answer.get('budget'))} tokens ({line(answer.get('counter'))})",
        f"the whole history takes {about}{plain(answer.get('history_tokens'))}",
        f"{plain(answer.get('sessions_kept'))} of {plain(answer.get('sessions_total'))} sessions",
    ]
    if answer.get("meaning") != ON:
        parts.append(f"meaning {line(answer.get('meaning'))}")
    reading = line(answer.get("cross_encoder") or ON)
    if reading not in (ON, NOT_ASKED_FOR):
        parts.append(f"ranked as {line(answer.get('relevance'))}: {reading.removeprefix('off: ')}")
    return f"{' · '.join(parts)}\n"


COMMANDS = (
    Command(
        "recall",
        "recall what was said, as a text for a model, within a budget of tokens",
        recall,
        words=(Word("QUERY", "the question", many=True),),
        flags=(
            integer("--budget", 1, 100_000, "the most tokens of the text (2000)"),
            text("--project", "P", "from this project: its name or path"),
            Flag("--all-projects", "from every project"),
            choice(
                "--coverage", ("auto", "always", "never"), "a summary of how each turn begins: for overviews"
            ),
            Flag("--no-requests", "without standing requests above the turns"),
            Flag("--no-preferences", "without stated preferences above the turns"),
            Flag("--no-conflicts", "without statements that contradict each other above the turns"),
            choice(
                "--relevance",
                ("lexical", "hybrid", "semantic"),
                "by words alone, by words and meaning, or also by a cross-encoder that lies in the model cache",
            ),
            text("--since", "T", "not before: 7d, 12h, 2026-11-30, 2026-11-30T09:00"),
            text("--until", "T", "before"),
            Flag("--explain", "say what was kept and what was not, and why"),
        ),
        apart=(("project", "all_projects"),),
        story=(
            "Word for word and dated, oldest first; never over the budget, and the same text for the same memory. A"
            " history that fits is given whole. Where nothing stored bears on the question the text is empty."
        ),
        examples=(
            "memctl recall which port does staging use, and why",
            "memctl recall --budget 500 --explain what did we decide about the cache",
            "memctl recall --since 7d what did we do this week",
        ),
    ),
    Command(
        "context",
        "print what memd would hand to a model, at a session's start or with a prompt",
        context,
        words=(Word("QUERY", "the prompt; without one, a session starts", many=True, optional=True),),
        flags=(
            text("--project", "DIR", "from this project: its name or path"),
            Flag("--all-projects", "from every project"),
            integer("--budget", 1, 100_000, "the most tokens of the text (600; 800 at a session's start)"),
        ),
        apart=(("project", "all_projects"),),
        story=(
            "Turns and entries that bear on the prompt; without one, the entries that hold here, the last sessions and"
            " what waits for a review. It stands behind a fence that says what it is and that nothing stored can close,"
            " each line with its source and date; at most 8,000 characters, and nothing where there is nothing to say."
        ),
        examples=("memctl context", "memctl context fix the flaky upload test"),
    ),
)
