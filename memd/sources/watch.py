"""Watching the roots: events make memd quick, never right (R3).

One thread a root around watchfiles; whatever goes wrong with it (no watches left, an undecodable name, a root that is
not there yet or is replaced), the scans go on and the watcher is made anew. ``mode`` says what is in force.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable

import watchfiles

from memd.services import Troubles

MISSING_SECONDS = 1.0
ANEW_SECONDS = 1.0
LIMIT_SECONDS = 600.0
QUIET_MS = 5_000


class Watcher:
    """Calls ``on_paths`` with what changed, until stopped. Its threads end with the process."""

    def __init__(
        self,
        roots: Iterable[bytes],
        on_paths: Callable[[list[bytes]], None],
        troubles: Troubles,
        *,
        debounce_ms: int,
        step_ms: int,
        events: bool = True,
    ) -> None:
        self._roots = list(roots)
        self._on_paths, self._troubles = on_paths, troubles
        self._debounce_ms, self._step_ms = debounce_ms, step_ms
        self._stop = threading.Event()
        self._failing: set[bytes] = set() if events else set(self._roots)
        self._events = events

    @property
    def mode(self) -> str:
        """ "events", or "poll" where a root cannot be watched and only the scans see it."""
        return "poll" if self._failing else "events"

    def start(self) -> None:
        """Begin to watch."""
        if self._events:
            for root in self._roots:
                threading.Thread(
                    target=self._keep_watching, args=(root,), name="memd-watch", daemon=True
                ).start()

    def stop(self) -> None:
        """Tell the threads to end; they do within a step."""
        self._stop.set()

    def _keep_watching(self, root: bytes) -> None:
        while not self._stop.is_set():
            if not os.path.isdir(root):
                self._stop.wait(MISSING_SECONDS)
                continue
            self._on_paths([root])
            try:
                self._watch(root)
            except (OSError, RuntimeError, UnicodeError, ValueError) as error:
                self._stop.wait(self._note(root, error))

    def _watch(self, root: bytes) -> None:
        identity = _identity(root)
        changes = watchfiles.watch(
            os.fsdecode(root),
            watch_filter=None,
            debounce=self._debounce_ms,
            step=self._step_ms,
            rust_timeout=QUIET_MS,
            yield_on_timeout=True,
            stop_event=self._stop,
            raise_interrupt=False,
        )
        for batch in changes:
            self._failing.discard(root)
            if not self._failing:
                self._troubles.clear("watch")
            if batch:
                self._on_paths([os.fsencode(path) for _, path in batch])
            elif _identity(root) != identity:
                return  # the root went away or was replaced: a new watch, and a look at everything

    def _note(self, root: bytes, error: Exception) -> float:
        """Seconds until the next try: long where the kernel has no watches left, short for an odd name."""
        text = str(error).lower()
        gone = isinstance(error, FileNotFoundError)
        limit = (
            (isinstance(error, OSError) and not gone)
            or "limit" in text
            or "space" in text
            or "too many" in text
        )
        if not limit:
            return ANEW_SECONDS
        self._failing.add(root)
        self._troubles.raise_(
            "watch",
            f"changes are not announced, memd looks by itself every few seconds: {error}",
            "raise the limit: sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=512",
            mild=True,
        )
        return LIMIT_SECONDS


def _identity(root: bytes) -> tuple[int, int] | None:
    try:
        info = os.stat(root)
    except OSError:
        return None
    return info.st_dev, info.st_ino
