"""Curated memory: [reflection], [scoring], [memory], [review]."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, cast

from memd.config import rules
from memd.config.rules import Rule
from memd.memory import scoring
from memd.memory.dedup import Thresholds


@dataclass(frozen=True, slots=True)
class ReflectionOptions:
    """[reflection]"""

    enabled: bool = rules.flag(
        False,
        "read sessions and reflect by itself; it asks the language model, within what [llm] allows a day",
    )
    quiet_minutes: int = rules.number(10, 1, 1_440, "read a session after it has been quiet for so long")
    schedule: str = field(
        default="0 4 * * *", metadata={"rule": Rule("when, as cron has it, by the machine's own clock")}
    )
    after_entries: int = rules.number(20, 1, 10_000, "reflect as well once so many entries are new")
    min_new: int = rules.number(3, 1, 10_000, "fewer new entries than these are not worth a reflection")
    batch: int = rules.number(50, 1, 500, "entries that are read at once, at most")
    days: int = rules.number(
        7, 1, 36_500, "a first reflection begins with so many days; what lies before follows"
    )
    prompt_tokens: int = rules.number(16_000, 4_000, 90_000, "tokens of what a reflection sends, at most")
    auto_apply: tuple[str, ...] = rules.some(
        ("add", "rewrite", "merge", "retire"),
        "proposals of these kinds are applied without being asked about; memctl undo takes each back",
    )


@dataclass(frozen=True, slots=True)
class ScoringOptions:
    """[scoring]. ConfigError where the weights do not make 1 together."""

    weight_recency: float = rules.decimal(0.3, 0, 1, "how recent an entry is, of its composite score")
    weight_importance: float = rules.decimal(0.3, 0, 1, "how important it is; the three weights make 1")
    weight_relevance: float = rules.decimal(0.4, 0, 1, "how well it fits the question")
    half_life_episodic: float = rules.decimal(
        3.0, 0.01, 36_500, "days after which half of an event's recency is gone"
    )
    half_life_semantic: float = rules.decimal(
        90.0, 0.01, 36_500, "the same of facts, preferences and decisions"
    )
    half_life_procedural: float = rules.decimal(180.0, 0.01, 36_500, "the same of procedures")
    boost_project: float = rules.decimal(
        0.85, 0, 1, "times the score, for an entry of the project asked about"
    )
    boost_global: float = rules.decimal(0.7, 0, 1, "the same, for one that holds everywhere")
    boost_cross_project: float = rules.decimal(0.3, 0, 1, "the same, for one of another project")

    def __post_init__(self) -> None:
        self.rule()

    def rule(self) -> scoring.Options:
        """The settings as the score takes them."""
        return scoring.Options(
            scoring.Weights(self.weight_recency, self.weight_importance, self.weight_relevance),
            scoring.HalfLives(self.half_life_episodic, self.half_life_semantic, self.half_life_procedural),
            scoring.Boosts(
                project=self.boost_project, global_=self.boost_global, cross_project=self.boost_cross_project
            ),
        )


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """[memory]. ConfigError where what is a duplicate is not more alike than what may be in conflict."""

    dedup_string: float = rules.decimal(
        0.85, 0.01, 1, "entries are duplicates whose letters are so much the same"
    )
    dedup_vector: float = rules.decimal(
        0.92, 0.01, 1, "entries are duplicates whose vectors have this cosine"
    )
    dedup_conflict: float = rules.decimal(0.6, 0.01, 1, "from this cosine on they may contradict each other")
    project_files: Literal["none", "data", "project"] = cast(
        Literal["none", "data", "project"],
        rules.choice(
            "none",
            ("none", "data", "project"),
            "whether each project has a MEMORY.md of its own: in memd's data folder, or in the project's",
        ),
    )

    def __post_init__(self) -> None:
        self.thresholds()

    def thresholds(self) -> Thresholds:
        """The settings as the writer takes them."""
        return Thresholds(self.dedup_string, self.dedup_vector, self.dedup_conflict)


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """[review]"""

    min_importance: int = rules.number(5, 1, 10, "from this importance on an entry is brought up again")
    threshold: float = rules.decimal(
        0.5, 0.01, 0.99, "when it is recalled with less than this probability; half-lives: see scoring"
    )
