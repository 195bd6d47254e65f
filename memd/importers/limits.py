"""Bounds on what is read of a foreign file: a hostile or broken one ends in a sentence, not in a full memory."""

from __future__ import annotations

from dataclasses import dataclass, fields

_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """What is read at most. ValueError for a bound that is no positive number.

    ``max_file_bytes``: of a file, or of a member of an archive, uncompressed. ``max_record_bytes``: of a line, or of
    an element of an array; larger ones are passed over and counted. ``max_depth``: how deep the arrays and objects of
    a record nest, checked before it is parsed. ``max_turn_chars``: of one turn. ``max_zip_members``: entries that an
    archive lists. ``max_zip_ratio``: uncompressed over compressed size of a member of more than a MiB.
    """

    max_file_bytes: int = 1 << 30
    max_record_bytes: int = 32 * _MIB
    max_depth: int = 64
    max_turn_chars: int = 100_000
    max_zip_members: int = 100_000
    max_zip_ratio: float = 100.0

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not value > 0 or (one.type == "int" and not isinstance(value, int)):
                raise ValueError(f"{one.name} is {value!r}; it must be a number above 0")
