"""The tables of the languages keep their own rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields

import pytest

from memd.recall.languages.known import LANGUAGES
from memd.recall.languages.language import Language
from memd.recall.patterns import LATER, Family, plain


def _patterns(language: Language) -> Iterator[str]:
    for table in (language.questions, language.statements):
        for field in fields(table):
            value = getattr(table, field.name)
            yield from (value,) if isinstance(value, str) else value


ALL = [(language.name, pattern) for language in LANGUAGES for pattern in _patterns(language)]


@pytest.mark.parametrize(("name", "pattern"), ALL)
def test_every_pattern_compiles_and_leaves_what_comes_later_to_the_sign_for_it(
    name: str, pattern: str
) -> None:
    for part in pattern.split(LATER):
        re.compile(part)

    assert ".*" not in pattern and ".+" not in pattern


@pytest.mark.parametrize(("name", "pattern"), [one for one in ALL if LATER in one[1]])
def test_a_pattern_with_parts_has_no_choice_between_them(name: str, pattern: str) -> None:
    depth = 0
    for sign in re.sub(r"\\.|\[[^]]*\]", "", pattern):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        assert depth or sign != "|"


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_marks_are_written_as_sentences_are_read(language: Language) -> None:
    for group in (*language.marks.request, *language.marks.preference):
        assert all(mark and mark == plain(mark) for mark in group)


def test_parts_are_sought_one_behind_the_other() -> None:
    family = Family([r"\bnot\b…\bever\b"])

    assert family.matches("i have not done it ever")
    assert not family.matches("if ever, not now")


@pytest.mark.parametrize(
    ("sentence", "read"),
    [
        ("  - **Always** use\n  tabs", "always use tabs"),
        ("> 1. I’d rather _not_", "i'd rather not"),
        ("snake_case stays", "snake_case stays"),
        ("2) Nie wieder", "nie wieder"),
    ],
)
def test_a_sentence_is_read_without_its_markup(sentence: str, read: str) -> None:
    assert plain(sentence) == read
