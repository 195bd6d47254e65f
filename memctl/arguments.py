"""What was given on a command line, and the one parser that reads it.

The rule: whatever is wrong with a command line is found here, before memd is asked.
"""

from __future__ import annotations

from memctl.command import GLOBAL
from memctl.exits import Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memctl.command import Command, Flag, Value

_LOCAL = frozenset(flag.param for flag in GLOBAL)


class HelpWanted(Exception):
    """Somebody asked for the help of a command."""


class VersionWanted(Exception):
    """Somebody asked for the version."""


class Arguments:
    """The values that were given, by parameter."""

    __slots__ = ("_given", "command")

    def __init__(self, command: Command, given: Mapping[str, Value]) -> None:
        self.command = command
        self._given = given

    def params(self) -> dict[str, object]:
        """What goes to memd: all but the flags that every command has."""
        return {name: value for name, value in self._given.items() if name not in _LOCAL}

    def text(self, name: str) -> str | None:
        """The text or choice that was given."""
        value = self._given.get(name)
        return value if isinstance(value, str) else None

    def number(self, name: str) -> float | None:
        """The number that was given."""
        value = self._given.get(name)
        return value if isinstance(value, int | float) else None

    def has(self, name: str) -> bool:
        """Whether it was given at all."""
        return name in self._given


def parse(command: Command, line: Sequence[str]) -> Arguments:
    """The arguments in the words of a command line; Usage says what is wrong with them."""
    known = _by_name(command.flags)
    given: dict[str, Value] = {}
    loose: list[str] = []
    rest = iter(line)
    for word in rest:
        if word == "--":
            loose.extend(rest)
        elif word[:1] != "-" or word == "-":
            loose.append(word)
        else:
            name, value = _split(word)
            flag = known.get(name)
            if flag is None:
                raise Usage(_unknown(name, known))
            given[flag.param] = _value(flag, value, rest)
    _place(command, loose, given)
    for one, other in command.apart:
        if one in given and other in given:
            raise Usage(f"--{one} and --{other} do not go together".replace("_", "-"))
    return Arguments(command, given)


def first_word(line: Sequence[str]) -> int:
    """Where the first word stands behind the flags that every command has; -1 where another flag comes first."""
    known = _by_name(())
    at = 0
    while at < len(line):
        if line[at][:1] != "-":
            return at
        name, value = _split(line[at])
        flag = known.get(name)
        if flag is None:
            return -1
        at += 2 if flag.read and value is None else 1
    return -1


def _by_name(flags: Sequence[Flag]) -> dict[str, Flag]:
    known = {flag.name: flag for flag in (*GLOBAL, *flags)}
    known.update({flag.short: flag for flag in list(known.values()) if flag.short})
    return known


def _split(word: str) -> tuple[str, str | None]:
    """The name of a flag and the value that is joined to it: ``--limit=5``, ``-n5``."""
    if word[:2] == "--":
        name, joined, value = word.partition("=")
        return name, value if joined else None
    return word[:2], word[2:] or None


def _value(flag: Flag, value: str | None, rest: Iterator[str]) -> Value:
    if flag.read is None:
        if value is not None:
            raise Usage(f"{flag.name} takes no value")
        if flag.param == "help":
            raise HelpWanted
        if flag.param == "version":
            raise VersionWanted
        return True
    if value is None:
        value = next(rest, None)
    if value is None or value[:2] == "--":
        raise Usage(f"{flag.name} needs a value: {flag.metavar}")
    try:
        return flag.read(value)
    except ValueError as wanted:
        raise Usage(f"{flag.name} must be {wanted}, not {value!r}") from None


def _place(command: Command, loose: list[str], given: dict[str, Value]) -> None:
    """Give the words that are no flags to the parameters they stand for."""
    for word in command.words:
        if not loose and word.optional:
            return
        if not loose:
            raise Usage(f"{word.name} is missing")
        value = " ".join(loose) if word.many else loose[0]
        if word.allowed and value not in word.allowed:
            raise Usage(f"{word.name} must be one of {', '.join(word.allowed)}, not {value!r}")
        if not value.strip():
            raise Usage(f"{word.name} is empty")
        given[word.param] = value
        loose = [] if word.many else loose[1:]
    if loose:
        raise Usage(f"one word too many: {loose[0]!r}")


def _unknown(name: str, known: Mapping[str, Flag]) -> str:
    if name[:2] != "--":
        return f"there is no flag {name}; put -- before a text that begins with a dash"
    from memctl.help import nearest

    return f"there is no flag {name}{nearest(name, known)}"
