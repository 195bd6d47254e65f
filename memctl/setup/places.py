"""Where Claude Code keeps what setup writes to: its settings, its MCP servers, its skills."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

USER, PROJECT = "user", "project"


@dataclass(frozen=True, slots=True)
class Places:
    """The files of one scope."""

    scope: str
    settings: str
    servers: str
    skills: str


def places(env: Mapping[str, str], scope: str, cwd: str) -> Places:
    """Those of the user, or of the project in this folder."""
    if scope == PROJECT:
        folder = os.path.join(cwd, ".claude")
        servers = os.path.join(cwd, ".mcp.json")
    else:
        folder = config(env)
        # beside the folder, not in it, unless the folder is named
        servers = os.path.join(folder if _named(env) else os.path.dirname(folder), ".claude.json")
    return Places(scope, os.path.join(folder, "settings.json"), servers, os.path.join(folder, "skills"))


def settings(env: Mapping[str, str], cwd: str) -> list[str]:
    """Every settings file that counts for a session in this folder, the user's first."""
    project = [os.path.join(cwd, ".claude", name) for name in ("settings.json", "settings.local.json")]
    return list(dict.fromkeys([os.path.join(config(env), "settings.json"), *project]))


def config(env: Mapping[str, str]) -> str:
    """The client's own folder."""
    home = env.get("HOME") or os.path.expanduser("~")
    named = _named(env)
    if named == "~" or named.startswith("~/"):
        named = home + named[1:]
    return os.path.abspath(named) if named else os.path.join(home, ".claude")


def _named(env: Mapping[str, str]) -> str:
    return env.get("CLAUDE_CONFIG_DIR", "").split(",")[0].strip()
