"""No password of an address is shown."""

from __future__ import annotations

import pytest

from memd.text.addresses import scrubbed


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://ann:hidden@db/team", "postgresql://ann:***@db/team"),
        ("postgresql://ann:hid@den@db/team", "postgresql://ann:***@db/team"),
        ("postgresql://ann:hid/den@db/team", "postgresql://ann:***@db/team"),
        (
            "postgresql://db/team?password=hidden&sslmode=require",
            "postgresql://db/team?password=***&sslmode=require",
        ),
        ("host=db password='hid den' user=ann", "host=db password=*** user=ann"),
        ("postgresql://ann@db/team", "postgresql://ann@db/team"),  # there is none
    ],
)
def test_ls25_a_password_is_not_shown(text: str, shown: str) -> None:
    assert scrubbed(text) == shown
