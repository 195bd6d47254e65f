"""Searching turns: what is found, what is not, and in which order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db import keyword
from memd.db.database import Database
from memd.db.vectors import Lane, Vectors
from memd.providers.embedding.hashed import HashEmbedder
from memd.providers.embedding.quantise import to_blobs
from memd.turns import forget, search, spaces
from memd.turns.search import Question
from tests.rows import START_MS, database, store, turn

CJK = ["今天讨论了部署方案", "サンドボックス修正テスト", "끝말잇기 게임을 했다", "重跑gen-itgc后修复已验证"]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


def ask(db: Database, text: str, **more: object) -> list[str]:
    """Ids of the hits, by words alone."""
    question = Question(text, **more)  # type: ignore[arg-type]  # fields of a question
    return [hit.id for hit in db.read_now(search.search, question, Vectors(), None, None).hits]


@pytest.mark.parametrize(
    ("query", "place"),
    [("部署", 0), ("部署方案", 0), ("サンドボックス", 1), ("끝말잇기", 2), ("itgc", 3), ("部署 server", 0)],
)
def test_a_word_of_another_script_finds_its_turn_first(db: Database, query: str, place: int) -> None:
    store(db, [turn(n, f"we talked about build number {n} and the tests") for n in range(50)])
    store(db, [turn(100 + n, text) for n, text in enumerate(CJK)])

    assert ask(db, query)[0] == f"s1-{100 + place}"


def test_english_ranking_does_not_change_beside_other_scripts(db: Database) -> None:
    store(db, [turn(n, f"the cache of build {n} {'moves ' * (n % 7)}") for n in range(40)])
    before = ask(db, "cache moves")

    store(db, [turn(100 + n, text) for n, text in enumerate(CJK)])

    assert ask(db, "cache moves") == before


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("DEC-0054", "see DEC-0054 for the reason"),
        ("node.js", "we run node.js here"),
        ("C++", "written in C++ long ago"),
        ("foo::bar", "call foo::bar twice"),
        ("/etc/app.conf:42", "an error in /etc/app.conf:42 again"),
        ("don't", "I don't like tabs"),
        ("connections", "the connection was closed"),
    ],
)
def test_what_is_written_as_code_is_found(db: Database, query: str, text: str) -> None:
    store(db, [turn(n, f"nothing of that in turn {n}") for n in range(20)])
    store(db, [turn(100, text)])

    assert ask(db, query)[0] == "s1-100"


@pytest.mark.parametrize(
    "query",
    ['"', "'", "AND", "NEAR(", "*", "a*", "(", "-", "\x00", "\ud800", "💥", "^x", "a:b", "  ", "{}[]" * 200],
)
def test_no_query_breaks_the_search(db: Database, query: str) -> None:
    store(db, [turn(1, "some words and a b x")])

    assert isinstance(ask(db, query), list)


def test_a_turn_is_found_only_in_its_project_and_the_rest_is_counted(db: Database) -> None:
    store(db, [turn(1, "the staging port is 8080", session="s1")], cwd="/home/dev/a")
    store(db, [turn(1, "the staging port is 9090", session="s2")], cwd="/home/dev/b")
    first: int = db.read_now(lambda c: c.execute("SELECT id FROM project WHERE path = '/home/dev/a'").get)

    found = db.read_now(search.search, Question("staging port", project_ids=[first]), Vectors(), None, None)

    assert [hit.id for hit in found.hits] == ["s1-1"]
    assert found.outside == 1


def test_subagents_and_other_branches_are_left_out_unless_asked_for(db: Database) -> None:
    store(db, [turn(1, "subword here", agent="a1"), turn(2, "subword there")])
    db.write_now(lambda c: c.execute("UPDATE turn SET hidden = 1 WHERE id = 's1-2'").fetchall())

    assert ask(db, "subword") == []
    assert ask(db, "subword", subagents=True) == ["s1-1"]
    assert ask(db, "subword", other_branches=True) == ["s1-2"]


def embedded(db: Database, share: float = 1.0) -> int:
    embedder = HashEmbedder()
    space = db.write_now(spaces.ensure, embedder.space.key, embedder.space.dim)
    rows = db.read_now(spaces.waiting, space, 1000)
    rows = rows[: int(len(rows) * share)]
    vectors = embedder.embed_documents([text for _, text in rows])
    db.write_now(spaces.put, space, [(one, to_blobs(v)) for (one, _), v in zip(rows, vectors, strict=True)])
    return space


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_the_words_are_found_whatever_share_has_vectors(db: Database, share: float) -> None:
    store(db, [turn(n, f"note {n} on the frobnicator" if n % 2 else f"note {n}") for n in range(50)])
    space = embedded(db, share)

    vector = HashEmbedder().embed_query("frobnicator note")
    found = db.read_now(search.search, Question("frobnicator note", limit=50), Vectors(), space, vector)

    assert {f"s1-{n}" for n in range(1, 50, 2)} <= {hit.id for hit in found.hits}


def test_a_nonsense_question_finds_nothing(db: Database) -> None:
    store(db, [turn(n, f"the daemon of machine {n} moved its socket") for n in range(50)])
    space = embedded(db)

    vector = HashEmbedder().embed_query("zzqxv blorft")
    found = db.read_now(search.search, Question("zzqxv blorft"), Vectors(), space, vector)

    assert found.hits == []


def test_a_word_that_one_turn_holds_finds_that_turn_alone(db: Database) -> None:
    store(db, [turn(n, f"the daemon of machine {n} moved its socket") for n in range(50)])
    store(db, [turn(60, "mkbadofugizax the daemon moved")])
    space = embedded(db)

    vector = HashEmbedder().embed_query("mkbadofugizax")
    found = db.read_now(search.search, Question("mkbadofugizax"), Vectors(), space, vector)

    assert [hit.id for hit in found.hits] == ["s1-60"]


def test_the_snippet_shows_the_hit_of_a_long_turn(db: Database) -> None:
    store(db, [turn(1, "filler " * 500 + "the quokka sleeps " + "filler " * 500)])

    (hit,) = db.read_now(search.search, Question("quokka"), Vectors(), None, None).hits

    assert "quokka" in hit.snippet
    assert len(hit.snippet) < 300


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({}, ["s3-3", "s2-2", "s1-1"]),
        ({"role": "user"}, ["s3-3", "s1-1"]),
        ({"session": "s1"}, ["s1-1"]),
        ({"since_ms": START_MS + 2_000}, ["s3-3", "s2-2"]),
        ({"until_ms": START_MS + 2_000}, ["s1-1"]),
        ({"limit": 1}, ["s3-3"]),
        ({"project_ids": []}, []),
    ],
)
def test_filters_hold_and_of_equals_the_newest_is_first(
    db: Database, more: dict[str, object], found: list[str]
) -> None:
    store(db, [turn(3, "walrus", session="s3")])
    store(db, [turn(1, "walrus", session="s1"), turn(2, "walrus", session="s2", role="assistant")])

    assert ask(db, "walrus", **more) == found


def test_an_equal_text_is_found_in_the_session_that_is_asked_about(db: Database) -> None:
    store(db, [turn(n, "please go on with the walrus", session=f"s{n}") for n in range(1, 4)])
    space = embedded(db)

    vector = HashEmbedder().embed_query("walrus please")
    question = Question("walrus please", mode="vector", session="s1")
    found = db.read_now(search.search, question, Vectors(), space, vector)

    assert [(hit.id, hit.lanes) for hit in found.hits] == [("s1-1", ["vector"])]


def test_a_path_is_found_though_its_line_number_stands_nowhere(db: Database) -> None:
    store(db, [turn(1, "see memd/db/driver.py for it"), turn(2, "nothing of that")])

    assert ask(db, "memd/db/driver.py:4711") == ["s1-1"]


def test_a_long_run_of_another_script_is_found_by_what_it_shares(db: Database) -> None:
    store(db, [turn(1, "今天讨论了部署方案"), turn(2, "数据库连接失败")])

    assert ask(db, "部署方案是什么") == ["s1-1"]


def test_neighbours_of_a_hit_are_no_hits(db: Database) -> None:
    store(db, [turn(1, "one thing"), turn(2, "the walrus"), turn(3, "another thing")])

    assert ask(db, "walrus") == ["s1-2"]


@pytest.mark.parametrize("query", ["the walrus cache", "cache", "cache moves", "walrus"])
def test_a_question_whose_hits_are_too_many_still_finds_the_rare_word_and_the_newest(
    db: Database, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    monkeypatch.setattr(keyword, "RANKED", 10)
    monkeypatch.setattr(keyword, "SCANNED", 20)
    store(db, [turn(0, "a walrus of long ago")])
    store(db, [turn(n, f"the cache moves {n}") for n in range(1, 60)])

    found = ask(db, query)

    assert found[0] == "s1-0" if "walrus" in query else int(found[0].removeprefix("s1-")) >= 49
    assert ask(db, query, session="s1")[0] == found[0]


def test_only_stop_words_are_words_too(db: Database) -> None:
    store(db, [turn(1, "to be or not to be"), turn(2, "something else")])

    assert ask(db, "to be or not") == ["s1-1"]


def test_words_that_were_looked_for_ahead_are_looked_for_again_where_turns_went(db: Database) -> None:
    store(db, [turn(0, "the zeppelin lands"), turn(1, "a zeppelin over the lake")])
    question, lane = Question("zeppelin"), Lane(Vectors())
    ahead = db.read_now(search.by_words, question)
    store(db, [turn(2, "another zeppelin")])

    def rows(known: search.ByWords) -> set[int]:
        return {one.row for one in db.read_now(search.find, question, lane, known).ranked()}

    assert rows(ahead) == set(ahead.scores) == {1, 2}  # what came since is not waited for

    db.write_now(lambda connection: forget.remove(connection, [1]))

    assert rows(ahead) == {2, 3}
