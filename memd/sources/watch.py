"""Watching the roots: events make memd quick, never right (R3).

One thread a root around watchfiles; whatever goes wrong with it (no watches left, an undecodable name, a root that is
not there yet or is replaced), the scans go on and the watcher is made anew. ``mode`` says what is in force.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager

import watchfiles

from memd.services import Troubles
from memd.sources import mounts

MISSING_SECONDS = 1.0
ANEW_SECONDS = 1.0
LIMIT_SECONDS = 600.0
QUIET_MS = 5_000
CALM = 10  # steps of a quick root

RAISE_LIMIT = "raise the limit: sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=512"
MODES = "check the modes of the folders below the projects folder"


class Watcher:
    """Calls ``on_paths`` with what changed, until stopped. Its threads end with the process.

    Of the roots that are ``flat`` what lies deeper is not watched. Those that are ``calm`` are looked at less often;
    the others share the looks of one: every look wakes the processor.
    """

    def __init__(
        self,
        roots: Iterable[bytes],
        on_paths: Callable[[list[bytes]], None],
        troubles: Troubles,
        *,
        debounce_ms: int,
        step_ms: int,
        events: bool = True,
        flat: Collection[bytes] = (),
        calm: Collection[bytes] = (),
    ) -> None:
        self._roots, self._flat, self._calm = list(roots), frozenset(flat), frozenset(calm)
        self._on_paths, self._troubles = on_paths, troubles
        self._debounce_ms, self._step_ms = debounce_ms, step_ms
        self._stop = threading.Event()
        self._failing: set[bytes] = set() if events else set(self._roots)
        self._remote: set[bytes] = set()
        self._events = events

    @property
    def mode(self) -> str:
        """ "events", or "poll" where changes of a root may come unannounced and only the scans see all of them."""
        return "poll" if self._failing or self._remote else "events"

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
            self._note_network(root)
            try:
                with _held(root) as held:
                    self._watch(root, held)
            except BaseException as error:  # a panic of its Rust half is no Exception
                self._stop.wait(self._note(root, error))

    def _watch(self, root: bytes, held: int) -> None:
        """Pass on what changes until the root goes away or is replaced."""
        # ignore_permission_denied is left alone: it would pass over a lack of watches as well.
        changes = watchfiles.watch(
            os.fsdecode(root),
            watch_filter=None,
            debounce=self._debounce_ms,
            step=self._step_of(root),
            rust_timeout=QUIET_MS,
            recursive=root not in self._flat,
            yield_on_timeout=True,
            stop_event=self._stop,
            raise_interrupt=False,
            force_polling=False,
        )
        standing = False
        for batch in changes:
            self._note_success(root)
            paths = [os.fsencode(path) for _, path in batch]
            if not standing:
                paths.append(root)  # what was made while the watch was set up: nobody has told of it
                standing = True
            if paths:
                self._on_paths(paths)
            if not _stands_at(root, held):
                return

    def _step_of(self, root: bytes) -> int:
        """Milliseconds between two looks for more events."""
        quick = len([one for one in self._roots if one not in self._calm])
        return self._step_ms * (CALM if root in self._calm else quick)

    def _note_success(self, root: bytes) -> None:
        self._failing.discard(root)
        if not self._failing:
            self._troubles.clear("watch")

    def _note_network(self, root: bytes) -> None:
        kind = mounts.network_kind(root)
        if kind is None:
            self._remote.discard(root)
            if not self._remote:
                self._troubles.clear("network")
            return
        self._remote.add(root)
        self._troubles.raise_(
            "network",
            f"the projects folder lies on {kind}, where changes may come unannounced: memd looks every few seconds",
            "no need to act; on a local disk memd would know at once",
            mild=True,
        )

    def _note(self, root: bytes, error: BaseException) -> float:
        """Seconds until the next try: long where the kernel has no watches left, short for an odd name."""
        if not _is_at_limit(error):
            return ANEW_SECONDS
        self._failing.add(root)
        self._troubles.raise_(
            "watch",
            f"changes are not announced, memd looks by itself every few seconds: {error}",
            MODES if isinstance(error, PermissionError) else RAISE_LIMIT,
            mild=True,
        )
        return LIMIT_SECONDS


def _is_at_limit(error: BaseException) -> bool:
    """True where trying again at once would fail again."""
    if isinstance(error, OSError):
        return not isinstance(error, FileNotFoundError)
    text = str(error).lower()
    return "limit" in text or "space" in text or "too many" in text


@contextmanager
def _held(folder: bytes) -> Iterator[int]:
    """The folder, open: so long no other one gets its inode, by which a new one at its place would look the same."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _stands_at(path: bytes, held: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(held))
    except OSError:
        return False
