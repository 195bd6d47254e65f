"""What of a prompt is looked for: commands and small talk get nothing, and a paste is cut to what is said around it."""

from __future__ import annotations

import pytest

from memd.injection import query
from memd.text.fence import Line, fenced


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "  \n",
        "yes",
        "Yes, please continue.",
        "ok go ahead",
        "continue",
        "Thanks, that looks good!",
        "/clear",
        "/compact keep the part about the relay and its port",
        "/memd:recall which port does staging use",
        "!ls -la src tests docs",
        "why?",
        "fix it",
        "do it again",
        "deploy",
        "weiter bitte",
        "继续",
        "👍",
        "???",
    ],
)
def test_a_prompt_that_is_about_nothing_is_not_looked_for(prompt: str) -> None:
    assert query.of(prompt) is None


@pytest.mark.parametrize(
    "prompt",
    [
        "which port does staging use",
        "/home/dev/app/relay.toml has the wrong port",
        "deploy notes",
        "重新部署方案",
        "Fix the flaky upload test, please.",
    ],
)
def test_what_says_something_is_looked_for_as_it_stands(prompt: str) -> None:
    assert query.of(prompt) == prompt


def test_of_a_paste_the_words_before_and_behind_it_are_looked_for() -> None:
    code = "```\n" + "x = compute(y)\n" * 40_000 + "```"
    log = "2026-11-30 12:00:00 INFO request served in 12 ms\n" * 20_000

    behind_code = query.of(f"Why does the relay lose lines here?\n{code}\nIt is since the upgrade.")
    around_log = query.of(f"The relay lost lines again.\n{log}\nWhat changed since the upgrade?")

    assert behind_code == "Why does the relay lose lines here?\n \nIt is since the upgrade."
    assert around_log is not None and len(around_log) <= query.LONGEST
    assert around_log.startswith("The relay lost lines again.")
    assert around_log.endswith("What changed since the upgrade?")


def test_a_paste_that_is_all_code_is_looked_for_by_its_ends() -> None:
    found = query.of("```\n" + "value = compute(other)\n" * 1_000 + "```")

    assert found is not None and len(found) <= query.LONGEST


def test_what_memd_handed_over_is_not_looked_for_again() -> None:
    own = fenced([Line("Earlier the user said", "turn 1", "Staging uses port 8080.")])

    assert query.of(own) is None
    assert query.of(f"{own}\nthanks") is None


def test_of_a_long_prompt_the_meaning_of_both_ends_is_looked_for() -> None:
    prompt = f"Why does the relay lose lines? {'It went on and on. ' * 40}It is since the upgrade."

    meant = query.meant(prompt)

    assert len(meant) <= query.MEANT
    assert meant.startswith("Why does the relay lose lines?")
    assert meant.endswith("It is since the upgrade.")
    assert query.meant("which port does staging use") == "which port does staging use"
