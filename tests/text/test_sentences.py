"""Texts in units: sentences of many scripts, and code, tables and list items whole."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.text.blocks import Kind
from memd.text.sentences import LONGEST, units

MARKDOWN = """Some prose. More of it.

```py
x = 1. Then

y = 2
```
After the fence.

| a | b |
|---|---|
| 1. x | 2 |

1. first item. Two sentences.
   goes on
2. second

# Heading
> quoted line

    code by indent

    more of it
"""
PIECES = [
    "a",
    "B",
    ". ",
    "! ",
    "\n",
    "\n\n",
    "```",
    "~~~",
    "    ",
    "\t",
    "| ",
    "|-|\n",
    "- ",
    "1. ",
    "> ",
    "# ",
    "。",
    "e.g. ",
]


def _split(text: str) -> list[str]:
    return [unit.of(text) for unit in units(text)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["One.", "Two!", "Three?", "four."],
        ["See https://a.b/c?d=e.html.", "Then go on."],
        ["Dr. Smith wrote v3.5, e.g. for macOS.", "It took approx. two days."],
        ["Call J. Smith about plan B.", "It is ready."],
        ["No. 5 is alive.", "I said no.", "Then I left."],
        ["Logs, traces etc. are kept.", "Logs, traces etc.", "We decided so."],
        ['He said "never."', "Then he left."],
        ["Wait... what?", "Yes."],
        ['"Why?" she asked.', "(Because.)", "Fine."],
        ["Das war z.B. am 3. Oktober so.", "Danach nicht mehr."],
        ["¿Por qué?", "Porque sí.", "Vale."],
        ["C'est M. Dupont, p.ex. hier.", "D'accord."],
        ["部署方案已经决定了。", "我们用Postgres！", "好吗？", "好"],
        ["デプロイは金曜日です。", "「はい。」", "了解"],
        ["मुझे चाय पसंद है।", "कॉफ़ी नहीं।"],
        ["ماذا قررنا؟", "لا شيء."],
        ["The file config.prod.toml is read first.", "Then .env is."],
    ],
    ids=lambda sentences: sentences[0][:20],
)
def test_sentences_end_where_a_reader_ends_them(sentences: list[str]) -> None:
    gap = "" if "。" in sentences[0] else " "

    assert _split(gap.join(sentences)) == sentences


def test_a_line_ends_a_sentence_unless_it_is_wrapped() -> None:
    wrapped = "this line is rather long, as those of a mail are, and it goes on\nin the next one."

    assert _split("use tabs\nNo emoji\nand be brief") == ["use tabs", "No emoji", "and be brief"]
    assert _split(wrapped) == [wrapped]


def test_code_tables_and_items_stay_whole() -> None:
    assert [(unit.kind, unit.of(MARKDOWN)) for unit in units(MARKDOWN)] == [
        (Kind.PROSE, "Some prose."),
        (Kind.PROSE, "More of it."),
        (Kind.CODE, "```py\nx = 1. Then\n\ny = 2\n```"),
        (Kind.PROSE, "After the fence."),
        (Kind.TABLE, "| a | b |\n|---|---|\n| 1. x | 2 |"),
        (Kind.ITEM, "1. first item. Two sentences.\n   goes on"),
        (Kind.ITEM, "2. second"),
        (Kind.HEADING, "# Heading"),
        (Kind.QUOTE, "> quoted line"),
        (Kind.CODE, "code by indent\n\n    more of it"),
    ]


@pytest.mark.parametrize("fence", ["```", "````", "~~~"])
def test_a_fence_is_closed_by_its_own_kind_alone(fence: str) -> None:
    inner = "~~~\na. b\n\nc\n" if fence[0] == "`" else "```\na. b\n\nc\n"

    assert [unit.kind for unit in units(f"{fence}\n{inner}{fence}\nDone. Now.")] == [
        Kind.CODE,
        Kind.PROSE,
        Kind.PROSE,
    ]


def test_what_is_indented_in_a_list_is_no_code() -> None:
    text = "- item\n\n    its second paragraph. More.\n\nText.\n\n    code. more\n"

    assert [unit.kind for unit in units(text)] == [Kind.ITEM, Kind.PROSE, Kind.PROSE, Kind.PROSE, Kind.CODE]


def test_a_long_item_is_split_and_nothing_but_code_and_tables_is_endless() -> None:
    text = "- " + "A sentence of some words. " * 40 + "\n\n" + "word " * 1000 + "\n\n" + "字" * 5000

    found = list(units(text))

    assert max(unit.end - unit.start for unit in found) <= LONGEST
    assert found[0].of(text) == "- A sentence of some words."
    assert _split("word " * 1000)[0].endswith("word")


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join) | st.text(max_size=200))
@settings(max_examples=500)
def test_units_joined_give_back_the_text(text: str) -> None:
    found = list(units(text))

    assert "".join(text[unit.start : unit.end] for unit in found) == text
    assert all(unit.start < unit.end for unit in found)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        ". ",
        "a. ",
        "...x",
        ".)",
        "`",
        "```\n",
        "|\n",
        "|-\n",
        "> \n",
        "- \n",
        "\n",
        " ",
        "    a\n\n",
        "。",
        "e.g. ",
        "_ . ",
    ],
)
def test_the_cost_grows_with_the_length_alone(piece: str) -> None:
    text = piece * (200_000 // len(piece))

    started = process_time()
    list(units(text))

    assert process_time() - started < 3
