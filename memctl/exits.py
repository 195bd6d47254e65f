"""How memctl ends: its exit codes, and the failures that carry one. The same numbers as in sysexits.h.

The rule: whatever goes wrong is one line on stderr that says what, where, and what to do.
"""

from __future__ import annotations

DONE = 0
REFUSED = 1  # the daemon said no
USAGE = 2
NO_DAEMON = 69
NOT_INSTALLED = 69  # a part of memctl that comes with an extra
TRY_AGAIN = 75  # no answer in time, or busy
PROTOCOL = 76
FORBIDDEN = 77
INTERRUPTED = 130
PIPE_CLOSED = 141

_BY_CODE = {
    "busy": TRY_AGAIN,
    "timeout": TRY_AGAIN,
    "bad_version": PROTOCOL,
    "bad_frame": PROTOCOL,
    "unknown_method": PROTOCOL,
    "forbidden": FORBIDDEN,
}
_OTHER_VERSION = "memd and memctl seem to be of different versions: memctl service restart"


class Failure(Exception):
    """Why memctl ends with another code than 0; the text becomes its one line."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Absent(Failure):
    """Nobody listens at the socket."""

    def __init__(self, message: str) -> None:
        super().__init__(NO_DAEMON, message)


class Usage(Failure):
    """The command line is not one that memctl understands."""

    def __init__(self, message: str) -> None:
        super().__init__(USAGE, message)


def refusal(code: object, message: object) -> Failure:
    """The failure for an error that the daemon answered with."""
    exit_code = _BY_CODE.get(str(code), REFUSED)
    hint = f" ({_OTHER_VERSION})" if exit_code == PROTOCOL else ""
    return Failure(exit_code, f"{message or code}{hint}")


def other_version(theirs: object, ours: int) -> Failure:
    """The failure for an answer of another version of the protocol."""
    return Failure(
        PROTOCOL, f"memd speaks version {theirs!r} of the protocol, memctl {ours} ({_OTHER_VERSION})"
    )


def nonsense(what: str) -> Failure:
    """The failure for an answer that is none of the protocol's."""
    return Failure(PROTOCOL, f"what answers is not memd: {what} (is MEMD_SOCKET another program's?)")


def bug(error: BaseException) -> Failure:
    """The failure for what should not have happened: its type and place, and none of its text."""
    step = error.__traceback__
    while step and step.tb_next:
        step = step.tb_next
    where = "unknown"
    if step:
        file = step.tb_frame.f_code.co_filename
        where = f"{file[file.rfind('/') + 1 :]}:{step.tb_lineno}"
    return Failure(REFUSED, f"a bug in memctl, please report it: {type(error).__name__} at {where}")
