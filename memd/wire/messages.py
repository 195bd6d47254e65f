"""The shapes of messages: requests as they must be, answers, errors and events as they are built. Version 1."""

from __future__ import annotations

from memd.errors import BadRequest, MemdError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION = 1

CODES = frozenset(
    {
        "bad_frame",
        "too_large",
        "bad_request",
        "unknown_method",
        "bad_version",
        "busy",
        "timeout",
        "internal",
        "degraded",
        "not_found",
        "forbidden",
    }
)

_FIELDS = ("v", "id", "method", "params")


class BadVersion(BadRequest):
    """The other side speaks another version of the protocol."""

    code = "bad_version"


class Request:
    """A request whose outside is as it must be; the method's own schema checks its parameters."""

    __slots__ = ("id", "method", "params")

    def __init__(self, id: int | str, method: str, params: dict[str, object]) -> None:
        self.id = id
        self.method = method
        self.params = params


def check_request(message: Mapping[str, object]) -> Request:
    """The request in a decoded frame, or BadRequest that says what is wrong with it."""
    version, method, params = message.get("v"), message.get("method"), message.get("params", {})
    if type(version) is not int:
        raise BadRequest("v must be a whole number, the protocol's version")
    if version != VERSION:
        raise BadVersion(f"this memd speaks version {VERSION} of the protocol, not {version}")
    id = request_id(message)
    if id is None:
        raise BadRequest("id must be a whole number or a text")
    if not isinstance(method, str):
        raise BadRequest("method must be a text")
    if not isinstance(params, dict):
        raise BadRequest("params must be a map")
    if not message.keys() <= set(_FIELDS):
        raise BadRequest(f"a request has the fields {', '.join(_FIELDS)} and no others")
    return Request(id, method, params)


def request_id(message: Mapping[str, object]) -> int | str | None:
    """The id to answer to, where the message has a usable one."""
    id = message.get("id")
    return id if isinstance(id, int | str) and not isinstance(id, bool) else None


def request(id: int | str, method: str, params: Mapping[str, object]) -> dict[str, object]:
    """A request, ready to be encoded."""
    return {"v": VERSION, "id": id, "method": method, "params": dict(params)}


def answer(id: int | str, result: Mapping[str, object]) -> dict[str, object]:
    """The answer to a request that went well."""
    return {"v": VERSION, "id": id, "ok": True, "result": result}


def error(id: int | str | None, fault: MemdError) -> dict[str, object]:
    """The answer to a request that failed; without an id it is about the connection as a whole."""
    told: dict[str, object] = {"code": fault.code, "message": fault.message}
    if fault.detail is not None:
        told["detail"] = fault.detail
    return {"v": VERSION, "id": id, "ok": False, "error": told}


def event(id: int | str, body: Mapping[str, object]) -> dict[str, object]:
    """A sign of life or a part of the answer, sent while a long call runs."""
    return {"v": VERSION, "id": id, "event": body}
