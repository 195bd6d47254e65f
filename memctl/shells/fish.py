"""The completion for fish."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memctl.command import GLOBAL, Command, Flag, Word
from memctl.shells import words

_SESSIONS = "-x -a '(__memctl_sessions)'"
_HEAD = """# memctl completion fish > ~/.config/fish/completions/memctl.fish
function __memctl_sessions
    set -l folder ~/.claude
    set -q CLAUDE_CONFIG_DIR; and set folder $CLAUDE_CONFIG_DIR
    for file in $folder/projects/*/*.jsonl
        string replace -r '.*/(.*)\\\\.jsonl$' '$1' -- $file
    end
end
complete -c memctl -f
"""


def script(commands: Sequence[Command]) -> str:
    """A file in fish's folder of completions, or for ``source``."""
    lines = [line for command in commands for line in _command(command)]
    heads = dict.fromkeys(command.name.split(" ")[0] for command in commands)
    names = {command.name for command in commands}
    lines += [f"-n __fish_use_subcommand -a {head}" for head in heads if head not in names]
    lines += [_flag(flag) for flag in GLOBAL]
    return _HEAD + "".join(f"complete -c memctl {line}\n" for line in lines)


def _command(command: Command) -> Iterator[str]:
    first, _, second = command.name.partition(" ")
    seen = f"__fish_seen_subcommand_from {first}"
    where, name = (f"'{seen}'", second) if second else ("__fish_use_subcommand", first)
    yield f"-n {where} -a {name} -d {_quoted(command.summary)}"
    under = f"'{seen}; and __fish_seen_subcommand_from {second}'" if second else f"'{seen}'"
    yield from (f"-n {under} {_flag(flag)}" for flag in command.flags)
    yield from (f"-n {under} {value}" for word in command.words if (value := _word(command, word)))


def _word(command: Command, word: Word) -> str:
    if word.allowed:
        return f"-a '{' '.join(word.allowed)}'"
    if command.name == words.SESSION:
        return "-a '(__memctl_sessions)'"
    return "-F" if word.name in ("PATH", "FILE") else ""


def _flag(flag: Flag) -> str:
    short = f"-s {flag.short[1:]} " if flag.short else ""
    return f"{short}-l {flag.name[2:]} -d {_quoted(flag.help)}{_value(flag)}"


def _value(flag: Flag) -> str:
    if not flag.read:
        return ""
    if flag.name == f"--{words.SESSION}":
        return f" {_SESSIONS}"
    return f" -x -a '{' '.join(flag.allowed)}'" if flag.allowed else " -r -F"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
