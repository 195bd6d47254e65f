"""What ``doctor`` says of the figures it is given: a state, what was seen, what it means, and what mends it.

The rule: green is said only of what was looked at and holds. Whatever stands in the list of troubles is told, also
where no check of its own knows of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from memd.db.backup_folder import Kept
from memd.db.driver import Capabilities
from memd.jobs.job import Job, State
from memd.jobs.pauses import Paused
from memd.ledger.budget import Caps, Spent
from memd.services import Trouble
from memd.turns.spaces import Coverage

SCAN_GRACE = 15.0
STUCK_SECONDS = 120.0
DUE_SECONDS = 3600
LOW_BYTES = 1_000_000_000
OUT_BYTES = 64 * 2**20  # where status tells of it too
HOUR_MS = 3_600_000
LASTING = ("unauthorized", "spend_limit", "rejected")  # failures of a call that the next call will meet too


class Verdict(StrEnum):
    """How it stands: ``fault`` where something promised does not hold, ``unknown`` where it cannot be said."""

    OK = "ok"
    UNKNOWN = "unknown"
    WARN = "warn"
    FAULT = "fault"


_WORSE = list(Verdict)


@dataclass(frozen=True, slots=True)
class Check:
    """One look at one thing. ``means`` is why it matters, ``fix`` what to run or do."""

    name: str
    state: Verdict
    detail: str
    means: str = ""
    fix: str = ""


def sqlite(found: Capabilities) -> Check:
    """The library that everything is stored with."""
    means = "SQLite stores everything, sqlite-vec compares meanings in it"
    return Check("sqlite", Verdict.OK, f"SQLite {found.sqlite}, sqlite-vec {found.vec or 'missing'}", means)


def index(texts: int, indexed: int) -> Check:
    """Whether every turn, entry and section can be found by word."""
    means = "a turn or an entry that is not in the text index is not found by its words"
    if texts == indexed:
        return Check("index", Verdict.OK, f"{texts:,} turns and entries, all indexed", means)
    detail = f"{texts:,} turns and entries, {indexed:,} indexed"
    return Check("index", Verdict.FAULT, detail, means, "memctl repair")


@dataclass(frozen=True, slots=True)
class Importing:
    """How the import stands. Ages in seconds, None where there was none since the start."""

    roots: Sequence[str]
    missing_roots: Sequence[str]
    interval: float
    uptime: float
    last_scan: float | None
    last_import: float | None
    behind_files: int
    behind_bytes: int


def importing(now: Importing) -> Check:
    """Whether the transcripts are read."""
    means = "what is not imported before the client deletes it is lost"
    scanned = now.uptime if now.last_scan is None else now.last_scan
    stored = now.uptime if now.last_import is None else now.last_import
    waiting = f"{now.behind_files:,} files with {now.behind_bytes:,} bytes wait"
    if scanned > 3 * now.interval + SCAN_GRACE:
        detail = f"the folders were not looked at for {scanned:.0f} s"
        return Check("import", Verdict.FAULT, detail, means, "memctl service restart")
    if now.behind_files and min(stored, now.uptime) > STUCK_SECONDS:
        detail = f"nothing was stored for {stored:.0f} s, and {waiting}"
        return Check("import", Verdict.FAULT, detail, means, "memctl service logs, memctl service restart")
    if now.missing_roots:
        detail = f"{', '.join(now.missing_roots)}: there is no such folder"
        return Check("import", Verdict.WARN, detail, means, "start the client once, or set MEMD_PROJECTS_DIR")
    last = "nothing new since the start" if now.last_import is None else f"last import {stored:.0f} s ago"
    behind = f", {waiting}" if now.behind_files else ""
    return Check("import", Verdict.OK, f"last scan {scanned:.0f} s ago, {last}{behind}", means)


def programs(folders: Mapping[str, str], is_there: Callable[[str], bool]) -> list[Check]:
    """Where the history of other programs is read; nothing where none is asked for."""
    if not folders:
        return []
    told = [f"{name}: {path}{'' if is_there(path) else ' (not there yet)'}" for name, path in folders.items()]
    means = "what those programs write is memory too, while the settings in [sources] say so"
    return [Check("sources", Verdict.OK, "; ".join(told), means)]


def watch(mode: str, *, asked: str, limits: str) -> Check:
    """Whether the system announces changes."""
    means = "with events a turn is found at once; by scans alone it takes some seconds, and none is lost"
    if mode == "events":
        return Check("watch", Verdict.OK, f"by events{limits}", means)
    if asked == "poll":
        return Check("watch", Verdict.OK, "by scans alone, as watch.mode says", means)
    fix = "sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=512"
    return Check("watch", Verdict.WARN, f"by scans alone{limits}", means, fix)


def model(name: str, place: str | None, problem: str = "", hint: str = "") -> Check:
    """Whether the embedding model is there and is what it should be."""
    means = "without a model search goes by words alone"
    if place is None and not problem:
        return Check(
            "model",
            Verdict.UNKNOWN,
            "no embedder is configured",
            means,
            "memctl config set embedding.embedder bundled",
        )
    if problem:
        return Check("model", Verdict.FAULT, f"{name}: {problem}", means, hint)
    return Check("model", Verdict.OK, f"{name}: {place}", means)


def embedding(covered: Coverage | None, job: Job | None, rate: float, paused: Paused | None = None) -> Check:
    """Whether the texts have their vectors, or get them."""
    means = "a text without a vector is found by its words alone"
    if covered is None:
        return Check("embedding", Verdict.UNKNOWN, "no embedder is configured", means)
    done = covered.contents - covered.waiting - covered.set_aside
    detail = f"{done:,} of {covered.contents:,} texts have vectors"
    again = "memctl reindex --missing"
    if covered.waiting and paused is not None:
        detail = f"{detail}; paused: {paused.reason}"
        return Check("embedding", Verdict.WARN, detail, means, f"memctl jobs resume {paused.kind}")
    if covered.waiting and job is None:
        return Check("embedding", Verdict.FAULT, f"{detail}, and no job makes the others", means, again)
    if covered.waiting and job is not None and job.state is not State.RUNNING and job.error:
        return Check("embedding", Verdict.WARN, f"{detail}; the next try waits: {job.error}", means)
    if covered.set_aside:
        detail = f"{detail}; {covered.set_aside:,} broke the model and were set aside"
        return Check("embedding", Verdict.WARN, detail, means, again)
    if covered.waiting:
        left = f"; {rate:.1f} a second, {_span(covered.waiting / rate)} to go" if rate else ""
        return Check("embedding", Verdict.OK, f"{detail}{left}", means)
    return Check("embedding", Verdict.OK, detail, means)


def jobs(*, dead: int, paused: int, oldest_due_s: int | None, last: str) -> Check:
    """Whether the queue moves and lost nothing."""
    means = "embedding, backups and upkeep are jobs"
    if dead:
        detail = f"{dead:,} failed for good"
        return Check(
            "jobs", Verdict.FAULT, detail, means, "memctl jobs list --state dead, then retry or dismiss"
        )
    if oldest_due_s is not None and oldest_due_s > DUE_SECONDS:
        detail = f"one has been due for {oldest_due_s // 60:,} min"
        return Check("jobs", Verdict.FAULT, detail, means, "memctl jobs list, memctl service restart")
    if paused:
        return Check("jobs", Verdict.WARN, f"{paused:,} paused", means, "memctl jobs list --state paused")
    return Check("jobs", Verdict.OK, last, means)


def backups(newest: Kept | None, *, every_hours: int, turns: int, now_ms: int, uptime: float) -> Check:
    """Whether there is a backup to go back to."""
    means = "the transcripts are deleted by their client: a backup is the only other copy"
    now = "memctl backup FILE"
    age = (now_ms - newest.at_ms) // HOUR_MS if newest else None
    seen = "none was taken yet" if newest is None else f"the last is {age:,} h old, {newest.path.name}"
    if not every_hours:
        return Check("backup", Verdict.UNKNOWN, f"switched off; {seen}", means, now)
    late = uptime > HOUR_MS / 1000 and turns and (age is None or age > 2 * every_hours)
    if turns and age is None and not late:
        return Check("backup", Verdict.UNKNOWN, f"{seen}; the first is due within the hour", means, now)
    return Check("backup", Verdict.WARN if late else Verdict.OK, seen, means, now if late else "")


def disk(folder: str, free: int) -> Check:
    """Whether there is room to go on."""
    means = "on a full disk the import waits, and goes on by itself once there is room"
    detail = f"{free // 1_000_000:,} MB free for {folder}"
    verdict = Verdict.FAULT if free < OUT_BYTES else Verdict.WARN if free < LOW_BYTES else Verdict.OK
    return Check("disk", verdict, detail, means, "" if verdict is Verdict.OK else "make room on that disk")


def llm(
    name: str | None,
    place: str,
    problem: str,
    spent: Spent,
    caps: Caps,
    last: str,
    *,
    by_itself: bool = False,
) -> Check:
    """Whether the language model can be asked. ``last`` is what came of the last call, empty where there was none.

    ``by_itself``: memd reads and reflects without being asked.
    """
    means = "observing and reflecting ask a language model; all else goes without"
    if name is None:
        return Check("llm", Verdict.UNKNOWN, "none: there is no key, or llm.provider is none", means)
    if problem:
        return Check("llm", Verdict.FAULT, f"{name}: {problem}", means, "memctl config list")
    detail = f"{name} with {place}; {spent.tokens:,} of {caps.tokens:,} tokens today (UTC)"
    detail += ", asked by itself" if by_itself else ", only when you ask (reflection.enabled)"
    if last in LASTING:
        return Check("llm", Verdict.FAULT, f"{detail}; the last call: {last}", means, "memctl ledger")
    return Check("llm", Verdict.OK, detail, means)


def shared(store: Mapping[str, object]) -> Check:
    """Whether the store that machines share answers, by what ``status`` says of it; a trouble tells where not."""
    means = "machines that share a store find what was said on the others, and what was heard also without it"
    counts = ", ".join(f"{store[name]} {name}" for name in ("told", "waiting", "heard"))
    detail = f"{store['url']}, {store['table']}: {counts}"
    return Check("store", Verdict.OK if store["reachable"] else Verdict.UNKNOWN, detail, means)


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:,.0f} min"


_SUBJECT = {"sqlite-vec": "sqlite", "unreadable": "import", "history": "sources", "embedding": "model"}


def with_troubles(checks: Iterable[Check], troubles: Iterable[Trouble]) -> list[Check]:
    """The checks, none better than the troubles allow; a trouble without a check becomes one."""
    found = {check.name: check for check in checks}
    for trouble in troubles:
        name = _SUBJECT.get(trouble.name, trouble.name)
        verdict = Verdict.WARN if trouble.mild else Verdict.FAULT
        told = Check(
            name, verdict, f"{trouble.what} (since {trouble.since[:16].replace('T', ' ')})", "", trouble.hint
        )
        known = found.get(name)
        if known is None:
            found[name] = replace(told, means="memd does not do all that it promises")
        elif _WORSE.index(known.state) < _WORSE.index(verdict):
            found[name] = replace(told, means=known.means)
    return list(found.values())
