"""memd among the MCP servers of Claude Code: in and out again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.util import find_spec

from memctl.setup import jsonc
from memctl.setup.jsonc import Node, NoJson

NAME = "memd"
EXTRA = "pip install 'memd[mcp]'"


def can_serve() -> bool:
    """Whether ``memctl mcp`` has what it needs (the extra ``mcp``)."""
    return find_spec("mcp") is not None


def put(text: str, memctl: str, flags: Sequence[str] = ()) -> str:
    """The text with memd among its servers; a server of that name that is another one stays as it is."""
    root = jsonc.parse(text)
    servers = root.get("mcpServers")
    if servers is None:
        return jsonc.append(text, root, {NAME: _entry(memctl, flags)}, "mcpServers")
    if not isinstance(servers.value, dict):
        raise NoJson("its mcpServers are no object")
    entry = servers.get(NAME)
    if entry is None:
        return jsonc.append(text, servers, _entry(memctl, flags), NAME)
    command, args = entry.get("command"), entry.get("args")
    if not (is_ours(entry) and command and args):
        return text
    if args.value != [*flags, "mcp"]:
        text = jsonc.replace(text, args, [*flags, "mcp"])
        return put(text, memctl, flags)
    return text if command.value == memctl else jsonc.replace(text, command, memctl)


def take_out(text: str, before: Node | None = None) -> str:
    """The text without our server, nor what it alone was in, unless that stood there ``before`` too."""
    root = jsonc.parse(text)
    servers = root.child("mcpServers")
    entry = servers.node.child(NAME) if servers else None
    if not (servers and entry and is_ours(entry.node)):
        return text
    return jsonc.prune(text, ((root, servers), (servers.node, entry)), before)


def standing(root: Node) -> Node | None:
    """The server that goes by our name."""
    servers = root.get("mcpServers")
    return servers.get(NAME) if servers else None


def is_ours(entry: Node) -> bool:
    """Whether a server is ``memctl mcp``."""
    command, args = entry.get("command"), entry.get("args")
    path = command.value if command else None
    words = args.value if args else None
    return (
        isinstance(path, str)
        and os.path.basename(path) == "memctl"
        and isinstance(words, list)
        and words[-1:] == ["mcp"]
    )


def _entry(memctl: str, flags: Sequence[str]) -> object:
    return {"type": "stdio", "command": memctl, "args": [*flags, "mcp"], "env": {}}
