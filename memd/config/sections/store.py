"""The store in which several machines, or people, share what was said: [store]."""

from __future__ import annotations

import getpass
import os
from collections.abc import Sequence
from dataclasses import dataclass

from memd.config import rules
from memd.text.addresses import scrubbed

EVERYBODY = "*"


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """[store]"""

    url: str = rules.address(
        ("postgresql://", "postgres://"),
        "the store that machines share; a password fits better into ~/.pgpass, which is read for it",
    )
    table: str = rules.name("memd", "the table there; others beside it begin with its name")
    user_id: str = rules.name("", "whose turns those of this machine are; none: the login name")
    agent_id: str = rules.name("", "of which agent they are; where one is named, only its turns are read")
    users: tuple[str, ...] = rules.names("whose turns are read beside one's own; *: everybody's")
    folders: tuple[str, ...] = rules.folders(
        "only sessions of these folders, each with all below it, are told to the store; none: all are"
    )
    poll_seconds: int = rules.number(2, 1, 3_600, "ask the store so often what others told it")

    @property
    def place(self) -> str:
        """What the store is called: its address without a password, and the table."""
        return f"{scrubbed(self.url)}#{self.table}"

    def user(self) -> str:
        """Whose the turns of this machine are."""
        return self.user_id or _login()

    def read(self) -> Sequence[str] | None:
        """Whose turns are read; None: everybody's."""
        return None if EVERYBODY in self.users else tuple(dict.fromkeys((self.user(), *self.users)))


def _login() -> str:
    """The name of the account, or its number where it has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return str(os.getuid())
