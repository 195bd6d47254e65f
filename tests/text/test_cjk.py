"""Runs of Chinese, Japanese and Korean as pairs."""

from __future__ import annotations

import pytest

from memd.text import cjk


def test_ascii_is_handed_back_as_it_is() -> None:
    text = "plain words, (code) and DEC-0054"

    assert cjk.segment(text) is text


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("部署方案", ["部署", "署方", "方案", "案"]),
        ("テスト", ["テス", "スト", "ト"]),
        ("끝말잇기 게임을", ["끝말", "말잇", "잇기", "기", "게임", "임을", "을"]),
        ("字", ["字"]),
        ("重跑gen-itgc后修复", ["重跑", "跑", "gen-itgc", "后修", "修复", "复"]),
        ("naïve café", ["naïve", "café"]),
        ("见 node.js 文档", ["见", "node.js", "文档", "档"]),
    ],
)
def test_a_run_becomes_its_pairs_and_its_last_character(text: str, tokens: list[str]) -> None:
    assert cjk.segment(text).split() == tokens


def test_a_character_alone_has_no_pairs() -> None:
    assert cjk.pairs("字") == []
    assert cjk.pairs("字典") == ["字典"]


@pytest.mark.parametrize(
    ("phrase", "tokens"), [("以后", "以后"), ("从现在", "从现 现在"), ("字", "字"), ("i ask", "i ask")]
)
def test_a_phrase_is_sought_as_it_stands_inside_a_text(phrase: str, tokens: str) -> None:
    assert " ".join(cjk.sought(phrase).split()) == tokens
