"""One client's limits: what it does wrong costs it its own connection, and nobody else anything (LS34)."""

from __future__ import annotations

import asyncio
import random
import socket
import struct
from pathlib import Path

import msgpack
import pytest

from memd.wire import frames, messages
from tests.server.conftest import Bench, Client, connected_blocking, serving

PING = frames.encode(messages.request(1, "ping", {}))


def framed(payload: bytes) -> bytes:
    return struct.pack(">I", len(payload)) + payload


async def is_well(bench: Bench) -> bool:
    async with bench.client() as client:
        return bool((await client.call("ping"))["ok"])


def test_answers_come_as_they_are_ready_not_as_asked(folder: Path) -> None:
    async def act() -> list[object]:
        async with serving(folder) as bench, bench.client() as client:
            client.send("wait", "slow")
            await bench.until(lambda: bench.at_work == 1)
            client.send("echo", "quick", say="x")
            first = await client.receive()
            bench.go.set()
            return [first["id"], (await client.receive())["id"]]

    assert asyncio.run(act()) == ["quick", "slow"]


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "too_large"),
        (b"\xff\xff\xff\xff" + b"x" * 50, "too_large"),
        (struct.pack(">I", (1 << 20) + 1) + b"\0" * 64, "too_large"),
        (b"\0\0\0\0", "bad_frame"),
        (framed(b"\xa4ping"), "bad_frame"),
        (framed(PING[4:] + b"extra"), "bad_frame"),
        (framed(b"\xc1"), "bad_frame"),
        (framed(b"\x81\x90\xc0"), "bad_frame"),
        (framed(b"\x81\xa1a" * 33 + b"\xc0"), "too_large"),
        (framed(b"\xa2\xff\xfe"), "bad_frame"),
    ],
)
def test_a_bad_frame_is_told_and_ends_its_connection(folder: Path, sent: bytes, code: str) -> None:
    async def act() -> tuple[object, object]:
        async with serving(folder) as bench:
            async with bench.client() as client:
                client.writer.write(sent)
                told = await client.receive()
                after = await client.receive()
            assert await is_well(bench)
            return told, after

    told, after = asyncio.run(act())

    assert told["id"] is None
    assert told["error"]["code"] == code
    assert after is None


@pytest.mark.parametrize(
    ("message", "id", "code"),
    [
        ({"v": 2, "id": 4, "method": "ping"}, 4, "bad_version"),
        ({"v": 1, "id": "a", "method": 5}, "a", "bad_request"),
        ({"v": 1, "method": "ping"}, None, "bad_request"),
        ({"v": 1, "id": 4, "method": "ping", "more": 1}, 4, "bad_request"),
        ({}, None, "bad_request"),
    ],
)
def test_a_bad_request_is_told_and_its_connection_goes_on(
    folder: Path, message: dict[str, object], id: object, code: str
) -> None:
    async def act() -> dict[str, object]:
        async with serving(folder) as bench, bench.client() as client:
            client.writer.write(frames.encode(message))
            told = await client.receive()
            assert (await client.call("ping"))["ok"]
            return told

    told = asyncio.run(act())

    assert (told["id"], told["error"]["code"]) == (id, code)


def test_good_frames_before_a_bad_one_are_answered(folder: Path) -> None:
    async def act() -> list[object]:
        async with serving(folder) as bench, bench.client() as client:
            client.writer.write(PING + b"\0\0\0\0" + PING)
            return [await client.receive() for _ in range(3)]

    answers = asyncio.run(act())

    assert {answer["id"] for answer in answers if answer} == {1, None}
    assert answers[2] is None


@pytest.mark.parametrize("part", [b"\0", PING[:4], PING[:-1]])
def test_a_frame_that_is_not_completed_in_time_ends_its_connection(folder: Path, part: bytes) -> None:
    async def act() -> tuple[object, object]:
        async with serving(folder, frame_seconds=0.05) as bench, bench.client() as client:
            client.writer.write(PING + part)
            assert (await client.receive())["ok"]
            return await client.receive(), await client.receive()

    told, after = asyncio.run(act())

    assert told["error"]["code"] == "bad_frame"
    assert after is None


def test_a_byte_now_and_then_does_not_stretch_the_time_for_a_frame(folder: Path) -> None:
    async def act() -> object:
        async with serving(folder, frame_seconds=0.2) as bench, bench.client() as client:
            told = asyncio.create_task(client.receive())
            for byte in PING[:-1]:
                client.writer.write(bytes([byte]))
                done, _ = await asyncio.wait([told], timeout=0.02)
                if done:
                    break
            return await told

    told = asyncio.run(act())

    assert told["error"]["code"] == "bad_frame"


def test_a_quiet_connection_is_closed_without_a_word_but_not_while_it_waits(folder: Path) -> None:
    async def act() -> list[object]:
        async with (
            serving(folder, idle_seconds=0.1) as bench,
            bench.client() as quiet,
            bench.client() as waiting,
        ):
            waiting.send("wait")
            seen: list[object] = [await quiet.receive(), bench.at_work]
            bench.go.set()
            return [*seen, (await waiting.receive())["ok"], await waiting.receive()]

    assert asyncio.run(act()) == [None, 1, True, None]


def test_a_half_closed_client_gets_all_its_answers(folder: Path) -> None:
    async def act() -> list[object]:
        async with serving(folder) as bench, bench.client() as client:
            for _ in range(20):
                client.send("wait")
            client.writer.write_eof()
            await bench.until(lambda: bench.at_work == 8)
            bench.go.set()
            return [await client.receive() for _ in range(21)]

    *answers, last = asyncio.run(act())

    assert sorted(answer["id"] for answer in answers) == list(range(1, 21))
    assert last is None


def test_a_client_that_half_closes_inside_a_frame_is_told(folder: Path) -> None:
    async def act() -> object:
        async with serving(folder) as bench, bench.client() as client:
            client.writer.write(PING[:-3])
            client.writer.write_eof()
            return await client.receive(), await client.receive()

    told, after = asyncio.run(act())

    assert told["error"]["code"] == "bad_frame"
    assert after is None


def test_a_long_call_ends_when_its_client_hangs_up_and_a_short_one_goes_on(folder: Path) -> None:
    async def act() -> list[str]:
        async with serving(folder) as bench:
            for method in ("long", "wait"):
                async with bench.client() as client:
                    client.send(method)
                    await bench.until(lambda: bench.at_work == 1)
                await bench.until_clients(0)
                bench.go.set() if method == "wait" else None
                await bench.until(lambda: bench.at_work == 0)
            return bench.ended

    assert asyncio.run(act()) == ["cancelled", "done"]


def test_of_fleeting_calls_the_newest_is_next_and_one_whose_client_has_gone_is_not_begun(
    folder: Path,
) -> None:
    async def act() -> list[str]:
        async with serving(folder, fleeting_at_once=1) as bench:
            async with bench.client() as first, bench.client() as second, bench.client() as third:
                for client, said in ((first, "first"), (second, "second"), (third, "third")):
                    client.send("fleeting", say=said)
                    await bench.until(lambda: bench.at_work == 1)
                async with bench.client() as fourth:
                    fourth.send("fleeting", say="fourth")
                    assert await is_well(bench)  # all of them have come in
                await bench.until_clients(3)
                bench.go.set()
                assert all([await client.receive() for client in (first, second, third)])
            return bench.begun

    assert asyncio.run(act()) == ["first", "third", "second"]


def test_another_call_that_waits_is_done_though_its_client_has_gone(folder: Path) -> None:
    """It may be a write that was asked for in passing."""

    async def act() -> list[str]:
        async with serving(folder, in_flight_all=1) as bench, bench.client() as first:
            first.send("noted", say="first")
            await bench.until(lambda: bench.at_work == 1)
            async with bench.client() as second:
                second.send("noted", say="second")
                assert await is_well(bench)
            assert await is_well(bench)
            bench.go.set()
            await bench.until(lambda: len(bench.ended) == 2)
            return bench.begun

    assert asyncio.run(act()) == ["first", "second"]


def test_a_fleeting_call_ends_when_its_client_hangs_up(folder: Path) -> None:
    async def act() -> list[str]:
        async with serving(folder) as bench:
            async with bench.client() as client:
                client.send("fleeting", say="something")
                await bench.until(lambda: bench.at_work == 1)
            await bench.until(lambda: bench.at_work == 0)
            return bench.ended

    assert asyncio.run(act()) == ["cancelled"]


def test_fleeting_calls_take_no_place_of_others(folder: Path) -> None:
    async def act() -> object:
        async with serving(folder, in_flight_all=1, fleeting_at_once=1) as bench, bench.client() as one:
            one.send("fleeting", say="something")
            await bench.until(lambda: bench.at_work == 1)
            async with bench.client() as another:
                return (await another.call("echo", say="heard"))["result"]

    assert asyncio.run(act()) == {"said": "heard"}


def test_what_follows_on_an_answer_is_done_where_a_client_has_it_alone(folder: Path) -> None:
    async def act() -> list[str]:
        async with serving(folder) as bench, bench.client() as stays:
            async with bench.client() as goes:
                goes.send("noted", say="gone")
                await bench.until(lambda: bench.at_work == 1)
            await bench.until_clients(1)
            stays.send("noted", say="there")
            await bench.until(lambda: bench.at_work == 2)
            bench.go.set()
            assert await stays.receive()
            assert bench.ended == ["done", "done"]
            return bench.taken

    assert asyncio.run(act()) == ["there"]


def test_a_client_has_eight_requests_in_flight_and_all_have_sixty_four(folder: Path) -> None:
    async def act() -> list[int]:
        counts = []
        async with serving(folder) as bench:
            clients = [await asyncio.open_unix_connection(bench.path) for _ in range(12)]
            for number, (reader, writer) in enumerate(clients):
                asker = Client(reader, writer)
                for _ in range(20):
                    asker.send("wait")
                expected = min(8 * (number + 1), 64)
                await bench.until(lambda expected=expected: bench.at_work == expected)
                counts.append(bench.at_work)
            async with bench.client() as client:  # and beside them there is room for a ping
                assert (await client.call("ping"))["ok"]
            bench.go.set()
            for reader, writer in clients:
                answers = [await Client(reader, writer).receive() for _ in range(20)]
                assert all(answer["ok"] for answer in answers)
                writer.close()
            counts.append(bench.most_at_work)
        return counts

    assert asyncio.run(act()) == [8, 16, 24, 32, 40, 48, 56, 64, 64, 64, 64, 64, 64]


def test_what_waits_is_left_unread(folder: Path) -> None:
    """The server reads no further while eight calls run: the client's own buffer fills."""

    async def act() -> int:
        async with serving(folder) as bench, bench.client() as client:
            for _ in range(8):
                client.send("wait")
            await bench.until(lambda: bench.at_work == 8)
            for _ in range(400):
                client.send("echo", say="x" * 60_000)
            done, _ = await asyncio.wait([asyncio.create_task(client.writer.drain())], timeout=0.2)
            left = client.writer.transport.get_write_buffer_size()
            assert not done
            bench.go.set()
            for _ in range(408):
                assert await client.receive()
            return left

    assert asyncio.run(act()) > 20_000_000


def test_a_client_that_does_not_take_its_answers_is_dropped_and_others_are_served(folder: Path) -> None:
    async def act() -> None:
        async with serving(folder, take_seconds=0.2) as bench:
            deaf = connected_blocking(bench.path)
            await bench.until_clients(1)
            deaf.sendall(frames.encode(messages.request(1, "big", {"size": 4 << 20})) * 3)
            assert await is_well(bench)
            await bench.until_clients(0)
            deaf.close()

    asyncio.run(act())


def test_who_takes_what_is_sent_gets_it_all_however_much(folder: Path) -> None:
    async def act() -> int:
        async with serving(folder, take_seconds=5) as bench, bench.client() as client:
            client.send("big", size=4 << 20)
            client.send("events", count=400)
            size = 0
            for _ in range(402):
                size += len(str(await client.receive()))
            return size

    assert asyncio.run(act()) > 8_000_000


def test_all_clients_together_can_leave_only_so_much_untaken(folder: Path) -> None:
    async def act() -> None:
        async with serving(folder, unsent_bytes=1 << 20, take_seconds=60) as bench:
            deaf = connected_blocking(bench.path)
            await bench.until_clients(1)
            deaf.sendall(frames.encode(messages.request(1, "big", {"size": 1 << 20})) * 8)
            await bench.until_clients(0)
            deaf.close()

    asyncio.run(act())


def test_stuck_clients_hold_no_place_of_others(folder: Path) -> None:
    async def act() -> None:
        async with serving(folder) as bench:
            stuck = []
            for number in range(60):
                sock = connected_blocking(bench.path)
                sock.sendall(b"\0\0" if number % 2 else PING[:9])
                stuck.append(sock)
            for _ in range(20):
                sock = connected_blocking(bench.path)
                sock.sendall(frames.encode(messages.request(1, "big", {"size": 500_000})) * 20)
                stuck.append(sock)
            async with asyncio.timeout(5), bench.client() as client:
                for _ in range(20):
                    assert (await client.call("echo", say="x"))["ok"]
            for sock in stuck:
                sock.close()

    asyncio.run(act())


def odd_bytes(r: random.Random) -> bytes:
    """Something a careless or hostile client sends."""
    kind = r.randrange(7)
    if kind == 0:
        return r.randbytes(r.randint(1, 300))
    if kind == 1:
        damaged = bytearray(PING[4:])
        for _ in range(r.randint(1, 3)):
            damaged[r.randrange(len(damaged))] = r.randrange(256)
        return framed(bytes(damaged))
    if kind == 2:
        return PING[: r.randrange(len(PING))]
    if kind == 3:
        depth = r.choice((33, 1025, 50_000))
        return framed(b"\x91" * depth + b"\xc0")
    if kind == 4:
        wild = [None, True, -1, 2**63, 1e308, float("nan"), "", "x" * 5000, b"\xff", [], {}, [[]], "\0", "💥"]
        message = {
            "v": 1,
            "id": r.choice(wild),
            "method": r.choice(["ping", "echo", *wild]),
            "params": r.choice(wild),
        }
        return framed(msgpack.packb(message))
    if kind == 5:
        return framed(
            msgpack.packb({"v": 1, "id": 1, "method": "echo", "params": {"say": r.choice([1, [], "a\0"])}})
        )
    return PING * r.randint(1, 30) + r.randbytes(3)


def test_after_thousands_of_odd_frames_the_server_is_as_before(folder: Path) -> None:
    async def act() -> None:
        r = random.Random(7)
        async with serving(folder) as bench:
            for _ in range(2500):
                async with asyncio.timeout(5), bench.client() as client:
                    client.writer.write(odd_bytes(r))
                    if r.random() < 0.7:
                        try:
                            client.writer.write_eof()
                        except OSError:
                            continue
                        while await client.receive():
                            pass
            assert await is_well(bench)
            await bench.until_clients(0)

    asyncio.run(act())


def test_a_client_that_sends_and_vanishes_is_no_trouble(folder: Path) -> None:
    async def act() -> None:
        async with serving(folder) as bench:
            for _ in range(200):
                sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                sock.connect(str(bench.path))
                sock.sendall(PING * 3)
                sock.close()
            assert await is_well(bench)
            await bench.until_clients(0)

    asyncio.run(act())
