"""What is more to say of a store in MongoDB: names and values are data, all or none, what it refuses."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pymongo
import pytest

from memd import api
from memd.api import Memory, import_history
from memd.errors import Busy, DataUnusable, NotFound, StorageFailed
from memd.turns.store import MemoryItem, Scope
from memd.turns.stores.mongo import driver, turns
from memd.turns.stores.mongo.store import MongoStore
from tests import mongo_server
from tests.contracts.test_stores import ADA, ids, item

ADDING = """
import sys
from datetime import datetime, UTC
from memd.turns.store import MemoryItem
from memd.turns.stores.mongo.store import MongoStore
store = MongoStore(sys.argv[1], collection=sys.argv[2])
for n in range(20):
    store.add([MemoryItem(f"{sys.argv[3]}-{n}-{m}", "user", "a text", datetime.now(UTC), user_id="ada") for m in "ab"])
"""


@pytest.fixture
def opened(mongo: str, name: str) -> Iterator[MongoStore]:
    store = MongoStore(mongo, collection=name)
    yield store
    store.close()


@pytest.fixture
def client(mongo: str) -> Iterator[driver.Client]:
    """A client of the test's own."""
    with pymongo.MongoClient[dict[str, object]](mongo) as connected:
        yield connected


def test_LS22_two_processes_make_a_collection_and_add_to_it_at_once(mongo: str, name: str) -> None:
    command = [sys.executable, "-c", ADDING, mongo, name]

    running = [subprocess.Popen([*command, who]) for who in "ab"]

    assert [one.wait(60) for one in running] == [0, 0]
    store = MongoStore(mongo, collection=name)
    found = store.list(ADA)
    store.close()
    assert sorted(ids(found)) == sorted(f"{who}-{n}-{m}" for who in "ab" for n in range(20) for m in "ab")
    assert len({one.seq for one in found}) == 80


def test_LS22_a_client_and_a_database_are_used_as_they_are_and_stay_open(
    client: driver.Client, name: str
) -> None:
    of_client = MongoStore(client, collection=name)
    of_database = MongoStore(client["memd"], collection=name)
    of_elsewhere = MongoStore(client, database="else-where", collection=name)
    of_client.add([item("1")])
    of_database.add([item("2")])
    of_client.close()

    assert ids(of_client.list(ADA)) == ids(of_database.list(ADA)) == ["1", "2"]
    assert of_elsewhere.list(ADA) == []


@pytest.mark.parametrize(
    ("given", "more"),
    [
        (5, {}),
        ("mongodb://", {}),
        ("mongodb://localhost:1/", {"database": "admin"}),
        ("mongodb://localhost:1/config", {}),
        ("mongodb://localhost:1/", {"database": "a.b"}),
        ("mongodb://localhost:1/", {"collection": "a$b"}),
        ("mongodb://localhost:1/", {"collection": ""}),
    ],
)
def test_LS22_what_names_no_collection_is_refused(given: str, more: Mapping[str, str]) -> None:
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        MongoStore(given, **more)


@pytest.mark.parametrize("key", ["user_id", "agent_id", "run_id", "id", "role"])
def test_LS22_a_value_that_is_no_text_is_never_read_as_an_operator(opened: MongoStore, key: str) -> None:
    opened.add([item("1", agent_id="bot", run_id="r1")])

    wrong = dataclasses.replace(item("2"), **{key: {"$ne": ""}})  # type: ignore[arg-type]  # that is the point
    with pytest.raises(ValueError, match="must be a text"):
        opened.add([wrong])

    for ask in (opened.get, opened.delete, lambda id: opened.update(id, content="another")):
        with pytest.raises(ValueError, match="must be a text"):
            ask({"$ne": ""})  # type: ignore[arg-type]  # that is the point
    assert [(one.id, one.content) for one in opened.list(ADA)] == [("1", "a text")]


def test_LS22_ids_and_keys_with_signs_of_the_database_are_data(opened: MongoStore) -> None:
    metadata = {"$set": {"content": "x"}, "a.b": {"$ne": 1}, "": None, "list": [{"$gt": ""}]}

    opened.add([item("$where", user="$ada", metadata=metadata), item("a.b\0c", user="a.b")])

    (found,) = opened.list(Scope("$ada"))
    assert (found.id, dict(found.metadata)) == ("$where", metadata)
    assert ids(opened.list(Scope("a.b"))) == ["a.b\0c"]
    with opened.view(Scope("$ada")) as view:
        assert [hit.item.id for hit in view.ranked("$text", 9)] == ["$where"]


@pytest.mark.parametrize("transacts", [True, False])
def test_L16_an_id_that_another_process_adds_meanwhile_leaves_nothing_added(
    opened: MongoStore, monkeypatch: pytest.MonkeyPatch, transacts: bool
) -> None:
    opened.add([item("known", "first")])
    monkeypatch.setattr(opened, "_transacts", transacts)
    monkeypatch.setattr(turns, "known", lambda *_: set())
    monkeypatch.setattr(turns, "MOST", 2)

    with pytest.raises(ValueError, match="nothing was added"):
        opened.add([*(item(str(n), "second") for n in range(5)), item("known", "second")])

    assert [(one.id, one.content) for one in opened.list(ADA)] == [("known", "first")]


@pytest.mark.parametrize("transacts", [True, False])
def test_L25_many_turns_go_in_by_batches_of_bounded_size(
    opened: MongoStore, monkeypatch: pytest.MonkeyPatch, transacts: bool
) -> None:
    monkeypatch.setattr(opened, "_transacts", transacts)
    assert (turns.MOST, turns.MOST_BYTES) == (500, 4_000_000)
    monkeypatch.setattr(turns, "MOST_BYTES", 5_000)
    sizes: list[int] = []
    plain = pymongo.collection.Collection.insert_many

    def noted(self: driver.Collection, documents: list[dict[str, object]], **more: object) -> object:
        sizes.append(len(documents))
        return plain(self, documents, **more)  # type: ignore[arg-type]  # as it came

    monkeypatch.setattr(pymongo.collection.Collection, "insert_many", noted)
    opened.add([item(str(n)) for n in range(600)] + [item(f"long {n}", "word " * 700) for n in range(3)])

    assert sizes == [500, 101, 1, 1]
    assert len(opened.list(ADA)) == 603


def test_LS22_a_turn_that_no_document_can_hold_is_refused(opened: MongoStore) -> None:
    with pytest.raises(ValueError, match="17,000,000 bytes"):
        opened.add([item("1"), item("2", "x" * 17_000_000)])

    assert opened.list(ADA) == []


def test_LS22_a_collection_of_a_newer_version_is_refused(
    mongo: str, opened: MongoStore, name: str, client: driver.Client
) -> None:
    client["memd"][f"{name}_meta"].update_one({"_id": "version"}, {"$set": {"value": 99}})

    with pytest.raises(DataUnusable, match="newer memd"):
        MongoStore(mongo, collection=name)


def test_LS22_a_collection_of_another_kind_is_refused(mongo: str, name: str, client: driver.Client) -> None:
    client["memd"][name].insert_one({"_id": "1", "text": "not a turn"})

    with pytest.raises(DataUnusable, match="another kind"):
        MongoStore(mongo, collection=name)


def test_LS28_a_dry_run_makes_no_collection(mongo: str, client: driver.Client, tmp_path: Path) -> None:
    (tmp_path / "turns.jsonl").write_text('{"role": "user", "content": "a text"}\n')

    report = import_history(tmp_path, f"{mongo}dry", dry_run=True, user_id="ada")

    assert report.imported == 1
    assert client["dry"].list_collection_names() == []
    with pytest.raises(NotFound):
        MongoStore(f"{mongo}dry", create=False)


def test_LS27_an_import_into_a_server_stores_each_turn_once(opened: MongoStore, tmp_path: Path) -> None:
    lines = [f'{{"role": "user", "content": "text {n}"}}\n' for n in range(600)]
    (tmp_path / "turns.jsonl").write_text("".join(lines))

    reports = [import_history(tmp_path, opened, user_id="ada") for _ in range(3)]

    assert [one.imported for one in reports] == [600, 0, 0]
    assert [one.content for one in opened.list(ADA)] == [f"text {n}" for n in range(600)]


def test_LS22_a_server_that_was_away_answers_again(tmp_path: Path) -> None:
    with mongo_server.own(tmp_path) as server, closing(_impatient(server.url)) as store:
        store.add([item("before")])
        server.die()

        with pytest.raises((StorageFailed, Busy), match="database"):
            store.add([item("meanwhile")])
        server.start()

        deadline = time.monotonic() + mongo_server.SECONDS
        while not (added := _added(store, item("after"))):
            assert time.monotonic() < deadline
        assert ids(added) == ["before", "after"]


def _impatient(url: str) -> MongoStore:
    return MongoStore(f"{url}?serverSelectionTimeoutMS=500")


def _added(store: MongoStore, one: MemoryItem) -> list[MemoryItem]:
    """What the store holds after a turn was added; nothing where it does not answer yet."""
    try:
        store.add([one])
    except (StorageFailed, Busy):
        return []
    return store.list(ADA)


def test_LS22_a_url_means_a_store(mongo: str) -> None:
    memory = Memory(mongo)
    memory.add("The key hangs in the shed.", user_id="zoe")

    found = memory.search("where is the key?", user_id="zoe")

    assert "shed" in found.text
    assert memory.delete_all(user_id="zoe") == 1
    assert isinstance(memory.store, api.MongoStore)
    memory.store.close()


@pytest.mark.parametrize(
    "url",
    [
        "mongodb://ada:hunter2@localhost:1/?serverSelectionTimeoutMS=50",
        "mongodb://ada:hunter2:hunter2@localhost:1/",
        "mongodb://ada:x@hunter2@localhost:1/",
        "mongodb://ada:hunter2@localhost:hunter2/",
        "mongodb://ada:p%40hunter2@localhost:1/db?w=p@hunter2&serverSelectionTimeoutMS=50",
        "mongodb://ada@localhost:1/?authMechanism=MONGODB-AWS&authMechanismProperties=AWS_SESSION_TOKEN:hunter2",
        "mongodb://localhost:1/?tls=true&tlsCertificateKeyFile=/nowhere&tlsCertificateKeyFilePassword=hunter2",
    ],
)
def test_R12_secrets_of_a_url_are_told_to_nobody(url: str) -> None:
    with pytest.raises((StorageFailed, ValueError)) as caught:
        MongoStore(url)

    assert "hunter2" not in str(caught.value)
    assert caught.value.__suppress_context__
