"""Frames: what is sent arrives, and what is no frame is refused before it costs anything."""

from __future__ import annotations

import struct
import time

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.errors import BadRequest, TooLarge
from memd.wire.frames import ANSWER, REQUEST, BadFrame, FrameReader, decode, encode

KEYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | KEYS
    | st.binary(max_size=40)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)
MESSAGES = st.dictionaries(KEYS, VALUES, max_size=8)


@given(MESSAGES)
def test_a_message_comes_back_as_it_was_sent(message: dict[str, object]) -> None:
    payload = encode(message)[4:]

    assert decode(payload, REQUEST) == message
    assert decode(payload, ANSWER) == message


@given(st.binary(max_size=400))
@settings(max_examples=2000)
def test_any_bytes_are_a_message_or_a_bad_request(payload: bytes) -> None:
    for limits in (REQUEST, ANSWER):
        try:
            assert isinstance(decode(payload, limits), dict)
        except BadRequest as refused:
            assert refused.code in ("bad_frame", "too_large")


@given(MESSAGES, st.data())
@settings(max_examples=500)
def test_a_damaged_message_is_a_message_or_a_bad_request(
    message: dict[str, object], data: st.DataObject
) -> None:
    payload = bytearray(encode(message)[4:])
    for _ in range(data.draw(st.integers(1, 4))):
        payload[data.draw(st.integers(0, len(payload) - 1))] = data.draw(st.integers(0, 255))

    try:
        assert isinstance(decode(bytes(payload), REQUEST), dict)
    except BadRequest as refused:
        assert refused.code in ("bad_frame", "too_large")


def nested(depth: int) -> bytes:
    return b"\x81\xa1a" + b"\x91" * (depth - 1) + b"\xc0"


@pytest.mark.parametrize(
    ("payload", "refusal"),
    [
        (b"", BadFrame),
        (b"\xc0", BadFrame),  # not a map
        (b"\x05", BadFrame),
        (b"\x90", BadFrame),
        (b"\xa4ping", BadFrame),
        (b"\x80extra", BadFrame),  # bytes after the value
        (b"\x81\xa1a", BadFrame),  # ends inside
        (b"\x81\xa1a\xcb\x00", BadFrame),
        (b"\x81\xa1a\xdb\x00", BadFrame),  # ends inside a length
        (b"\x81\x01\x02", BadFrame),  # keys that are no text
        (b"\x81\xc0\x02", BadFrame),
        (b"\x81\x90\xc0", BadFrame),
        (b"\x81\xc4\x01a\xc0", BadFrame),
        (b"\x81\xa1a\xa2\xff\xfe", BadFrame),  # not UTF-8
        (b"\x81\xa1a\xa3\xed\xa0\x80", BadFrame),  # half a surrogate pair
        (b"\x81\xa1a\xc1", BadFrame),  # the byte that msgpack never uses
        (b"\x81\xa1a\xd6\xff\x00\x00\x00\x00", BadFrame),  # extension types
        (b"\x81\xa1a\xc7\x0c\xff" + b"\xff" * 12, BadFrame),
        (b"\x81\xa1a\xc9\xff\xff\xff\xff\x01", BadFrame),
        (b"\xdf\xff\xff\xff\xff", TooLarge),  # lengths that lie
        (b"\x81\xa1a\xdd\xff\xff\xff\xff", TooLarge),
        (b"\x81\xa1a\xdb\xff\xff\xff\xff", TooLarge),
        (b"\x81\xa1a\xc6\xff\xff\xff\xff", TooLarge),
        (nested(33), TooLarge),
        (nested(900_000), TooLarge),
        (msgpack.packb({"a": "x" * (65536 + 1)}), TooLarge),
        (msgpack.packb({"a": [0] * 1001}), TooLarge),
        (msgpack.packb({str(n): 0 for n in range(101)}), TooLarge),
        (msgpack.packb({"a": [[0] * 999] * 30}), TooLarge),  # small parts, too many of them
        (b"\x80" * (REQUEST.frame + 1), TooLarge),
    ],
)
def test_what_is_no_request_is_refused(payload: bytes, refusal: type[BadRequest]) -> None:
    with pytest.raises(refusal):
        decode(payload, REQUEST)


@pytest.mark.parametrize(
    "payload",
    [
        nested(32),
        msgpack.packb({"a": "x" * 65536}),
        msgpack.packb({"a": [0] * 1000}),
        msgpack.packb({str(n): 0 for n in range(100)}),
    ],
)
def test_a_limit_itself_is_allowed(payload: bytes) -> None:
    assert decode(payload, REQUEST)


def test_an_answer_may_hold_more_than_a_request() -> None:
    message = {"results": [{"text": "x" * 70_000, "n": n} for n in range(100)]}

    assert decode(encode(message)[4:], ANSWER) == message


def test_the_worst_request_is_refused_before_it_holds_up_the_loop() -> None:
    payload = b"\x81\xa1a" + (b"\xdc\x03\xe8" + b"\xc0" * 999) * 1000

    started = time.process_time()
    with pytest.raises(TooLarge):
        decode(payload, REQUEST)

    assert time.process_time() - started < 0.1


def test_half_a_surrogate_pair_is_sent_as_a_question_mark() -> None:
    assert decode(encode({"text": "a\ud800b"})[4:], ANSWER) == {"text": "a?b"}


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=8), st.data())
def test_payloads_come_out_whole_however_they_arrive(payloads: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(struct.pack(">I", len(payload)) + payload for payload in payloads)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=10)))
    reader = FrameReader(REQUEST)

    arrived = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        arrived += reader.feed(stream[start:end])

    assert arrived == payloads
    assert not reader.partial


@pytest.mark.parametrize(
    ("header", "refusal"),
    [
        (b"\0\0\0\0", BadFrame),
        (b"\xff\xff\xff\xff", TooLarge),
        (b"\0\x10\0\x01", TooLarge),
        (b"GET /", TooLarge),
    ],
)
def test_a_length_is_refused_before_its_bytes_come(header: bytes, refusal: type[BadRequest]) -> None:
    reader = FrameReader(REQUEST)

    with pytest.raises(refusal):
        reader.feed(header)

    assert not reader.partial


def test_frames_before_a_bad_one_still_come_out() -> None:
    reader = FrameReader(REQUEST)

    assert reader.feed(encode({"a": 1}) + b"\0\0\0\0") == [encode({"a": 1})[4:]]
    assert isinstance(reader.fault, BadFrame)
    with pytest.raises(BadFrame):
        reader.feed(encode({"a": 2}))
