"""Which texts name a thing."""

from __future__ import annotations

import time

import pytest

from memd.graph import name as names


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("1.2.3", "version"),
        ("v2", "version"),
        ("V1.0.0-rc.1+build5", "version"),
        ("abc1234", "hash"),
        ("550e8400-e29b-41d4-a716-446655440000", "hash"),
        ("sha256:00ff00ff", "hash"),
        ("#42", "card"),
        ("PR 12", "card"),
        ("dev/app#7", "card"),
        ("MEMD-1234", "card"),
        ("feature/login", "branch"),
        ("main", "branch"),
        ("wip-cache", "branch"),
        ("42", "number"),
        ("2026-11-30", "number"),
        ("x" * 101, "too_long"),
    ],
)
def test_what_is_no_name_of_a_thing_is_known(name: str, why: str) -> None:
    """W35: versions, hashes, numbers of cards, branches and bare numbers make no entity."""
    assert names.why_not(name, "wip-cache") == why


@pytest.mark.parametrize(
    "name",
    ["Redis", "V8", "C#", "node.js", "GPT-4", "UTF-8", "SHA-256", "defaced", "日本", "k8s", "S3", "3M"],
)
def test_what_only_looks_odd_is_a_name(name: str) -> None:
    """W35: nothing that people call things by is dropped."""
    assert names.why_not(name) is None


def test_no_name_takes_long_to_judge() -> None:
    began = time.process_time()
    for name in ("1.1" + "a" * 96 + "!", "a" * 99 + "!", "v" * 100, "-" * 100, "the " * 25, "1." * 50):
        names.why_not(name)
        names.key(name)

    assert time.process_time() - began < 0.5
