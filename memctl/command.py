"""Commands as data: the flags and words they take. Parser, help and shell completion all read these tables.

No argparse, which costs more to import than the whole of a search.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memctl.arguments import Arguments

    Value = str | int | float | bool
    Run = Callable[[Arguments], int]


TYPES = ("fact", "preference", "decision", "event", "insight", "task", "relationship", "procedure")
SCOPES = ("global", "project", "branch")

_PERIODS = ("s", "m", "h", "d", "w", "mo", "y")


class Flag:
    """One flag. Without ``read`` it is a switch; else ``read`` gives its value, or a ValueError of what it may be.

    One that is ``required`` stands in every usage of its command.
    """

    __slots__ = ("allowed", "help", "metavar", "name", "param", "read", "required", "short")

    def __init__(
        self,
        name: str,
        help: str,
        *,
        short: str = "",
        metavar: str = "",
        read: Callable[[str], Value] | None = None,
        allowed: Sequence[str] = (),
        required: bool = False,
    ) -> None:
        self.name = name
        self.help = help
        self.required = required
        self.short = short
        self.metavar = metavar
        self.read = read
        self.allowed = allowed
        self.param = name[2:].replace("-", "_")


class Word:
    """One word that a command takes beside its flags; with ``many`` it is all of them, with spaces between.

    Where it is ``optional`` it may be left out, and no word behind it is not.
    """

    __slots__ = ("allowed", "help", "many", "name", "optional", "param")

    def __init__(
        self, name: str, help: str, *, many: bool = False, optional: bool = False, allowed: Sequence[str] = ()
    ) -> None:
        self.name = name
        self.help = help
        self.many = many
        self.optional = optional
        self.allowed = allowed
        self.param = name.lower()


class Command:
    """One command: its name (two words where it belongs to a group), what it takes, and what runs it."""

    __slots__ = ("apart", "default", "examples", "flags", "name", "run", "story", "summary", "words")

    def __init__(
        self,
        name: str,
        summary: str,
        run: Run,
        *,
        words: Sequence[Word] = (),
        flags: Sequence[Flag] = (),
        apart: Sequence[tuple[str, str]] = (),
        story: str = "",
        examples: Sequence[str] = (),
        default: bool = False,
    ) -> None:
        self.name = name
        self.summary = summary
        self.run = run
        self.words = words
        self.flags = flags
        self.apart = apart
        self.story = story
        self.examples = examples
        self.default = default


def text(name: str, metavar: str, help: str, *, required: bool = False) -> Flag:
    """A flag that takes any text but an empty one."""
    return Flag(name, help, metavar=metavar, read=_text, required=required)


def choice(name: str, allowed: Sequence[str], help: str) -> Flag:
    """A flag that takes one of a few words."""

    def read(value: str) -> str:
        if value not in allowed:
            raise ValueError(f"one of {', '.join(allowed)}")
        return value

    return Flag(name, help, metavar="|".join(allowed), read=read, allowed=allowed)


def integer(name: str, lo: int, hi: int | None, help: str, *, short: str = "") -> Flag:
    """A flag that takes a whole number from ``lo`` to ``hi`` (None: as many as there are)."""

    def read(value: str) -> int:
        wanted = f"a whole number from {lo} to {hi}" if hi else f"a whole number from {lo}"
        if not (
            value.isascii() and value.isdigit() and len(value) < 16 and lo <= int(value) <= (hi or int(value))
        ):
            raise ValueError(wanted)
        return int(value)

    return Flag(name, help, short=short, metavar="N", read=read)


def when(name: str, help: str) -> Flag:
    """A flag that takes a time: how long ago, or a date, with a time of day or without."""
    return Flag(name, help, metavar="T", read=_when)


def day(name: str, help: str) -> Flag:
    """A flag that takes a date."""
    return Flag(name, help, metavar="D", read=_day)


def _when(value: str) -> str:
    said = value.strip().lower()
    digits = said.rstrip("smhdwoy")
    is_period = digits.strip().isdigit() and said[len(digits) :] in _PERIODS
    if not is_period and not (_is_date(said[:10]) and not said[10:].strip("0123456789:.,+-tz ")):
        raise ValueError("a time: 7d, 12h, 2026-11-30 or 2026-11-30T09:00")
    return value


def _day(value: str) -> str:
    if not _is_date(value):
        raise ValueError("a day: YYYY-MM-DD")
    return value


def _is_date(text: str) -> bool:
    parts = text.split("-")
    return (
        text.isascii()
        and [len(part) for part in parts] == [4, 2, 2]
        and all(part.isdigit() for part in parts)
        and 0 < int(parts[1]) <= 12
        and 0 < int(parts[2]) <= 31
    )


def _text(value: str) -> str:
    if not value.strip():
        raise ValueError("a text")
    return value


def _seconds(value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 86400:
        raise ValueError("a number of seconds above 0, at most 86400")
    return seconds


GLOBAL = (
    Flag("--json", "print one JSON document, ASCII alone"),
    text("--socket", "PATH", "the socket of memd (MEMD_SOCKET)"),
    text("--home", "DIR", "the home of memd (MEMD_HOME)"),
    Flag("--timeout", "seconds to wait for the answer (8)", metavar="S", read=_seconds),
    Flag("--no-color", "no colour, also on a terminal (NO_COLOR)"),
    Flag("--version", "print the version of memctl"),
    Flag("--help", "show this help", short="-h"),
)
