"""What memd shall not know: forget, exclude."""

from __future__ import annotations

import os

from memctl import output, terminal
from memctl.arguments import Arguments
from memctl.client import LONG_SECONDS, Answer, ask, with_cwd
from memctl.command import Command, Flag, Word, text
from memctl.commands.history import long_call
from memctl.entries import number
from memctl.exits import DONE, REFUSED, Usage
from memctl.output import line, plain


def forget(arguments: Arguments) -> int:
    """Show what would go, ask, and have memd remove it."""
    params = _forgotten(arguments)
    if arguments.has("dry_run"):
        return output.show(arguments, answer := _ask(arguments, params), _preview(answer))
    if not arguments.has("yes"):
        _check_askable(arguments, "look first with --dry-run, then give --yes")
        return _confirmed(arguments, params)
    answer = _ask(arguments, params)
    return output.show(arguments, answer, _done(answer))


def exclude(arguments: Arguments) -> int:
    """Exclude a folder, or take it off; without one, list what is excluded."""
    if not arguments.has("path"):
        return _excluded(arguments)
    dropped = arguments.has("drop")
    if dropped and not arguments.has("yes"):
        _check_askable(arguments, "look first without --drop, then give --yes")
    path = os.path.abspath(os.path.expanduser(arguments.text("path") or ""))
    answer = ask(
        arguments, "exclude", {"path": path, **({"remove": True} if arguments.has("remove") else {})}
    )
    wanted = {"folder": answer.get("path")}
    if dropped and arguments.has("yes"):
        gone = _ask(arguments, wanted)
        return output.show(
            arguments, {**answer, "forgotten": gone}, _changed(arguments, answer) + _done(gone)
        )
    output.show(arguments, answer, _changed(arguments, answer))
    if dropped:
        return _confirmed(arguments, wanted)
    return DONE


def _excluded(arguments: Arguments) -> int:
    if arguments.has("remove") or arguments.has("drop"):
        raise Usage("PATH is missing")
    answer = ask(arguments, "exclude", {})
    folders = answer.get("excluded")
    listed = "".join(f"{line(one)}\n" for one in folders) if isinstance(folders, list) else ""
    return output.show(arguments, answer, listed or "Nothing is excluded.\n")


def _changed(arguments: Arguments, answer: output.Record) -> str:
    path = line(answer.get("path"))
    if arguments.has("remove"):
        return f"{path} is excluded no longer; memd reads its transcripts now\n"
    told = f"{path} is excluded, with all below it\n"
    if answer.get("turns") and not arguments.has("drop"):
        told += (
            f"{plain(answer['turns'])} turns of {plain(answer.get('sessions'))} sessions are stored of it and stay;"
            f" to forget them: memctl exclude {path} --drop\n"
        )
    return told


def _check_askable(arguments: Arguments, otherwise: str) -> None:
    if arguments.has("json") or not terminal.can_ask():
        raise Usage(f"forgetting cannot be undone: {otherwise}")


def _confirmed(arguments: Arguments, params: dict[str, object]) -> int:
    """Show what would go, and have exactly that removed where the person says yes."""
    seen = _ask(arguments, {**params, "dry_run": True})
    terminal.write(_preview(seen))
    if not (_finds(seen) or params.get("backups")):
        return DONE
    if not terminal.agrees("Forget this for good?"):
        terminal.complain("nothing was forgotten")
        return REFUSED
    answer = _ask(arguments, {**params, "last": seen.get("last"), "last_entry": seen.get("last_entry")})
    return output.show(arguments, answer, _done(answer))


def _forgotten(arguments: Arguments) -> dict[str, object]:
    """What goes to memd; Usage where it is not clear what is meant."""
    named = [name for name in ("id", "session", "match") if arguments.has(name)]
    if not (named or arguments.has("project") or arguments.has("backups")):
        raise Usage("say what to forget: ID, --session, --project or --match")
    if len(named) > 1 or (arguments.has("project") and named in (["id"], ["session"])):
        raise Usage("only one of ID, --session, --project and --match, or --match with --project")
    if arguments.has("all_projects") and named != ["match"]:
        raise Usage("--all-projects goes with --match alone")
    return {name: value for name, value in with_cwd(arguments.params()).items() if name != "yes"}


def _ask(arguments: Arguments, params: dict[str, object]) -> Answer:
    return long_call(arguments, "forget", params, LONG_SECONDS)


def _finds(answer: output.Record) -> bool:
    return any(answer.get(name) for name in _FOUND)


_FOUND = ("turns", "titles", "entries", "undoable_entries", "graph", "observations")


def _preview(answer: output.Record) -> str:
    if not _finds(answer):
        return f"Nothing to forget in {line(answer.get('scope'))}.\n"
    room = max(terminal.width() - 30, 30)
    snippets = output.rows(answer, "snippets")
    lines = [
        f"  {output.when(turn.get('created_at'))}  {line(turn.get('role')):<9}  {line(turn.get('text'), room)}"
        for turn in snippets
    ]
    turns = answer.get("turns")
    if isinstance(turns, int) and turns > len(snippets):
        lines.append(f"  … and {turns - len(snippets):,} more")
    lines += _entries(answer, room)
    return "\n".join([_counted(answer) + ":", *lines, "", *_sessions(answer), *_besides(answer), ""])


def _entries(answer: output.Record, room: int) -> list[str]:
    found, count = output.rows(answer, "entry_snippets"), answer.get("entries")
    lines = [
        f"  {number(one.get('id'))}  {line(one.get('entry_type'))}  {line(one.get('text'), room)}"
        for one in found
    ]
    if isinstance(count, int) and count > len(found):
        lines.append(f"  … and {count - len(found):,} more entries")
    return lines


def _counted(answer: output.Record) -> str:
    turns = f"{plain(answer.get('turns'))} turns of {plain(answer.get('sessions_total'))} sessions"
    entries = f"{plain(answer.get('entries'))} entries"
    counted = [said for name, said in (("turns", turns), ("entries", entries)) if answer.get(name)]
    return f"{' and '.join(counted) or turns} in {line(answer.get('scope'))}"


def _sessions(answer: output.Record) -> list[str]:
    cells = [
        (line(row.get("id")), plain(row.get("turns")), plain(row.get("left")), line(row.get("title"), 60))
        for row in output.rows(answer, "sessions")
    ]
    return [output.table(("SESSION", "TURNS", "LEFT", "TITLE"), cells)] if cells else []


def _besides(answer: output.Record) -> list[str]:
    said = list[str]()
    if answer.get("undoable_entries"):
        said.append(f"{plain(answer['undoable_entries'])} entries that an undo would bring back go too.")
    if answer.get("graph") or answer.get("observations"):
        things, observations = plain(answer.get("graph")), plain(answer.get("observations"))
        said.append(f"{things} things of the graph, and what {observations} observations say of it, go too.")
    if answer.get("elsewhere"):
        said.append(f"{plain(answer['elsewhere'])} other turns say the same, and stay.")
    if answer.get("titles"):
        said.append(f"The titles of {plain(answer['titles'])} sessions hold it, and go too.")
    if copies := _paths(answer, "copies"):
        said += ["Copies from before still hold it (memctl forget --backups takes it out of them):", *copies]
    return said


def _paths(answer: output.Record, name: str) -> list[str]:
    found = answer.get(name)
    return [f"  {line(path)}" for path in found] if isinstance(found, list) else []


def _done(answer: output.Record) -> str:
    if not _finds(answer) and "rewritten" not in answer:
        return _preview(answer)
    told = f"{_counted(answer)} are forgotten; no import brings them back."
    lines = [*([told] if _finds(answer) else []), *_besides(answer), *_cleansed(answer)]
    if not answer.get("compacted"):
        lines.append("Free pages of the database may still hold words: see memctl jobs list --kind compact")
    return "\n".join([*lines, ""])


def _cleansed(answer: output.Record) -> list[str]:
    if "rewritten" not in answer:
        return []
    rewritten, removed = _paths(answer, "rewritten"), _paths(answer, "removed")
    if not (rewritten or removed):
        return ["No copy holds anything that was forgotten."]
    lines = ["Copies that were rewritten without it:", *rewritten] if rewritten else []
    return [*lines, *(["Copies that could not be, and were removed:", *removed] if removed else [])]


COMMANDS = (
    Command(
        "forget",
        "remove turns and entries for good, with everything that derives from them",
        forget,
        words=(
            Word("ID", "the number of an entry, or the id of a turn or a beginning of it", optional=True),
        ),
        flags=(
            text("--session", "ID", "all turns of this session"),
            text("--project", "P", "all turns and entries of this project: its name or path"),
            text("--match", "TEXT", "turns and entries that hold this text, in small letters or large"),
            Flag("--all-projects", "with --match: in every project, not in that of the working directory"),
            Flag("--backups", "take it out of memd's own backups too; alone: all that was ever forgotten"),
            Flag("--dry-run", "show what would go, and forget nothing"),
            Flag("--yes", "do not ask"),
        ),
        apart=(("project", "all_projects"), ("dry_run", "yes"), ("dry_run", "backups")),
        story="Text, index and vectors go, and a mark without text stays for each, so that no import, copy or rescan of"
        " a transcript or log brings it back. The transcripts themselves belong to the client and stay. Lines that a"
        " session gets later are new turns: to keep a project out, see memctl exclude.",
        examples=("memctl forget 01b7c2", "memctl forget --match 'Project Quokka' --all-projects --dry-run"),
    ),
    Command(
        "exclude",
        "pass over the sessions of a project's folder, and all below it; or list what is excluded",
        exclude,
        words=(Word("PATH", "the folder; that of a repository stands for all its worktrees", optional=True),),
        flags=(
            Flag("--remove", "exclude it no longer, and read its transcripts"),
            Flag("--drop", "and forget for good what is stored of it"),
            Flag("--yes", "with --drop: do not ask"),
        ),
        apart=(("remove", "drop"),),
        story="It counts at once, and stands in config.toml as [import] exclude, where it can be written before memd's"
        " first start. What --drop has forgotten does not come back with --remove.",
        examples=("memctl exclude ~/clients/acme --drop",),
    ),
)
