"""The skills of the plugin as files of their own, under names that no other skill has."""

from __future__ import annotations

import os

from memctl.supervisor.place import template

NAMES = ("recall", "remember")
_FILE = "SKILL.md"


def files(folder: str) -> dict[str, str]:
    """What is written into a folder of skills: paths and texts."""
    return {os.path.join(folder, f"memd-{name}", _FILE): _text(name) for name in NAMES}


def leave_no_folder(path: str) -> None:
    """Remove the folder of a skill that was removed, where it held nothing else."""
    folder = os.path.dirname(path)
    if os.path.basename(path) == _FILE and os.path.isdir(folder) and not os.listdir(folder):
        os.rmdir(folder)


def _text(name: str) -> str:
    return template(f"plugin/skills/{name}/SKILL.md").replace(f"name: {name}\n", f"name: memd-{name}\n", 1)
