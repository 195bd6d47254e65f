"""The skills of the plugin as files of their own, under names that no other skill has."""

from __future__ import annotations

import os

from memctl.supervisor.place import template

NAMES = ("recall", "remember")


def files(folder: str) -> dict[str, str]:
    """What is written into a folder of skills: paths and texts."""
    return {os.path.join(folder, f"memd-{name}", "SKILL.md"): _text(name) for name in NAMES}


def _text(name: str) -> str:
    return template(f"plugin/skills/{name}/SKILL.md").replace(f"name: {name}\n", f"name: memd-{name}\n", 1)
