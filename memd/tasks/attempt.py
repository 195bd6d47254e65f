"""An attempt at one item: what it cannot be taken for is its own fault, and the others go on."""

from __future__ import annotations

from collections.abc import Callable

from memd.db import driver
from memd.db.driver import Connection
from memd.errors import BadRequest, MemdError, NotFound


def fails(connection: Connection, work: Callable[[], object]) -> str | None:
    """Do ``work``, or nothing of it where it raises for what it was given: the kind of that error."""
    try:
        with driver.translated(connection), connection:
            work()
    except (BadRequest, NotFound) as error:
        return type(error).__name__
    except MemdError:
        raise
    except Exception as error:
        return type(error).__name__
    return None
