"""Markdown in sections: by headings, bounded, with code blocks whole, and nothing lost."""

from __future__ import annotations

import random

import pytest

from memd.text import markdown
from memd.text.markdown import MOST, MOST_CODE, sections


def test_each_heading_begins_a_section_that_names_those_above_it() -> None:
    found = sections("intro\n\n# Build\n\nmake it\n\n## Cache\n\nit moves\n\n# Test\n\nrun it\n")

    assert found == [
        ("", "intro\n\n"),
        ("Build", "# Build\n\nmake it\n\n"),
        ("Build › Cache", "## Cache\n\nit moves\n\n"),
        ("Test", "# Test\n\nrun it\n"),
    ]


def test_headings_with_nothing_below_them_go_with_what_follows() -> None:
    assert sections("# App\n\n## Build ##\n\nmake it\n") == [
        ("App › Build", "# App\n\n## Build ##\n\nmake it\n")
    ]


@pytest.mark.parametrize("fence", ["```", "~~~~", "  ```python"])
def test_a_hash_within_a_code_block_is_no_heading(fence: str) -> None:
    text = f"# Run\n\n{fence}\n# a comment\n\nmake\n{fence.strip().removesuffix('python')}\n\nbehind it\n"

    assert sections(text) == [("Run", text)]


def test_a_code_block_that_is_never_closed_ends_with_the_text() -> None:
    assert sections("```\n# one\n# two\n") == [("", "```\n# one\n# two\n")]


def test_a_long_section_comes_in_pieces_that_end_between_paragraphs() -> None:
    paragraphs = [f"{word} " * 200 + "\n\n" for word in ("one", "two", "three", "four")]

    found = sections("# Long\n\n" + "".join(paragraphs))

    assert [piece.content.split()[-1] for piece in found] == ["two", "three", "four"]
    assert all(piece.heading == "Long" and len(piece.content) <= MOST for piece in found)


def test_a_code_block_stays_whole_where_a_paragraph_would_not() -> None:
    code = "```\n" + "make all\n" * ((MOST_CODE - 100) // 9) + "```\n"

    assert code in [piece.content for piece in sections("before " * 250 + "\n\n" + code)]


def test_no_piece_is_longer_than_code_may_be() -> None:
    found = sections("x" * 30_000 + "\n\n```\n" + "a line of code\n" * 2000 + "```\n")

    assert max(len(piece.content) for piece in found) <= MOST_CODE


@pytest.mark.parametrize("text", ["", "\n", " \n\t\n"])
def test_a_blank_text_has_no_sections(text: str) -> None:
    assert sections(text) == []


@pytest.mark.parametrize("seed", range(5))
def test_nothing_of_a_text_is_lost(seed: int) -> None:
    chance = random.Random(seed)
    lines = [
        "# one\n",
        "## two\n",
        "```\n",
        "~~~\n",
        "\n",
        "words and words\n",
        "x" * 900 + "\n",
        "#\n",
        "last",
    ]
    text = "".join(chance.choices(lines, k=200)) + "end\n"

    assert "".join(piece.content for piece in markdown.sections(text)) == text
