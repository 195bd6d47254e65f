"""What every store of turns promises (LS22): scopes, order, time windows, all or none, any number of threads."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest

from memd.turns.store import Indexed, MemoryItem, MemoryStore, Scope

START = datetime(2026, 11, 30, 9, 0, 0, 123456, UTC)
ADA = Scope(user_id="ada")


def item(
    id: str, text: str = "a text", *, minutes: float = 0, user: str | None = "ada", **more: object
) -> MemoryItem:
    return MemoryItem(id, "user", text, START + timedelta(minutes=minutes), user_id=user, **more)  # type: ignore[arg-type]  # by name


def ids(found: list[MemoryItem]) -> list[str]:
    return [one.id for one in found]


def test_LS01_a_turn_comes_back_as_it_was_given(store: MemoryStore) -> None:
    given = item(
        "1", "  two\n\tlines\0 ✓ \r\n", agent_id="bot", run_id="r1", metadata={"tags": ["a", 1, None]}
    )

    store.add([given])

    found = store.get("1")
    assert found is not None
    assert found.to_dict() == given.to_dict() | {"seq": found.seq}
    with pytest.raises(TypeError):
        found.metadata["more"] = 1  # type: ignore[index]  # read-only


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (Scope(user_id="ada"), ["1", "2"]),
        (Scope(agent_id="bot"), ["1", "3"]),
        (Scope(run_id="r1"), ["2", "3"]),
        (Scope("ada", "bot"), ["1"]),
        (Scope("ada", "bot", "r1"), []),
    ],
)
def test_LS02_a_scope_reads_and_deletes_its_own_turns_alone(
    store: MemoryStore, scope: Scope, expected: list[str]
) -> None:
    store.add(
        [
            item("1", agent_id="bot"),
            item("2", run_id="r1"),
            item("3", user="bob", agent_id="bot", run_id="r1"),
            item("4", user="bob"),
        ]
    )

    assert ids(store.list(scope)) == expected
    assert store.delete_scope(scope) == len(expected)
    rest = ids(store.list(ADA)) + ids(store.list(Scope(user_id="bob")))
    assert rest == [id for id in "1234" if id not in expected]


def test_LS22_turns_are_oldest_first_and_ties_as_they_were_added(store: MemoryStore) -> None:
    store.add([item("late", minutes=1), item("b"), item("a")])
    store.add([item("early", minutes=-1, seq=99), item("c")])

    assert ids(store.list(ADA)) == ["early", "b", "a", "c", "late"]
    assert len({one.seq for one in store.list(ADA)}) == 5


def test_LS17_a_time_window_begins_with_since_and_ends_before_until(store: MemoryStore) -> None:
    store.add([item("before", minutes=-1), item("since"), item("until", minutes=1)])

    assert ids(store.list(ADA, since=START)) == ["since", "until"]
    assert ids(store.list(ADA, until=START + timedelta(minutes=1))) == ["before", "since"]
    assert ids(store.list(ADA, since=START + timedelta(microseconds=1))) == ["until"]


@pytest.mark.parametrize("batch", [["new", "known"], ["new", "new"]])
def test_L16_an_id_that_is_there_already_is_refused_and_nothing_is_added(
    store: MemoryStore, batch: list[str]
) -> None:
    store.add([item("known", "first")])

    with pytest.raises(ValueError, match="nothing was added"):
        store.add([item(id, "second") for id in batch])

    assert [(one.id, one.content) for one in store.list(ADA)] == [("known", "first")]


def test_LS21_an_update_gives_another_text_or_metadata_and_notes_when(store: MemoryStore) -> None:
    store.add([item("1", "the old words", metadata={"a": 1})])

    text = store.update("1", content="the new words")
    data = store.update("1", metadata={"b": 2})

    assert text is not None and (text.content, dict(text.metadata)) == ("the new words", {"a": 1})
    assert data is not None and (data.content, dict(data.metadata)) == ("the new words", {"b": 2})
    assert text.updated_at is not None and text.created_at == START
    assert store.update("other", content="words") is None


def test_LS21_a_turn_is_deleted_once(store: MemoryStore) -> None:
    store.add([item("1")])

    assert (store.delete("1"), store.delete("1"), store.get("1")) == (True, False, None)


def test_LS21_words_that_are_gone_are_not_found(store: MemoryStore) -> None:
    store.add([item("1", "apples"), item("2", "pears"), item("3", "plums")])
    store.update("1", content="cherries")
    store.delete("2")
    assert isinstance(store, Indexed)

    with store.view(ADA) as view:
        found = {
            word: [hit.item.id for hit in view.ranked(word, 9)]
            for word in ("apple", "cherry", "pear", "plum")
        }

    assert found == {"apple": [], "cherry": ["1"], "pear": [], "plum": ["3"]}


def test_LS22_metadata_that_json_cannot_hold_is_refused(store: MemoryStore) -> None:
    with pytest.raises(ValueError, match="metadata"):
        store.add([item("1"), item("2", metadata={"a": object()})])

    assert store.list(ADA) == []


def test_LS22_eight_threads_add_read_and_delete_without_loss(store: MemoryStore) -> None:
    faults: list[BaseException] = []

    def work(thread: int) -> None:
        try:
            for n in range(20):
                store.add([item(f"{thread}-{n}-{m}", user=f"user {thread}") for m in range(3)])
                assert len(store.list(Scope(user_id=f"user {thread}"))) == 2 * n + 3
                store.delete(f"{thread}-{n}-1")
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not faults
    assert [len(store.list(Scope(user_id=f"user {n}"))) for n in range(8)] == [40] * 8
