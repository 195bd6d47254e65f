"""Curated memory: remember, supersede, merge, retire, delete, review, reviewed."""

from __future__ import annotations

import shlex
import sys

from memctl import entries, output, terminal
from memctl.arguments import Arguments
from memctl.client import Answer, ask, with_cwd
from memctl.command import SCOPES, TYPES, Command, Flag, Word, choice, integer, text
from memctl.exits import DONE, REFUSED, Usage
from memctl.output import line, plain, rows

_MOST_BYTES = 16 << 10
_SHOWN = 5  # of the entries that one may contradict
_QUOTED = 200  # characters of a text that a hint repeats


def remember(arguments: Arguments) -> int:
    """Store an entry."""
    said = _said(arguments)
    answer = ask(arguments, "remember", with_cwd({**arguments.params(), "text": said}))
    its = f"{entries.number(answer.get('id'))} ({line(answer.get('entry_type'))}, {entries.where(answer)})"
    told = f"remembered as {its}"
    if answer.get("action") == "deduplicated":
        told = f"known as {its}, seen {plain(answer.get('sightings'))} times now"
    lines = [
        told + entries.undo(answer),
        *_wording(answer, said),
        *entries.besides(answer),
        *_conflicts(answer),
        "",
    ]
    return output.show(arguments, answer, "\n".join(lines))


def _wording(answer: output.Record, said: str) -> list[str]:
    """Which wording stands, where what was said is known already by another one."""
    if answer.get("action") != "deduplicated":
        return []
    if answer.get("reworded"):
        return ["the new wording says more, and takes the place of the old one"]
    stands = answer.get("content")
    return [] if stands == said.strip() else [f"it stands as: {line(stands, _QUOTED)}"]


def _conflicts(answer: output.Record) -> list[str]:
    """What an entry may contradict, and how to say that it takes the place of the first of them."""
    found = rows(answer, "potential_conflicts")
    if not found:
        return []
    room = max(terminal.width() - 16, 30)
    listed = [
        f"  {entries.number(row.get('id'))}  {entries.percent(row.get('similarity'))}  {line(row.get('content'), room)}"
        for row in found[:_SHOWN]
    ]
    if len(found) > _SHOWN:
        listed.append(f"  … and {len(found) - _SHOWN} more")
    content = str(answer.get("content"))
    again = shlex.quote(content) if len(content) <= _QUOTED and "\n" not in content else "TEXT"
    first = line(str(found[0].get("id")))
    return [
        "it may contradict:",
        *listed,
        f"if it takes the place of it: memctl supersede {first} {line(again)}",
    ]


def supersede(arguments: Arguments) -> int:
    """Put a new entry in the place of one."""
    params = {
        **arguments.params(),
        "id": _id(arguments.text("id") or ""),
        "text": _content(arguments, "text"),
    }
    return _told(arguments, ask(arguments, "supersede", params), "superseded")


def merge(arguments: Arguments) -> int:
    """Put a new entry in the place of several."""
    if not arguments.has("into"):
        raise Usage("--into TEXT is missing: what the one statement says")
    params = {name: value for name, value in arguments.params().items() if name not in ("id", "into")}
    params |= {"ids": _ids(arguments), "text": _content(arguments, "into")}
    return _told(arguments, ask(arguments, "merge", params), "merged")


def retire(arguments: Arguments) -> int:
    """Let entries hold no longer."""
    return _each(arguments, "retire", "retired", "already_superseded", "already_retired")


def delete(arguments: Arguments) -> int:
    """Remove entries."""
    return _each(arguments, "delete", "deleted")


def reviewed(arguments: Arguments) -> int:
    """Note of entries that they hold still."""
    answer = ask(arguments, "reviewed", {"ids": _ids(arguments)})
    done = [row for row in rows(answer, "results") if row.get("action") == "reviewed"]
    rest = [row for row in rows(answer, "results") if row not in done]
    named = ", ".join(entries.number(row.get("id")) for row in done)
    verb = "hold" if len(done) > 1 else "holds"
    output.show(arguments, answer, f"{named} {verb} still{entries.undo(answer)}\n" if done else "")
    for row in [] if arguments.has("json") else rest:
        terminal.complain(entries.became(row))
    return REFUSED if any(row.get("action") == "not_found" for row in rest) else DONE


def review(arguments: Arguments) -> int:
    """What is important and fading."""
    answer = ask(arguments, "review", with_cwd(arguments.params()))
    due = rows(answer, "due")
    if not due:
        return output.show(arguments, answer, f"Nothing is due in {line(answer.get('scope'))}.\n")
    room = max(terminal.width() - 52, 30)
    cells = [
        (
            entries.percent(row.get("recall")),
            entries.number(row.get("id")),
            line(row.get("entry_type")),
            plain(row.get("importance")),
            output.when(row.get("reviewed_at") or row.get("created_at")),
            line(row.get("content"), room),
        )
        for row in due
    ]
    names = ("RECALL", "ID", "TYPE", "IMP", "LAST", "TEXT")
    listed = output.table(names, cells, color=terminal.has_color(arguments.has("no_color")))
    hint = "It holds: memctl reviewed ID…   It changed: memctl supersede ID TEXT   It is over: memctl retire ID\n"
    return output.show(arguments, answer, listed + hint)


def _each(arguments: Arguments, method: str, *fine: str) -> int:
    """Do it to each entry, a change each; the worst of what became of them. Of several the document is a list."""
    ids = list(dict.fromkeys(_ids(arguments)))
    if len(ids) == 1 or not arguments.has("json"):
        return max([_told(arguments, ask(arguments, method, {"id": one}), *fine) for one in ids])
    answers = [ask(arguments, method, {"id": one}) for one in ids]
    output.show(arguments, {"results": answers}, "")
    return DONE if all(answer.get("action") in fine for answer in answers) else REFUSED


def _told(arguments: Arguments, answer: Answer, *fine: str) -> int:
    """Say what became of an entry; where that is none of what is ``fine``, it is an error."""
    is_fine = answer.get("action") in fine
    if is_fine or arguments.has("json"):
        lines = [f"{entries.became(answer)}{entries.undo(answer)}", *entries.besides(answer), ""]
        output.show(arguments, answer, "\n".join(lines))
    else:
        terminal.complain(entries.became(answer))
    return DONE if is_fine else REFUSED


def _said(arguments: Arguments) -> str:
    """The text that was given, or what standard input holds."""
    given = arguments.text("text")
    if given not in (None, "-"):
        return _content(arguments, "text")
    if given is None and terminal.is_terminal(0):
        raise Usage("TEXT is missing")
    raw = sys.stdin.buffer.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise Usage("standard input holds more than 16 KiB")
    try:
        said = raw.decode()
    except UnicodeDecodeError:
        raise Usage("standard input holds no UTF-8 text") from None
    if not said.strip():
        raise Usage("TEXT is empty")
    return said


def _content(arguments: Arguments, name: str) -> str:
    """The text of an entry. Usage where it is too long for one."""
    given = arguments.text(name) or ""
    if len(given.encode("utf-8", "replace")) > _MOST_BYTES:
        raise Usage(f"{name.upper()} is longer than 16 KiB")
    return given


def _ids(arguments: Arguments) -> list[int]:
    return [_id(word) for word in (arguments.text("id") or "").replace(",", " ").split()]


def _id(word: str) -> int:
    digits = word.removeprefix("#")
    if not (digits.isascii() and digits.isdigit() and 0 < len(digits) < 16):
        raise Usage(f"ID is the number of an entry, not {word!r}: memctl list --in entries shows them")
    return int(digits)


_IMPORTANCE = integer("--importance", 1, 10, "how important it is")
_ENTRY = Word("ID", "the number of an entry")
_ENTRIES = Word("ID", "the numbers of entries", many=True)
_TAKEN_BACK = "`memctl undo` takes it back."

COMMANDS = (
    Command(
        "remember",
        "store a statement that holds",
        remember,
        words=(
            Word(
                "TEXT", "what to remember; - or nothing: what standard input holds", many=True, optional=True
            ),
        ),
        flags=(
            choice("--type", TYPES, "what it is (fact)"),
            integer("--importance", 1, 10, "how important it is (5)"),
            choice("--scope", SCOPES, "where it holds: everywhere, in a project, or on a branch"),
            text("--project", "P", "the project that it is of: its name or path"),
            text("--branch", "B", "it holds on this branch alone"),
        ),
        story="Without a scope it holds in the project of the working directory, where that is one, else everywhere."
        " What memd knows already is seen once more, and the wording that says more stays. What it may contradict is"
        f" told, and hinders nothing. {_TAKEN_BACK}",
        examples=(
            "memctl remember 'The API runs on port 8080'",
            "memctl remember --type preference --scope global 'Tabs, never spaces'",
            "git log -1 --format=%B | memctl remember --type decision -",
        ),
    ),
    Command(
        "supersede",
        "put a new statement in the place of one that holds no longer",
        supersede,
        words=(_ENTRY, Word("TEXT", "what holds now", many=True)),
        flags=(_IMPORTANCE,),
        story=f"The old one is kept, points at the new one, and is found no more. {_TAKEN_BACK}",
        examples=("memctl supersede 41 'The API runs on port 8081'",),
    ),
    Command(
        "merge",
        "put one statement in the place of several",
        merge,
        words=(_ENTRIES,),
        flags=(text("--into", "TEXT", "the statement that says it all", required=True), _IMPORTANCE),
        story=f"Its type and scope are those of the first, its importance is the highest among them. {_TAKEN_BACK}",
        examples=("memctl merge 12 17 --into 'Deploys go out on Tuesdays, never on Fridays'",),
    ),
    Command(
        "retire",
        "let statements hold no longer, without another in their place",
        retire,
        words=(_ENTRIES,),
        story=f"They are kept, and found no more. {_TAKEN_BACK}",
    ),
    Command(
        "delete",
        "remove statements",
        delete,
        words=(_ENTRIES,),
        story=f"What it had superseded points at what superseded it, or is retired. {_TAKEN_BACK} To remove it for"
        " good, see memctl forget.",
    ),
    Command(
        "review",
        "list what is important and fading",
        review,
        flags=(
            text("--project", "P", "of this project: its name or path"),
            Flag("--all-projects", "of every project"),
            choice("--type", TYPES, "of this type"),
            integer("--limit", 1, 1000, "how many at most (10)", short="-n"),
        ),
        apart=(("project", "all_projects"),),
        story="What was seen or reviewed long ago comes first, by the half-life of its class: an event fades within"
        " days, a fact within months. See the settings [review] and [scoring].",
    ),
    Command(
        "reviewed",
        "say of statements that they hold still",
        reviewed,
        words=(_ENTRIES,),
        examples=("memctl reviewed 12 17",),
    ),
)
