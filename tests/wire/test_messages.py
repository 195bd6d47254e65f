"""Requests are taken as the protocol has them; answers have its shapes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memd import errors
from memd.errors import BadRequest, Busy, MemdError
from memd.wire import messages
from memd.wire.frames import BadFrame
from memd.wire.messages import BadVersion, check_request

GOOD = {"v": 1, "id": 7, "method": "ping", "params": {}}


@pytest.mark.parametrize("id", [0, -1, 2**63, "", "a"])
def test_a_good_request_is_taken(id: int | str) -> None:
    request = check_request(GOOD | {"id": id, "params": {"a": 1}})

    assert (request.id, request.method, request.params) == (id, "ping", {"a": 1})


def test_parameters_may_be_left_out() -> None:
    assert check_request({"v": 1, "id": 1, "method": "ping"}).params == {}


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"v": 2}, BadVersion),
        ({"v": "1"}, BadRequest),
        ({"v": True}, BadRequest),
        ({"v": None}, BadRequest),
        ({"id": None}, BadRequest),
        ({"id": 1.5}, BadRequest),
        ({"id": True}, BadRequest),
        ({"id": [1]}, BadRequest),
        ({"method": b"ping"}, BadRequest),
        ({"method": None}, BadRequest),
        ({"params": None}, BadRequest),
        ({"params": []}, BadRequest),
        ({"extra": 1}, BadRequest),
    ],
)
def test_a_request_with_a_wrong_field_is_refused(
    change: dict[str, object], refusal: type[BadRequest]
) -> None:
    with pytest.raises(refusal) as caught:
        check_request(GOOD | change)

    assert type(caught.value) is refusal


@pytest.mark.parametrize("missing", ["v", "id", "method"])
def test_a_request_without_a_field_is_refused(missing: str) -> None:
    with pytest.raises(BadRequest):
        check_request({name: value for name, value in GOOD.items() if name != missing})


@pytest.mark.parametrize(
    ("message", "id"), [({"id": 3}, 3), ({"id": "x"}, "x"), ({"id": True}, None), ({}, None)]
)
def test_an_error_can_be_answered_to_the_id_it_has(message: dict[str, object], id: int | str | None) -> None:
    assert messages.request_id(message) == id


def test_answers_have_the_shapes_of_the_protocol() -> None:
    assert messages.answer(1, {"a": 2}) == {"v": 1, "id": 1, "ok": True, "result": {"a": 2}}
    assert messages.event("x", {"n": 1}) == {"v": 1, "id": "x", "event": {"n": 1}}
    assert messages.error(None, Busy("later", detail="d")) == {
        "v": 1,
        "id": None,
        "ok": False,
        "error": {"code": "busy", "message": "later", "detail": "d"},
    }
    assert check_request(messages.request(1, "ping", {})).method == "ping"


def test_every_error_has_a_code_of_the_protocol() -> None:
    def tree(kind: type[MemdError]) -> Iterator[type[MemdError]]:
        yield kind
        for below in kind.__subclasses__():
            yield from tree(below)

    assert errors.MemdError in tree(MemdError)
    assert {kind.code for kind in tree(MemdError)} - messages.CODES == set()
    assert BadFrame.code in messages.CODES
