"""Every error memd raises on purpose, in one tree.

    MemdError
    ├── BadRequest            the caller's fault: it must ask differently
    │   ├── UnknownMethod
    │   ├── TooLarge
    │   └── HistoryImportError
    ├── NotFound
    ├── Forbidden
    ├── Busy                  ask again later
    ├── Timeout
    ├── Degraded              a part of memd that is needed here does not work now
    └── Fatal                 memd cannot run; ``exit_code`` says why (sysexits)
        ├── ConfigError       78
        ├── NotOurs           77
        ├── TryAgain          75
        │   └── Damaged           the next start salvages
        ├── StorageFailed     74
        ├── CannotCreate      73
        └── DataUnusable      65

``code`` is the word the socket carries, ``transient`` says whether the same call may work later, ``retry_after_s``
before how many seconds it surely does not.
"""

from __future__ import annotations


class MemdError(Exception):
    """Something went wrong inside memd."""

    code = "internal"
    transient = False
    retry_after_s = 0.0

    def __init__(self, message: str | None = None, *, detail: str | None = None) -> None:
        super().__init__(message or type(self).__doc__ or type(self).__name__)
        self.detail = detail

    @property
    def message(self) -> str:
        return str(self.args[0])


class BadRequest(MemdError):
    """The request is not one that memd understands."""

    code = "bad_request"


class UnknownMethod(BadRequest):
    """There is no such method."""

    code = "unknown_method"


class TooLarge(BadRequest):
    """The request is over a limit."""

    code = "too_large"


class HistoryImportError(BadRequest, ValueError):
    """The history cannot be imported."""


class NotFound(MemdError):
    """There is nothing by that id."""

    code = "not_found"


class Forbidden(MemdError):
    """This is not allowed."""

    code = "forbidden"


class Busy(MemdError):
    """memd has its hands full; try again."""

    code = "busy"
    transient = True


class Timeout(MemdError):
    """It took longer than allowed."""

    code = "timeout"
    transient = True


class Degraded(MemdError):
    """A part of memd that this needs does not work now."""

    code = "degraded"
    transient = True


class Fatal(MemdError):
    """memd cannot run."""

    exit_code = 70


class ConfigError(Fatal):
    """A setting is wrong."""

    exit_code = 78


class NotOurs(Fatal):
    """A folder belongs to another user."""

    exit_code = 77


class TryAgain(Fatal):
    """memd must be started anew."""

    exit_code = 75
    transient = True


class Damaged(TryAgain):
    """The database is damaged; the next start of memd salvages what can be read."""

    code = "degraded"


class StorageFailed(Fatal):
    """Reading or writing the disk failed."""

    exit_code = 74


class CannotCreate(Fatal):
    """Something stands where memd must put its own, or it may not write there."""

    exit_code = 73


class DataUnusable(Fatal):
    """The database is damaged beyond repair, or of a newer version."""

    exit_code = 65
