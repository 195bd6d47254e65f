"""The tools that change memory: remember, supersede, forget."""

from __future__ import annotations

from hashlib import sha256

from memctl import entries
from memctl.client import LONG_SECONDS, Answer
from memctl.command import TYPES
from memctl.exits import REFUSED, Failure
from memctl.mcp.given import Given, choice, integer, text
from memctl.mcp.memory import Memory
from memctl.mcp.tool import Result, Tool
from memctl.output import line, part, plain, rows

_CONFIRM_LETTERS = 8


def _remember(memory: Memory, given: Given) -> Result:
    answer = memory.ask("remember", {**given, **memory.scope.holding()})
    its = f"{entries.number(answer.get('id'))} ({line(answer.get('entry_type'))}, {entries.where(answer)})"
    told = f"Remembered as {its}."
    if answer.get("action") == "deduplicated":
        told = f"Known already as {its}, seen {plain(answer.get('sightings'))} times now; show gives its wording."
    conflicts = [row.get("id") for row in rows(answer, "potential_conflicts")]
    lines = [told, *entries.besides(answer)]
    if conflicts:
        listed = ", ".join(map(entries.number, conflicts))
        lines.append(f"It may contradict {listed}: look with show, and supersede what holds no longer.")
    return Result("\n".join(lines), {**_facts(answer), "potential_conflicts": conflicts})


def _supersede(memory: Memory, given: Given) -> Result:
    _changeable(memory, f"#{given['id']}")
    answer = memory.ask("supersede", given)
    if answer.get("action") != "superseded":
        raise Failure(REFUSED, entries.became(answer))
    lines = [f"{entries.became(answer)}.", *entries.besides(answer)]
    return Result("\n".join(lines), {**_facts(answer), "old_id": answer.get("old_id")})


def _forget(memory: Memory, given: Given) -> Result:
    """Show what would go with a word that confirms exactly that; with the word, have it removed."""
    id, said = _meant(_changeable(memory, given["id"]))
    word = sha256(f"{id}\n{said}".encode("utf-8", "replace")).hexdigest()[:_CONFIRM_LETTERS]
    if given.get("confirm") != word:
        shown = memory.told("show", {"id": id}, more="it goes whole")
        return Result(
            f"Nothing is forgotten yet. This would go for good, and no undo brings it back:\n{shown}\n"
            f'If the user wants that, call forget again with the same id and confirm "{word}".'
        )
    memory.ask("forget", {"id": id}, LONG_SECONDS)
    return Result(f"{id} is forgotten for good; no import brings it back.", {"action": "forgotten", "id": id})


def _changeable(memory: Memory, id: object) -> Answer:
    """What an id means; Failure where it is of another project, or holds beyond the one that this is held to."""
    shown = memory.within("show", {"id": id})
    memory.scope.check_change(part(shown, "entry"))
    return shown


def _meant(shown: Answer) -> tuple[str, str]:
    """The whole id of what an id means, and what it says."""
    if entry := part(shown, "entry"):
        return f"#{entry.get('id')}", str(entry.get("content"))
    [turn] = rows(shown, "turns")
    return str(turn.get("id")), str(turn.get("text"))


def _facts(answer: Answer) -> dict[str, object]:
    return {"action": answer.get("action"), "id": answer.get("id")}


_TEXT_CHARS = 4_000
_IMPORTANCE = integer("how important it is (5)", 1, 10)

REMEMBER = Tool(
    "remember",
    "Remember something",
    "Remember one statement for future sessions: a decision, preference, fact, procedure or task. Use it when the user"
    " says: remember this, save this, note that, from now on, always, never, keep in mind; or when a decision is made"
    " that later work depends on. One statement a call, understandable by itself. Says what it may contradict.",
    _remember,
    {
        "text": text("the statement", _TEXT_CHARS),
        "type": choice("what it is (fact)", TYPES),
        "importance": _IMPORTANCE,
    },
    ("text",),
    writes=True,
    idempotent=False,  # it counts how often a statement is seen
)
SUPERSEDE = Tool(
    "supersede",
    "Correct a memory",
    "Put a new statement in the place of a remembered entry that holds no longer: update, correct, change, replace a"
    " memory, we changed our mind. The old one is kept and found no more. Takes the number of the entry as search or"
    " show gave it.",
    _supersede,
    {
        "id": integer("the number of the entry", 1, 10**15 - 1),
        "text": text("what holds now", _TEXT_CHARS),
        "importance": _IMPORTANCE,
    },
    ("id", "text"),
    writes=True,
    idempotent=False,
)
FORGET = Tool(
    "forget",
    "Forget a memory for good",
    "Forget for good one remembered entry or one turn of an earlier conversation, by its id: delete, erase, remove from"
    " memory. No undo brings it back, so only where the user asks for it. The first call shows what would go and gives"
    " a word; the second one, with the word as confirm, removes it. For what merely changed, use supersede.",
    _forget,
    {
        "id": text("the number of an entry, or the id of a turn or an unambiguous beginning of it", 100),
        "confirm": text("the word that the first call gave", 20),
    },
    ("id",),
    writes=True,
    destroys=True,
)
