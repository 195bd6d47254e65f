"""A line gives its records, or a reason; it never raises."""

from __future__ import annotations

import random
import time

import pytest

from memd.importers.claude_code import Transcript
from memd.importers.lines import MAX_DEPTH, parse
from memd.importers.reasons import Skip

GOOD = b'{"type":"user","n":1}'
RECORD = {"type": "user", "n": 1}


def nested(depth: int) -> bytes:
    """A record whose brackets lie so deep in each other, itself included."""
    return b'{"type":"x","a":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (GOOD, [RECORD]),
        (GOOD + b"\r", [RECORD]),
        (b"\0" * 500 + GOOD, [RECORD]),
        (GOOD + b"\0\0\r", [RECORD]),
        (GOOD + GOOD, [RECORD, RECORD]),
        (GOOD + b" \0 " + GOOD + b"\r", [RECORD, RECORD]),
        # blank lines say nothing and are not counted
        (b"", []),
        (b"   \r", []),
        (b"\0" * 4096, []),
        # a cut-off record with a whole one behind it
        (b'{"parentUuid":null,"message":{"content":"cut o' + GOOD, [Skip.UNSUPPORTED, RECORD]),
        (b'{"type":"user","message":{"content":[{"type":"text","te' + GOOD, [Skip.UNSUPPORTED, RECORD]),
        (b"\0\0garbage" + GOOD + b"\r", [Skip.UNSUPPORTED, RECORD]),
        (b'{"cut' + b'{"unknown":1,"type":"user"}', [Skip.UNSUPPORTED]),
        (GOOD + b'{"type":"us', [Skip.UNSUPPORTED]),
        # what is no record
        (b"null", [Skip.UNSUPPORTED]),
        (b"[1,2,3]", [Skip.UNSUPPORTED]),
        (b"42", [Skip.UNSUPPORTED]),
        (b"1 2 3", [Skip.UNSUPPORTED]),
        (b'"x"', [Skip.UNSUPPORTED]),
        (b"{}", [Skip.UNSUPPORTED]),
        (b'{"type":7}', [Skip.UNSUPPORTED]),
        (b'{"type":"user"', [Skip.UNSUPPORTED]),
        (b"\xef\xbb\xbf" + GOOD, [Skip.UNSUPPORTED, RECORD]),  # at the start of a file it is dropped before
        (b'{"type":"a\0b"}', [Skip.UNSUPPORTED]),
        # depth is counted outside of strings
        (nested(MAX_DEPTH), [{"type": "x", "a": [[]]}]),
        (nested(MAX_DEPTH + 1), [Skip.TOO_DEEP]),
        (b"[" * 100_000 + b"]" * 100_000, [Skip.TOO_DEEP]),
        (b'{"type":"user","message":' + b'{"a":' * 50_000 + b"1" + b"}" * 50_001, [Skip.TOO_DEEP]),
        (b'{"type":"' + b"[{" * 500 + b'"}', [{"type": "[{" * 500}]),
        (b'{"type":"\\\\\\"' + b"[" * 500 + b'"}', [{"type": '\\"' + "[" * 500}]),
        # what one parser refuses and another reads
        (b'{"type":"\xff\xfe"}', [{"type": "\ufffd\ufffd"}]),
        (
            b'{"type":"\\ud83d a","\\udfff":["\\ud83d\\ude00\\ud83d"]}',
            [{"type": "\ufffd a", "\ufffd": ["😀\ufffd"]}],
        ),
        (b'{"type":"user","n":' + b"9" * 100_000 + b"}", [{"type": "user", "n": float("inf")}]),
        (b'{"type":"user","n":1e999}', [{"type": "user", "n": float("inf")}]),
        # raw separators of Unicode belong to the text
        ('{"type":"a\u2028b\u0085c"}'.encode(), [{"type": "a\u2028b\u0085c"}]),
    ],
    ids=lambda value: repr(value)[:40] if isinstance(value, bytes) else "",
)
def test_a_line_gives_its_records_or_a_reason(line: bytes, expected: list[object]) -> None:
    found = parse(line)

    if line == nested(MAX_DEPTH):
        assert isinstance(found[0], dict)
    else:
        assert found == expected


def test_not_a_number_does_not_cost_the_record() -> None:
    (record,) = parse(b'{"type":"user","n":NaN,"m":"kept"}')

    assert isinstance(record, dict) and record["m"] == "kept"


def test_a_broken_string_that_hides_depth_raises_nothing() -> None:
    assert parse(b'{"type":"x","a":"' + nested(900)) == [Skip.TOO_DEEP]


@pytest.mark.parametrize("seed", range(40))
def test_no_bytes_raise(seed: int) -> None:
    chance = random.Random(seed)
    whole = b'{"type":"user","uuid":"u","message":{"role":"user","content":"a \\ud83d b \xc3\xa9"}}'
    mangled = bytearray(whole * 2)
    for _ in range(chance.randint(1, 6)):
        mangled[chance.randrange(len(mangled))] = chance.choice(b'{}[]",:\\\0\xff1e-n')
    transcript = Transcript("s")

    for line in (bytes(mangled).replace(b"\n", b""), chance.randbytes(500).replace(b"\n", b".")):
        transcript.feed(0, line)

    transcript.take()


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":' * 500_000,
        GOOD * 200_000,
        b'{"type":"x' * 400_000,
        b'{"cut":"' + b'{"type":"text","text":"a"},' * 150_000,
        b'{"a":"' + b"\\ud800" * 700_000 + b'"}',
        b"[" * 4_000_000,
        b"[]" * 2_000_000,
        b"9" * 4_000_000,
        b'"' * 4_000_000,
    ],
    ids=lambda line: repr(line[:24]),
)
def test_a_hostile_line_of_four_megabytes_takes_seconds_at_most(line: bytes) -> None:
    began = time.process_time()

    parse(line)

    assert time.process_time() - began < 5


def test_bad_lines_are_counted_apart_with_the_last_place() -> None:
    transcript = Transcript("s")
    offset = 0
    for line in (GOOD, b"garbage", b"", nested(100), b'{"type":7}', GOOD):
        transcript.feed(offset, line)
        offset += len(line) + 1
    transcript.too_large(offset)

    assert transcript.bad_lines == 4
    assert transcript.last_bad_offset == offset
    assert transcript.skipped == {"unsupported": 4, "too_deep": 1, "too_large": 1}


def test_a_byte_order_mark_is_dropped_at_the_start_of_the_file_only() -> None:
    transcript = Transcript("s")
    line = b"\xef\xbb\xbf" + b'{"type":"tag","tag":"name"}'

    transcript.feed(0, line)
    assert (transcript.title, transcript.bad_lines) == ("name", 0)

    transcript.feed(100, line)
    assert transcript.bad_lines == 1
