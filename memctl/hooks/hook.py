"""``hook``: Claude Code tells of an event, and memd may have something to say to it.

The rule (R14): whatever happens ends with 0 and in time, and standard output holds nothing or one whole answer that
``printable`` lets pass. The client reads 2 as "block", so even a wrong command line is 0 here (``memctl.main``).
"""

from __future__ import annotations

import os

from memctl import terminal
from memctl.command import Command, Flag, Word
from memctl.exits import DONE, Absent, Failure
from memctl.hooks import event
from memctl.request import ask
from memd.wire import model_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal

    from memctl.arguments import Arguments
else:
    import _signal  # the C half of ``signal``, which loads enum

EVENTS = ("session-start", "user-prompt-submit", "pre-compact", "stop", "session-end")
SECONDS = 0.8  # of the 1 s that a hook may take, less what an interpreter on a busy machine needs to start
START_SECONDS = 1.8  # of the 2 s of a session's start


def hook(arguments: Arguments) -> int:
    """Hand the event on standard input to memd, and print what it says to it."""
    if os.environ.get(model_call.MARK):
        return DONE
    name = arguments.text("event") or ""
    _leave_after(START_SECONDS if name == "session-start" else SECONDS, arguments)
    said = event.read()
    try:
        _print(arguments, _asked(arguments, name, said))
    except Absent as failure:
        if name == "session-start":
            from memctl.hooks import session_start

            _print(arguments, session_start.notice(said, failure))
        _tell(arguments, failure.message)
    except Failure as failure:
        _tell(arguments, failure.message)
    return DONE


def _asked(arguments: Arguments, name: str, said: str) -> str:
    """What memd would have printed; nothing where the event is none."""
    if not said:
        _tell(arguments, "standard input holds no event of at most 1 MiB: nothing was asked")
        return ""
    output = ask(arguments, "hook", {"event": name, "input": said}).get("output")
    return output if isinstance(output, str) else ""


def _print(arguments: Arguments, output: str) -> None:
    if not output:
        return
    from memctl.hooks.printable import is_printable

    if not is_printable(output):
        _tell(arguments, "the answer is none that a hook may print: nothing was printed")
        return
    try:
        terminal.write(output)
    except OSError as error:
        _tell(arguments, f"standard output: {error.strerror}")


def _leave_after(seconds: float, arguments: Arguments) -> None:
    """End the process with 0 after so many seconds, wherever it waits then, and when it is told to end."""

    def leave(number: int, frame: object) -> None:
        _tell(arguments, f"the time is over ({seconds:g} s), or signal {number} came: nothing was printed")
        os._exit(DONE)

    for number in (_signal.SIGALRM, _signal.SIGHUP, _signal.SIGINT, _signal.SIGTERM):
        _signal.signal(number, leave)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, (_signal.SIGALRM,))
    _signal.setitimer(_signal.ITIMER_REAL, seconds)


def _tell(arguments: Arguments, why: str) -> None:
    if arguments.has("debug"):
        terminal.complain(why)


COMMANDS = (
    Command(
        "hook",
        "hand an event of Claude Code to memd; it fails open",
        hook,
        words=(Word("EVENT", "what has happened: " + ", ".join(EVENTS), allowed=EVENTS),),
        flags=(Flag("--debug", "say on standard error why nothing was printed"),),
        story=(
            "Reads the event on standard input and prints what is to stand before the model: nothing, or one line of"
            " JSON. Ends with 0 whatever happens, within 1 s (2 s at a session's start), also without memd. It never"
            " blocks anything. Below a model call of memd's own (MEMD_MODEL_CALL) it does nothing."
        ),
        examples=("memctl hook session-start --debug < event.json",),
    ),
)
