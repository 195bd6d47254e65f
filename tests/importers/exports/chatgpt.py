"""ChatGPT: an edited question, hidden and system messages, tools, thoughts, images, a broken node."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.importers.exports import Export

Json = dict[str, Any]
START = 1_790_000_000.0


def message(id: str, role: str, content: Json, at: float | None, **more: Any) -> Json:
    return {
        "id": id,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": at,
        "content": content,
        "status": "finished_successfully",
        "metadata": {},
        "recipient": "all",
    } | more


def text(*parts: object) -> Json:
    return {"content_type": "text", "parts": list(parts)}


def conversation(number: int, turns: int = 2) -> Json:
    """A plain conversation of questions and answers."""
    id = f"plain-{number}"
    nodes: Json = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    parent = "root"
    for n in range(turns):
        role = ("user", "assistant")[n % 2]
        name = f"{id}-{n}"
        said = message(name, role, text(f"{role} words {number}/{n}"), START + number * 100 + n)
        nodes[name] = {"id": name, "message": said, "parent": parent, "children": []}
        parent = name
    return {
        "id": id,
        "conversation_id": id,
        "title": f"Plain {number}",
        "create_time": START + number * 100,
        "update_time": START,
        "mapping": nodes,
        "current_node": parent,
    }


def _walk() -> Iterator[tuple[str, str, Json | None]]:
    """Node, parent and message of a conversation with everything in it."""
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_1", "width": 1}
    hidden = {"is_visually_hidden_from_conversation": True}
    at = START
    yield "root", "", None
    yield "sys", "root", message("sys", "system", text(""), None, metadata=hidden)
    yield (
        "ctx",
        "sys",
        message("ctx", "user", {"content_type": "user_editable_context", "user_profile": "me"}, None),
    )
    yield "q0", "ctx", message("q0", "user", text("first try of a question"), at + 1)  # edited: left behind
    yield "a0", "q0", message("a0", "assistant", text("an answer to it"), at + 2)
    yield "q1", "ctx", message("q1", "user", text("what is on the picture?"), at + 3)
    yield (
        "q2",
        "q1",
        message("q2", "user", {"content_type": "multimodal_text", "parts": [picture, "look here"]}, at + 4),
    )
    yield (
        "th",
        "q2",
        message("th", "assistant", {"content_type": "thoughts", "thoughts": [{"content": "hm"}]}, at + 5),
    )
    yield (
        "rc",
        "th",
        message("rc", "assistant", {"content_type": "reasoning_recap", "content": "Thought 2 s"}, at + 6),
    )
    yield (
        "co",
        "rc",
        message("co", "assistant", {"content_type": "code", "text": "print(1)"}, at + 7, recipient="python"),
    )
    yield (
        "ex",
        "co",
        message("ex", "tool", {"content_type": "execution_output", "text": "1"}, at + 8),
    )
    yield (
        "tm",
        "ex",
        message("tm", "tool", {"content_type": "multimodal_text", "parts": [picture]}, at + 9),
    )
    yield "hi", "tm", message("hi", "assistant", text("not to be seen"), at + 10, metadata=hidden)
    yield "a1", "hi", message("a1", "assistant", text("A quokka, ", "", "with a hat."), at + 11)
    yield "q3", "a1", message("q3", "user", text("  "), at + 12)
    yield (
        "q4",
        "q3",
        message("q4", "user", {"content_type": "multimodal_text", "parts": [picture]}, at + 13),
    )
    yield "q5", "q4", message("q5", "user", text("no time here"), None)
    yield "un", "q5", message("un", "assistant", {"content_type": "brand_new", "x": 1}, at + 14)
    yield "br", "un", {"id": "br", "content": "no object"}
    yield (
        "a2",
        "br",
        message(
            "a2",
            "assistant",
            text("done \ud83d now"),
            at + 15,
            metadata={"attachments": [{"mime_type": "application/pdf"}, {"mime_type": "image/png"}]},
        ),
    )


def full() -> Json:
    nodes = {
        name: {"id": name, "message": held, "parent": parent or None, "children": []}
        for name, parent, held in _walk()
    }
    return {
        "conversation_id": "full",
        "title": "A picture",
        "create_time": START,
        "mapping": nodes,
        "current_node": "a2",
    }


def dump(conversations: list[object]) -> bytes:
    return json.dumps(conversations).encode()


def export(plain: int = 3) -> Export:
    records: list[object] = [full(), *(conversation(n) for n in range(plain)), 7, {"title": "no mapping"}]
    made = Export("chatgpt", lambda path: path.write_bytes(dump(records)))
    made.turns = [
        ("full", "user", "what is on the picture?"),
        ("full", "user", "look here"),
        ("full", "assistant", "A quokka, \nwith a hat."),
        ("full", "user", "no time here"),
        ("full", "assistant", "done \ufffd now"),
        *(
            (f"plain-{n}", role, f"{role} words {n}/{at}")
            for n in range(plain)
            for at, role in enumerate(("user", "assistant"))
        ),
    ]
    made.tools = [("full", "tool", "print(1)"), ("full", "tool", "1")]
    made.skipped.update(
        system=2, meta=1, other_branch=2, thinking=2, tool_output=3, attachment=3, empty=1, unsupported=1
    )
    made.malformed = 3
    made.titles = {"full": "A picture"} | {f"plain-{n}": f"Plain {n}" for n in range(plain)}
    return made
