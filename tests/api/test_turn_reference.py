"""Every name of turn memory that programs rely on is there, with its signature and fields, and can be called."""

from __future__ import annotations

import inspect
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memd import api
from tests.api.test_reference import signature
from tests.api.turn_reference import FIELDS, IMPORT, METHODS, PROPERTIES

NOW = datetime(2026, 11, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "method"), [(name, one) for name, methods in METHODS.items() for one in methods]
)
def test_every_method_has_its_name_and_signature(name: str, method: str) -> None:
    found = inspect.signature(getattr(getattr(api, name), method))
    shown = [
        one.replace(annotation=inspect.Parameter.empty, default=_named(one.default))
        for one in found.parameters.values()
    ]

    assert name in api.__all__
    assert str(inspect.Signature(shown))[1:-1] == METHODS[name][method]


class _Name:
    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


def _named(default: object) -> object:
    """A default that is a function, by its name."""
    return _Name(default.__name__) if inspect.isfunction(default) else default


@pytest.mark.parametrize("name", FIELDS)
def test_every_record_has_its_fields_first_and_in_order(name: str) -> None:
    expected = FIELDS[name].split()

    assert name in api.__all__
    assert [one.name for one in fields(getattr(api, name))][: len(expected)] == expected
    for one in PROPERTIES.get(name, []):
        assert isinstance(getattr(getattr(api, name), one), property)


def test_import_history_has_its_signature_and_its_error_is_a_value_error() -> None:
    assert signature(api.import_history) == IMPORT
    assert issubclass(api.HistoryImportError, ValueError)


def test_every_method_can_be_called(tmp_path: Path) -> None:
    for store in (api.InMemoryStore(), api.SQLiteStore(tmp_path / "turns.db")):
        memory = api.Memory(store)
        (item,) = memory.add("a text", user_id="ada", timestamp=NOW)
        assert memory.search("text?", user_id="ada", explain=True).to_dict()["text"]
        assert memory.get(item.id) == item and memory.get_all(user_id="ada") == [item]
        updated = memory.update(item.id, "another text")
        assert updated is not None and updated.to_dict()["content"] == "another text"
        assert memory.delete(item.id) and memory.delete_all(user_id="ada") == 0
    assert api.Scope(user_id="ada").matches("ada", "bot", None)
    assert not api.Scope(user_id="ada").matches("bob", None, None)
