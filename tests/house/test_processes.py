"""No process outlives the daemon, for it starts none, but those that ask a language model and end with it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.house.test_imports import ROOT, imports, sources

LIBRARIES = ("subprocess", "multiprocessing", "concurrent.futures.ProcessPoolExecutor", "pty")
ASKING = ("memd/providers/llm/process.py", "memd/providers/llm/claude_cli.py")
STARTS = ("fork", "popen", "posix_spawn", "spawn", "system", "exec", "create_subprocess", "subprocess")


def calls(path: Path) -> set[str]:
    """What a file takes from ``os`` and ``asyncio`` by name."""
    return {
        node.attr
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("os", "asyncio")
    }


@pytest.mark.parametrize("path", sources("memd"), ids=lambda p: str(p.relative_to(ROOT)))
def test_no_other_file_of_the_daemon_starts_a_process(path: Path) -> None:
    if str(path.relative_to(ROOT)) in ASKING:
        return
    assert not [name for name in imports(path) if name.startswith(LIBRARIES)]
    assert not [name for name in calls(path) if name.startswith(STARTS)]
