"""The settings: config list, get, set."""

from __future__ import annotations

from memctl import output, terminal
from memctl.arguments import Arguments
from memctl.client import ask
from memctl.command import Command, Word
from memctl.output import line

_KEY = Word("KEY", "section and name, such as watch.poll_seconds")


def list_settings(arguments: Arguments) -> int:
    """Every setting with where its value comes from."""
    answer = ask(arguments, "config.list")
    cells = [
        (line(row.get("key")), _value(row.get("value")), line(row.get("origin")))
        for row in output.rows(answer, "settings")
    ]
    color = terminal.has_color(arguments.has("no_color"))
    return output.show(arguments, answer, output.table(("KEY", "VALUE", "FROM"), cells, color=color))


def get(arguments: Arguments) -> int:
    """One setting; for people its value alone."""
    answer = ask(arguments, "config.get")
    return output.show(arguments, answer, f"{_value(answer.get('value'))}\n")


def set_value(arguments: Arguments) -> int:
    """Write one setting into config.toml."""
    answer = ask(arguments, "config.set")
    later = "; it counts from the next start: memctl service restart" if answer.get("restart") else ""
    key, value = line(answer.get("key")), _value(answer.get("value"))
    return output.show(arguments, answer, f"{key} is {value} in config.toml{later}\n")


def _value(value: object) -> str:
    """As config.toml would have it, so figures keep their digits together."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else line("" if value is None else value)


COMMANDS = (
    Command("config list", "list every setting and where its value comes from", list_settings, default=True),
    Command("config get", "print one setting", get, words=(_KEY,)),
    Command(
        "config set",
        "write one setting into config.toml",
        set_value,
        words=(_KEY, Word("VALUE", "its value")),
    ),
)
