"""What may stand where on a command line, out of the tables of the commands, as the scripts for all shells need it.

The rule: a script holds everything it needs, and starts no program where somebody waits for a word.
"""

from __future__ import annotations

from collections.abc import Sequence

from memctl.command import GLOBAL, Command, Flag

SESSION = "session"  # the command and the flag whose word is the id of a session, the name of a transcript


def after(commands: Sequence[Command]) -> dict[str, list[str]]:
    """What may come behind the words said so far: commands, words of a group, flags. The longest are first."""
    everywhere = [flag.name for flag in GLOBAL]
    found: dict[str, list[str]] = {}
    for command in commands:
        first, _, second = command.name.partition(" ")
        if second:
            found.setdefault(first, []).append(second)
        allowed = [one for word in command.words for one in word.allowed]
        found.setdefault(command.name, []).extend(
            [*allowed, *(flag.name for flag in command.flags), *everywhere]
        )
    heads = dict.fromkeys(command.name.split(" ")[0] for command in commands)
    ordered = sorted(found.items(), key=lambda item: -len(item[0].split()))
    return {**dict(ordered), "": [*heads, *everywhere]}


def values(commands: Sequence[Command]) -> dict[str, list[str]]:
    """The words that a flag takes, where they are few; where two commands differ, all of them."""
    allowed: dict[str, list[str]] = {}
    for flag in _flags(commands):
        if flag.allowed:
            allowed[flag.name] = list(dict.fromkeys([*allowed.get(flag.name, ()), *flag.allowed]))
    return allowed


def valued(commands: Sequence[Command]) -> list[str]:
    """Every spelling of a flag behind which a value stands."""
    spelled = [one for flag in _flags(commands) if flag.read for one in (flag.name, flag.short) if one]
    return list(dict.fromkeys(spelled))


def pattern(said: str) -> str:
    """What the words said so far, with a space before each and behind the last, are held against."""
    return f'" {said} "*' if said else "*"


def _flags(commands: Sequence[Command]) -> list[Flag]:
    return [*GLOBAL, *(flag for command in commands for flag in command.flags)]
