"""What is asked of models, and of the machine for them: [embedding], [llm], [governor]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memd.config import rules
from memd.config.paths import absolute
from memd.ledger.budget import Caps
from memd.providers.llm.frames import Model


@dataclass(frozen=True, slots=True)
class EmbeddingOptions:
    """[embedding]"""

    embedder: str = rules.choice(
        "bundled", ("bundled", "fastembed:", "bedrock:", "hash", "none"), "what turns texts into vectors"
    )
    idle_seconds: int = rules.number(
        300, 10, 86_400, "give the model's memory back after so long without use"
    )
    threads: int = rules.number(1, 1, 16, "threads of the model; more than one burns more than it gains")


@dataclass(frozen=True, slots=True)
class LlmOptions:
    """[llm]"""

    provider: str = rules.choice(
        "auto",
        ("auto", "anthropic", "bedrock", "claude-cli", "none"),
        "who is asked; auto: anthropic where there is a key, else none; claude-cli: your own login of the client",
    )
    model: str = rules.name("claude-haiku-5-5", "the model that is asked, by the provider's name for it")
    key_file: str = rules.file("a file of mode 0600 that holds the key, if the environment does not")
    timeout_seconds: int = rules.number(90, 5, 600, "a call that takes longer has failed")
    tokens_per_day: int = rules.number(
        200_000, 0, 1_000_000_000, "tokens of all calls of a day (UTC), at most"
    )
    money_per_day: float = rules.decimal(
        0.25,
        0,
        10_000,
        "US dollars of all calls of a day (UTC), at most, where the price of the model is known",
    )

    def asked(self, env: Mapping[str, str]) -> Model:
        """Who is asked, and with which key."""
        file = Path(absolute(self.key_file, env)) if self.key_file else None
        return Model(self.provider, self.model, file, self.timeout_seconds)

    def caps(self) -> Caps:
        """What the calls of a day may take."""
        return Caps(self.tokens_per_day, self.money_per_day)


@dataclass(frozen=True, slots=True)
class GovernorOptions:
    """[governor]"""

    memory_mb: int = rules.number(
        600, 50, 1_000_000, "over so much memory in all, background work waits and caches are given back"
    )
    cpu_share: float = rules.decimal(
        0.5,
        0.05,
        64.0,
        "of one processor for long background work; a quarter of it on battery or a busy machine",
    )
