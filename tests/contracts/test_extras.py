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
