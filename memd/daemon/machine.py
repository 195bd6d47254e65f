"""What the machine tells: memory of memd and of every process below it, load, battery. No process is started for it."""

from __future__ import annotations

import ctypes
import os
import resource
import struct
import sys
from pathlib import Path

_SUPPLIES = Path("/sys/class/power_supply")
_UNLIMITED = -2.0  # kIOPSTimeRemainingUnlimited: the mains feed it
_RUSAGE_BYTES = 1024  # more than any version of struct rusage_info
_RESIDENT_AT = 16 + 6 * 8  # behind the UUID and six counters


def memory_mb() -> float:
    """The resident memory of this process and of those below it; where the system does not tell, its own peak."""
    try:
        if sys.platform == "darwin":
            return _resident_of_macos() / 2**20
        return sum(_resident(process) for process in _tree(os.getpid())) / 2**20
    except (OSError, ValueError, IndexError, AttributeError):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / 2**20 if sys.platform == "darwin" else peak / 1024


def _tree(process: int) -> list[int]:
    """The process and all below it."""
    found = [process]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            try:
                found.extend(int(child) for child in task.read_text("ascii").split())
            except FileNotFoundError:
                pass  # the thread ended meanwhile
    return found


def _resident(process: int) -> int:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1])
    except FileNotFoundError:
        return 0  # the process ended meanwhile
    return pages * resource.getpagesize()


def _resident_of_macos() -> int:
    buffer = ctypes.create_string_buffer(_RUSAGE_BYTES)
    if ctypes.CDLL(None).proc_pid_rusage(os.getpid(), 0, buffer):
        raise OSError
    return int(struct.unpack_from("Q", buffer.raw, _RESIDENT_AT)[0])


def load() -> float:
    """How many wanted a processor over the last minute, for each there is; 0 where the system does not tell."""
    try:
        return os.getloadavg()[0] / cores()
    except OSError:
        return 0.0


def cores() -> int:
    """The processors there are."""
    return os.cpu_count() or 1


def on_battery() -> bool:
    """Whether a battery feeds the machine, as far as that can be told."""
    try:
        if sys.platform == "darwin":
            return _runs_out_on_macos()
        return any(_says(supply / "status", "Discharging") for supply in _batteries())
    except (OSError, AttributeError):
        return False


def _batteries() -> list[Path]:
    """Those of the machine: a mouse has one, too."""
    return [
        supply
        for supply in (_SUPPLIES.iterdir() if _SUPPLIES.is_dir() else ())
        if _says(supply / "type", "Battery") and not _says(supply / "scope", "Device")
    ]


def _says(file: Path, word: str) -> bool:
    try:
        return file.read_text("ascii", "replace").strip() == word
    except OSError:
        return False


def _runs_out_on_macos() -> bool:
    kit = ctypes.CDLL("/System/Library/Frameworks/IOKit.framework/IOKit")
    kit.IOPSGetTimeRemainingEstimate.restype = ctypes.c_double
    return bool(kit.IOPSGetTimeRemainingEstimate() != _UNLIMITED)
