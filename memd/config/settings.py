"""Every setting, once: the sections, and each setting with its default, its type and its rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from memd.config.rules import Rule
from memd.config.sections.answers import InjectionOptions, RecallDefaults, SearchOptions
from memd.config.sections.memory import MemoryOptions, ReflectionOptions, ReviewOptions, ScoringOptions
from memd.config.sections.models import EmbeddingOptions, GovernorOptions, LlmOptions
from memd.config.sections.reading import ImportOptions, SourceOptions, WatchOptions
from memd.config.sections.store import StoreOptions
from memd.config.sections.upkeep import BackupOptions, ClientOptions, LogSettings, RetentionOptions


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
    store: StoreOptions = field(default_factory=StoreOptions)
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
