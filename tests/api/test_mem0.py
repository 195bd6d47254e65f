"""LS37: programs written for Mem0 find its methods and its answers."""

from __future__ import annotations

import pytest

from memd.api import Mem0Memory

MESSAGES = [
    {"role": "user", "content": "I am allergic to peanuts."},
    {"role": "assistant", "content": "Noted."},
]


@pytest.fixture
def mem0() -> Mem0Memory:
    return Mem0Memory()


def test_LS37_what_is_added_is_found_listed_and_had_by_its_id(mem0: Mem0Memory) -> None:
    added = mem0.add(MESSAGES, user_id="ada", metadata={"app": "x"}, infer=False)["results"]
    assert isinstance(added, list)

    found = mem0.search("any food allergies?", filters={"user_id": "ada"}, top_k=1)
    every = mem0.get_all(user_id="ada")["results"]

    assert [(one["event"], one["memory"]) for one in added] == [
        ("ADD", "I am allergic to peanuts."),
        ("ADD", "Noted."),
    ]
    results = found["results"]
    assert isinstance(results, list) and isinstance(every, list)
    assert [(one["memory"], one["user_id"], one["metadata"]) for one in results] == [
        ("I am allergic to peanuts.", "ada", {"app": "x"})
    ]
    assert "peanuts" in str(found["context"])
    assert every[0] == mem0.get(added[0]["id"])
    assert mem0.get("other") is None


def test_LS37_a_memory_is_changed_and_deleted(mem0: Mem0Memory) -> None:
    added = mem0.add("I live in Pune.", user_id="ada")["results"]
    assert isinstance(added, list)
    id = added[0]["id"]

    before = mem0.history(id)
    mem0.update(id, "I live in Goa.")
    after = mem0.history(id)
    mem0.delete(id)

    assert [(one["event"], one["new_memory"]) for one in before] == [("ADD", "I live in Pune.")]
    assert [(one["event"], one["new_memory"]) for one in after] == [
        ("ADD", None),
        ("UPDATE", "I live in Goa."),
    ]
    assert mem0.history(id) == []
    mem0.add("again", user_id="ada")
    mem0.delete_all(user_id="ada")
    assert mem0.get_all(user_id="ada") == {"results": []}


def test_LS37_what_is_not_known_is_refused(mem0: Mem0Memory) -> None:
    for call in (
        lambda: mem0.search("what?", filters={"category": "food"}),
        lambda: mem0.search("what?", user_id="ada", filters={"user_id": "bob"}),
        lambda: mem0.update("other", "a text"),
        lambda: mem0.delete("other"),
        lambda: mem0.delete_all(),
        lambda: mem0.add("a text"),
    ):
        with pytest.raises(ValueError, match=r"\w+ \w+"):
            call()
