"""The program ``memd``: reads the settings, then lives until it is told to stop. No traceback reaches a user."""

from __future__ import annotations

import argparse
import asyncio
import errno
import os
import sys
from collections.abc import Mapping, Sequence

import structlog

from memd.errors import CannotCreate, Fatal, MemdError, StorageFailed, TryAgain
from memd.version import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code (see ``memd.errors``)."""
    options = _parser().parse_args(arguments)
    os.umask(0o077)
    env = _environment(options)
    try:
        code = _run(env, launchd=options.launchd)
    except Fatal as error:
        code = _final(error, launchd=options.launchd)
    except MemdError as error:
        code = _final((TryAgain if error.transient else Fatal)(error.message), launchd=options.launchd)
    except OSError as error:
        code = _final(_failed(error), launchd=options.launchd)
    except KeyboardInterrupt:
        code = 0
    except Exception as bug:
        code = _final(_bug(bug), launchd=options.launchd)
    return code


def _failed(error: OSError) -> Fatal:
    """A file that could not be read or written, where no room had more to say of it."""
    kind: type[Fatal] = StorageFailed
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        kind = CannotCreate
    elif error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE):
        kind = TryAgain
    return kind(f"{error.filename or 'a file'}: {error.strerror or type(error).__name__}")


def _bug(bug: Exception) -> Fatal:
    """By its type and place alone: its text may quote what was said."""
    from memd.server.dispatch import place_of

    return Fatal(f"a bug in memd: {type(bug).__name__} at {place_of(bug)}; please report it")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="memd",
        description="The memory daemon: stays in the foreground, logs to stderr, ends with 0 on SIGTERM.",
    )
    parser.add_argument("command", nargs="?", choices=["run"], default="run", help="run (the default)")
    parser.add_argument("--home", help="one folder for everything (MEMD_HOME)")
    parser.add_argument("--socket", help="where to listen (MEMD_SOCKET)")
    parser.add_argument("--config", help="the settings file (MEMD_CONFIG)")
    parser.add_argument(
        "--launchd", action="store_true", help="end with 0 also on final errors, as launchd needs it"
    )
    parser.add_argument("--version", action="version", version=f"memd {__version__}")
    return parser


def _environment(options: argparse.Namespace) -> Mapping[str, str]:
    """The environment, with the flags of the same names in front."""
    flags = {"MEMD_HOME": options.home, "MEMD_SOCKET": options.socket, "MEMD_CONFIG": options.config}
    return {**os.environ, **{name: value for name, value in flags.items() if value}}


def _run(env: Mapping[str, str], *, launchd: bool) -> int:
    from memd.providers.embedding import runtime

    runtime.keep_to_one_thread()
    from memd.config import load, paths
    from memd.daemon import lifecycle, logs

    places = paths.resolve(env)
    loaded = load.load(places.config_file, env)
    log = loaded.settings.log
    file = places.logs / "memd.log" if launchd else None
    logs.configure(logs.LogOptions(format=log.format, level=log.level, file=file), env)
    roots = [os.path.realpath(os.fsencode(folder)) for folder in paths.projects_dirs(env)]
    return asyncio.run(lifecycle.live(loaded, places, roots, env))


def _final(error: Fatal, *, launchd: bool) -> int:
    structlog.get_logger("memd").error("ended", why=error.message, exit=error.exit_code)
    sys.stderr.write(f"memd: {error.message}\n")
    return 0 if launchd and error.exit_code in (65, 73, 77, 78) else error.exit_code
