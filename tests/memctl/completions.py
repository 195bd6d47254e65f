"""The completions that the wheel brings. ``python -m tests.memctl.completions`` writes them anew."""

from __future__ import annotations

from pathlib import Path

from memctl.main import all_commands
from memctl.shells import bash, fish, zsh

FOLDER = Path(__file__).parents[2] / "completions"


def written() -> dict[str, str]:
    """What each file must hold, by name."""
    commands = all_commands()
    return {
        "memctl.bash": bash.script(commands),
        "_memctl": zsh.script(commands),
        "memctl.fish": fish.script(commands),
    }


if __name__ == "__main__":
    for name, text in written().items():
        (FOLDER / name).write_text(text)
