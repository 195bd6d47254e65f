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
    │   └── BudgetSpent           the language model may cost no more today
    ├── ModelError            the language model gave no answer that can be used
    │   ├── ModelUnreachable, ModelTimeout, ModelOverloaded, ModelRateLimited, ModelCrashed
    │   ├── ModelUnauthorized, SpendLimit   nothing of the kind works until that is mended
    │   ├── ModelRejected, ModelRefused     it will not answer this
    │   └── ReplyCut, ReplyUnusable
    └── Fatal                 memd cannot run; ``exit_code`` says why (sysexits)
        ├── ConfigError       78
        ├── NotOurs           77
        ├── TryAgain          75
        │   └── Damaged           the next start salvages
        ├── StorageFailed     74
        ├── CannotCreate      73
        └── DataUnusable      65

``code`` is the word the socket carries, ``transient`` says whether the same call may work later, ``retry_after_s``
before how many seconds it surely does not. For the queue: an error that is not ``counted`` takes no attempt from the
job, one that ``pauses`` stops its whole kind, and ``most_attempts`` is after how many the job is given up.
"""

from __future__ import annotations


class MemdError(Exception):
    """Something went wrong inside memd."""

    code = "internal"
    transient = False
    retry_after_s = 0.0
    counted = True
    pauses = False
    most_attempts: int | None = None

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
    """The history cannot be imported.

    ``limit``: the name of the limit that it is over (see ``ImportLimits``); None where it is over none.
    """

    def __init__(self, message: str | None = None, *, limit: str | None = None) -> None:
        super().__init__(message)
        self.limit = limit


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
    counted = False


class BudgetSpent(Degraded):
    """What the language model may cost a day is spent."""

    def __init__(self, message: str, *, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ModelError(MemdError):
    """The language model gave no answer.

    ``kind`` is the word for it in the ledger. ``free``: the provider charges nothing for it; else that is not known.
    """

    code = "degraded"
    kind = "failed"
    free = False

    def __init__(self, message: str | None = None, *, retry_after_s: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ModelUnreachable(ModelError):
    """The connection to the language model failed."""

    kind = "unreachable"
    transient = True


class ModelTimeout(ModelError):
    """The language model did not answer in time."""

    kind = "timeout"
    transient = True


class ModelOverloaded(ModelError):
    """The language model's provider is overloaded or out of order."""

    kind = "overloaded"
    transient = True
    free = True


class ModelRateLimited(ModelError):
    """The language model's provider takes no more calls for now."""

    kind = "rate_limited"
    transient = True
    free = True


class ModelCrashed(ModelError):
    """The process that asks the language model ended."""

    kind = "crashed"
    transient = True


class ModelUnauthorized(ModelError):
    """The language model's provider does not accept the key; set another, then: memctl service restart."""

    kind = "unauthorized"
    pauses = True
    free = True


class SpendLimit(ModelError):
    """The spending limit of the account at the language model's provider is reached."""

    kind = "spend_limit"
    pauses = True
    free = True


class ModelRejected(ModelError):
    """The language model's provider does not accept the request; does llm.model name a model it has?"""

    kind = "rejected"
    free = True


class ModelRefused(ModelError):
    """The language model refused to answer."""

    kind = "refused"


class ReplyCut(ModelError):
    """The language model's answer was cut off at its greatest length."""

    kind = "cut"
    transient = True
    most_attempts = 2


class ReplyUnusable(ModelError):
    """The language model's answer is not of the shape that was asked for."""

    kind = "unusable"
    transient = True
    most_attempts = 2


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
    counted = False


class StorageFailed(Fatal):
    """Reading or writing the disk failed."""

    exit_code = 74


class CannotCreate(Fatal):
    """Something stands where memd must put its own, or it may not write there."""

    exit_code = 73


class DataUnusable(Fatal):
    """The database is damaged beyond repair, or of a newer version."""

    exit_code = 65
