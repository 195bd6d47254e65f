"""Where a repository was cloned from: by that, clones on several machines are known to be one project.

However it is fetched from there, and by whom, the address is the same: ``github.com/team/app``. No name and no password
of anybody stands in it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence

from memd.db.driver import Connection
from memd.sources import attribution, projects

KNOWN_SECONDS = 60.0
PREFIX = "remote:"  # of the path of a project that no folder here is a clone of

_SECTION = re.compile(
    r'^[ \t]*\[[ \t]*remote[ \t]+"([^"\n]*)"[ \t]*\][^\n]*\n((?:[ \t]*[^\[\n]*\n?)*)', re.MULTILINE
)
_URL = re.compile(r"^[ \t]*url[ \t]*=[ \t]*(.+?)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]*://)(?:[^/@]*@)*(?P<host>\[[^\]/]+\]|[^/:]+)(?::\d+)?/+(?P<path>.+)", re.IGNORECASE
)
_SHORT = re.compile(r"(?:[^/@:]*@)?(?P<host>[^/:@]+):(?!//)(?P<path>.+)")


def normal(url: str) -> str | None:
    """The address in the one form that all its forms have in common; None for a place on the machine itself."""
    if url.lower().startswith("file:"):
        return None
    found = _ADDRESS.fullmatch(url) or _SHORT.fullmatch(url)
    if found is None or len(found["host"]) < 2:  # C:\repository
        return None
    path = found["path"].split("?")[0].split("#")[0].strip("/").removesuffix(".git").rstrip("/")
    return f"{found['host'].lower()}/{path}" if path and "\\" not in path else None


def of(folder: str) -> str | None:
    """The address that the project in a folder was cloned from; of several that of ``origin``."""
    config = projects.git_config(folder)
    urls = {name: found[1] for name, body in _SECTION.findall(config or "") if (found := _URL.search(body))}
    url = urls.get("origin") or (next(iter(urls.values())) if len(urls) == 1 else None)
    return normal(url) if url else None


class Remotes:
    """The addresses of projects, looked up anew every minute; for one thread at a time."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, str | None]] = {}

    def of(self, folder: str) -> str | None:
        """As the function."""
        now = time.monotonic()
        known = self._known.get(folder)
        if known is None or now - known[0] > KNOWN_SECONDS:
            known = self._known[folder] = (now, of(folder))
        return known[1]

    def by_address(self, folders: Sequence[str]) -> Mapping[str, str]:
        """Of these projects those that were cloned from somewhere: the first of each address."""
        found: dict[str, str] = {}
        for folder in folders:
            if address := self.of(folder):
                found.setdefault(address, folder)
        return found


def local(connection: Connection) -> list[str]:
    """The repositories that this machine knows, the first it met first."""
    rows = connection.execute("SELECT path FROM project WHERE origin = 'git' ORDER BY id")
    return [str(path) for (path,) in rows]


def adopt(connection: Connection, folders: Mapping[str, str]) -> int:
    """Have what was heard of a project from elsewhere belong to its clone here, once there is one; how many did."""
    adopted = 0
    for address, folder in folders.items():
        heard, here = (
            connection.execute("SELECT id FROM project WHERE path = ?", (path,)).get
            for path in (PREFIX + address, folder)
        )
        if heard is not None and here is not None:
            attribution.merge(connection, int(heard), int(here))
            adopted += 1
    return adopted
