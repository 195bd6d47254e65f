"""What was spoken of, and how it hangs together: entities, entity, relationships."""

from __future__ import annotations

from memctl import output, terminal
from memctl.arguments import Arguments
from memctl.client import ask
from memctl.command import Command, Flag, Word, integer
from memctl.output import line, part, plain
from memd.wire.visible import visible


def entities(arguments: Arguments) -> int:
    """The entities of which most was said, first."""
    answer = ask(arguments, "entities", arguments.params())
    cells = [
        (
            line(row.get("name")),
            line(row.get("entity_type")),
            plain(row.get("mention_count")),
            plain(row.get("degree")),
            output.when(row.get("last_seen_at")),
        )
        for row in output.rows(answer, "entities")
    ]
    names = ("NAME", "TYPE", "MENTIONS", "EDGES", "LAST SEEN")
    table = output.table(names, cells, color=terminal.has_color(arguments.has("no_color")))
    left = answer.get("total")
    more = f"{len(cells)} of {plain(left)}\n" if isinstance(left, int) and left > len(cells) else ""
    return output.show(arguments, answer, table + more if cells else "No entities.\n")


def entity(arguments: Arguments) -> int:
    """One entity: drawn with what it is joined to, and with the entries that mention it."""
    form = next((form for form in ("dot", "mermaid") if arguments.has(form)), "text")
    answer = ask(arguments, "entity", {"name": arguments.text("name") or "", "draw": form})
    drawing = visible(str(answer.get("drawing", "")))
    return output.show(arguments, answer, drawing if form != "text" else drawing + _beside(answer))


def merge(arguments: Arguments) -> int:
    """Make two entities one."""
    answer = ask(
        arguments, "entities.merge", {"from": arguments.text("from"), "into": arguments.text("into")}
    )
    target = part(answer, "target")
    done = ", ".join(
        f"{plain(answer.get(name))} {said}"
        for name, said in (
            ("relationships_repointed", "edges moved"),
            ("relationships_deduplicated", "were there already"),
            ("self_loops_dropped", "dropped"),
        )
    )
    undo = f"; memctl undo {line(str(answer['change']))} takes it back" if answer.get("change") else ""
    return output.show(
        arguments, answer, f"{line(arguments.text('from'))} is {line(target.get('name'))} now: {done}{undo}\n"
    )


def relationships(arguments: Arguments) -> int:
    """The edges at an entity."""
    answer = ask(arguments, "relationships", {"name": arguments.text("name")})
    cells = [
        (
            line(row.get("source")),
            line(row.get("relationship_type")),
            line(row.get("target")),
            line(row.get("context") or "-", 60),
            output.when(row.get("last_seen_at")),
        )
        for row in output.rows(answer, "relationships")
    ]
    names = ("FROM", "HOW", "TO", "SAID", "LAST SEEN")
    color = terminal.has_color(arguments.has("no_color"))
    return output.show(
        arguments, answer, output.table(names, cells, color=color) if cells else "No relationships.\n"
    )


def _beside(answer: output.Record) -> str:
    """What is known of an entity besides its edges."""
    aliases, entries = part(answer, "entity").get("aliases"), output.rows(answer, "entries")
    text = f"\nalso called: {line(aliases)}\n" if aliases else ""
    if entries:
        total = answer.get("entries_total")
        text += "\n1 entry mentions it:\n" if total == 1 else f"\n{plain(total)} entries mention it:\n"
        text += "".join(
            f"  #{line(str(row.get('id')))}  {line(row.get('content'), 100)}\n" for row in entries
        )
    return text


_NAME = Word("NAME", "its name, or one that was merged into it; case does not matter", many=True)

COMMANDS = (
    Command(
        "entities",
        "list the things that were spoken of, those mentioned most first",
        entities,
        words=(Word("QUERY", "a part of the name", many=True, optional=True),),
        flags=(
            integer("--limit", 1, 1000, "so many at most (30)", short="-n"),
            integer("--min-mentions", 0, None, "mentioned at least so often (1)"),
            Flag("--connected", "with a relationship to another one"),
        ),
        story="They come from observation logs. memctl entities merge FROM INTO makes two of them one.",
        examples=("memctl entities --min-mentions 2 --connected", "memctl entities redis"),
    ),
    Command(
        "entities merge",
        "make two entities one",
        merge,
        words=(
            Word("FROM", "the name of the one that goes"),
            Word("INTO", "the name of the one that stays, and answers to both names"),
        ),
        story="Relationships, mentions and other names go along. `memctl undo` takes it back.",
        examples=("memctl entities merge User Ada",),
    ),
    Command(
        "entity",
        "draw an entity with what it is joined to, and the entries that mention it",
        entity,
        words=(_NAME,),
        flags=(
            Flag("--dot", "as a graph for Graphviz"),
            Flag("--mermaid", "as a diagram for Markdown"),
        ),
        apart=(("dot", "mermaid"),),
        examples=("memctl entity redis", "memctl entity redis --dot | dot -Tsvg > redis.svg"),
    ),
    Command(
        "relationships",
        "list the relationships of an entity, with what was last said of each",
        relationships,
        words=(_NAME,),
        examples=("memctl relationships redis",),
    ),
)
