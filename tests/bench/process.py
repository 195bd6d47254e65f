"""What the kernel says of a process (Linux)."""

from __future__ import annotations

import os
from pathlib import Path


def memory_mb(pid: int) -> float:
    """Resident memory of the process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def cpu_s(pid: int) -> float:
    """CPU seconds the process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def descriptors(pid: int) -> int:
    """How many files and sockets the process holds open."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def peak_mb(pid: int) -> float:
    """The most resident memory the process ever had."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0.0
