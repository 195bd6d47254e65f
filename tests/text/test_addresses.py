"""No password of an address is shown."""

from __future__ import annotations

import pytest

from memd.text.addresses import is_encoded, scrubbed


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


@pytest.mark.parametrize(
    ("address", "encoded"),
    [
        ("postgresql://ann:hid%40d%2Fen@db:5432/team?sslmode=require", True),
        ("postgresql://ann@db/team?application_name=ann@home", True),
        ("postgresql:///team?host=/run/postgresql", True),
        ("host=db password='hid den@%'", True),  # no URL
        ("postgresql://ann:hid@den@db/team", False),
        ("postgresql://ann:hid/den@db/team", False),
        ("postgresql://ann:hid%-den@db/team", False),
        ("postgresql://ann:hid den@db/team", False),
    ],
)
def test_a_password_that_would_be_read_as_something_else_is_noticed(address: str, encoded: bool) -> None:
    assert is_encoded(address) == encoded
