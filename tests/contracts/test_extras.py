"""Stores on servers need extras of memd: where one is missing, a sentence says so, and everything else works."""

from __future__ import annotations

import subprocess
import sys

import pytest

WITHOUT = """
import sys
sys.modules[sys.argv[1]] = None  # as if it were not installed
from memd.api import *
from memd import api
from memd.errors import ConfigError
for opening in (lambda: api.Memory(sys.argv[2]), lambda: getattr(api, sys.argv[3])):
    try:
        opening()
    except ConfigError as error:
        print(error)
print(len(Memory().add("a text", user_id="ada")))
"""


@pytest.mark.parametrize(
    ("library", "url", "store", "extra"),
    [
        ("psycopg", "postgresql://host/db", "PostgresStore", "postgres"),
        ("psycopg_pool", "postgres://host/db", "PostgresStore", "postgres"),
        ("pymongo", "mongodb+srv://host/db", "MongoStore", "mongo"),
    ],
)
def test_LS22_a_missing_extra_is_named_when_its_store_is_asked_for(
    library: str, url: str, store: str, extra: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, library, url, store], capture_output=True, text=True, timeout=60
    )

    *told, added = done.stdout.splitlines()
    assert (len(told), added, done.stderr) == (2, "1", "")
    assert all(one.endswith(f"which is not installed; install memd[{extra}]") for one in told)


OPENING = """
import sys
for name in sys.argv[2:]:
    sys.modules[name] = None  # as if it were not installed
from memd.errors import ConfigError
from memd.turns.stores.open import open_shared
try:
    open_shared(sys.argv[1], "memd")
except ConfigError as error:
    print(error.exit_code, error)
"""


@pytest.mark.parametrize(
    ("url", "missing", "says"),
    [
        (
            "postgresql://ann:hidden@host/db",
            ["psycopg"],
            "78 a store in PostgreSQL needs psycopg, which is not installed; install memd[postgres]",
        ),
        ("postgresql://ann:hidden@host/db?nosuch=1", [], "78 [store] cannot be used: "),
        ("", ["psycopg"], ""),
    ],
)
def test_ls25_a_shared_store_that_cannot_be_opened_is_named_in_a_sentence(
    url: str, missing: list[str], says: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", OPENING, url, *missing], capture_output=True, text=True, timeout=60
    )

    assert (done.stdout.startswith(says), done.stderr) == (True, "")
    assert len(done.stdout.splitlines()) == (1 if says else 0)
    assert "hidden" not in done.stdout
