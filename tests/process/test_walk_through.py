"""What README shows of reflection is what happens."""

from __future__ import annotations

from tests import messages_api
from tests.process.conftest import Box
from tests.process.walk_through import README, recorded


def test_the_walk_through_of_the_readme_is_what_happens(box: Box) -> None:
    """MC23, MC27, MC28, MC30, W33: log, entries and their turns, an insight, a diff, the file, an undo."""
    with messages_api.serving() as api:
        made = recorded(box, api)

    assert made in README.read_text("utf-8")
