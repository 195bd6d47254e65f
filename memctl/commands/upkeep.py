"""Soundness: verify, repair, backup, reindex."""

from __future__ import annotations

import os

from memctl import output, terminal
from memctl.arguments import Arguments
from memctl.client import LONG_SECONDS, ask
from memctl.command import Command, Flag, Word, text
from memctl.commands.history import long_call
from memctl.exits import REFUSED
from memctl.output import line, plain, size


def verify(arguments: Arguments) -> int:
    """Every check with its outcome; 1 where one found a fault."""
    answer = long_call(arguments, "verify", {}, LONG_SECONDS)
    return _checked(arguments, answer, "", "there are faults: memctl repair")


def repair(arguments: Arguments) -> int:
    """Make the indexes anew, then check."""
    answer = long_call(arguments, "repair", arguments.params(), LONG_SECONDS)
    others = {name: value for name, value in answer.items() if name not in ("ok", "checks")}
    left = "faults are left that repair cannot mend: bring back a backup (memctl backup --help)"
    return _checked(arguments, answer, output.fields(others), left)


def backup(arguments: Arguments) -> int:
    """Have memd write a copy of everything it holds to a file."""
    params = {**arguments.params(), "path": os.path.abspath(os.path.expanduser(arguments.text("file") or ""))}
    del params["file"]
    answer = long_call(arguments, "backup", params, LONG_SECONDS)
    held = f"{plain(answer.get('turns'))} turns, {size(answer.get('bytes'))}, schema {plain(answer.get('schema'))}"
    return output.show(arguments, answer, f"{line(answer.get('path'))}: {held}\n")


def reindex(arguments: Arguments) -> int:
    """Have the vectors made anew, in the background."""
    answer = ask(arguments, "reindex")
    job = line(str(answer.get("job")))
    told = f"job {job} makes the vectors anew, the old ones serve until then: memctl jobs show {job}\n"
    return output.show(arguments, answer, told)


def _checked(arguments: Arguments, answer: output.Record, before: str, faulty: str) -> int:
    bold, off = ("\x1b[1m", "\x1b[0m") if terminal.has_color(arguments.has("no_color")) else ("", "")
    lines = [_check(check, bold, off) for check in output.rows(answer, "checks")]
    sound = answer.get("ok") is True
    end = "all is sound" if sound else faulty
    code = output.show(arguments, answer, f"{before}{''.join(lines)}{end}\n")
    return code if sound else REFUSED


def _check(check: output.Record, bold: str, off: str) -> str:
    outcome = "ok   " if check.get("ok") else f"{bold}FAULT{off}"
    detail = f": {line(check['detail'])}" if check.get("detail") not in (None, "", "ok") else ""
    return f"{outcome}  {line(check.get('name'))}{detail}\n"


COMMANDS = (
    Command(
        "verify",
        "check the database and its indexes",
        verify,
        story="Pages, the text index, and the number of turns in both indexes. Ends with 1 where there is a fault.",
    ),
    Command(
        "repair",
        "make the indexes anew from what is stored",
        repair,
        flags=(Flag("--redact", "look for secrets again with the rules of this version, first"),),
        story="The turns themselves are not touched, but for --redact.",
    ),
    Command(
        "backup",
        "write a copy of everything that is stored to one file",
        backup,
        words=(Word("FILE", "the file to write; its folder must be there"),),
        flags=(Flag("--force", "write over a file that is there already"),),
        story="Taken while memd works: a copy of one moment, checked before it gets its name, for your eyes alone. To"
        " restore it: memctl service stop; remove memd.db-wal and memd.db-shm beside memd.db, copy the file over"
        " memd.db; memctl service start. What the transcripts have since is read again by itself.",
        examples=("memctl backup ~/memd-backup.db",),
    ),
    Command(
        "reindex",
        "make the vectors anew, in the background",
        reindex,
        flags=(
            text("--embedder", "E", "with this embedder: bundled, fastembed:<model>, bedrock:<id>, hash"),
            Flag("--missing", "only those that are missing or were set aside"),
        ),
        story="The new vectors are built beside the old ones and take their place once every text has one. A reindex to"
        " another embedder outranks the setting embedding.embedder until that is changed.",
    ),
)
