"""A neighbourhood as a drawing: text for a terminal, DOT for Graphviz, Mermaid for Markdown. No name can break out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Literal

from memd.graph.entity import Relationship
from memd.graph.explore import EgoGraph

Form = Literal["text", "dot", "mermaid"]

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_MARKUP = re.compile(r"[^\w .,:+/@()-]")


def text(graph: EgoGraph) -> str:
    """The name, and below it a line an edge: ``uses → Redis`` goes out from it, ``uses ← app`` comes in."""
    centre = graph.centre
    lines = [f"{_plain(centre.name)} ({centre.type}, mentioned {_times(centre.mentions)})"]
    for number, edge in enumerate(graph.relationships, 1):
        branch = "└─" if number == len(graph.relationships) else "├─"
        lines.append(f"{branch} {_arrow(edge, centre.id)}{_said(edge)}")
    return "\n".join(lines) + "\n"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def dot(graph: EgoGraph) -> str:
    """A directed graph for Graphviz."""
    nodes = [
        f'  e{one.id} [label="{_in_dot(one.name)}\\n{one.type}"{", penwidth=2" if one == graph.centre else ""}];'
        for one in graph.entities
    ]
    edges = [
        f'  e{edge.source_id} -> e{edge.target_id} [label="{edge.type}"];' for edge in graph.relationships
    ]
    return "\n".join(["digraph memory {", "  rankdir=LR;", "  node [shape=box];", *nodes, *edges, "}"]) + "\n"


def mermaid(graph: EgoGraph) -> str:
    """A flowchart for Mermaid."""
    nodes = [f'  e{one.id}["{_in_mermaid(one.name)}"]' for one in graph.entities]
    edges = [f"  e{edge.source_id} -->|{edge.type}| e{edge.target_id}" for edge in graph.relationships]
    return "\n".join(["graph LR", *nodes, *edges, f"  style e{graph.centre.id} stroke-width:3px"]) + "\n"


FORMS: Mapping[Form, Callable[[EgoGraph], str]] = {"text": text, "dot": dot, "mermaid": mermaid}


def _arrow(edge: Relationship, centre: int) -> str:
    if edge.source_id == centre:
        return f"{edge.type} → {_plain(edge.target)}"
    return f"{edge.type} ← {_plain(edge.source)}"


def _said(edge: Relationship) -> str:
    return f": {_plain(edge.context)}" if edge.context else ""


def _plain(name: str) -> str:
    return _CONTROLS.sub(" ", name)


def _in_dot(name: str) -> str:
    return _plain(name).replace("\\", "\\\\").replace('"', '\\"')


def _in_mermaid(name: str) -> str:
    """Whatever is more than a word stands as its number, which no diagram reads as markup."""
    return _MARKUP.sub(_numbered, _plain(name))


def _numbered(found: re.Match[str]) -> str:
    """A viewer shows a number as its character, so one that turns or hides text is spelled out (R13)."""
    char = found[0]
    return f"#{ord(char)};" if char.isprintable() else f"#60;U+{ord(char):04X}#62;"
