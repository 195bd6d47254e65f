"""Tokens: counted exactly and offline, or estimated in the open; cut to whole words (L15)."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.text.cl100k import Cl100k, Unavailable
from memd.text.tokens import Counter, Estimate, Offline, Scaled, cut, fits

EXACT = Cl100k()
COUNTERS = [EXACT, Estimate(), Scaled(EXACT, 1.25)]
TEXTS = st.text(st.sampled_from("ab,.\n \t字é🙂"), max_size=200)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello world", 2),
        ("tiktoken is great!", 6),
        ("antidisestablishmentarianism", 6),
        ("お誕生日おめでとう", 9),
        ("2 + 2 = 4", 7),
        ("<|endoftext|>", 7),
        ("\ud800", 1),
    ],
)
def test_L15_counts_are_those_of_cl100k_base(text: str, tokens: int) -> None:
    assert EXACT.count(text) == tokens


def test_L15_counting_needs_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)

    assert Offline().count("hello world") == 2


def test_the_encoding_waits_for_the_first_count() -> None:
    code = (
        "import sys; from memd.text.tokens import Offline; counter = Offline(); print('tiktoken' in sys.modules);"
        "counter.count('now'); print('tiktoken' in sys.modules, 'requests' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert out.split() == ["False", "True", "False"]


def test_the_encoding_is_given_back_when_idle_and_known_counts_stay() -> None:
    counter = Cl100k()
    counter.count("seen before")

    assert not counter.release_if_idle(0, 60)
    assert counter.release_if_idle(61, 60)
    assert counter.count("seen before") == 2
    assert not counter.loaded
    assert counter.count("never seen") == 2
    assert counter.loaded


def test_a_count_in_between_starts_the_idle_time_anew() -> None:
    counter = Cl100k()
    counter.count("one")
    counter.release_if_idle(0, 60)
    counter.count("two")

    assert not counter.release_if_idle(61, 60)
    assert not counter.release_if_idle(120, 60)
    assert counter.release_if_idle(121, 60)


def test_a_counter_in_another_gives_its_memory_back_too() -> None:
    exact = Cl100k()
    counter = Scaled(Offline(exact), 1.5)

    assert counter.count("hello world") == 3
    assert counter.release()
    assert not exact.loaded
    assert not counter.release()
    assert not Estimate().release()


def test_L15_without_ranks_the_estimate_counts_and_is_named(tmp_path: Path) -> None:
    counter = Offline(Cl100k(tmp_path / "missing"))

    assert counter.count("hello world") == 3
    assert counter.name == "bytes/4"
    assert counter.fault is not None and "missing" in counter.fault


def test_a_damaged_file_of_ranks_is_not_counted_with(tmp_path: Path) -> None:
    (tmp_path / "ranks").write_bytes(b"IQ== 0\n")

    with pytest.raises(Unavailable, match="SHA-256"):
        Cl100k(tmp_path / "ranks").count("!")


def test_L15_the_name_tells_what_is_counted_with() -> None:
    assert Offline().name == "cl100k_base"
    assert Scaled(Offline(), 1.2).name == "cl100k_base x 1.2"


@pytest.mark.parametrize(("factor", "tokens"), [(1, 6), (1.1, 7), (1.5, 9), (2, 12)])
def test_a_factor_counts_more_and_rounds_up(factor: float, tokens: int) -> None:
    assert Scaled(EXACT, factor).count("tiktoken is great!") == tokens


@pytest.mark.parametrize("factor", [0.9, 0, -1, 11, float("nan")])
def test_a_factor_out_of_bounds_is_refused(factor: float) -> None:
    with pytest.raises(ValueError, match="between 1 and 10"):
        Scaled(EXACT, factor)


@pytest.mark.parametrize("counter", COUNTERS, ids=lambda counter: counter.name)
@given(text=TEXTS)
def test_no_count_goes_over_its_bound(counter: Counter, text: str) -> None:
    assert 0 <= counter.count(text) <= counter.at_most(text)


def test_what_fits_for_sure_is_not_counted() -> None:
    counter = Cl100k()

    assert fits("a few words", 11, counter)
    assert not counter.loaded


@pytest.mark.parametrize("counter", COUNTERS, ids=lambda counter: counter.name)
@given(text=TEXTS, budget=st.integers(0, 60))
@settings(max_examples=200)
def test_a_cut_is_the_longest_run_of_whole_words_within_the_budget(
    counter: Counter, text: str, budget: int
) -> None:
    kept = cut(text, budget, counter)
    rest = text[len(kept) :]

    assert text.startswith(kept)
    assert counter.count(kept) <= budget
    if kept != text:
        assert not kept or not kept[-1].isspace()
        assert not rest or rest[0].isspace() or "字" in (rest[0], kept[-1:]) or not kept
        assert not fits(kept + _next_word(rest), budget, counter) or not rest.strip()


def _next_word(rest: str) -> str:
    space = rest[: len(rest) - len(rest.lstrip())]
    word = rest.split()[0] if rest.strip() else ""
    if "字" in word:
        word = "字" if word.startswith("字") else word.partition("字")[0]
    return space + word


def test_a_first_word_over_the_budget_leaves_nothing() -> None:
    assert cut("antidisestablishmentarianism now", 3, EXACT) == ""


def test_chinese_is_cut_between_characters() -> None:
    assert cut("部署方案已经决定了", 4, EXACT) == "部署方"


def test_a_cut_costs_what_the_budget_costs_not_what_the_text_does() -> None:
    text = "some words of prose, and a few more of them. " * 40_000
    cut(text[:1000], 50, EXACT)

    started = process_time()
    kept = cut(text, 500, EXACT)

    assert EXACT.count(kept) <= 500
    assert process_time() - started < 0.5
