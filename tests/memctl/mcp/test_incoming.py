"""What of standard input the library gets to read."""

from __future__ import annotations

import json

import pytest

from memctl.mcp.incoming import whole


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"half \ud83e", "half \ufffd"),
        (r"\uDD86 \ud83e\u0041", "\ufffd \ufffdA"),
        (r"whole \ud83e\udd86", "whole \U0001f986"),
        (r"spelled \\ud83e", r"spelled \ud83e"),
        (r"\\\ud83e", "\\\ufffd"),
    ],
)
def test_half_a_sign_is_a_replacement_character_and_all_else_stays(written: str, read: str) -> None:
    assert json.loads(whole(f'"{written}"\n')) == read
