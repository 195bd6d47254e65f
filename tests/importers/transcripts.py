"""Lines of transcripts made up for tests, and reading them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from memd.importers.claude_code import Transcript
from memd.importers.harvest import Harvest

SESSION = "11111111-1111-4111-8111-111111111111"
OTHER = "22222222-2222-4222-8222-222222222222"

Json = dict[str, object]


def user(uuid: str | None, content: object, parent: str | None = None, **fields: object) -> Json:
    return _node("user", uuid, parent, {"message": {"role": "user", "content": content}} | fields)


def assistant(
    uuid: str | None,
    content: object,
    parent: str | None = None,
    *,
    reply: str | None = None,
    **fields: object,
) -> Json:
    message = {"role": "assistant", "content": content} | ({"id": reply} if reply else {})
    return _node("assistant", uuid, parent, {"message": message} | fields)


def result(uuid: str, parent: str | None = None, **fields: object) -> Json:
    return user(uuid, [{"type": "tool_result", "tool_use_id": "t", "content": "out"}], parent, **fields)


def system(uuid: str, parent: str | None = None, subtype: str = "turn_duration") -> Json:
    return _node("system", uuid, parent, {"subtype": subtype})


def queued(uuid: str, prompt: object, parent: str | None = None, **held: object) -> Json:
    attachment = {"type": "queued_command", "prompt": prompt, "commandMode": "prompt"} | held
    return _node("attachment", uuid, parent, {"attachment": attachment})


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def _node(kind: str, uuid: str | None, parent: str | None, fields: Json) -> Json:
    envelope: Json = {"type": kind, "parentUuid": parent, "isSidechain": False, "sessionId": SESSION}
    if uuid is not None:
        envelope["uuid"] = uuid
    return envelope | fields


def lines_of(records: Iterable[Json]) -> list[bytes]:
    return [json.dumps(record).encode() for record in records]


def feed(transcript: Transcript, lines: Iterable[bytes], offset: int = 0) -> int:
    """Feed the lines from an offset on; the offset behind them."""
    for line in lines:
        transcript.feed(offset, line)
        offset += len(line) + 1
    return offset


def reading(*records: Json, name: str = SESSION, **options: object) -> tuple[Transcript, Harvest]:
    """A transcript that has read the records, and its harvest."""
    transcript = Transcript(name, **options)  # type: ignore[arg-type]  # passed on as they are
    feed(transcript, lines_of(records))
    return transcript, transcript.take()


def texts(harvest: Harvest) -> list[str]:
    """The words of the turns."""
    return [turn.text for turn in harvest.turns]
