"""History in and out: import, export, sync."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from memctl import client, output, terminal
from memctl.arguments import Arguments
from memctl.command import Command, Flag, Word, choice, integer, text, when
from memctl.connection import ANSWER_SECONDS
from memctl.exits import DONE, INTERRUPTED, REFUSED, Failure, nonsense

PAGE_SECONDS = 30.0  # a page of an export is up to 2 MiB
SYNC_SECONDS = 60.0
GRACE_SECONDS = 5.0  # memd ends a wait by itself and says what is missing; this is for that answer

_FORMATS = (
    "auto",
    "claude-code",
    "chatgpt",
    "claude-ai",
    "mem0",
    "jsonl",
    "codex",
    "gemini",
    "opencode",
    "mait-code",
)
_TIMES = (
    when("--since", "not before: 7d, 12h, 2026-11-30, 2026-11-30T09:00"),
    when("--until", "before"),
)


_LIMITS = (
    integer(
        "--max-file-bytes", 1, None, "of a file, or of what an archive holds; larger ones are refused (1 GiB)"
    ),
    integer("--max-record-bytes", 1, 1 << 30, "of a record; larger ones are left out (32 MiB)"),
    integer("--max-depth", 1, 200, "how deep a record nests; deeper ones are left out (64)"),
    integer("--max-turn-chars", 1, 100_000_000, "of what was said at once; longer is left out (100000)"),
    integer("--max-zip-members", 1, 100_000_000, "of an archive; one with more is refused (100000)"),
    integer(
        "--max-zip-ratio",
        1,
        1_000_000,
        "times its packed size that an archive may unpack to; a file in it under 1 MiB is never judged alone (100)",
    ),
)


def import_history(arguments: Arguments) -> int:
    """Have memd read a file or folder, and print its report; 1 where a file could not be read to its end."""
    params = arguments.params()
    params["path"] = os.path.abspath(os.path.expanduser(str(params["path"])))
    progress = output.Progress()
    try:
        report = long_call(arguments, "import", params, client.LONG_SECONDS, progress=progress)
    except KeyboardInterrupt:
        raise Failure(INTERRUPTED, _interrupted(arguments, progress)) from None
    output.show(arguments, report, output.fields(_shown(report)) + _over_limits(report))
    return REFUSED if report.get("errors") else DONE


def _shown(report: output.Record) -> output.Record:
    """The report as it is printed for people; of a dry run nothing is imported."""
    imported = "would import" if report.get("dry_run") is True else "imported"
    return {
        imported if name == "imported" else name: value
        for name, value in report.items()
        if value != {} and name != "over_limits"
    }


def _over_limits(report: output.Record) -> str:
    """What was left out for its size or depth, and how to have it taken in."""
    over = report.get("over_limits")
    return "".join(
        f"{output.plain(count)} left out over --{output.line(name).replace('_', '-')}: raise it, and import again\n"
        for name, count in (over.items() if isinstance(over, dict) else ())
    )


def _interrupted(arguments: Arguments, progress: output.Progress) -> str:
    if arguments.has("dry_run"):
        return "interrupted; a dry run stores nothing"
    new = output.plain(progress.last.get("imported", 0))
    return f"interrupted: at least {new} new turns are in for good; the same command brings in the rest"


def sync(arguments: Arguments) -> int:
    """Have memd look at the watched folders now."""
    params = arguments.params()
    if arguments.has("embedded"):
        params["wait"] = True
    limit = arguments.number("timeout")
    if limit is not None:
        params["timeout"] = limit
    seconds = (limit or SYNC_SECONDS) + GRACE_SECONDS if params.get("wait") else ANSWER_SECONDS
    answer = long_call(arguments, "sync", params, seconds, own_timeout=True)
    return output.show(arguments, answer, _synced(answer, bool(params.get("wait"))))


def export(arguments: Arguments) -> int:
    """Every turn, a line each, as the pages come; with ``--json`` the same lines inside one document."""
    connection = client.connect(arguments, PAGE_SECONDS)
    try:
        pages = _pages(connection, arguments)
        if arguments.has("json"):
            _write_document(pages)
        else:
            for turns in pages:
                terminal.write("".join(map(output.document, turns)))
    finally:
        connection.close()
    return DONE


def _write_document(pages: Iterable[list[output.Record]]) -> None:
    lead = ""
    for number, turns in enumerate(pages):
        if number == 0:  # only now is it sure that memd answers
            terminal.write('{"turns": [\n')
        if turns:
            terminal.write(lead + ",\n".join(output.document(turn).rstrip("\n") for turn in turns))
            lead = ",\n"
    terminal.write("\n]}\n")


def _pages(connection: client.Client, arguments: Arguments) -> Iterator[list[output.Record]]:
    """Page after page, until memd has no more or the limit is reached."""
    params = arguments.params()
    params.pop("jsonl", None)
    left = params.get("limit")
    while True:
        page = connection.call("export", params)
        turns = output.rows(page, "turns")
        if isinstance(left, int):
            turns = turns[:left]
            left -= len(turns)
            params["limit"] = left
        yield turns
        following = page.get("next")
        if following is None or left == 0:
            return
        if following == params.get("cursor"):
            raise nonsense("an export that does not move on")
        params["cursor"] = following


def long_call(
    arguments: Arguments,
    method: str,
    params: dict[str, object],
    seconds: float,
    *,
    own_timeout: bool = False,
    progress: output.Progress | None = None,
) -> client.Answer:
    """The result of a call that may take long, its progress on stderr. ``own_timeout``: memd keeps ``--timeout``."""
    connection = client.connect(arguments, seconds)
    progress = progress or output.Progress()
    try:
        return connection.call(method, params, seconds=seconds if own_timeout else None, event=progress)
    finally:
        progress.end()
        connection.close()


def _synced(answer: output.Record, waited: bool) -> str:
    if not waited:
        return f"memd looks at its folders now; {output.plain(answer.get('pending'))} files are waiting\n"
    files, turns = output.plain(answer.get("files")), output.plain(answer.get("turns"))
    store = {"level": ", level with the shared store", "away": ", the shared store does not answer"}
    told = store.get(str(answer.get("store")), "")
    return f"{files} files read, {turns} turns stored, {output.plain(answer.get('pending'))} files pending{told}\n"


COMMANDS = (
    Command(
        "import",
        "read history from a file or folder",
        import_history,
        words=(Word("PATH", "the file or folder"),),
        flags=(
            choice("--format", _FORMATS, "what it is; auto (the default) looks"),
            text("--user-id", "ID", "whose turns they are"),
            text("--agent-id", "ID", "which agent's turns they are"),
            *_TIMES,
            integer("--limit", 1, None, "so many turns at most"),
            Flag("--include-tool-output", "what tools answered, too"),
            Flag("--dry-run", "say what would be imported, and store nothing"),
            Flag("--strict", "stop at the first record that cannot be read; what came before it stays"),
            Flag("--no-redact", "keep what looks like a secret"),
            Flag("--wait", "return when all of it is found by search (by word)"),
            *_LIMITS,
        ),
        story="The path is an export as it was downloaded (a zip), its folder, or a file; its content shows what it is."
        " The --max flags raise what is read at most, for a file that you know."
        " What is there already is not stored twice. The report says what was left out, and why. Exit code 1: a file"
        " could not be read to its end.",
        examples=(
            "memctl import ~/Downloads/chatgpt-export.zip --dry-run",
            "memctl import ~/.codex/sessions",
        ),
    ),
    Command(
        "export",
        "write all turns as JSON, a line each",
        export,
        flags=(
            Flag("--jsonl", "a line a turn, which is the default"),
            *_TIMES,
            text("--project", "P", "of this project: its name or path"),
            integer("--limit", 1, None, "so many turns at most"),
        ),
        examples=("memctl export --since 30d > turns.jsonl",),
    ),
    Command(
        "sync",
        "read what is new in the watched folders now",
        sync,
        flags=(
            Flag("--wait", "return when every line that is complete now is stored and found by word"),
            Flag("--embedded", "… and by meaning, too (implies --wait)"),
        ),
        story="memd sees changes by itself; this is for scripts that must not go on before. --timeout S ends the wait"
        " (60), with exit code 75.",
    ),
)
