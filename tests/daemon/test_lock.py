"""One daemon per home: the kernel's lock decides, and nothing that a crash leaves behind is in the way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memd.daemon.lock import acquire
from memd.errors import CannotCreate

HOLDER = """
import sys
from pathlib import Path
from memd.daemon.lock import acquire
lock = acquire(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def holder(path: Path) -> subprocess.Popen[str]:
    """Another process that holds the lock until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout and process.stdout.readline() == "held\n"
    return process


def test_the_second_is_told_the_pid_of_the_first(tmp_path: Path) -> None:
    with holder(tmp_path / "memd.lock") as first:
        with pytest.raises(CannotCreate, match=rf"pid {first.pid}\b") as caught:
            acquire(tmp_path / "memd.lock")
        first.communicate("")

    assert caught.value.exit_code == 73


def test_a_killed_owner_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    with holder(tmp_path / "memd.lock") as first:
        first.kill()
        first.wait()

    lock = acquire(tmp_path / "memd.lock")

    assert (tmp_path / "memd.lock").read_text().startswith(f"{os.getpid()}\n")
    lock.release()


def test_what_the_owner_says_stands_below_its_pid_and_outlives_it(tmp_path: Path) -> None:
    path = tmp_path / "memd.lock"
    lock = acquire(path)
    assert path.read_text() == f"{os.getpid()}\nit is starting\n"

    lock.say("it is salvaging\nwhat can be read")
    assert path.read_text() == f"{os.getpid()}\nit is salvaging what can be read\n"
    with pytest.raises(CannotCreate, match=rf"pid {os.getpid()}\b"):
        acquire(path)
    lock.say("it ended by itself: page 7")
    lock.release()
    lock.say("too late")

    assert path.read_text() == f"{os.getpid()}\nit ended by itself: page 7\n"


def test_an_owner_knows_whether_one_before_it_got_through_its_start(tmp_path: Path) -> None:
    path = tmp_path / "memd.lock"
    known = []
    for says in (None, "", "it ended by itself: the disk fails", "it is salvaging", None):
        lock = acquire(path)
        known.append(lock.ran_before)
        if says is not None:
            lock.say(says)
        lock.release()

    assert known == [False, False, True, True, False]


def test_a_released_lock_can_be_had_again(tmp_path: Path) -> None:
    lock = acquire(tmp_path / "memd.lock")
    with pytest.raises(CannotCreate):
        acquire(tmp_path / "memd.lock")

    lock.release()
    lock.release()

    acquire(tmp_path / "memd.lock").release()


def test_children_do_not_keep_the_lock(tmp_path: Path) -> None:
    lock = acquire(tmp_path / "memd.lock")
    with subprocess.Popen(
        [sys.executable, "-c", "import sys; print(flush=True); sys.stdin.read()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        close_fds=False,
    ) as child:
        assert child.stdout and child.stdout.readline()  # it runs: until then it is still a copy of us
        lock.release()

        acquire(tmp_path / "memd.lock").release()
        child.communicate(b"")


def test_the_lock_file_is_for_the_owner_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        acquire(tmp_path / "memd.lock").release()
    finally:
        os.umask(before)

    assert (tmp_path / "memd.lock").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("what", ["link", "folder", "missing folder"])
def test_what_is_no_lock_file_is_refused(tmp_path: Path, what: str) -> None:
    path = tmp_path / "memd.lock"
    if what == "link":
        path.symlink_to(tmp_path / "elsewhere")
    elif what == "folder":
        path.mkdir()
    else:
        path = tmp_path / "none" / "memd.lock"

    with pytest.raises(CannotCreate):
        acquire(path)

    assert not (tmp_path / "elsewhere").exists()
