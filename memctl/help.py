"""Help texts, made from the tables of the commands, and guesses at what was meant."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from memctl.command import GLOBAL, Command, Flag

WIDTH = 96
_INDENT = 30
_TIED = "\xa0"  # where a line may not break


def overview(commands: Iterable[Command]) -> str:
    """What ``memctl --help`` says."""
    lines = [_entry(command.name, command.summary, indent=24) for command in commands]
    return "\n".join(
        [
            "usage: memctl COMMAND [ARGUMENTS] [FLAGS]",
            "",
            "The client of memd, a memory for coding agents.",
            "",
            "commands:",
            *lines,
            "",
            "flags of every command:",
            *map(_flag, GLOBAL),
            "",
            "`memctl COMMAND --help` tells more about one command.",
            "",
        ]
    )


def manual(command: Command) -> str:
    """What ``memctl COMMAND --help`` says."""
    parts = [usage(command), "", _sentence(command.summary)]
    if command.story:
        parts += ["", textwrap.fill(command.story, WIDTH)]
    if command.words:
        parts += ["", "arguments:", *(_entry(word.name, word.help) for word in command.words)]
    if command.flags:
        parts += ["", "flags:", *map(_flag, command.flags)]
    parts += ["", "flags of every command:", *map(_flag, GLOBAL)]
    if command.examples:
        parts += ["", "examples:", *(f"  {example}" for example in command.examples)]
    return "\n".join(parts) + "\n"


def group(name: str, commands: Sequence[Command]) -> str:
    """What ``memctl GROUP --help`` says."""
    entries = [
        _entry(one.name, one.summary + (" (the default)" if one.default else ""), indent=22)
        for one in commands
    ]
    words = "|".join(one.name.split()[-1] for one in commands)
    return "\n".join(
        [
            f"usage: memctl {name} {words} [FLAGS]",
            "",
            "commands:",
            *entries,
            "",
            f"`memctl {name} COMMAND --help` tells more about one command.",
            "",
        ]
    )


def usage(command: Command) -> str:
    """The line that shows what the command takes."""
    words = [f"[{word.name}]" if word.optional else word.name for word in command.words]
    shapes = [f"{flag.short + '|' if flag.short else ''}{_shape(flag)}" for flag in command.flags]
    flags = [
        shape if flag.required else f"[{shape}]" for flag, shape in zip(command.flags, shapes, strict=True)
    ]
    whole = " ".join(["usage: memctl", command.name, *words, *(flag.replace(" ", _TIED) for flag in flags)])
    lines = textwrap.wrap(
        whole, WIDTH, subsequent_indent=" " * 8, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines).replace(_TIED, " ")


def nearest(word: str, known: Iterable[str]) -> str:
    """ "; did you mean …?" where something known is close."""
    from difflib import get_close_matches

    found = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {found[0]}?" if found else ""


def _flag(flag: Flag) -> str:
    return _entry(f"{flag.short}, {_shape(flag)}" if flag.short else f"    {_shape(flag)}", flag.help)


def _shape(flag: Flag) -> str:
    return f"{flag.name} {flag.metavar}" if flag.metavar else flag.name


def _entry(left: str, right: str, *, indent: int = _INDENT) -> str:
    lead = f"  {left}"
    gap = " " * max(indent - len(lead), 0)
    if len(lead) >= indent:
        gap = "\n" + " " * indent
    lines = textwrap.wrap(right, WIDTH - indent)
    return lead + gap + f"\n{' ' * indent}".join(lines)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
