"""The methods ``native.list`` and ``native.show``: the memory files that Claude Code keeps itself."""

from __future__ import annotations

import os
from collections.abc import Mapping

from memd.db.driver import Connection
from memd.errors import BadRequest, NotFound
from memd.server.dispatch import Call, Method
from memd.server.params import text
from memd.services import Services
from memd.sources import native, native_table, projects
from memd.sources.cursors import key_of
from memd.sources.native import MemoryFile, ProjectMemory

SHOWN_PATHS = 5


class Native:
    """Answers what stands in those files."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        path = text(most=16 << 10)
        return {
            "native.list": Method(self.listing, {"project": text(optional=True, most=16 << 10)}),
            "native.show": Method(self.show, {"file": path}),
        }

    async def listing(self, call: Call) -> Mapping[str, object]:
        """The files of every project, or of one, as they lie in the projects folders now."""
        wanted = call.params.maybe_text("project")
        found = await self._services.db.read(self._listed)
        if wanted is not None:
            found = [project for project in found if _is(project, wanted)]
            if not found:
                raise NotFound(
                    f"there are no memory files of {wanted!r}; `memctl native` lists those there are"
                )
        return {"projects": [_record(project) for project in found]}

    async def show(self, call: Call) -> Mapping[str, object]:
        """The text of a file, as memd stored it: without secrets."""
        wanted = call.params.text("file")
        return await self._services.db.read(_shown, wanted)

    def _listed(self, connection: Connection) -> list[ProjectMemory]:
        cover = self._services.exclusions.cover
        return [
            project
            for root in self._services.roots
            for project in native.listing(
                os.fsencode(root), lambda home: native_table.meant(connection, home)
            )
            if not (project.path and cover(project.path))
        ]


def _is(project: ProjectMemory, wanted: str) -> bool:
    """True where a project is named: by its path, by a folder within it, by its label or its slug."""
    names = {project.label, project.slug, project.path}
    return wanted in names or (wanted.startswith("/") and projects.identify(wanted).path in names)


def _record(project: ProjectMemory) -> Mapping[str, object]:
    return {
        "slug": project.slug,
        "label": project.label,
        "path": project.path,
        "memory_dir": project.folder,
        "files": [_file(file) for file in project.files],
    }


def _file(file: MemoryFile) -> Mapping[str, object]:
    record = {"name": file.name, "path": key_of(file.path), "modified": file.modified}
    return {**record, "skipped": "too_large"} if file.too_large else record


def _shown(connection: Connection, wanted: str) -> Mapping[str, object]:
    paths = native_table.named(connection, wanted)
    if len(paths) > 1:
        more = ", …" if len(paths) > SHOWN_PATHS else ""
        raise BadRequest(
            f"several files are called {wanted}; name a path: {', '.join(paths[:SHOWN_PATHS])}{more}"
        )
    stored = native_table.text_of(connection, paths[0]) if paths else None
    if stored is None:
        raise NotFound(f"memd has no memory file {wanted!r}; `memctl native` lists those there are")
    return {"path": paths[0], "text": stored}
