"""Turn memory as programs use it: what goes in comes out, whose it is, and what a question gets of it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from memd.api import Memory, MemoryContext, MemoryItem, Scope, SearchExplanation, providers
from memd.errors import MemdError
from memd.providers.embedding.base import ModelUnavailable
from tests.providers.cross_models import write_cross_encoder

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def memory() -> Memory:
    return Memory(clock=lambda: NOON)


def fill(memory: Memory, n: int = 60, **scope: str) -> None:
    """Talk about nothing that is asked about, so that the history does not fit."""
    memory.add(
        [
            {
                "role": ("user", "assistant")[turn % 2],
                "content": f"Routine matter {turn}: the gardener watered another row of tulips.",
                "timestamp": NOON + timedelta(minutes=turn),
            }
            for turn in range(n)
        ],
        **(scope or {"user_id": "ada"}),
    )


def test_LS01_text_is_kept_to_the_byte_and_shapes_are_made_one(memory: Memory) -> None:
    parts = [
        {"type": "text", "text": "one"},
        {"type": "image", "url": "x"},
        {"type": "input_text", "text": "two"},
        {"type": "output_text", "text": "three"},
    ]
    added = memory.add(
        [
            "  a text \n",
            {"role": "human", "content": parts},
            {"role": "ai", "content": " \n"},
            {"role": "tool"},
        ],
        user_id="ada",
    )

    assert [(one.role, one.content) for one in added] == [
        ("user", "  a text \n"),
        ("user", "one\ntwo\nthree"),
    ]
    assert added == memory.get_all(user_id="ada")
    assert [memory.get(one.id) for one in added] == added


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("human", "user"),
        ("ai", "assistant"),
        ("model", "assistant"),
        ("developer", "system"),
        ("function", "tool"),
    ],
)
def test_LS01_roles_have_one_name(memory: Memory, name: str, role: str) -> None:
    assert memory.add({"role": name, "content": "a text"}, user_id="ada")[0].role == role


@pytest.mark.parametrize(
    "at",
    [
        NOON,
        NOON.replace(tzinfo=None),
        NOON.timestamp(),
        int(NOON.timestamp()),
        "2026-11-30T12:00:00Z",
        "2026-11-30 12:00",
        "2026-11-30T13:00:00+01:00",
    ],
)
def test_LS01_a_time_may_come_in_any_shape(memory: Memory, at: object) -> None:
    assert memory.add("a text", user_id="ada", timestamp=at)[0].created_at == NOON


def test_LS01_a_messages_own_time_goes_before_the_argument_and_that_before_the_clock(memory: Memory) -> None:
    own = {"role": "user", "content": "a text", "created_at": "2026-01-01T00:00:00Z"}

    times = [
        memory.add(one, user_id="ada", timestamp=given)[0].created_at.isoformat()[:10]
        for one, given in ((own, "2026-02-02"), ("a text", "2026-02-02"), ("a text", None))
    ]

    assert times == ["2026-01-01", "2026-02-02", "2026-11-30"]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda m: m.add({"role": "wizard", "content": "a text"}, user_id="ada"), ValueError),
        (lambda m: m.add("a text", user_id="ada", timestamp=[]), TypeError),
        (lambda m: m.add("a text", user_id="ada", timestamp=True), TypeError),
        (lambda m: m.add("a text", user_id="ada", timestamp="yesterday"), ValueError),
        (lambda m: m.add("a text", user_id="ada", timestamp=float("nan")), ValueError),
        (lambda m: m.add(5, user_id="ada"), TypeError),
        (lambda m: m.add("half \ud800", user_id="ada"), ValueError),
        (lambda m: m.add("a text"), ValueError),
        (lambda m: m.add("a text", user_id=" "), ValueError),
        (lambda m: m.search(" ", user_id="ada"), ValueError),
        (lambda m: m.search("what?"), ValueError),
        (lambda m: m.search("what?", user_id="ada", budget=0), ValueError),
        (lambda m: m.search("what?", user_id="ada", coverage="some"), ValueError),
        (lambda m: m.search("what?", user_id="ada", relevance="magic"), ValueError),
        (lambda m: m.get_all(), ValueError),
        (lambda m: m.delete_all(), ValueError),
        (lambda m: m.update("1", "  "), ValueError),
        (lambda m: Memory(budget=0), ValueError),
        (lambda m: Memory(relevance="magic"), ValueError),
        (lambda m: Memory("mysql://host/db"), ValueError),
        (lambda m: MemoryItem("1", "user", "a text", NOON.replace(tzinfo=None)), ValueError),
        (lambda m: Scope(), ValueError),
    ],
)
def test_LS01_LS02_LS21_what_is_wrong_is_refused(
    memory: Memory, call: Callable[[Memory], object], error: type[Exception]
) -> None:
    with pytest.raises(error, match=r"\w+ \w+"):
        call(memory)


def test_LS02_nobody_reads_or_deletes_what_is_anothers(memory: Memory) -> None:
    for user in ("ada", "bob"):
        memory.add(f"The key of {user} hangs in the shed.", user_id=user, agent_id="bot")

    assert [one.user_id for one in memory.get_all(user_id="ada")] == ["ada"]
    assert "bob" not in memory.search("where is the key?", user_id="ada").text
    assert len(memory.search("where is the key?", agent_id="bot").turns) == 2
    assert memory.delete_all(user_id="ada") == 1
    assert len(memory.get_all(user_id="bob")) == 1


def test_L17_a_memory_within_a_scope_reaches_nothing_else_by_its_id(memory: Memory) -> None:
    (foreign,) = memory.add("The key of bob hangs in the shed.", user_id="bob")
    ada = memory.within(user_id="ada")
    (own,) = ada.add("The key of ada hangs in the hall.")

    assert (ada.get(foreign.id), ada.update(foreign.id, "a text"), ada.delete(foreign.id)) == (
        None,
        None,
        False,
    )
    assert memory.get_all(user_id="bob") == [foreign]
    assert ada.get(own.id) == own and ada.get_all() == [own]
    assert "bob" not in ada.search("Where is the key?").text
    assert ada.update(own.id, metadata={"a": 1}) and ada.delete(own.id) and ada.delete_all() == 0


@pytest.mark.parametrize(("zone", "sessions"), [(UTC, 2), (timezone(timedelta(hours=-2)), 1)])
def test_LS03_turns_without_a_run_are_one_session_a_calendar_day(zone: timezone, sessions: int) -> None:
    memory = Memory(tz=zone)
    for at in ("2026-11-30T23:30Z", "2026-12-01T00:30Z"):
        memory.add("a text", user_id="ada", timestamp=at)
    memory.add("another text", user_id="ada", run_id="r1", timestamp="2026-11-30T23:45Z")

    assert memory.search("text?", user_id="ada").sessions_total == sessions + 1


def test_LS04_LS07_a_history_that_fits_is_there_whole_with_full_stamps(memory: Memory) -> None:
    memory.add(["I moved to Pune.", {"role": "assistant", "content": "Noted."}], user_id="ada")

    context = memory.search("Where do I live?", user_id="ada")

    assert (
        context.text
        == "[2026-11-30 (Mon) 12:00] user: I moved to Pune.\n[2026-11-30 (Mon) 12:00] assistant: Noted."
    )
    assert (context.compressed, str(context), context.history_tokens) == (False, context.text, context.tokens)


def test_LS05_L12_a_budget_is_never_gone_over(memory: Memory) -> None:
    fill(memory)
    memory.add("The spare key hangs in the shed.", user_id="ada")

    for budget in (1, 2, 5, 9, 17, 40, 100, 400):
        context = memory.search("Where is the spare key?", user_id="ada", budget=budget)
        assert context.tokens <= budget
    assert context.compressed and "spare key" in context.text


def test_LS06_the_same_memory_gives_the_same_text_also_after_a_restart(tmp_path: Path) -> None:
    texts = []
    for _ in range(2):
        memory = Memory(tmp_path / "turns.db")
        if not memory.get_all(user_id="ada"):
            fill(memory)
        texts += [memory.search("What of matter 17?", user_id="ada", budget=200).text for _ in range(2)]

    assert "matter 17:" in texts[0]
    assert len(set(texts)) == 1


def test_LS06_both_stores_give_the_same_text(tmp_path: Path) -> None:
    memories = [Memory(), Memory(tmp_path / "turns.db")]
    for memory in memories:
        fill(memory)

    assert (
        len({memory.search("What of matter 17?", user_id="ada", budget=200).text for memory in memories}) == 1
    )


def test_LS07_dates_are_shown_in_the_zone_and_form_that_was_asked_for() -> None:
    memory = Memory(tz=timezone(timedelta(hours=2)), stamp_format="%d.%m.%Y %H:%M")
    memory.add("I moved to Pune.", user_id="ada", timestamp=NOON)

    assert memory.search("Where?", user_id="ada").text == "[30.11.2026 14:00] user: I moved to Pune."


def test_LS17_a_question_reads_its_time_window_alone(memory: Memory) -> None:
    for day in (1, 2, 3):
        memory.add(f"The key hangs in shed {day}.", user_id="ada", timestamp=f"2026-11-0{day}")

    context = memory.search(
        "Where is the key?", user_id="ada", since="2026-11-02", until="2026-11-03", explain=True
    )

    assert "shed 2" in context.text and "shed 1" not in context.text and "shed 3" not in context.text
    assert context.explanation is not None
    assert [one.reason for one in context.explanation.turns] == ["outside_window", None, "outside_window"]
    assert [one.session for one in context.explanation.turns] == [None, 0, None]


def test_LS16_L14_an_explanation_adds_up_repeats_no_text_and_goes_through_json(memory: Memory) -> None:
    fill(memory)
    memory.add("The spare key hangs in the shed.", user_id="ada")

    context = memory.search("Where is the spare key?", user_id="ada", budget=120, explain=True)

    told = context.explanation
    assert told is not None
    assert len(told.turns) == 61
    assert told.tokens == context.tokens == told.unattributed_tokens + sum(one.tokens for one in told.turns)
    assert {one.id: one.created_at for one in told.turns} == {
        one.id: one.created_at for one in memory.get_all(user_id="ada")
    }
    plain = json.dumps(told.to_dict())
    assert "shed" not in plain
    assert SearchExplanation.from_dict(json.loads(plain)) == told
    assert MemoryContext.from_dict(json.loads(json.dumps(context.to_dict()))).to_dict() == context.to_dict()


def test_L3_LS20_a_question_on_which_nothing_bears_gets_nothing_and_is_told_so(memory: Memory) -> None:
    fill(memory)

    context = memory.search("Which submarine did the astronaut repaint?", user_id="ada", budget=100)

    assert (context.text, context.turns) == ("", ())
    assert context.note == "nothing stored bears on the question"


def test_L2_L9_other_forms_of_a_word_and_other_scripts_are_found(memory: Memory) -> None:
    fill(memory)
    memory.add(["I am allergic to peanuts.", "数据库选了 sqlite 扩展。", "मुझे चाय पसंद है।"], user_id="ada")

    for query, text in (
        ("any food allergies?", "peanuts"),
        ("选了哪个数据库？", "扩展"),
        ("मुझे क्या पसंद है?", "चाय"),
    ):
        assert text in memory.search(query, user_id="ada", budget=100).text


def test_LS19_a_function_of_the_callers_tells_what_is_near_in_meaning(memory: Memory) -> None:
    fill(memory)
    memory.add("My flat is in Pune.", user_id="ada")

    def near(query: str, texts: object) -> list[float]:
        assert isinstance(texts, list)
        return [5.0 if "Pune" in text else -9.0 for text in texts]

    context = memory.search("Whereabouts?", user_id="ada", budget=60, relevance=near)

    assert [one.item.content for one in context.turns if "Routine" not in one.item.content] == [
        "My flat is in Pune."
    ]


def test_L2_LS19_memds_own_model_finds_what_shares_no_word(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMD_EMBEDDER", "bundled")
    fill(memory)
    memory.add(["My flat is in Pune.", "We picked sqlite-vec."], user_id="ada")

    for query, text in (
        ("where is my home?", "Pune"),
        ("which database extension did we choose?", "sqlite-vec"),
    ):
        assert text in memory.search(query, user_id="ada", budget=60, relevance="hybrid").text
    assert (
        memory.search("who repainted the submarine?", user_id="ada", budget=60, relevance="hybrid").text == ""
    )


def test_LS19_without_a_model_a_question_by_meaning_says_so(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMD_EMBEDDER", "none")
    fill(memory)

    with pytest.raises(MemdError, match="no embedding model here"):
        memory.search("where is my home?", user_id="ada", budget=60, relevance="semantic")


def test_LS19_a_cross_encoder_reads_the_best_where_one_is_in_the_cache(
    memory: Memory, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_cross_encoder(home / "models")  # to which the longer text is the better one
    memory.add([f"My flat is in Pune, floor {n}." for n in range(20)], user_id="ada")
    memory.add("My flat is in Pune, which everybody knows by now, or should.", user_id="ada")

    context = memory.search("where is my flat?", user_id="ada", budget=60, relevance="semantic")
    monkeypatch.setattr(providers.cross_encoder(), "scores", _no_model)
    other = memory.search("where is my flat?", user_id="ada", budget=60, relevance="semantic")

    assert "which everybody knows" in context.text
    assert (context.relevance, context.cross_encoder) == ("semantic", "on")
    assert (other.relevance, other.cross_encoder) == ("hybrid", "off: it broke: start anew")


def _no_model(query: str, texts: object) -> list[float]:
    raise ModelUnavailable("it broke", "start anew")


def test_LS19_without_a_cross_encoder_semantic_is_hybrid_and_says_so(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path / "own"))
    fill(memory)

    semantic, hybrid, lexical = (
        memory.search("What of matter 7?", user_id="ada", budget=60, relevance=one)
        for one in ("semantic", "hybrid", "lexical")
    )

    assert semantic.text == hybrid.text
    assert semantic.relevance == "hybrid"
    assert semantic.cross_encoder.startswith("off: the cross-encoder Xenova/ms-marco-MiniLM-L-6-v2 is not in")
    assert (lexical.relevance, lexical.cross_encoder) == ("lexical", "")


def test_LS35_L1_a_search_among_thousands_of_turns_takes_a_fraction_of_a_second(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "turns.db")
    fill(memory, 4_000)
    spent = []

    for n in range(1, 6):
        started = time.process_time()
        assert f"matter {n}17:" in memory.search(f"What of matter {n}17?", user_id="ada").text
        spent.append(time.process_time() - started)

    assert sorted(spent)[2] < 0.1


def test_LS35_a_store_without_an_index_is_read_whole(memory: Memory) -> None:
    class Plain:
        def __init__(self, memory: Memory) -> None:
            self.list = memory.store.list

    fill(memory)
    plain = Memory(Plain(memory))  # type: ignore[arg-type]  # all that a search needs

    context = plain.search("What of matter 17?", user_id="ada", budget=200)

    assert "matter 17:" in context.text
