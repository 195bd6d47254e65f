"""However memd ends, its code and its last line tell why, and nobody sees a traceback."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping

import pytest

from memd.daemon import main
from memd.db.driver import DiskFull, damaged
from memd.errors import (
    Busy,
    CannotCreate,
    ConfigError,
    DataUnusable,
    Degraded,
    Fatal,
    NotFound,
    NotOurs,
    StorageFailed,
)


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """The program sets its own; the tests that follow get theirs back."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def ended(monkeypatch: pytest.MonkeyPatch, error: BaseException, *flags: str) -> int:
    """The exit code where running ends with the error."""

    def run(env: Mapping[str, str], *, launchd: bool) -> int:
        raise error

    monkeypatch.setattr(main, "_run", run)
    return main.main(["run", *flags])


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (DataUnusable("newer"), 65),
        (Fatal("a bug"), 70),
        (NotFound("nobody should see this here"), 70),
        (CannotCreate("no folder"), 73),
        (StorageFailed("the disk fails"), 74),
        (OSError(errno.EIO, "Input/output error", "/data/backups"), 74),
        (OSError(errno.EROFS, "Read-only file system", "/data/memd.db"), 73),
        (OSError(errno.EACCES, "Permission denied", "/data/memd.db"), 73),
        (damaged("page 7"), 75),
        (DiskFull("no space left"), 75),
        (OSError(errno.ENOSPC, "No space left on device", "/data/memd.lock"), 75),
        (OSError(errno.EMFILE, "Too many open files"), 75),
        (Busy("another program holds it"), 75),
        (Degraded("not now"), 75),
        (NotOurs("somebody else's"), 77),
        (ConfigError("a wrong setting"), 78),
        (KeyboardInterrupt(), 0),
    ],
)
def test_every_end_has_its_code_and_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException, code: int
) -> None:
    assert ended(monkeypatch, error) == code

    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("memd: ")]
    assert len(said) == (code != 0)


def test_a_file_that_fails_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended(monkeypatch, OSError(errno.EIO, "Input/output error", "/data/backups"))

    assert "memd: /data/backups: Input/output error\n" in capsys.readouterr().err


def test_a_bug_is_told_by_its_type_and_place_never_by_its_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = ended(monkeypatch, ValueError("what the user said"))

    told = capsys.readouterr()
    assert code == 70
    assert "ValueError at main.py:" in told.err
    assert "what the user said" not in told.err + told.out
    assert "Traceback" not in told.err


@pytest.mark.parametrize(
    ("error", "code"), [(DataUnusable("newer"), 0), (ConfigError("wrong"), 0), (StorageFailed("failing"), 74)]
)
def test_launchd_which_knows_no_final_codes_is_told_0_for_them(
    monkeypatch: pytest.MonkeyPatch, error: Fatal, code: int
) -> None:
    assert ended(monkeypatch, error, "--launchd") == code
