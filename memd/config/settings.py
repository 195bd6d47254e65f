"""Every setting, once: its default, its type, what is allowed, and a line that says what it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import tzinfo
from pathlib import Path
from typing import Literal, cast

from memd.config import rules
from memd.config.paths import absolute
from memd.config.rules import Rule
from memd.injection import options as injection
from memd.ledger.budget import Caps
from memd.memory import review, scoring
from memd.memory.dedup import Thresholds
from memd.providers.llm.frames import Model


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """[import]"""

    subagents: bool = rules.flag(False, "import the turns of subagents too, tied to their parent's session")
    exclude: tuple[str, ...] = rules.folders(
        "folders whose sessions are passed over, each with all below it; memctl exclude changes it at once"
    )


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


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """[sources]"""

    observations: tuple[str, ...] = rules.folders(
        "folders with observation logs, besides memd's own; none: that of mait-code, where there is one"
    )


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """[watch]"""

    mode: str = rules.choice(
        "auto", ("auto", "poll"), "auto: by events where the system has them; poll: by scans alone"
    )
    debounce_ms: int = rules.number(50, 1, 10_000, "collect events for so long")
    step_ms: int = rules.number(50, 1, 10_000, "look for more events so often")
    rescan_seconds: int = rules.number(60, 5, 3_600, "compare every file with the store so often")
    poll_seconds: int = rules.number(10, 1, 3_600, "the same, where events cannot be had")


@dataclass(frozen=True, slots=True)
class LogSettings:
    """[log]"""

    format: Literal["console", "json"] = cast(
        Literal["console", "json"],
        rules.choice("console", ("console", "json"), "how a line of the log looks"),
    )
    level: Literal["debug", "info", "warning", "error"] = cast(
        Literal["debug", "info", "warning", "error"],
        rules.choice("info", ("debug", "info", "warning", "error"), "the least that is logged"),
    )


@dataclass(frozen=True, slots=True)
class RetentionOptions:
    """[retention]"""

    turn_days: int = rules.number(
        0, 0, 36_500, "forget turns after so many days, for good; 0: keep everything"
    )
    job_days: int = rules.number(
        30, 1, 3_650, "forget ended jobs after so many days; dead ones stay until dismissed"
    )
    journal_days: int = rules.number(90, 1, 3_650, "changes can be undone for so many days")


@dataclass(frozen=True, slots=True)
class BackupOptions:
    """[backup]"""

    every_hours: int = rules.number(24, 0, 8_760, "copy the database into backups/ so often; 0: never")
    keep: int = rules.number(7, 1, 1_000, "keep so many of those copies")
    max_mb: int = rules.number(
        2_048, 1, 100_000_000, "what all of backups/ may take on the disk, the newest copy at least"
    )


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


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """[client], which memctl reads for itself."""

    autostart: bool = rules.flag(False, "memctl starts memd where nobody answers and it is no service")


@dataclass(frozen=True, slots=True)
class Settings:
    """All sections."""

    import_: ImportOptions = field(default_factory=ImportOptions)
    embedding: EmbeddingOptions = field(default_factory=EmbeddingOptions)
    llm: LlmOptions = field(default_factory=LlmOptions)
    reflection: ReflectionOptions = field(default_factory=ReflectionOptions)
    search: SearchOptions = field(default_factory=SearchOptions)
    recall: RecallDefaults = field(default_factory=RecallDefaults)
    scoring: ScoringOptions = field(default_factory=ScoringOptions)
    memory: MemoryOptions = field(default_factory=MemoryOptions)
    review: ReviewOptions = field(default_factory=ReviewOptions)
    injection: InjectionOptions = field(default_factory=InjectionOptions)
    sources: SourceOptions = field(default_factory=SourceOptions)
    watch: WatchOptions = field(default_factory=WatchOptions)
    log: LogSettings = field(default_factory=LogSettings)
    retention: RetentionOptions = field(default_factory=RetentionOptions)
    backup: BackupOptions = field(default_factory=BackupOptions)
    governor: GovernorOptions = field(default_factory=GovernorOptions)
    client: ClientOptions = field(default_factory=ClientOptions)


@dataclass(frozen=True, slots=True)
class Key:
    """One setting as it is written: ``[section] name``."""

    section: str
    name: str
    kind: type
    default: object
    rule: Rule

    @property
    def dotted(self) -> str:
        """``section.name``."""
        return f"{self.section}.{self.name}"

    @property
    def variable(self) -> str:
        """The environment's name for it."""
        return f"MEMD_{self.section}__{self.name}".upper()


def sections() -> tuple[str, ...]:
    """The names of the sections, as config.toml writes them."""
    return tuple(part.name.rstrip("_") for part in fields(Settings))


def keys() -> Mapping[str, Key]:
    """Every setting by its dotted name, in order."""
    found: dict[str, Key] = {}
    defaults = Settings()
    for part in fields(Settings):
        section = part.name.rstrip("_")
        options = getattr(defaults, part.name)
        for one in fields(options):
            default = getattr(options, one.name)
            key = Key(section, one.name, type(default), default, one.metadata["rule"])
            found[key.dotted] = key
    return found


def build(values: Mapping[str, object]) -> Settings:
    """The settings with these values by dotted name, defaults elsewhere; the values are checked already."""
    sections: dict[str, object] = {}
    defaults = Settings()
    for part in fields(Settings):
        section = part.name.rstrip("_") + "."
        chosen = {name[len(section) :]: value for name, value in values.items() if name.startswith(section)}
        sections[part.name] = type(getattr(defaults, part.name))(**chosen)
    return Settings(**sections)  # type: ignore[arg-type]  # each is the section's own type
