"""R12: a secret leaves a record wherever it stands in it, also where only its key tells what it is."""

from __future__ import annotations

import json

import pytest

from memd.sources.observation_secrets import redacted
from tests.sources.logs import record

VALUE = "Zq7vKp2mXw9TtB4c"


def clean(**extraction: object) -> tuple[str, dict[str, int]]:
    [(left, kinds)] = redacted([record(**extraction)])
    return json.dumps(left["extraction"]), dict(kinds)


@pytest.mark.parametrize(
    "facts",
    [
        [{"content": f"log in with {VALUE}", "password": VALUE}],
        [{"content": f"log in with {VALUE}", "login": {"passwords": [VALUE]}}],
        [f"DB_PASSWORD={VALUE}", f"it begins with {VALUE}"],
    ],
)
def test_a_value_that_a_key_tells_of_goes_from_the_whole_record(facts: list[object]) -> None:
    left, kinds = clean(facts=facts, entities=[VALUE, {"name": f"app@{VALUE}"}])

    assert VALUE not in left
    assert kinds == {"password": 4}


def test_an_edge_from_a_secrets_name_to_its_value_keeps_only_the_name() -> None:
    left, kinds = clean(
        relationships=[{"source": "DB_PASSWORD", "target": VALUE, "relationship_type": "uses"}],
        entities=[VALUE, {"name": "Hj5nRd8sYf3LgQ6e", "entity_type": "password"}],
    )

    assert VALUE not in left and "Hj5n" not in left and "DB_PASSWORD" in left
    assert kinds == {"password": 3}


def test_plain_words_at_the_ends_of_an_edge_stay() -> None:
    left, kinds = clean(relationships=[{"source": "DB_PASSWORD", "target": "Vault"}], entities=["Vault"])

    assert left.count("Vault") == 2 and kinds == {}


def test_a_short_value_goes_only_where_it_is_a_word() -> None:
    left, _ = clean(facts=["DB_PASSWORD=a7x", "a7x and a7xb", "[REDACTED:password] stays"])

    assert json.loads(left)["facts"][1:] == ["[REDACTED:password] and a7xb", "[REDACTED:password] stays"]


def test_a_stretch_of_a_key_goes_too_but_not_the_words_that_head_it() -> None:
    lines = ["5Zg5CASrNdC6wmBY0RUXDVRqR+wryUwo8L4hhL7rNZRmFLnpN5fwKRGr7gXEhChr"[turn:] for turn in range(5)]
    key = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *lines, "-----END RSA PRIVATE KEY-----"])

    left, kinds = clean(facts=[key], entities=[" ".join(lines[:2]), "RSA PRIVATE KEY"])

    assert "5Zg5" not in left and "RSA PRIVATE KEY" in left
    assert kinds == {"private_key": 2}


def test_a_secret_of_one_record_says_nothing_of_another() -> None:
    first, other = redacted([record(1, facts=[f"DB_PASSWORD={VALUE}"]), record(2, facts=[VALUE])])

    assert first[1] == {"password": 1} and other == (record(2, facts=[VALUE]), {})
