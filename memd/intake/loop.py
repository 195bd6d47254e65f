"""The intake: one thread that keeps the store level with the files (R1, R3).

Events are hints and go first; scans are truth and come by themselves, at start, at every interval and when asked for.
A file is read in stretches, so that what is written now is stored between two stretches of last year's. A batch is
one commit over as many files as fit in 500 lines, 1 MiB or 200 ms.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future

import structlog

from memd.db.database import Database
from memd.errors import Fatal, HistoryImportError, MemdError
from memd.intake import accept
from memd.intake.known import KnownFiles
from memd.intake.native import NativeMemory
from memd.intake.observing import ObservationLogs
from memd.intake.reading import Reader
from memd.intake.tickets import Tickets
from memd.intake.unread import Unread
from memd.services import Synced, Troubles
from memd.sources import cursors, native, tail
from memd.sources.scan import Found, Survey
from memd.sources.watched import Watched

_log = structlog.get_logger("memd.intake")

BATCH_LINES = 500
BATCH_BYTES = 1 << 20
BATCH_SECONDS = 0.2
LATER_LOOKS = (0.5, 3.0)
LONGEST_PAUSE = 30.0
QUIET_TURNS = 500


class Intake:
    """Started and stopped by the daemon; everything else asks it to look."""

    def __init__(
        self,
        db: Database,
        reader: Reader,
        troubles: Troubles,
        watched: Watched,
        *,
        interval: Callable[[], float],
        follow_up: accept.FollowUp | None,
        native_follow_up: accept.FollowUp | None = None,
        log_folders: Sequence[bytes] = (),
        log_follow_up: accept.FollowUp | None = None,
        on_stored: Callable[[int], None],
        on_quiet: Callable[[], None],
        on_fatal: Callable[[Fatal], None],
    ) -> None:
        self._db, self._reader, self._troubles = db, reader, troubles
        self._watched = watched
        self._interval = interval
        self._follow_up, self._on_stored = follow_up, on_stored
        self._on_quiet, self._on_fatal = on_quiet, on_fatal
        self._stored_since_quiet = 0
        self._wake = threading.Condition()
        self._hints: list[bytes] = []
        self._asked: list[Future[Synced]] = []
        self._tickets = Tickets()
        self._known = KnownFiles(db)
        self._native = NativeMemory(
            db, reader.exclusions, watched.roots, native_follow_up, self._note_unreadable
        )
        self._logs = ObservationLogs(
            db, reader.exclusions, log_folders, log_follow_up, self._note_unreadable, on_stored
        )
        self._urgent: dict[bytes, Found] = {}
        self._bulk: dict[bytes, Found] = {}
        self._later: list[tuple[float, bytes]] = []
        self._unread = Unread(troubles, watched.is_of_transcripts)
        self._failures = 0
        self._next_scan = 0.0
        self._stopping = threading.Event()
        self.last_scan_at: float | None = None
        self.last_import_at: float | None = None
        self.survey = Survey()
        self._thread = threading.Thread(target=self._run, name="memd-intake", daemon=True)

    # asked from other threads ---------------------------------------------------------------------

    def start(self) -> None:
        """Load the cursors and begin with a scan."""
        self._known.load()
        self._logs.load()
        self._thread.start()

    def stop(self, seconds: float) -> None:
        """End after the batch at hand; what is not read yet is read after the next start."""
        self._stopping.set()
        self._notify()
        self._thread.join(seconds)
        for asked in self._asked:
            asked.cancel()
        self._tickets.cancel()

    def hint(self, paths: Iterable[bytes]) -> None:
        """Something happened at these paths: look now."""
        with self._wake:
            self._hints.extend(paths)
            self._wake.notify()

    def rescan(self) -> Future[Synced]:
        """Scan now; done once every line that was whole at this call is stored."""
        future: Future[Synced] = Future()
        with self._wake:
            self._asked.append(future)
            self._wake.notify()
        return future

    def behind(self) -> tuple[int, int]:
        """How many files, and about how many bytes, were seen and are not stored yet."""
        waiting = [*self._urgent.values(), *self._bulk.values()]
        sizes = [f.stat.st_size - self._known.offset(cursors.key_of(f.path)) for f in waiting]
        logs, size = self._logs.behind()
        return len(waiting) + logs, sum(max(0, size) for size in sizes) + size

    def passed_over(self) -> dict[str, int]:
        """What the last scan left alone: subagents' files, and things that are no regular files."""
        return {"subagents": self.survey.subagents, "ignored": self.survey.ignored}

    def programs(self) -> dict[str, str]:
        """The other programs that are watched, each with its folder."""
        return self._watched.programs()

    def _notify(self) -> None:
        with self._wake:
            self._wake.notify()

    # the thread -----------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._step()
            except Fatal as error:
                self._on_fatal(error)
                return
            except MemdError as error:
                self._pause(error)
            except Exception as error:
                self._on_fatal(Fatal(f"the intake failed: {type(error).__name__}: {error}"))
                return

    def _step(self) -> None:
        self._look_at_hints()
        if self._asked or time.monotonic() >= self._next_scan:
            self._scan()
        stored = self._store_batch() or self._store_beside()
        self._go_on()
        if not stored:
            self._finish_tickets()
            self._settle()
            self._rest()

    def _settle(self) -> None:
        """After a large import: what it needed goes back to the system."""
        if self._stored_since_quiet >= QUIET_TURNS:
            self._stored_since_quiet = 0
            self._on_quiet()

    def _rest(self) -> None:
        with self._wake:
            if self._hints or self._asked or self._stopping.is_set():
                return
            due = min([self._next_scan, *(at for at, _ in self._later)])
            self._wake.wait(max(0.0, due - time.monotonic()))

    def _go_on(self) -> None:
        """What made it pause is over."""
        if self._failures:
            self._failures = 0
            self._troubles.clear("import")
            _log.info("import_goes_on")

    def _pause(self, error: MemdError) -> None:
        """Keep the offsets where they are and try again, ever more slowly; queries go on meanwhile."""
        self._failures += 1
        _log.warning("import_paused", why=error.message, limited=True)
        self._troubles.raise_(
            "import", f"import paused: {error.message}", "it goes on by itself once the cause is gone"
        )
        self._stopping.wait(min(LONGEST_PAUSE, 0.5 * 2 ** min(self._failures, 8)))

    # what to read ---------------------------------------------------------------------------------

    def _look_at_hints(self) -> None:
        with self._wake:
            hints, self._hints = self._hints, []
        now = time.monotonic()
        due = [path for at, path in self._later if at <= now]
        self._later = [(at, path) for at, path in self._later if at > now]
        for path in dict.fromkeys(hints):
            self._look_at(path, now)
        for path in dict.fromkeys(due):
            self._look_again(path, now)
        self._native.look()

    def _look_at(self, path: bytes, now: float) -> None:
        self._logs.look(path)
        if path in self._watched.folders:
            self._next_scan = 0.0
        elif found := self._watched.file(path):
            self._take_rested(found, now)
        elif folder := self._watched.folder(path):
            # Files may have been made in a new folder before it was watched, so look now and a little later.
            self._look_through(folder)
            self._later.extend((now + wait, folder) for wait in LATER_LOOKS)
        else:
            for memories in filter(None, (native.place(root, path) for root in self._watched.roots)):
                self._native.hint(memories)

    def _look_again(self, path: bytes, now: float) -> None:
        """A folder that was new, or a file that was to rest."""
        if found := self._watched.file(path):
            self._take_rested(found, now)
        else:
            self._look_through(path)

    def _take_rested(self, file: Found, now: float) -> None:
        """Have a file read; one that is costly to read only once it has rested from the last time."""
        until = self._reader.rests_until(cursors.key_of(file.path))
        if until <= now:
            self._take([file])
        elif all(path != file.path for _, path in self._later):
            self._later.append((until, file.path))

    def _look_through(self, folder: bytes) -> None:
        survey = Survey()
        self._take(self._watched.within(folder, survey))
        for memories in survey.memories:
            self._native.hint(memories)

    def _take(self, found: Iterable[Found]) -> None:
        for file in found:
            if self._known.differs(cursors.key_of(file.path), file.stat):
                self._bulk.pop(file.path, None)
                self._urgent[file.path] = file

    def _scan(self) -> None:
        with self._wake:
            asked = list(self._asked)
        self._readmit()
        self._unread.scan()
        survey, present = Survey(), set[str]()
        changed: list[Found] = []
        for file in self._watched.files(survey):
            key = cursors.key_of(file.path)
            present.add(key)
            if self._known.differs(key, file.stat):
                changed.append(file)
        self._native.scan(survey)
        self._logs.scan(survey)
        for folder, why in survey.unreadable.items():
            self._note_unreadable(folder, why)
        self._unread.keep(present)
        self._next_scan = time.monotonic() + self._interval()
        self.survey, self.last_scan_at = survey, time.monotonic()
        changed.sort(key=lambda file: file.stat.st_mtime_ns, reverse=True)
        self._bulk = {file.path: file for file in changed if file.path not in self._urgent}
        waiting = {file.path for file in changed} | self._urgent.keys()
        waiting |= self._native.waiting.keys() | self._logs.waiting.keys()
        self._tickets.keep(waiting)
        with self._wake:
            del self._asked[: len(asked)]
        self._tickets.open(asked, waiting)
        self._known.note_missing(present, survey, self._watched.folders)

    def _readmit(self) -> None:
        """Have the files read that were passed over for a folder which is excluded no longer."""
        covered = self._reader.exclusions.cover
        free = [path for path, cwd in self._db.read_now(cursors.excluded) if not covered(cwd)]
        if free:
            anew = self._db.write_now(cursors.start_over, free)
            self._known.learn(anew)
            for cursor in anew:
                self._reader.forget(cursor.path)

    # storing --------------------------------------------------------------------------------------

    def _store_batch(self) -> bool:
        """Read and commit one batch; False where there was nothing to read."""
        parts: list[accept.Part] = []
        ended: list[bytes] = []
        try:
            self._read_batch(parts, ended)
            if not parts and not ended:
                return False
            self._commit(parts)
        except BaseException:
            for part in parts:
                self._reader.forget(part.cursor.path)
            raise
        self._finished(ended)
        return True

    def _store_beside(self) -> bool:
        """Read and commit memory files and logs, where no transcript waits; False where there were none."""
        beside = self._native if self._native.waiting else self._logs
        worked = bool(beside.waiting)
        self._tickets.strike(beside.store())
        return worked

    def _read_batch(self, parts: list[accept.Part], ended: list[bytes]) -> None:
        lines = BATCH_LINES
        size = BATCH_BYTES
        end = time.monotonic() + BATCH_SECONDS
        while lines > 0 and size > 0 and time.monotonic() < end and (file := self._next(ended, parts)):
            for part in self._read(file, lines, size, ended):
                parts.append(part)
                lines -= max(1, len(part.harvest.turns))
                size -= max(1, part.cursor.offset - self._offset(part))

    def _offset(self, part: accept.Part) -> int:
        return 0 if part.restart else self._known.offset(part.cursor.path)

    def _next(self, ended: list[bytes], parts: list[accept.Part]) -> Found | None:
        busy = {part.cursor.path for part in parts}
        for waiting in (self._urgent, self._bulk):
            for path, file in waiting.items():
                if path not in ended and cursors.key_of(path) not in busy:
                    return file
        return None

    def _read(self, file: Found, lines: int, size: int, ended: list[bytes]) -> list[accept.Part]:
        try:
            if (former := self._known.carry(file.path, file.stat)) is not None:
                self._reader.forget(former)
            cursor = self._known.get(cursors.key_of(file.path))
            parts, at_end = self._reader.read(file, cursor, max_lines=lines, max_bytes=size)
        except (FileNotFoundError, tail.NotAFile):
            ended.append(file.path)
            return []
        except OSError as error:
            ended.append(file.path)
            self._note_unreadable(file.path, error.strerror)
            return []
        except HistoryImportError as error:
            ended.append(file.path)
            self._note_unsound(file, error)
            return []
        self._unread.read(file.path)
        if at_end:
            ended.append(file.path)
        return parts

    def _note_unreadable(self, path: bytes, why: str | None) -> None:
        self._tickets.unreadable()
        self._unread.withheld(path, why)

    def _note_unsound(self, file: Found, error: HistoryImportError) -> None:
        """A file of another program is not what it should be: it is left alone as it stands."""
        self._unread.unsound(file.path, str(error))
        self._known.learn([cursors.passing(cursors.key_of(file.path), file.stat)])

    def _commit(self, parts: list[accept.Part]) -> None:
        if not parts:
            return
        stored = self._db.write_now(accept.batch, parts, self._follow_up)
        self.last_import_at = time.monotonic()
        self._known.learn(part.cursor for part in parts)
        self._tickets.stored(stored.new)
        self._stored_since_quiet += stored.new
        if stored.new:
            self._on_stored(stored.new)

    def _finished(self, ended: list[bytes]) -> None:
        for path in ended:
            self._urgent.pop(path, None)
            self._bulk.pop(path, None)
            self._tickets.read(path)
        self._finish_tickets()

    def _finish_tickets(self) -> None:
        self._unread.tell(idle=not (self._urgent or self._bulk))
        self._tickets.finish(self._unread.unsound_files)
