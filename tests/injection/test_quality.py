"""What prompts are handed bears on them: the floors of the labelled set (``python -m tests.bench injecting``)."""

from __future__ import annotations

import pytest

from tests.bench import injecting, labelled


def test_the_labelled_prompts_are_whole() -> None:
    prompts = labelled.prompts()
    turns = {turn.id for project in labelled.PROJECTS for turn in labelled.turns(project)}
    entries = {f"*{one.name}" for one in labelled.entries()}

    assert len({asked.text for asked in prompts}) == len(prompts) == 60
    assert sum(not asked.evidence for asked in prompts) == 20
    assert {name for asked in prompts for name in asked.evidence} <= turns | entries


@pytest.mark.parametrize(("by_meaning", "answered"), [(True, 0.8), (False, 0.5)])
def test_what_is_handed_over_bears_on_the_prompt_and_what_does_not_stays_out(
    by_meaning: bool, answered: float
) -> None:
    handed = injecting.run(by_meaning=by_meaning)

    for some in (handed, [one for one in handed if not one.tuned]):
        figures = injecting.figures(some)
        assert figures.precision >= 0.8
        assert figures.silent >= 0.9
        assert figures.answered >= answered
