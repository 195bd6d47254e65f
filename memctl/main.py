"""The program ``memctl``: the first word chooses the file whose command runs; nothing else is opened.

The rule: whatever happens ends in one of the codes of ``memctl.exits`` and at most one line on stderr, never in a
traceback.
"""

from __future__ import annotations

import os
import sys

from memctl import terminal
from memctl.arguments import HelpWanted, VersionWanted, first_word, parse
from memctl.exits import DONE, INTERRUPTED, PIPE_CLOSED, REFUSED, USAGE, Failure, Usage, bug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memctl.command import Command

_HOMES = {
    "search": "memctl.hot",
    "recall": "memctl.commands.recall",
    "context": "memctl.commands.recall",
    "show": "memctl.commands.reading",
    "sessions": "memctl.commands.reading",
    "session": "memctl.commands.reading",
    "list": "memctl.commands.reading",
    "remember": "memctl.commands.memory",
    "supersede": "memctl.commands.memory",
    "merge": "memctl.commands.memory",
    "retire": "memctl.commands.memory",
    "delete": "memctl.commands.memory",
    "review": "memctl.commands.memory",
    "reviewed": "memctl.commands.memory",
    "entities": "memctl.commands.graph",
    "entity": "memctl.commands.graph",
    "relationships": "memctl.commands.graph",
    "observations": "memctl.commands.observations",
    "restore": "memctl.commands.observations",
    "observe": "memctl.commands.observing",
    "reflect": "memctl.commands.reflection",
    "insights": "memctl.commands.reflection",
    "proposals": "memctl.commands.reflection",
    "ledger": "memctl.commands.ledger",
    "native": "memctl.commands.native",
    "projects": "memctl.commands.projects",
    "import": "memctl.commands.history",
    "export": "memctl.commands.history",
    "sync": "memctl.commands.history",
    "forget": "memctl.commands.privacy",
    "exclude": "memctl.commands.privacy",
    "undo": "memctl.commands.undo",
    "status": "memctl.commands.health",
    "stats": "memctl.commands.health",
    "ping": "memctl.hot",
    "hook": "memctl.hooks.hook",
    "doctor": "memctl.commands.doctor",
    "verify": "memctl.commands.upkeep",
    "repair": "memctl.commands.upkeep",
    "backup": "memctl.commands.upkeep",
    "reindex": "memctl.commands.upkeep",
    "jobs": "memctl.commands.jobs",
    "config": "memctl.commands.config",
    "service": "memctl.commands.service",
    "setup": "memctl.commands.setup",
    "unsetup": "memctl.commands.setup",
    "mcp": "memctl.commands.mcp",
    "completion": "memctl.commands.completion",
}


def run() -> None:
    """Run the command line and leave at once: a sixth of a search would be the interpreter tidying up after itself."""
    code = main()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream:
                stream.flush()
        except (OSError, ValueError):
            pass
    os._exit(code)


def main(line: Sequence[str] | None = None) -> int:
    """Run a command line; the exit code."""
    words = sys.argv[1:] if line is None else line
    code = _ended(words)
    return DONE if code and _fails_open(words) else code


def _ended(line: Sequence[str]) -> int:
    """The exit code, with its line on standard error where it is no success."""
    try:
        return _run(line)
    except Failure as failure:
        code, said = failure.code, failure.message
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return PIPE_CLOSED
    except OSError as error:
        code, said = REFUSED, f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}"
    except Exception as error:
        code, said = REFUSED, bug(error).message
    terminal.complain(said)
    return code


def commands_of(word: str) -> Sequence[Command]:
    """The command of that name, or those of the group."""
    # Not importlib, which the hot path does without.
    found: Sequence[Command] = __import__(_HOMES[word], fromlist=["COMMANDS"]).COMMANDS
    return [command for command in found if command.name.split(" ")[0] == word]


def all_commands() -> list[Command]:
    """Every command there is."""
    return [command for word in _HOMES for command in commands_of(word)]


def _fails_open(line: Sequence[str]) -> bool:
    """Whether a hook was run: what calls it would take a failure for an order."""
    at = first_word(line)
    return at >= 0 and line[at] == "hook"


def _run(line: Sequence[str]) -> int:
    at = first_word(line)
    try:
        if at < 0:
            return _without_command(line)
        return _run_word(line[at], [*line[:at], *line[at + 1 :]])
    except VersionWanted:
        from memd.version import __version__

        terminal.write(f"memctl {__version__}\n")
        return DONE


def _run_word(word: str, rest: Sequence[str]) -> int:
    if word not in _HOMES:
        raise Usage(f"there is no command {word!r}{_nearest(word, _HOMES)} (see: memctl --help)")
    found = commands_of(word)
    command, rest, named = _choose(word, found, rest)
    try:
        return command.run(parse(command, rest))
    except HelpWanted:
        from memctl import help

        terminal.write(help.manual(command) if named else help.group(word, found))
        return DONE
    except Usage as usage:
        raise Failure(USAGE, f"{usage.message} (see: memctl {command.name} --help)") from None


def _choose(word: str, group: Sequence[Command], rest: Sequence[str]) -> tuple[Command, Sequence[str], bool]:
    """The command that is meant, what is left for it, and whether it was named: a group may have a default.

    One that is called like its group is meant where no other one of the group is named.
    """
    at = first_word(rest)
    names = {command.name.split(" ")[1]: command for command in group if " " in command.name}
    if group[0].name == word and (at < 0 or rest[at] not in names):
        return group[0], rest, True
    if at < 0:
        default = [command for command in group if command.default]
        if not default and "--help" not in rest and "-h" not in rest:
            raise Usage(f"{word} needs one of {', '.join(names)} (see: memctl {word} --help)")
        return (default or group)[0], rest, False
    if rest[at] not in names:
        known = f"{_nearest(rest[at], names)} (see: memctl {word} --help)"
        raise Usage(f"there is no {word} {rest[at]!r}{known}")
    return names[rest[at]], [*rest[:at], *rest[at + 1 :]], True


def _nearest(word: str, known: Iterable[str]) -> str:
    from memctl.help import nearest

    return nearest(word, known)


def _without_command(line: Sequence[str]) -> int:
    """Only flags: the help or the version was asked for, or a flag stands where no command is known yet."""
    from memctl import help
    from memctl.command import Command

    try:
        parse(Command("", "", lambda _: USAGE), line)
    except HelpWanted:
        terminal.write(help.overview(all_commands()))
        return DONE
    except Usage as usage:
        raise Usage(f"{usage.message}; a command's own flags stand behind it (see: memctl --help)") from None
    raise Usage("a command is missing (see: memctl --help)")
