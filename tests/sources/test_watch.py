"""The watcher: what changes is announced soon, and whatever goes wrong with it, it comes back (R3)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from memd.clock import SystemClock
from memd.services import Troubles
from memd.sources import watch
from memd.sources.watch import Watcher

SECONDS = 20
Batch = set[tuple[int, str]]


class Ear:
    """A watcher of one root, and all that it has announced."""

    def __init__(self, root: Path, *, events: bool = True, flat: bool = False) -> None:
        self.root = root
        self.heard: list[bytes] = []
        self.troubles = Troubles(SystemClock())
        self.watcher = Watcher(
            [os.fsencode(root)],
            self.heard.extend,
            self.troubles,
            debounce_ms=20,
            step_ms=10,
            events=events,
            flat=[os.fsencode(root)] if flat else [],
        )

    def hears(self, path: Path) -> bool:
        return os.fsencode(path) in self.heard

    def hears_appends(self, path: Path) -> bool:
        """Whether, sooner or later, an append to the file is announced."""

        def append() -> bool:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a") as file:
                file.write("more\n")
            return self.hears(path)

        return until(append)


def until(true: Callable[[], bool]) -> bool:
    """Whether it comes true in time."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if true():
            return True
        threading.Event().wait(0.02)
    return False


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MISSING_SECONDS", "ANEW_SECONDS", "LIMIT_SECONDS"):
        monkeypatch.setattr(watch, name, 0.05)
    monkeypatch.setattr(watch, "QUIET_MS", 100)


@pytest.fixture
def ear(tmp_path: Path) -> Iterator[Ear]:
    one = Ear(tmp_path / "projects")
    yield one
    one.watcher.stop()


def test_changes_in_the_root_and_in_new_folders_are_announced(ear: Ear) -> None:
    ear.root.mkdir()
    ear.watcher.start()

    assert ear.hears_appends(ear.root / "old.jsonl")
    assert ear.hears_appends(ear.root / "new" / "folder" / "file.jsonl")
    assert ear.watcher.mode == "events"


def test_a_root_that_comes_later_is_watched(ear: Ear) -> None:
    ear.watcher.start()
    ear.root.mkdir()

    assert ear.hears_appends(ear.root / "file.jsonl")


def test_a_root_that_is_removed_and_made_again_is_watched_again(ear: Ear) -> None:
    ear.root.mkdir()
    ear.watcher.start()
    assert ear.hears_appends(ear.root / "a" / "old.jsonl")

    shutil.rmtree(ear.root)
    ear.root.mkdir()
    ear.heard.clear()

    assert ear.hears_appends(ear.root / "a" / "new.jsonl")
    assert ear.hears(ear.root)  # so that all of it is looked at: nobody told of what was made in between


def test_a_root_that_another_folder_takes_the_place_of_is_watched_again(ear: Ear) -> None:
    ear.root.mkdir()
    ear.watcher.start()
    assert ear.hears_appends(ear.root / "old.jsonl")

    other = ear.root.with_name("other")
    other.mkdir()
    ear.root.rename(ear.root.with_name("aside"))
    other.rename(ear.root)
    ear.heard.clear()

    assert ear.hears_appends(ear.root / "new.jsonl")
    assert ear.hears(ear.root)


def test_an_undecodable_name_does_not_end_the_watching(ear: Ear) -> None:
    ear.root.mkdir()
    ear.watcher.start()
    assert ear.hears_appends(ear.root / "old.jsonl")

    Path(os.fsdecode(os.fsencode(ear.root) + b"/bad\xff.jsonl")).touch()
    ear.heard.clear()

    assert ear.hears_appends(ear.root / "new.jsonl")
    assert ear.watcher.mode == "events"


def scripted(monkeypatch: pytest.MonkeyPatch, *steps: BaseException | Sequence[Batch]) -> None:
    """In place of watchfiles: each watch fails, or gives its batches and then ends; the last one goes on for good."""
    left = list(steps)

    def watch_(*_: object, stop_event: threading.Event, **__: object) -> Iterator[Batch]:
        step = left.pop(0)
        if isinstance(step, BaseException):
            raise step
        yield from step
        if not left:
            while not stop_event.wait(0.02):
                yield set()

    monkeypatch.setattr(watch.watchfiles, "watch", watch_)


def test_all_quick_roots_share_the_looks_of_one_and_calm_ones_are_looked_at_less_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: dict[str, int] = {}

    def watch_(root: str, *, step: int, stop_event: threading.Event, **_: object) -> Iterator[Batch]:
        steps[root] = step
        stop_event.wait()
        yield set()

    monkeypatch.setattr(watch.watchfiles, "watch", watch_)
    roots = [tmp_path / name for name in ("one", "two", "log")]
    for root in roots:
        root.mkdir()
    one, two, log = map(os.fsencode, roots)
    troubles = Troubles(SystemClock())
    watcher = Watcher([one, two, log], print, troubles, debounce_ms=50, step_ms=50, calm=[log])

    watcher.start()

    assert until(lambda: len(steps) == 3)
    watcher.stop()
    assert steps == {str(roots[0]): 100, str(roots[1]): 100, str(roots[2]): 500}


WITHOUT_WATCHES = """
import os, sys, time
from memd.clock import SystemClock
from memd.services import Troubles
from memd.sources.watch import Watcher
watcher = Watcher([os.fsencode(sys.argv[1])], print, Troubles(SystemClock()), debounce_ms=20, step_ms=10)
watcher.start()
end = time.monotonic() + 20
while watcher.mode == "events" and time.monotonic() < end:
    time.sleep(0.02)
print(watcher.mode)
"""


def test_a_kernel_without_watches_is_noticed(tmp_path: Path) -> None:
    """In a user namespace of its own, where the kernel is told to allow none."""
    limit = ["sh", "-c", 'echo 0 > /proc/sys/user/max_inotify_watches && exec "$@"', "sh"]
    apart = ["unshare", "--user", "--map-root-user", *limit]
    if shutil.which("unshare") is None or subprocess.run([*apart, "true"], capture_output=True).returncode:
        pytest.skip("no user namespaces here")

    done = subprocess.run(
        [*apart, sys.executable, "-c", WITHOUT_WATCHES, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.stdout.splitlines()[-1:] == ["poll"], done.stderr


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        (PermissionError(13, "Permission denied"), watch.MODES),
        (OSError(28, "No space left on device"), watch.RAISE_LIMIT),
        (RuntimeError("Too many open files (os error 24)"), watch.RAISE_LIMIT),
    ],
)
def test_without_watches_it_says_that_it_polls_until_there_are_some(
    ear: Ear, monkeypatch: pytest.MonkeyPatch, error: Exception, hint: str
) -> None:
    ear.root.mkdir()
    there_are_some = threading.Event()

    def watch_(*_: object, stop_event: threading.Event, **__: object) -> Iterator[Batch]:
        if not there_are_some.is_set():
            raise error
        while not stop_event.wait(0.02):
            yield set()

    monkeypatch.setattr(watch.watchfiles, "watch", watch_)
    ear.watcher.start()

    assert until(lambda: [trouble.hint for trouble in ear.troubles.all()] == [hint])
    assert ear.watcher.mode == "poll"
    there_are_some.set()
    assert until(lambda: ear.troubles.all() == [])
    assert ear.watcher.mode == "events"


class Panic(BaseException):
    """What a panic of a Rust extension is raised as."""


@pytest.mark.parametrize(
    "error", [ValueError("odd name"), Panic("at the disco"), FileNotFoundError(2, "gone")]
)
def test_after_any_other_failure_it_begins_anew_at_once(
    ear: Ear, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    ear.root.mkdir()
    scripted(monkeypatch, error, [{(1, str(ear.root / "file.jsonl"))}])
    ear.watcher.start()

    assert until(lambda: ear.hears(ear.root / "file.jsonl"))
    assert ear.watcher.mode == "events"


def test_what_was_made_while_the_watch_was_set_up_is_looked_for(
    ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    ear.root.mkdir()
    before: list[bytes] = []

    def watch_(*_: object, stop_event: threading.Event, **__: object) -> Iterator[Batch]:
        before.extend(ear.heard)
        while not stop_event.wait(0.02):
            yield set()

    monkeypatch.setattr(watch.watchfiles, "watch", watch_)
    ear.watcher.start()

    assert until(lambda: len(ear.heard) > len(before))
    assert set(ear.heard) == {os.fsencode(ear.root)}


def test_on_a_network_both_is_done_and_said(ear: Ear, monkeypatch: pytest.MonkeyPatch) -> None:
    ear.root.mkdir()
    monkeypatch.setattr(watch.mounts, "network_kind", lambda _: "nfs4")
    ear.watcher.start()

    assert ear.hears_appends(ear.root / "file.jsonl")
    assert ear.watcher.mode == "poll"
    assert ["nfs4" in trouble.what for trouble in ear.troubles.all()] == [True]


def test_who_wants_no_events_gets_no_thread(ear: Ear, monkeypatch: pytest.MonkeyPatch) -> None:
    deaf = Ear(ear.root, events=False)
    monkeypatch.setattr(watch.threading, "Thread", None)
    deaf.watcher.start()

    assert deaf.watcher.mode == "poll"


def test_of_a_flat_root_only_what_lies_right_in_it_is_announced(tmp_path: Path) -> None:
    one = Ear(tmp_path / "flat", flat=True)
    (one.root / "deep").mkdir(parents=True)
    one.watcher.start()
    assert one.hears_appends(one.root / "file.db")

    (one.root / "deep" / "file").write_text("more\n")

    assert one.hears_appends(one.root / "last.db")  # behind it, so it would have been heard by now
    assert not one.hears(one.root / "deep" / "file")
    one.watcher.stop()
