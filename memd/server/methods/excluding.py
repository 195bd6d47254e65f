"""The method ``exclude``: folders whose sessions memd passes over. They stand in config.toml, and count at once."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from memd.db.driver import Connection
from memd.errors import BadRequest, NotFound
from memd.server.dispatch import Call, Method
from memd.server.params import flag, text
from memd.services import Services
from memd.sources import attribution, projects
from memd.sources.exclusions import lies_in, places
from memd.turns import sharing

KEY = "import.exclude"


class Excluding:
    """Answers ``exclude``."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        return {
            "exclude": Method(self.exclude, {"path": text(optional=True, most=16 << 10), "remove": flag()})
        }

    async def exclude(self, call: Call) -> Mapping[str, object]:
        """Exclude a folder, or take it off; which are excluded then, and what is stored of it. No folder: the list."""
        path, services = call.params.maybe_text("path"), self._services
        if path is None:
            if call.params.flag("remove"):
                raise BadRequest("which folder is to be excluded no longer?")
            return {"excluded": list(services.exclusions.folders)}
        if not path.startswith("/"):
            raise BadRequest(f"{path} is no absolute path")
        folder = projects.whole(path)
        turns, sessions = await services.db.read(_stored, folder)
        if not call.params.flag("remove"):
            _check(folder, turns)
        change = _without if call.params.flag("remove") else _with
        folders = services.configuration.change_list(KEY, lambda standing: change(standing, folder))
        services.exclusions.replace(folders)
        if call.params.flag("remove"):
            await services.db.write(sharing.begin_anew)
        looked = services.sources.rescan()
        looked.add_done_callback(lambda done: done.cancelled() or done.exception())
        return {"path": folder, "excluded": list(folders), "turns": turns, "sessions": sessions}


def _check(folder: str, turns: int) -> None:
    """Refuse what is hardly meant: everything, or a name that is no folder's."""
    if folder == "/":
        raise BadRequest("/ holds every project: to import nothing, stop memd")
    if not turns and not os.path.isdir(folder):
        raise NotFound(
            f"there is no folder {folder}, and nothing is stored of it; one that is yet to come stands in config.toml"
        )


def _with(standing: Sequence[str], folder: str) -> Sequence[str]:
    return standing if _entries(standing, folder) else [*standing, folder]


def _without(standing: Sequence[str], folder: str) -> Sequence[str]:
    entries = _entries(standing, folder)
    if entries:
        return [one for one in standing if one not in entries]
    around = [one for one in standing if any(lies_in(folder, place) for place in places(one))]
    if around:
        raise BadRequest(
            f"{folder} lies in {around[0]}, which is excluded: memctl exclude --remove {around[0]}"
        )
    raise NotFound(f"{folder} is not excluded; memctl exclude lists what is")


def _entries(standing: Sequence[str], folder: str) -> list[str]:
    """What in the settings means the folder."""
    return [one for one in standing if folder in places(one)]


def _stored(connection: Connection, folder: str) -> tuple[int, int]:
    """How many turns, of how many sessions, are stored of a folder."""
    rows = attribution.sessions_in(connection, folder)
    return sum(turns for _, turns in rows), len(rows)
