"""Completion for bash, zsh and fish, written from the tables of the commands."""

from __future__ import annotations

from memctl import output
from memctl.arguments import Arguments
from memctl.command import Command, Word
from memctl.shells import bash, fish, zsh

_WRITERS = {"bash": bash.script, "zsh": zsh.script, "fish": fish.script}


def completion(arguments: Arguments) -> int:
    """The script for a shell."""
    from memctl.main import all_commands

    shell = arguments.text("shell") or ""
    script = _WRITERS[shell](all_commands())
    return output.show(arguments, {"shell": shell, "script": script}, script)


COMMANDS = (
    Command(
        "completion",
        "print the completion for a shell",
        completion,
        words=(Word("SHELL", "bash, zsh or fish", allowed=tuple(_WRITERS)),),
        story="The script stands for itself: it completes commands, flags, their values and sessions without memctl.",
        examples=(
            "memctl completion bash > ~/.local/share/bash-completion/completions/memctl",
            "memctl completion zsh > ~/.zfunc/_memctl",
            "memctl completion fish > ~/.config/fish/completions/memctl.fish",
        ),
    ),
)
