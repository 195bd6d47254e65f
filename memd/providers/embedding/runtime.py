"""The numeric libraries beside their computing: no reports to their makers, one thread, memory given back at rest."""

from __future__ import annotations

import ctypes
import os
import sys

LIBRARIES = ("/onnxruntime/", "/tokenizers/")
MADV_PAGEOUT = 21  # linux/mman.h, since Linux 5.4


def keep_quiet() -> None:
    """Nothing leaves the machine. Call it before onnxruntime or a hub's client is imported.

    From 1.29 on onnxruntime keeps a device id and a queue of events in the user's cache folder and sends them off,
    unless its environment says no before it starts.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"


def keep_to_one_thread() -> None:
    """Call it before numpy is imported: for a few thousand vectors its threads cost more than they give."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def page_out() -> None:
    """Let the system take the libraries' pages back, 25 MB of code; the next use reads them from their files again."""
    if sys.platform != "linux":
        return
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            if any(name in line for name in LIBRARIES):
                start, end = (int(part, 16) for part in line.split(maxsplit=1)[0].split("-"))
                madvise(start, end - start, MADV_PAGEOUT)  # an older kernel says no, and nothing is lost


def trim() -> None:
    """Hand freed memory back to the system, where the C library can."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "malloc_trim"):  # glibc
        libc.malloc_trim(0)
    elif hasattr(libc, "malloc_zone_pressure_relief"):  # macOS
        libc.malloc_zone_pressure_relief(None, ctypes.c_size_t(0))
