"""How a line names where something comes from."""

from __future__ import annotations

import pytest

from memd.injection import lines


@pytest.mark.parametrize(
    ("path", "name"),
    [("/home/dev/app", "app"), ("/home/dev/app/", "app"), ("app", "app"), ("/", "/"), (None, "")],
)
def test_a_project_goes_by_what_its_path_ends_with(path: str | None, name: str) -> None:
    assert lines.name_of(path) == name
