"""Completion for bash, zsh and fish, written from the tables of the commands."""

from __future__ import annotations

from collections.abc import Sequence

from memctl import output
from memctl.arguments import Arguments
from memctl.command import GLOBAL, Command, Flag, Word

_SHELLS = ("bash", "zsh", "fish")


def completion(arguments: Arguments) -> int:
    """The script for a shell."""
    from memctl.main import all_commands

    shell = arguments.text("shell") or ""
    write = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]
    script = write(all_commands())
    return output.show(arguments, {"shell": shell, "script": script}, script)


def _bash(commands: Sequence[Command]) -> str:
    cases = "".join(
        f"    {_pattern(key)}) words='{' '.join(words)}' ;;\n" for key, words in _words(commands).items()
    )
    return f"""# memctl completion bash: eval "$(memctl completion bash)"
_memctl() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} said= words= word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    [[ $word == -* ]] || said="$said $word"
  done
  case "$previous" in
{_values(commands, '    {flag}) COMPREPLY=($(compgen -W "{words}" -- "$current")); return ;;')}
  esac
  case "$said " in
{cases}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _memctl memctl
"""


def _zsh(commands: Sequence[Command]) -> str:
    cases = "".join(
        f"    {_pattern(key)}) completions=({' '.join(words)}) ;;\n"
        for key, words in _words(commands).items()
    )
    return f"""#compdef memctl
# memctl completion zsh > a file named _memctl in a folder of $fpath
_memctl() {{
  local said= word
  local -a completions
  for word in ${{words[2,CURRENT-1]}}; do
    [[ $word == -* ]] || said="$said $word"
  done
  case "${{words[CURRENT-1]}}" in
{_values(commands, "    {flag}) compadd -- {words}; return ;;")}
  esac
  case "$said " in
{cases}  esac
  compadd -- $completions || _files
}}
compdef _memctl memctl
"""


def _fish(commands: Sequence[Command]) -> str:
    lines = ["# memctl completion fish | source", "complete -c memctl -f"]
    heads = list(dict.fromkeys(command.name.split(" ")[0] for command in commands))
    for command in commands:
        first, _, second = command.name.partition(" ")
        if not second:
            lines.append(
                f"complete -c memctl -n __fish_use_subcommand -a {first} -d {_quoted(command.summary)}"
            )
            under = f"'__fish_seen_subcommand_from {first}'"
        else:
            under = f"'__fish_seen_subcommand_from {first}; and __fish_seen_subcommand_from {second}'"
            lines.append(
                f"complete -c memctl -n '__fish_seen_subcommand_from {first}' -a {second} -d {_quoted(command.summary)}"
            )
        lines += [f"complete -c memctl -n {under} {_fish_flag(flag)}" for flag in command.flags]
        lines += [
            f"complete -c memctl -n {under} -a '{' '.join(word.allowed)}'"
            for word in command.words
            if word.allowed
        ]
    groups = [head for head in heads if all(command.name != head for command in commands)]
    lines += [f"complete -c memctl -n __fish_use_subcommand -a {group}" for group in groups]
    lines += [f"complete -c memctl {_fish_flag(flag)}" for flag in GLOBAL]
    return "\n".join(lines) + "\n"


def _fish_flag(flag: Flag) -> str:
    parts = [f"-l {flag.name[2:]}", f"-d {_quoted(flag.help)}"]
    if flag.short:
        parts.insert(0, f"-s {flag.short[1:]}")
    if flag.read:
        parts.append(f"-x -a '{' '.join(flag.allowed)}'" if flag.allowed else "-r")
    return " ".join(parts)


def _words(commands: Sequence[Command]) -> dict[str, list[str]]:
    """What may come behind the words said so far: commands, words of a group, flags."""
    everywhere = [flag.name for flag in GLOBAL]
    found: dict[str, list[str]] = {}
    for command in commands:
        first, _, second = command.name.partition(" ")
        if second:
            found.setdefault(first, []).append(second)
        found[command.name] = [*_allowed(command.words), *(flag.name for flag in command.flags), *everywhere]
    heads = dict.fromkeys(command.name.split(" ")[0] for command in commands)
    # The longest first: the first pattern that fits wins.
    ordered = sorted(found.items(), key=lambda item: -len(item[0].split()))
    return {**dict(ordered), "": [*heads, *everywhere]}


def _values(commands: Sequence[Command], shape: str) -> str:
    """A line for each flag that takes one of a few words; where two commands differ, all of them."""
    allowed: dict[str, list[str]] = {}
    for command in commands:
        for flag in command.flags:
            if flag.allowed:
                allowed.setdefault(flag.name, []).extend(flag.allowed)
    return "\n".join(
        shape.format(flag=name, words=" ".join(dict.fromkeys(words))) for name, words in allowed.items()
    )


def _allowed(words: Sequence[Word]) -> list[str]:
    return [one for word in words for one in word.allowed]


def _pattern(key: str) -> str:
    return f'" {key} "*' if key else "*"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


COMMANDS = (
    Command(
        "completion",
        "print the completion for a shell",
        completion,
        words=(Word("SHELL", "bash, zsh or fish", allowed=_SHELLS),),
        examples=(
            'eval "$(memctl completion bash)"',
            "memctl completion zsh > ~/.zfunc/_memctl",
            "memctl completion fish | source",
        ),
    ),
)
