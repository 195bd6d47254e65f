"""The text index: what goes in, and how a question is cut into terms."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.db import driver, fts, migrate
from memd.db.counts import Counts
from memd.db.driver import Connection


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    folder = tmp_path_factory.mktemp("index")
    connection = driver.connect(folder / "memd.db", write=True)
    migrate.migrate(connection, folder / "memd.db", folder)
    fts.insert(
        connection, [(1, "The connection was closed"), (2, "今天讨论了部署方案"), (3, "naïve foo_bar")]
    )
    yield connection
    connection.close()


def matches(connection: Connection, expression: str) -> list[int]:
    query = "SELECT rowid FROM turn_fts WHERE turn_fts MATCH ? ORDER BY rowid"
    return [driver.number(row[0]) for row in connection.execute(query, (expression,))]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("what is DEC-0054?", [("what",), ("is",), ("dec", "0054")]),
        ("node.js", [("node", "js")]),
        ("C++", [("c",)]),
        ("foo::bar", [("foo", "bar")]),
        ("foo_bar", [("foo", "bar")]),
        ("/etc/app.conf:42", [("etc", "app", "conf", "42")]),
        ("don't Caroline’s", [("don",), ("caroline",)]),
        ("say say say", [("say",)]),
        ("部署方案", [("部署", "署方", "方案")]),
        ("重跑gen-itgc后", [("gen", "itgc"), ("重跑",), ("后",)]),
        ("💥 \x00 \ud800 -- \"' ()", []),
        ('a" OR "b', [("a",), ("or",), ("b",)]),
    ],
)
def test_a_question_is_cut_into_terms(index: Connection, query: str, words: list[tuple[str, ...]]) -> None:
    assert [term.words for term in fts.terms(index, query)] == words


def test_a_term_knows_what_the_index_holds_of_it(index: Connection) -> None:
    (term,) = fts.terms(index, "Connections")

    assert term.stems == ("connect",)
    assert Counts(index, [term]).of(term) == 1
    assert matches(index, term.match) == [1]


@pytest.mark.parametrize(
    ("query", "rows"), [("部", [2]), ("案", [2]), ("部署", [2]), ("署部", []), ("naive", [3])]
)
def test_other_scripts_are_found_by_one_character_or_more(
    index: Connection, query: str, rows: list[int]
) -> None:
    (term,) = fts.terms(index, query)

    assert matches(index, term.match) == rows
    assert bool(Counts(index, [term]).of(term)) == bool(rows)


def test_what_is_written_together_can_be_taken_apart(index: Connection) -> None:
    (compound,), (single,) = fts.terms(index, "foo_bars"), fts.terms(index, "foo")

    assert [part.stems for part in compound.parts] == [("foo",), ("bar",)]
    assert single.parts == ()


def test_a_row_taken_out_is_found_no_more(index: Connection) -> None:
    fts.insert(index, [(9, "ephemeral words")])
    assert matches(index, '"ephemeral"') == [9]

    fts.remove(index, [9])

    assert matches(index, '"ephemeral"') == []


def test_only_the_beginning_of_a_huge_text_is_indexed() -> None:
    assert len(fts.index_text("word " * 100_000)) == fts.INDEXED_CHARS


@settings(max_examples=200)
@given(query=st.text(st.characters(), max_size=80))
def test_no_text_at_all_makes_a_broken_expression(index: Connection, query: str) -> None:
    terms = fts.terms(index, query)

    if terms:
        matches(index, fts.any_of(terms))
        matches(index, fts.all_of(terms))
        assert all(Counts(index, [term]).of(term) >= 0 for term in terms)
