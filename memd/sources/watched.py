"""The folders that are watched: those of Claude Code's transcripts, and those of other programs that are asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from memd.sources import scan, tail
from memd.sources.foreign import ForeignRoot
from memd.sources.scan import Found, Survey


class Watched:
    """What lies in them, and what an event in one of them is about."""

    def __init__(
        self, roots: Sequence[bytes], foreign: Sequence[ForeignRoot] = (), *, subagents: bool
    ) -> None:
        self.roots, self._foreign, self._subagents = list(roots), list(foreign), subagents

    @property
    def folders(self) -> list[bytes]:
        """Every folder."""
        return [*self.roots, *(root.folder for root in self._foreign)]

    def programs(self) -> dict[str, str]:
        """The folders of other programs."""
        return {root.format: os.fsdecode(root.folder) for root in self._foreign}

    def is_of_transcripts(self, path: bytes) -> bool:
        """True of a folder of transcripts, and of what is below it."""
        return any(path == root or path.startswith(root.rstrip(b"/") + b"/") for root in self.roots)

    def files(self, survey: Survey) -> Iterator[Found]:
        """Every file that is read."""
        for root in self.roots:
            yield from scan.transcripts(root, survey, subagents=self._subagents)
        for foreign in self._foreign:
            yield from foreign.files(survey)

    def file(self, path: bytes) -> Found | None:
        """The file that an event at a path is about; None where it is none that is read, or gone."""
        for root in self.roots:
            if place := scan.place(root, path, subagents=self._subagents):
                try:
                    descriptor, info = tail.open_regular(path)
                except OSError:
                    return None
                tail.close(descriptor)
                return Found(path, info, *place)
        return next(filter(None, (foreign.file(path) for foreign in self._foreign)), None)

    def folder(self, path: bytes) -> bytes | None:
        """The folder to look through when one appears at a path; None where none of ours can be in it."""
        for root in self.roots:
            if found := scan.project_of(root, path, subagents=self._subagents):
                return found
        return next(filter(None, (foreign.folder_of(path) for foreign in self._foreign)), None)

    def within(self, folder: bytes, survey: Survey) -> Iterator[Found]:
        """The files in such a folder."""
        for foreign in self._foreign:
            if foreign.folder_of(folder):
                yield from foreign.within(folder)
                return
        yield from scan.in_folder(folder, survey, subagents=self._subagents)
