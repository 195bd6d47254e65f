"""The texts in a JSON value, keys too: taken out in their order, and put back in it changed."""

from __future__ import annotations

from collections.abc import Iterator


def leaves(value: object) -> Iterator[str]:
    """Every text in the value."""
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from leaves(item)
        case dict():
            for key, item in value.items():
                yield str(key)
                yield from leaves(item)


def with_leaves(value: object, texts: Iterator[str]) -> object:
    """The value with these texts in the place of its own."""
    match value:
        case str():
            return next(texts)
        case list():
            return [with_leaves(item, texts) for item in value]
        case dict():
            return {next(texts): with_leaves(item, texts) for item in value.values()}
    return value
