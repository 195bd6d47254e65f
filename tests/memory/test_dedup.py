"""What a new text is to the entries there are (MC12, MC13, W7, W8)."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.memory import table, writer
from memd.memory.entry import Draft, MemoryScope
from memd.memory.writer import Created, Refreshed
from tests.memory.entries import NOW, project
from tests.memory.stored import created, live, meaning, store
from tests.rows import database


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


KNOWN = "The deploy script lives in the tools folder of the repository"


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (KNOWN, True),
        (KNOWN.upper(), True),
        (f"  {KNOWN}.\n", True),
        ("The deploy script lives in the tools folder of this repository", True),
        ("The deploy scripts live in a tools folder of the repository", True),
        ("Deploying is done with what lies in the folder of tools", False),
    ],
)
def test_mc12_texts_of_almost_the_same_letters_are_one(db: Database, text: str, same: bool) -> None:
    first = created(db, KNOWN)

    done = store(db, text)

    assert isinstance(done, Refreshed) is same
    assert (done == Refreshed(first, reworded=False)) is same


@pytest.mark.parametrize("more", [17, 18, 19, 20, 21, 22, 23])
def test_mc12_the_threshold_of_letters_is_085(db: Database, more: int) -> None:
    base = "quick brown foxes jump over lazy dogs while it rains outside"  # one letter after the other
    longer = base + " " + "-" * (more - 1)
    ratio = SequenceMatcher(None, longer, base, autojunk=False).ratio()
    created(db, base)

    done = store(db, longer)

    assert isinstance(done, Refreshed) is (ratio >= 0.85)


@pytest.mark.parametrize(
    ("cosine", "same", "conflict"),
    [
        (0.59, False, False),
        (0.60, False, True),
        (0.919, False, True),
        (0.92, True, False),
        (1.0, True, False),
    ],
)
def test_mc13_the_bands_of_meaning(db: Database, cosine: float, same: bool, conflict: bool) -> None:
    first = created(db, "Breakfast is at the usual place", meaning=meaning(db))

    done = store(db, "One eats in the morning where one always does", meaning=meaning(db, cosine))

    assert (done == Refreshed(first, reworded=False)) is same
    assert [(one.id, one.content) for one in done.conflicts] == (  # type: ignore[union-attr]  # both have them
        [(first, "Breakfast is at the usual place")] if conflict else []
    )
    for one in done.conflicts:  # type: ignore[union-attr]  # both have them
        assert one.similarity == pytest.approx(cosine, abs=5e-4)
        assert one.similarity == round(one.similarity, 4)


@pytest.mark.parametrize("cosine", [0.919, 0.92, 0.999])
@pytest.mark.parametrize(
    ("known", "text"),
    [
        ("The API runs on port 8080", "The API runs on port 8081"),
        ("Deploys are allowed", "Deploys are not allowed on Fridays"),
        ("Karl reviews what is merged into main", "Anna reviews what is merged into main"),
    ],
)
def test_w8_a_contradiction_is_stored_and_told(db: Database, known: str, text: str, cosine: float) -> None:
    """MC13: guarded, it is no duplicate even where letters and meaning are nearly the same."""
    first = created(db, known, meaning=meaning(db))

    done = store(db, text, meaning=meaning(db, cosine))

    assert isinstance(done, Created)
    assert [one.id for one in done.conflicts] == [first]
    assert live(db) == [known, text]


def test_w8_a_near_duplicate_is_told_without_a_model_too(db: Database) -> None:
    first = created(db, "The API runs on port 8080")

    done = store(db, "The API runs on port 8081")

    assert isinstance(done, Created)
    assert [(one.id, one.similarity) for one in done.conflicts] == [(first, 0.96)]


def test_mc13_conflicts_come_most_alike_first(db: Database) -> None:
    for number, cosine in enumerate((0.7, 0.9, 0.8, 0.5)):
        created(db, f"{'abcd'[number]}lpha {'wxyz'[number]}eta", meaning=meaning(db, cosine, axis=2 + number))

    done = store(db, "something else", meaning=meaning(db))

    assert isinstance(done, Created)
    assert [round(one.similarity, 2) for one in done.conflicts] == [0.9, 0.8, 0.7]


def test_mc12_only_the_same_type_and_project_are_compared(db: Database) -> None:
    app, two = project(db, "/app"), project(db, "/two")
    first = created(db, KNOWN, scope=MemoryScope(app))

    for other in (
        store(db, KNOWN, scope=MemoryScope(two)),
        store(db, KNOWN),
        store(db, KNOWN, scope=MemoryScope(app), type="decision"),
    ):
        assert isinstance(other, Created)
        assert not other.conflicts
    assert store(db, KNOWN, scope=MemoryScope(app)) == Refreshed(first, reworded=False)


def test_mc15_a_dead_entry_is_no_duplicate(db: Database) -> None:
    """MC12: live rows alone are compared, by letters and by meaning."""
    dead = created(db, KNOWN, meaning=meaning(db))
    db.write_now(writer.retire, dead, NOW)

    done = store(db, KNOWN, meaning=meaning(db))

    assert isinstance(done, Created)
    assert not done.conflicts


def test_w7_a_duplicate_is_found_among_thousands_of_the_same_words(db: Database) -> None:
    others = [f"The nightly backup of the archive {n} goes to the vault of house {n}" for n in range(2_000)]
    db.write_now(lambda c: [table.insert(c, Draft(text), NOW) for text in others])
    first = created(db, "The nightly backup of the archive goes to the vault in Trondheim")

    done = store(db, "The nightly backup of the archive goes to a vault in Trondheim")

    assert done == Refreshed(first, reworded=False)


def test_texts_without_a_word_are_compared_as_they_are(db: Database) -> None:
    first = created(db, "-> !")
    other = created(db, "<- !")

    assert store(db, "-> !") == Refreshed(first, reworded=False)
    assert store(db, "<- !") == Refreshed(other, reworded=False)


def test_long_texts_are_compared_word_by_word(db: Database) -> None:
    """W8 holds there too."""
    letters = "abcdefghijklmnopqrst"
    long = " ".join(f"the {one}{other}omet passes" for one in letters for other in letters) + " at 8080"
    first = created(db, long)

    assert store(db, long.replace(" abomet ", " abomets ")) == Refreshed(first, reworded=False)
    done = store(db, long.replace("8080", "8081"))

    assert isinstance(done, Created)
    assert [one.id for one in done.conflicts] == [first]


def test_a_long_text_is_compared_by_all_its_windows(db: Database) -> None:
    import numpy as np

    from memd.memory.meaning import Meaning

    near, far = meaning(db), meaning(db, 0.3)
    created(db, "the beginning is alike", meaning=near)

    both = Meaning(near.space, np.concatenate((near.windows, far.windows)))
    done = store(db, "it starts in the same way, and ends in another", meaning=both)

    assert isinstance(done, Created)
    assert not done.conflicts
