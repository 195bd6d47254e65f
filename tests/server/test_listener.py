"""Who gets in, how many, and how the server comes, goes and comes back."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from memd.errors import CannotCreate
from memd.server.binding import Bound
from memd.server.limits import ServerOptions
from memd.server.peer import Peer
from memd.wire import frames
from tests.server.conftest import Client, connected_blocking, serving


def test_one_client_too_many_is_told_busy_and_a_place_that_is_left_is_free_again(folder: Path) -> None:
    async def act() -> list[object]:
        async with serving(folder, clients=3) as bench:
            inside = [await asyncio.open_unix_connection(bench.path) for _ in range(3)]
            await bench.until_clients(3)
            async with bench.client() as one_too_many:
                told = [await one_too_many.receive(), await one_too_many.receive()]
            assert (await Client(*inside[0]).call("ping"))["ok"]
            inside[0][1].close()
            await bench.until_clients(2)
            async with bench.client() as next_one:
                assert (await next_one.call("ping"))["ok"]
            for _, writer in inside[1:]:
                writer.close()
            return told

    told, after = asyncio.run(act())

    assert (told["id"], told["error"]["code"], after) == (None, "busy", None)


def test_two_hundred_clients_at_once_all_get_their_own_answers(folder: Path) -> None:
    async def one(bench: object, number: int) -> int:
        async with bench.client() as client:
            for turn in range(5):
                said = f"{number}/{turn}"
                assert (await client.call("echo", say=said))["result"] == {"said": said}
        return 1

    async def act() -> int:
        async with serving(folder) as bench:
            return sum(await asyncio.gather(*(one(bench, number) for number in range(200))))

    assert asyncio.run(act()) == 200


def test_another_user_is_told_forbidden_and_gets_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memd.server.listener.peer_of", lambda _sock: Peer(os.geteuid() + 1, 1))

    async def act() -> list[object]:
        async with serving(folder) as bench, bench.client() as client:
            return [await client.receive(), await client.receive(), bench.listener.clients]

    told, after, clients = asyncio.run(act())

    assert (told["error"]["code"], after, clients) == ("forbidden", None, 0)


def test_the_peer_is_who_the_kernel_says(folder: Path) -> None:
    async def act() -> dict[str, object]:
        async with serving(folder) as bench, bench.client() as client:
            return await client.call("ping")

    assert asyncio.run(act())["result"] == {"pid": os.getpid()}


def test_a_removed_socket_is_bound_again_and_clients_inside_notice_nothing(folder: Path) -> None:
    async def act() -> list[object]:
        async with serving(folder) as bench, bench.client() as inside:
            seen: list[object] = [bench.listener.rebind_if_gone()]
            bench.path.unlink()
            seen.append(bench.listener.rebind_if_gone())
            seen.append(oct(bench.path.stat().st_mode & 0o777))
            async with bench.client() as fresh:
                seen.append((await fresh.call("ping"))["ok"])
            seen.append((await inside.call("ping"))["ok"])
            return seen

    assert asyncio.run(act()) == [False, True, "0o600", True, True]


def test_a_removed_folder_is_made_again_too(folder: Path) -> None:
    async def act() -> bool:
        async with serving(folder) as bench:
            bench.path.unlink()
            bench.path.parent.rmdir()
            assert bench.listener.rebind_if_gone()
            async with bench.client() as fresh:
                return bool((await fresh.call("ping"))["ok"])

    assert asyncio.run(act())


def test_what_another_put_at_our_path_stays_and_clients_inside_are_served(folder: Path) -> None:
    async def act() -> str:
        async with serving(folder) as bench, bench.client() as inside:
            bench.path.unlink()
            bench.path.write_text("another's")
            assert not bench.listener.rebind_if_gone()
            assert (await inside.call("ping"))["ok"]
            bench.path.unlink()
            assert bench.listener.rebind_if_gone()
            bench.path.unlink()
            bench.path.write_text("another's")
        return bench.path.read_text()

    assert asyncio.run(act()) == "another's"


def test_stopping_lets_running_calls_end_and_removes_the_socket(folder: Path) -> None:
    async def act() -> list[object]:
        async with serving(folder) as bench, bench.client() as client, bench.client() as idle:
            client.send("wait")
            await bench.until(lambda: bench.at_work == 1)
            stopping = asyncio.create_task(bench.listener.stop(5))
            seen: list[object] = [await idle.receive(), bench.path.exists(), stopping.done()]
            bench.go.set()
            seen += [(await client.receive())["ok"], await client.receive()]
            await stopping
            return seen

    assert asyncio.run(act()) == [None, False, False, True, None]


def test_after_the_grace_calls_are_cancelled_and_told_to_come_again(folder: Path) -> None:
    async def act() -> list[object]:
        async with serving(folder) as bench, bench.client() as client:
            client.send("long")
            await bench.until(lambda: bench.at_work == 1)
            await bench.listener.stop(0.05)
            return [(await client.receive())["error"]["code"], await client.receive(), bench.ended]

    assert asyncio.run(act()) == ["busy", None, ["cancelled"]]


def test_a_client_that_takes_nothing_does_not_hold_up_the_end(folder: Path) -> None:
    async def act() -> int:
        async with serving(folder) as bench:
            deaf = connected_blocking(bench.path)
            await bench.until_clients(1)
            deaf.sendall(frames.encode({"v": 1, "id": 1, "method": "big", "params": {"size": 4 << 20}}))
            async with bench.client() as client:
                await client.call("ping")
            async with asyncio.timeout(3):
                await bench.listener.stop(0.05)
            deaf.close()
            return bench.listener.clients

    assert asyncio.run(act()) == 0


def test_a_second_server_does_not_displace_the_first(folder: Path) -> None:
    async def act() -> bool:
        async with serving(folder) as bench:
            with pytest.raises(CannotCreate):
                async with serving(folder):
                    pass
            async with bench.client() as client:
                return bool((await client.call("ping"))["ok"])

    assert asyncio.run(act())


def test_a_passed_socket_is_served_and_left_standing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "run" / "memd.sock"
    path.parent.mkdir(mode=0o755)
    passed = socket.socket(socket.AF_UNIX)
    passed.bind(str(path))
    passed.listen(5)
    passed.setblocking(False)
    monkeypatch.setattr("memd.server.listener.passed_socket", lambda _env: passed)

    async def act() -> bool:
        async with serving(folder) as bench, bench.client() as client:
            assert not bench.listener.rebind_if_gone()
            return bool((await client.call("ping"))["ok"])

    assert asyncio.run(act())
    assert path.exists()
    assert oct(path.parent.stat().st_mode & 0o777) == "0o755"
    assert Bound(passed).path is None


@pytest.mark.parametrize(
    ("soft", "expected"), [(64, 24), (1024, 256), (30, 4), (resource.RLIM_INFINITY, 256)]
)
def test_clients_leave_descriptors_for_the_database(
    monkeypatch: pytest.MonkeyPatch, soft: int, expected: int
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _what: (soft, soft))

    assert ServerOptions().client_limit() == expected


OUT_OF_DESCRIPTORS = """
import asyncio, os, resource, socket, sys, time
from pathlib import Path
from memd.server.dispatch import Dispatcher, Method
from memd.server.limits import ServerOptions
from memd.server.listener import Listener

async def ping(call):
    return {}

async def main():
    path = Path(sys.argv[1])
    listener = Listener(path, Dispatcher({"ping": Method(ping, {})}), ServerOptions(kept_files=0), env={})
    await listener.start()
    held = [os.open("/dev/null", os.O_RDONLY) for _ in range(10)]
    waiting = [socket.socket(socket.AF_UNIX) for _ in range(5)]
    try:
        while True:
            held.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        pass
    for sock in waiting:
        sock.connect(str(path))
    before, wakes = time.process_time(), 0
    await asyncio.sleep(0.6)
    spent, inside = time.process_time() - before, listener.clients
    for fd in held:
        os.close(fd)
    async with asyncio.timeout(5):
        while listener.clients < 5:
            await asyncio.sleep(0.01)
    print(inside, listener.clients, spent < 0.2)
    for sock in waiting:
        sock.close()
    await listener.stop(0.1)

resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
asyncio.run(main())
"""


def test_out_of_descriptors_it_neither_dies_nor_spins_and_serves_again(folder: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", OUT_OF_DESCRIPTORS, str(folder / "run" / "memd.sock")],
        capture_output=True,
        text=True,
        timeout=30,
    )

    assert found.stdout.splitlines()[-1:] == ["0 5 True"], found.stdout + found.stderr
    assert found.returncode == 0
