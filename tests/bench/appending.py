"""Other programs that write all the time, into a running memd: ``python -m tests.bench.appending [messages]``.

Messages one by one into one session of each program: how far memd is behind at the end, and what it read and used.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench.process import cpu_s, peak_mb
from tests.importers.exports import codex, gemini
from tests.intake.programs import CODEX, GEMINI, OPENCODE, Live, append, said
from tests.process.conftest import Box
from tests.process.test_programs import watched

PAUSE_SECONDS = 0.002
WORDS = "message {0} of the long day about quokkas and kilns " * 6

Say = Callable[[int, str, str], None]


def writer(program: str, path: Path) -> Say:
    """How the program writes a message: its number, who says it, and what."""
    if program == OPENCODE:
        live = Live(path)
        live.store.session("s")
        return lambda number, role, words: live.say(f"m{number:06d}", "s", words, role)
    if program == GEMINI:
        append(path, {"sessionId": gemini.ID, "projectHash": "a"})
        kinds = {"user": "user", "assistant": "gemini"}
        return lambda number, role, words: append(
            path, gemini.message(f"m{number}", kinds[role], words, number % 60)
        )
    append(path, {"type": "session_meta", "payload": codex.meta()})
    return lambda number, role, words: append(path, said(role, words, number % 60))


def read_mb(pid: int) -> float:
    """What the process has read, from files and elsewhere."""
    first = Path(f"/proc/{pid}/io").read_text().splitlines()[0]
    return int(first.split()[1]) / 1e6


def measure(program: str, path: Path, box: Box, messages: int) -> None:
    """Write and print how it went."""
    assert box.process
    pid = box.process.pid
    say, used, read, began = writer(program, path), cpu_s(pid), read_mb(pid), time.perf_counter()
    for number in range(messages):
        say(number, ("user", "assistant")[number % 2], WORDS.format(number))
        time.sleep(PAUSE_SECONDS)
    written = time.perf_counter()
    box.settle()
    print(
        f"{program}: {messages:,} messages in {written - began:.0f} s, {path.stat().st_size / 1e6:.1f} MB;"
        f" behind {time.perf_counter() - written:.1f} s, CPU {cpu_s(pid) - used:.1f} s,"
        f" read {read_mb(pid) - read:.0f} MB, peak {peak_mb(pid):.0f} MB"
    )


def main() -> None:
    """Print the figures."""
    messages = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    for program in (CODEX, GEMINI, OPENCODE):
        box = Box()
        path = watched(box)[program]
        path.parent.mkdir(parents=True)
        try:
            box.start()
            measure(program, path, box, messages)
        finally:
            box.kill()
            shutil.rmtree(box.root)


if __name__ == "__main__":
    main()
