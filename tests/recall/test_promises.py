"""What holds for every history, question and budget: LS05 the budget, LS06 the same text, LS16 exact sums, every kept
block word for word."""

from __future__ import annotations

import json
import random
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from memd.recall import render
from memd.recall.context import StoredTurn
from memd.recall.explain import REASONS, Explanation
from memd.text.tokens import Counter
from tests.recall.histories import ESTIMATE, EXACT, MINUTE_MS, START_MS, ask

WORDS = [
    "cache",
    "staging",
    "port",
    "8080",
    "9090",
    "deploy",
    "never",
    "always",
    "the",
    "db.connect()",
    "ですか",
    "部署",
    "कैसे",
]
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(
    lambda words: " ".join(words).capitalize() + "."
)
CODE = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(
    lambda lines: "```\n" + "\n".join(lines) + "\n```"
)
TABLE = st.just("| port | use |\n| --- | --- |\n| 8080 | staging |")
PROSE = st.lists(SENTENCES | CODE | TABLE | st.just(""), min_size=1, max_size=8).map("\n\n".join)
ANYTHING = st.text(min_size=1, max_size=200)
QUERIES = st.lists(
    st.sampled_from([*WORDS, "what did we decide about", "summarise", "should I"]), min_size=1, max_size=6
).map(" ".join)
BUDGETS = st.integers(1, 60) | st.integers(1, 2_000)


def _says_something(text: str) -> bool:
    return bool(text.strip())


@st.composite
def histories(
    draw: st.DrawFn, texts_: st.SearchStrategy[str] = SENTENCES | PROSE | ANYTHING
) -> list[StoredTurn]:
    texts = draw(
        st.lists(
            st.tuples(texts_.filter(_says_something), st.sampled_from(["user", "assistant", "tool"])),
            min_size=1,
            max_size=40,
        )
    )
    minutes = draw(st.lists(st.integers(0, 300), min_size=len(texts), max_size=len(texts)))
    sessions = draw(st.integers(1, 4))
    return [
        StoredTurn(
            f"t{n}",
            role,
            text,
            f"s{n % sessions}",
            n,
            START_MS + minute * MINUTE_MS if minute else None,
            START_MS + minute * MINUTE_MS,
        )
        for n, ((text, role), minute) in enumerate(zip(texts, minutes, strict=True))
    ]


COUNTERS = st.sampled_from([EXACT, ESTIMATE])
COVERAGES = st.sampled_from(["auto", "always", "never"])


@given(histories(), QUERIES, BUDGETS, COUNTERS, COVERAGES)
@settings(max_examples=150, deadline=None)
def test_LS05_LS16_a_text_keeps_the_budget_and_its_account_adds_up(
    turns: list[StoredTurn], query: str, budget: int, counter: Counter, coverage: str
) -> None:
    context = ask(turns, query, budget=budget, counter=counter, coverage=coverage, explain=True)

    assert counter.count(context.text) == context.tokens <= budget
    told = context.explanation
    assert told is not None
    parts = sum(turn.tokens for turn in told.turns) + sum(section.tokens for section in told.sections)
    assert parts + told.unattributed_tokens == context.tokens
    if counter is EXACT:
        assert told.unattributed_tokens == 0
    assert [turn.id for turn in told.turns] == [
        turn.id for turn in sorted(turns, key=lambda t: (t.sort_ms, t.session, t.seq))
    ]
    assert_each_has_its_reason(told)
    assert Explanation.from_dict(json.loads(json.dumps(told.to_dict()))) == told


def assert_each_has_its_reason(told: Explanation) -> None:
    weighed = [one for turn in told.turns for one in turn.candidates]
    for one in (*told.turns, *weighed):
        assert (one.reason in REASONS) if one.status != "kept" else one.reason is None, one
    for section in told.sections:
        assert section.reason is None if section.shown else section.reason in REASONS


@given(histories(), QUERIES, BUDGETS, COVERAGES, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_LS06_the_same_memory_gives_the_same_text_in_whatever_order_it_comes(
    turns: list[StoredTurn], query: str, budget: int, coverage: str, chance: random.Random
) -> None:
    mixed = list(turns)
    chance.shuffle(mixed)

    first, second = (ask(one, query, budget=budget, coverage=coverage) for one in (turns, mixed))

    assert first == second


LEFT_OUT = re.compile(r"\n\.\.\. \(\d+ more lines?\)\Z")
LABEL = re.compile(r"(?:\A|\n\n?)(?:\[[^\]\n]+\] )?(?:user|assistant|tool): ")


@given(histories(SENTENCES | PROSE), QUERIES, BUDGETS, COVERAGES)
@settings(max_examples=100, deadline=None)
def test_every_kept_block_is_word_for_word_in_its_turn(
    turns: list[StoredTurn], query: str, budget: int, coverage: str
) -> None:
    context = ask(turns, query, budget=budget, coverage=coverage)

    blocks = LABEL.split(context.text)[1:]
    for recalled, block in zip(context.turns, blocks, strict=True):
        text = recalled.turn.text
        if recalled.partial:
            assert all(LEFT_OUT.sub("", part) in text for part in block.split(render.GAP))
        else:
            assert block.strip() == text.strip()
