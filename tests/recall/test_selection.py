"""What is chosen from a history that does not fit: LS08, LS09, LS17, LS20, LS36, and the weaknesses L2 to L14 gone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memd.recall.account import NOTHING_BEARS
from memd.recall.context import Context
from memd.recall.explain import ExplainedTurn
from tests.recall.histories import MINUTE_MS, START_MS, ask, filler, talk, turn


def told(context: Context, id: str) -> ExplainedTurn:
    """What became of one turn."""
    assert context.explanation is not None
    return next(one for one in context.explanation.turns if one.id == id)


LONG = " ".join(f"Sentence {n} about the harvest and the weather of the week." for n in range(40))


def test_LS08_user_turns_are_kept_whole_and_the_room_kept_for_them_is_told() -> None:
    turns = [*talk("The cache is called Larder because of the pantry joke.", LONG), *filler(60)]

    context = ask(turns, "what is the cache called", budget=300, explain=True)

    assert turns[0].text in context.text
    assert told(context, "s1-0").status == "kept"
    assert context.explanation is not None
    assert 0 < (context.explanation.user_room or 0) < context.explanation.room == 300


def test_LS08_a_user_turn_over_its_cap_is_kept_in_its_best_parts() -> None:
    turns = [turn(0, f"{LONG} The cache is called Larder. {LONG}"), *filler(60)]

    context = ask(turns, "what is the cache called", budget=300, explain=True)

    assert "The cache is called Larder." in context.text
    assert context.turns[0].partial
    cap = context.explanation.user_turn_cap if context.explanation else None
    assert told(context, "s1-0").tokens <= (cap or 0)
    assert told(context, "s1-0").reason == "over_turn_cap"


def test_LS09_of_a_long_reply_the_windows_that_bear_on_the_question_are_kept() -> None:
    turns = [turn(0, f"{LONG} The cache is called Larder. {LONG}", role="assistant"), *filler(60)]

    context = ask(turns, "what is the cache called", budget=150, explain=True)

    assert "The cache is called Larder." in context.text
    assert told(context, "s1-0").reason == "best_parts"
    assert told(context, "s1-0").candidates[0].kind == "window"


CODE = "```python\ndef larder():\n    return Cache(size=600)\n\nlarder()\n```"
TABLE = "| cache | size |\n| --- | --- |\n| Larder | 600 |"


@pytest.mark.parametrize("unit", [CODE, TABLE])
def test_LS09_a_block_of_code_or_a_table_is_one_unit(unit: str) -> None:
    turns = [turn(0, f"{LONG}\n\n{unit}\n\n{LONG}", role="assistant"), *filler(60)]

    context = ask(turns, "what size has the larder cache", budget=150)

    assert unit in context.text


def test_LS09_a_block_of_code_that_is_too_long_is_kept_in_part() -> None:
    code = "```python\n" + "\n".join(f"larder.put({n}, 'cache')" for n in range(400)) + "\n```"
    turns = [turn(0, f"{LONG}\n\n{code}", role="assistant"), *filler(60)]

    context = ask(turns, "what does the larder cache hold", budget=300, explain=True)

    shown = context.text.count("larder.put(")
    assert "larder.put(0, 'cache')" in context.text
    assert f"larder.put({shown - 1}, 'cache')\n... ({400 - shown + 1} more lines)" in context.text
    assert told(context, "s1-0").reason == "clipped_to_fit"


def windowed(since: int | None, until: int | None) -> Context:
    turns = [*talk("cache one", "cache two", "cache three", "cache four"), *filler(40, start=1)]
    since_ms = None if since is None else START_MS + since * MINUTE_MS
    until_ms = None if until is None else START_MS + until * MINUTE_MS
    return ask(turns, "cache", budget=120, since_ms=since_ms, until_ms=until_ms, explain=True)


@pytest.mark.parametrize(
    ("since", "until", "found"),
    [
        (None, None, {"s1-0", "s1-1", "s1-2", "s1-3"}),
        (1, None, {"s1-1", "s1-2", "s1-3"}),  # since counts in
        (None, 1, {"s1-0"}),  # until does not
        (1, 3, {"s1-1", "s1-2"}),
        (1, 1, set()),
    ],
)
def test_LS17_only_turns_of_the_time_window_are_recalled(
    since: int | None, until: int | None, found: set[str]
) -> None:
    context = windowed(since, until)

    assert {one.turn.id for one in context.turns} & {f"s1-{n}" for n in range(4)} == found
    for missing in {f"s1-{n}" for n in range(4)} - found:
        assert told(context, missing).reason == "outside_window"
        assert told(context, missing).session is None


@pytest.mark.parametrize(
    "question",
    [
        "How do I bake sourdough bread?",
        "Who won the chess tournament in Oslo?",
        "zzqxv blorft",
        "パンの作り方は？",
    ],
)
def test_LS20_L3_where_nothing_bears_on_the_question_the_text_is_empty_and_says_so(question: str) -> None:
    turns = [*talk("The staging port is 8080.", "I have won back some memory, to be sure."), *filler(60)]

    context = ask(turns, question, budget=200, explain=True)

    assert (context.text, context.note, context.turns) == ("", NOTHING_BEARS, ())
    assert {one.reason for one in context.explanation.turns} <= {"no_match", "below_floor"}  # type: ignore[union-attr]


def near(*pairs: str) -> object:
    """A scorer that finds these texts near to every question."""

    def scorer(query: str, texts: Sequence[str]) -> list[float]:
        return [0.6 if text in pairs else 0.05 for text in texts]

    return scorer


def test_LS19_L2_L8_meaning_finds_a_turn_without_a_word_in_common() -> None:
    fact = "I am allergic to peanuts."
    turns = [*filler(30), turn(0, fact), *filler(30, session="more", start=3_000)]

    context = ask(turns, "any food restrictions?", budget=100, scorer=near(fact))

    assert fact in context.text


def test_L8_derived_forms_of_a_word_meet_by_words_alone() -> None:
    context = ask([*talk("I am allergic to peanuts."), *filler(60)], "any food allergies?", budget=100)

    assert "allergic to peanuts" in context.text


@pytest.mark.parametrize(
    ("fact", "question"),
    [
        ("生产环境的数据库端口是 5433。", "数据库端口是多少？"),
        ("उत्पादन डेटाबेस का पोर्ट 5433 है।", "डेटाबेस का पोर्ट क्या है?"),
        (
            "Die Datenbank der Produktion läuft auf Anschluss 5433.",
            "Auf welchem Anschluss läuft die Datenbank?",
        ),
        ("本番データベースのポートは5433です。", "データベースのポートは何番ですか？"),
    ],
)
def test_LS36_L9_other_scripts_find_their_turns(fact: str, question: str) -> None:
    context = ask([*talk(fact), *filler(60)], question, budget=120)

    assert [one.turn.text for one in context.turns] == [fact]


def test_L10_a_later_turn_that_changes_a_value_is_in_where_only_one_fits() -> None:
    earlier, later = turn(0, "The staging port is 8080."), turn(50, "The staging port is 9090 now.")

    context = ask([earlier, later, *filler(60)], "Which is the staging port?", budget=35)

    assert [one.turn.id for one in context.turns] == [later.id]


def test_L10_the_value_before_and_the_later_one_come_in_the_order_of_time() -> None:
    turns = [turn(0, "The staging port is 8080."), turn(50, "The staging port is 9090 now."), *filler(60)]

    context = ask(turns, "Which is the staging port?", budget=90)

    assert context.text.index("8080") < context.text.index("9090")


def test_L11_of_turns_that_say_it_equally_well_the_newest_comes_first() -> None:
    turns = [turn(n, f"walrus note number{n}", session=f"s{n}") for n in range(8)]

    context = ask([*turns, *filler(60)], "walrus", budget=60)

    assert {one.turn.id for one in context.turns} == {"s7-7", "s6-6"}


def test_a_short_answer_brings_the_question_it_answers() -> None:
    turns = [
        turn(0, "Tabs or spaces, what shall the formatter use?", role="assistant"),
        turn(1, "the second, the walrus way"),
        *filler(60),
    ]

    context = ask(turns, "walrus", budget=80)

    assert "Tabs or spaces" in context.text


def test_a_question_brings_the_answer_that_follows_it() -> None:
    turns = [turn(0, "Which walrus do we feed first?"), turn(1, "Bertha.", role="assistant"), *filler(60)]

    context = ask(turns, "which walrus do we feed", budget=80)

    assert "Bertha." in context.text


def test_the_best_turn_brings_the_two_turns_on_either_side() -> None:
    turns = talk(
        "First we agreed on a colour for both boats, which took a while.",
        "Nobody liked blue at first, so we had to vote on it once more.",
        "It rained on that day, and nobody stayed out of doors for long.",
        "Bertha ate forty herrings on that day, and slept for hours after it.",
        "It rained on that night too, so we could not go out any more.",
        "By then both buckets were empty, down to a last bit of ice.",
        "Soon after it we talked of a harvest and of prices in town.",
    )

    context = ask([*turns, *filler(60)], "Bertha herrings", budget=400)

    assert {one.turn.id for one in context.turns} == {"s1-1", "s1-2", "s1-3", "s1-4", "s1-5"}


def test_L14_a_short_turn_is_recalled_only_where_it_stands_itself() -> None:
    turns = [turn(0, "yes"), turn(1, "yes, the walrus eats", session="s2"), *filler(60)]

    context = ask(turns, "walrus", budget=60)

    assert [one.turn.id for one in context.turns] == ["s2-1"]


def test_what_was_said_twice_is_shown_once() -> None:
    turns = [turn(n, "Please feed the walrus.", session=f"s{n}") for n in range(5)]

    context = ask([*turns, *filler(60)], "walrus", budget=200, explain=True)

    assert context.text.count("feed the walrus") == 1
    assert [told(context, f"s{n}-{n}").reason for n in range(5)] == ["duplicate"] * 4 + [None]
