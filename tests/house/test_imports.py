"""The floors of the house: who may import whom, read from the sources."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

GROUND = {"errors", "clock", "ids", "version", "text", "ranking"}
ROOMS = {
    "turns",
    "importers",
    "sources",
    "jobs",
    "memory",
    "graph",
    "reflection",
    "recall",
    "injection",
    "ledger",
}

ALLOWED = {
    "wire": GROUND,
    "db": GROUND,
    "providers": GROUND | {"wire.model_call"},  # the mark on a client that is run as a model; memctl reads it
    "turns": GROUND | {"db"},
    "jobs": GROUND | {"db"},
    "memory": GROUND | {"db", "providers.embedding.quantise"},
    "graph": GROUND | {"db"},
    "ledger": GROUND | {"db", "providers.llm.base", "turns.redact"},
    "reflection": GROUND | {"db", "memory", "ledger.narrowing", "ledger.replies", "providers.llm.base"},
    "recall": GROUND | {"turns"},
    "injection": GROUND | {"db", "turns", "memory", "recall", "reflection.proposal_table"},
    "importers": GROUND | {"turns", "db.driver"},  # some programs keep their history in SQLite
    "sources": GROUND
    | {
        "db",
        "turns",
        "importers",
        "services",
        "ledger.replies",
        "ledger.table",
        "memory.dedup",
        "memory.entry",
        "memory.forget",
        "graph.entity",
        "graph.forget",
        "graph.name",
        "reflection.proposal_table",
    },
    "services": GROUND
    | {
        "db",
        "providers.embedding.base",
        "providers.llm.base",
        "injection.options",
        "ledger.budget",
        "turns",
        "memory",
    },
    "intake": GROUND | {"db", "services"} | ROOMS,
    "tasks": GROUND
    | {"db", "services", "providers.embedding.base", "providers.embedding.quantise", "providers.llm.base"}
    | ROOMS,
    "server": GROUND | {"wire", "db", "services", "providers.embedding.base", "providers.llm.base"} | ROOMS,
    # where a database lies and which embedder its vectors are of is told by the settings, as it is for the daemon
    "api": GROUND | {"db", "providers", "config"} | ROOMS,
    "config": GROUND
    | {
        "wire",
        "db",
        "providers",
        "memory.dedup",
        "memory.review",
        "memory.scoring",
        "injection.options",
        "ledger.budget",
    },  # the room's Options
    "daemon": GROUND | {"wire", "db", "providers", "services", "intake", "tasks", "server", "config"} | ROOMS,
}

HEAVY = {
    "apsw": "memd/db/driver.py",
    "watchfiles": "memd/sources/watch.py",
    "apscheduler": "memd/daemon/schedule.py",
    "psycopg": "memd/turns/stores/postgres/driver.py",
    "psycopg_pool": "memd/turns/stores/postgres/driver.py",
    "pymongo": "memd/turns/stores/mongo/driver.py",
    "tiktoken": "memd/text/cl100k.py",
    "boto3": "memd/providers/embedding/bedrock.py",
    "anthropic": "memd/providers/llm/anthropic.py",
    "fastembed": "memd/providers/embedding/fastembed_library.py",
    "mcp": "memctl/mcp/bridge.py",
}


def imports(path: Path) -> set[str]:
    """Every module a file names, at run time or for its types."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def sources(top: str) -> list[Path]:
    return sorted((ROOT / top).rglob("*.py"))


def room(path: Path) -> str:
    part = path.relative_to(ROOT / "memd").parts[0]
    return part.removesuffix(".py")


@pytest.mark.parametrize("path", sources("memd"), ids=lambda p: str(p.relative_to(ROOT)))
def test_a_room_imports_only_what_lies_below_it(path: Path) -> None:
    own = room(path)
    if own in GROUND or own in ("__main__", "__init__"):
        allowed = GROUND | ({"daemon"} if own == "__main__" else set())
    else:
        allowed = ALLOWED[own] | {own}

    named = {name.removeprefix("memd.") for name in imports(path) if name.startswith("memd.")}
    wrong = {name for name in named if not any(name == a or name.startswith(a + ".") for a in allowed)}

    assert not wrong


@pytest.mark.parametrize("path", sources("memctl"), ids=lambda p: str(p.relative_to(ROOT)))
def test_memctl_knows_the_errors_and_the_wire_alone(path: Path) -> None:
    named = {name for name in imports(path) if name.startswith("memd.")}

    assert all(name.startswith(("memd.errors", "memd.wire", "memd.version")) for name in named)


@pytest.mark.parametrize(("library", "home"), HEAVY.items())
def test_a_heavy_library_stands_in_one_file(library: str, home: str) -> None:
    users = [
        str(path.relative_to(ROOT))
        for path in (*sources("memd"), *sources("memctl"))
        if any(name == library or name.startswith(library + ".") for name in imports(path))
    ]

    assert users == [home]
