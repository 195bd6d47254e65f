"""What stands above the turns. Nothing yet."""

from __future__ import annotations

from memd.recall.context import RecallOptions, Sections
from memd.recall.explain import ExplainedSection
from memd.recall.history import History
from memd.recall.question import Question
from memd.text.tokens import Counter


def build(question: Question, history: History, options: RecallOptions, counter: Counter) -> Sections:
    """The sections for a question."""
    names = ("requests", "preferences", "conflicts")
    return Sections(explained=tuple(ExplainedSection(name, False, "no_statement") for name in names))
