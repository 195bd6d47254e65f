"""What goes over the pipes between memd and the process that asks the model: frames of JSON, and what is in them.

A frame is four bytes of length, big-endian, and a JSON object. The first one down says who is to be asked; then each
request is answered by one frame.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from memd import errors
from memd.errors import ModelCrashed, ModelError
from memd.providers.llm.base import JSON, Reply, Request

HEAD = 4
MOST_BYTES = 16 << 20  # an answer of a million characters, each written as six
Frame = Mapping[str, JSON]

_ERRORS = {
    kind.kind: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, ModelError)
}


@dataclass(frozen=True, slots=True)
class Model:
    """Who is asked, and how long it may take."""

    provider: str
    model: str
    key_file: Path | None
    timeout_s: float


def packed(frame: object) -> bytes:
    """A frame as bytes."""
    body = json.dumps(frame).encode("ascii")
    return len(body).to_bytes(HEAD, "big") + body


def unpacked(body: bytes) -> Frame:
    """The frame in these bytes. ModelCrashed where they are none: the process on the other side is out of order."""
    try:
        frame = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ModelCrashed from error
    if not isinstance(frame, dict):
        raise ModelCrashed
    return frame


def of_model(model: Model) -> Frame:
    """The first frame."""
    return {**asdict(model), "key_file": str(model.key_file) if model.key_file else None}


def to_model(frame: Frame) -> Model:
    """Who is to be asked, from the first frame."""
    file, timeout = frame["key_file"], frame["timeout_s"]
    return Model(
        str(frame["provider"]),
        str(frame["model"]),
        Path(str(file)) if file else None,
        float(cast(float, timeout)),
    )


def of_request(request: Request) -> object:
    """A request; what is for the ledger alone stays behind."""
    return {
        "system": request.system,
        "prompt": request.prompt,
        "schema": request.schema,
        "max_tokens": request.max_tokens,
    }


def to_request(frame: Frame) -> Request:
    """The request in a frame."""
    schema, most = cast(Mapping[str, object], frame["schema"]), cast(int, frame["max_tokens"])
    return Request(str(frame["system"]), str(frame["prompt"]), schema, most, "")


def of_reply(reply: Reply) -> object:
    """A reply."""
    return {"reply": asdict(reply)}


def of_error(error: ModelError) -> object:
    """An error, with all that the other side needs to raise it again."""
    told = {
        "kind": error.kind,
        "message": error.message,
        "retry_after_s": error.retry_after_s,
        "free": error.free,
    }
    return {"error": told}


def to_reply(frame: Frame) -> Reply:
    """The reply in a frame; raises the error in it."""
    match frame:
        case {"reply": dict(fields)}:
            return Reply(**fields)  # type: ignore[arg-type]  # the fields of a Reply, by the same memd
        case {
            "error": {
                "kind": str(kind),
                "message": str(message),
                "retry_after_s": float(wait),
                "free": bool(free),
            }
        }:
            error = _ERRORS[kind](message, retry_after_s=wait)
            error.free = free
            raise error
    raise ModelCrashed
