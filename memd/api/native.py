"""The memory files that Claude Code keeps itself. Read, never written; no database is needed."""

from __future__ import annotations

import os
from pathlib import Path

from memd.api.records import Record
from memd.config.paths import projects_dirs
from memd.sources import native
from memd.sources.cursors import key_of
from memd.sources.slugs import munge_path, resolve_slug

__all__ = ["list_native_memories", "munge_path", "native_projects_dir", "resolve_slug"]


def native_projects_dir() -> Path:
    """Claude Code's folder of projects; it need not be there."""
    return Path(projects_dirs(os.environ)[0])


def list_native_memories(projects_dir: Path | None = None, *, root: Path = Path("/")) -> list[Record]:
    """Every project with memory files, by label; ``root`` is where its path is looked for."""

    def meant(home: bytes) -> str | None:
        found = resolve_slug(key_of(os.path.basename(home)), root)
        return None if found is None else str(found)

    folder = native_projects_dir() if projects_dir is None else Path(projects_dir)
    return [
        {
            "slug": project.slug,
            "label": project.label,
            "path": project.path,
            "memory_dir": project.folder,
            "files": [
                {"name": file.name, "path": key_of(file.path), "modified": file.modified}
                for file in project.files
            ],
        }
        for project in native.listing(os.fsencode(folder), meant)
    ]
