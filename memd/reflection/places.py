"""Where the curated files lie: the one for all, and those that projects have of their own where that is turned on.

A file is named by the path of its project, the one for all by an empty text. What lies in a project may come from
anybody: a link there that leads out of it is neither read nor written through.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memd.ids import derive
from memd.reflection.memory_md import Conflict

NAME = "MEMORY.md"
EVERYWHERE = ""

ProjectFiles = Literal["none", "data", "project"]

_NAME_CHARS = 60


@dataclass(frozen=True, slots=True)
class Places:
    """``everywhere``: the file for all. ``project_files``: whether projects have one, under its folder or in theirs."""

    everywhere: Path
    project_files: ProjectFiles = "none"

    def file_of(self, project: str | None) -> str:
        """The file that what is about a project goes into; None: about all."""
        return EVERYWHERE if project is None or self.project_files == "none" else project

    def path(self, file: str) -> Path:
        """Where a file lies. Conflict where projects have none now, or it leads out of its project."""
        if file == EVERYWHERE:
            return self.everywhere
        if self.project_files == "none":
            raise Conflict(f"{file} has no MEMORY.md of its own now: memory.project_files is none")
        if not self._is_inside(file):
            return self.everywhere.parent / "projects" / _folder(file) / NAME
        path = Path(file) / NAME
        if not os.path.realpath(path).startswith(os.path.join(os.path.realpath(file), "")):
            raise Conflict(f"{path} is a link that leads out of its project: put a file in its place")
        return path

    def to_write(self, file: str) -> Path:
        """As ``path``; Conflict as well where the project's folder is not there."""
        path = self.path(file)
        if self._is_inside(file) and not os.path.isdir(file):
            raise Conflict(f"{path} cannot be written: {file} is no folder now")
        return path

    def _is_inside(self, file: str) -> bool:
        """Whether it lies in the project's own folder; a project that is known by name alone has none."""
        return self.project_files == "project" and os.path.isabs(file)


def _folder(project: str) -> str:
    """A folder's name that says which project it is of, and is that of no other."""
    name = re.sub(r"[^\w.-]+", "-", os.path.basename(project)).strip(".-")[:_NAME_CHARS]
    return f"{name or 'project'}-{derive('curated file', project)[:8]}"
