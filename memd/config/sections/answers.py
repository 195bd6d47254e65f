"""How questions are answered, and what is handed over unasked: [search], [recall], [injection]."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo

from memd.config import rules
from memd.injection import options as injection
from memd.memory import review, scoring


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """[search]"""

    limit: int = rules.number(10, 1, 100, "hits of a search where none are asked for")
    mode: str = rules.choice(
        "hybrid", ("hybrid", "keyword", "vector"), "the lanes of a search where none is asked for"
    )


@dataclass(frozen=True, slots=True)
class RecallDefaults:
    """[recall]"""

    budget: int = rules.number(2_000, 1, 100_000, "tokens of a recall where no number is asked for")
    token_factor: float = rules.decimal(
        1.0, 1.0, 10.0, "count every token so many times, for a model that makes more of the same text"
    )
    timezone: str = rules.choice("utc", ("utc", "local"), "the time zone of the dates in a recalled text")
    cross_encoder: str = rules.name(
        "Xenova/ms-marco-MiniLM-L-6-v2",
        "fastembed's cross-encoder for --relevance semantic, where it lies in the model cache",
    )


@dataclass(frozen=True, slots=True)
class InjectionOptions:
    """[injection]"""

    session_start: bool = rules.flag(True, "hand a session that starts what is known of its project")
    prompt: bool = rules.flag(True, "hand a prompt what bears on it, where anything does")
    session_tokens: int = rules.number(800, 100, 8_000, "the most tokens at a session's start")
    prompt_tokens: int = rules.number(600, 100, 8_000, "the most tokens with a prompt")
    floor: float = rules.decimal(
        0.36, 0, 1, "how much something must bear on a prompt; higher: less is handed over"
    )
    sessions: int = rules.number(5, 0, 50, "of the last sessions so many are named at a session's start")
    subagents: bool = rules.flag(False, "what subagents said, too")
    other_branches: bool = rules.flag(False, "turns of branches of a conversation that were given up, too")

    def options(self, tz: tzinfo | None, rule: scoring.Options, due: review.Options) -> injection.Options:
        """The settings as the room takes them."""
        return injection.Options(
            self.session_start,
            self.prompt,
            self.session_tokens,
            self.prompt_tokens,
            self.floor,
            self.sessions,
            self.subagents,
            self.other_branches,
            tz,
            rule,
            due,
        )
