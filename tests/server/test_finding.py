"""One list of turns, entries and memory files: how they stand beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from memd.db.database import Database
from memd.db.driver import Connection
from memd.db.vector_tables import ENTRIES, SECTIONS, TABLES, TEXTS
from memd.db.vectors import Lane, Vectors
from memd.memory import search as entry_search
from memd.memory import sections
from memd.memory.which import Which
from memd.providers.embedding.hashed import HashEmbedder
from memd.providers.embedding.quantise import to_blobs
from memd.server import finding, render
from memd.server.finding import Asked
from memd.turns import search, spaces
from memd.turns import table as turn_table
from tests.memory import entries
from tests.memory.entries import NOW
from tests.rows import database, store, turn

TALK = [
    "how do we get the build green again",
    "the build was red because the cache key had no lock file in it",
    "so the cache key takes the hash of uv.lock now, and the build is green",
    "the staging gateway listens on port 8443 since we moved it behind the proxy, remember that",
    "lunch was good",
    "which port does the staging gateway use?",
]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        entries.space(db)
        store(db, [turn(n, text) for n, text in enumerate(TALK)], cwd="/home/dev/app")
        db.write_now(turn_table.queue_vectors)
        yield db


def native(db: Database, *contents: str) -> None:
    def work(connection: Connection) -> None:
        connection.execute(
            "INSERT INTO native_file VALUES (1, '/p/-app/memory/notes.md', '-app', 'notes.md', 1, 1, 2, 3, 4000000)"
        )
        connection.executemany(
            "INSERT INTO native_section (file_id, position, heading, content) VALUES (1, ?, 'Notes', ?)",
            enumerate(contents),
        )

    db.write_now(work)


def embed(db: Database) -> None:
    for of in TABLES:
        rows = db.read_now(spaces.waiting, 1, 1000, of)
        windows = HashEmbedder().embed_documents([text for _, text in rows])
        made = [(owner, to_blobs(found)) for (owner, _), found in zip(rows, windows, strict=True)]
        db.write_now(spaces.put, 1, made, of)


def ask(
    db: Database,
    query: str,
    *,
    kinds: tuple[object, ...] = TABLES,
    mode: str = "hybrid",
    limit: int = 10,
    which: Which | None = None,
    seed: bool = False,
    explain: bool = False,
) -> Any:
    asked = Asked(
        query,
        limit,
        search.Question(query, limit, mode) if TEXTS in kinds else None,
        entry_search.Question(query, NOW, which or Which(), limit=limit, mode=mode)
        if ENTRIES in kinds
        else None,
        sections.Question(query, limit=limit, mode=mode) if SECTIONS in kinds else None,
        seed=seed,
        explain=explain,
    )
    lane = Lane(Vectors(), 1, HashEmbedder().embed_query(query))
    return db.read_now(finding.find, asked, lane)


def named(results: Any) -> list[tuple[str, object]]:
    return [(one["kind"], one["id"]) for one in results.records]


QUESTIONS = ["which port does the staging gateway listen on", "cache key", "build", "zzqxv"]


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "vector"])
@pytest.mark.parametrize("query", QUESTIONS)
def test_without_entries_and_memory_files_the_answer_is_that_of_turns_alone(
    db: Database, query: str, mode: str
) -> None:
    embed(db)
    vector = HashEmbedder().embed_query(query)

    alone = db.read_now(search.search, search.Question(query, 10, mode), Vectors(), 1, vector)

    found = ask(db, query, mode=mode)
    assert list(found.records) == [asdict(hit) for hit in alone.hits]
    assert (found.outside, found.note) == (alone.outside, None)


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "vector"])
@pytest.mark.parametrize("query", QUESTIONS)
def test_turns_and_entries_keep_their_order_among_themselves(db: Database, query: str, mode: str) -> None:
    for n, text in enumerate(
        [
            "The staging gateway listens on port 8443",
            "The cache key takes the hash of uv.lock",
            "A port of call",
        ]
    ):
        entries.add(db, text, importance=3 + n)
    native(db, "The gateway of staging is behind a proxy, its port is 8443.", "The build cache has a key.")
    embed(db)

    every = named(ask(db, query, mode=mode, limit=50))

    for kind, of in (("turn", TEXTS), ("entry", ENTRIES), ("native", SECTIONS)):
        assert [one for one in every if one[0] == kind] == named(
            ask(db, query, kinds=(of,), mode=mode, limit=50)
        )


def test_an_entry_that_answers_stands_above_the_turn_it_came_from(db: Database) -> None:
    entry = entries.add(db, "The staging gateway listens on port 8443")
    embed(db)

    for mode in ("hybrid", "keyword", "vector"):
        found = named(ask(db, "which port does the staging gateway listen on", mode=mode))
        assert found.index(("entry", entry)) < found.index(("turn", "s1-3")), mode
        assert mode == "vector" or found[0] == ("entry", entry), mode


def test_entries_on_other_things_stay_behind_the_turn_that_answers(db: Database) -> None:
    for text in ("The port of Hamburg is large", "Gateways are reviewed by two people", "Staging is slow"):
        entries.add(db, text, importance=10)
    embed(db)

    assert named(ask(db, "why was the build red: the cache key?"))[0][0] == "turn"
    assert named(ask(db, "the staging gateway listens on which port"))[0] == ("turn", "s1-3")


def test_a_word_that_one_turn_alone_holds_brings_no_entry_that_is_only_near(db: Database) -> None:
    entries.add(db, "the daemon of the machine moved its socket")
    store(db, [turn(60, "mkbadofugizax the daemon moved")])
    db.write_now(turn_table.queue_vectors)
    embed(db)

    assert named(ask(db, "mkbadofugizax")) == [("turn", "s1-60")]


def test_a_section_of_a_memory_file_says_which_file_it_is_of(db: Database) -> None:
    native(db, "Ship on Tuesdays.", "The walrus sleeps at noon.")
    embed(db)

    (one,) = ask(db, "walrus").records

    assert (one["kind"], one["id"], one["name"], one["heading"]) == (
        "native",
        "/p/-app/memory/notes.md",
        "notes.md",
        "Notes",
    )
    assert (one["project"], one["created_at"]) == ("/home/dev/app", "1970-01-01T00:00:00.004Z")
    assert "notes.md  " in render.as_text(_answer(ask(db, "walrus")), color=False, width=80)


def test_a_dead_entry_is_marked_where_it_is_asked_for(db: Database) -> None:
    dead = entries.add(db, "the walrus lived in the harbour", dead=True)

    assert ask(db, "walrus").records == []
    (one,) = ask(db, "walrus", which=Which(include_superseded=True)).records

    assert (one["id"], one["superseded"], one["type"], one["scope"]) == (dead, True, "fact", "global")
    text = render.as_text(
        _answer(ask(db, "walrus", which=Which(include_superseded=True))), color=False, width=80
    )
    assert text.startswith(f"#{dead} fact (superseded)  ")


@pytest.mark.parametrize("query", ["💥", "?!", "→ …"])
def test_a_question_without_a_word_is_told_why_it_finds_nothing(db: Database, query: str) -> None:
    found = ask(db, query, mode="keyword")

    assert (found.records, found.note) == ([], finding.NO_WORDS)
    assert finding.NO_WORDS in render.as_text({**_answer(found), "note": found.note}, color=False, width=80)


def test_what_made_each_score_is_told_where_it_is_asked_for(db: Database) -> None:
    entries.add(db, "The staging gateway listens on port 8443")
    native(db, "The staging gateway has a port.")
    embed(db)

    found = ask(db, "staging gateway port", explain=True)

    told = {one["kind"]: one["explanation"] for one in found.records}
    assert told.keys() == {"turn", "entry", "native"}
    assert all(parts["words"] > 0 and parts["bm25"] > 0 and parts["cosine"] > 0 for parts in told.values())
    assert 0 < told["entry"]["recency"] <= 1 and told["entry"]["boost"] == 1.0
    assert told["turn"]["surroundings"] > 0
    line = render.as_text(_answer(found), color=False, width=200).splitlines()[2]
    assert line.startswith("    score ") and "cosine" in line


def test_the_seeds_rank_is_of_entries_alone(db: Database) -> None:
    entry = entries.add(db, "The staging gateway listens on port 8443")

    (one,) = ask(db, "staging gateway", kinds=(ENTRIES,), mode="keyword", seed=True).records

    assert (one["id"], one["relevance"], one["lanes"]) == (entry, 0.7, ["keyword"])
    assert one["score"] == pytest.approx(0.3 + 0.3 * 4 / 9 + 0.4 * 0.7)


def test_the_seeds_rank_is_explained_by_what_it_is_made_of(db: Database) -> None:
    entries.add(db, "The staging gateway listens on port 8443")

    found = ask(db, "staging gateway", kinds=(ENTRIES,), mode="keyword", seed=True, explain=True)

    assert found.records[0]["explanation"] == {
        "relevance": 0.7,
        "recency": 1.0,
        "importance": pytest.approx(4 / 9, abs=1e-6),
        "boost": 1.0,
    }
    (line,) = [
        one for one in render.as_text(_answer(found), color=False, width=80).splitlines() if "recency" in one
    ]
    assert line.strip() == "score 0.7133: relevance 0.7, recency 1, importance 0.444, boost 1"


def test_the_last_line_says_how_many_turns_lie_outside(db: Database) -> None:
    for outside, said in (
        (0, "in all projects · 1.0 ms"),
        (1, "1 more turn outside"),
        (2, "2 more turns outside"),
    ):
        answer = {**_answer(ask(db, "nothing")), "outside": outside}
        assert said in render.as_text(answer, color=False, width=80).splitlines()[-1]


def test_in_a_pipe_every_hit_is_one_line_with_its_id_first(db: Database) -> None:
    entry = entries.add(db, "The walrus\tlives\nin the \x1b[2J harbour")
    native(db, "The walrus has a port.")
    embed(db)

    lines = render.as_tsv(_answer(ask(db, "walrus"))).splitlines()

    rows = {row[1]: row for row in (line.split("\t") for line in lines)}
    assert [len(row) for row in rows.values()] == [7] * len(lines)
    assert rows["entry"][0] == str(entry) and rows["entry"][3] == "fact"
    assert rows["entry"][6] == "The walrus lives in the \\x1b[2J harbour"
    assert rows["native"][3] == "Notes"
    assert render.as_tsv(_answer(ask(db, "nothing"))) == ""


def test_why_a_hit_is_there_is_its_last_cell_in_a_pipe(db: Database) -> None:
    entries.add(db, "The walrus lives in the harbour")

    found = ask(db, "walrus", explain=True)

    assert render.as_tsv(_answer(found)).splitlines()[0].split("\t")[7].startswith("score ")


@pytest.mark.parametrize(
    ("since_ms", "until_ms", "hits"),
    [
        (-62_135_596_800_000, 253_402_300_799_000, 1),
        (253_402_300_799_000, None, 0),
        (None, -62_135_596_800_000, 0),
    ],
)
def test_any_time_that_a_calendar_has_bounds_memory_files(
    db: Database, since_ms: int | None, until_ms: int | None, hits: int
) -> None:
    native(db, "The walrus lives in the harbour")
    question = sections.Question("walrus", mode="keyword", since_ms=since_ms, until_ms=until_ms)

    found = db.read_now(finding.find, Asked("walrus", 10, None, None, question), Lane(Vectors()))

    assert len(found.records) == hits


def test_beside_a_pipe_stands_where_was_looked(db: Database) -> None:
    found = ask(db, "💥", mode="keyword")

    assert render.as_remark({**_answer(found), "note": found.note}).startswith(
        f"{finding.NO_WORDS} · in all projects"
    )
    assert render.as_remark(_answer(found)) == "in all projects · 1.0 ms\n"


def _answer(found: Any) -> dict[str, object]:
    return {
        "query": "q",
        "results": found.records,
        "lanes": {"keyword": "on", "vector": "on"},
        "scope": "all projects",
        "outside": 0,
        "fresh": {"behind_files": 0},
        "elapsed_ms": 1.0,
    }
