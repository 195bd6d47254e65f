"""What of memd's stands in Claude Code already: by the plugin, or as hooks in a settings file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from memctl.setup import file, hooks, jsonc, places
from memctl.setup.jsonc import Node, NoJson


def elsewhere(env: Mapping[str, str], cwd: str, path: str) -> str | None:
    """Where memd's hooks come from for a session in this folder, other than from this file; None if from nowhere."""
    files = places.settings(env, cwd)
    found = {one: node for one in files if (node := _lenient(one))}
    if named := plugin(env, found):
        return f"the plugin {named}"
    return next((one for one, node in found.items() if one != path and any(hooks.find(node))), None)


def plugin(env: Mapping[str, str], files: Mapping[str, Node]) -> str | None:
    """The name of memd's plugin where it is enabled, or installed and nobody has disabled it."""
    told: dict[str, bool] = {}
    for node in files.values():
        told.update(enabled(node))
    installed = dict.fromkeys(
        _installed(os.path.join(places.config(env), "plugins", "installed_plugins.json")), True
    )
    return next((name for name, on in {**installed, **told}.items() if on), None)


def enabled(settings: Node) -> dict[str, bool]:
    """What a settings file says of plugins of memd's."""
    plugins = settings.get("enabledPlugins")
    children = plugins.children if plugins else ()
    return {one.key: one.node.value is True for one in children if one.key and one.key.startswith("memd@")}


def _installed(path: str) -> Iterator[str]:
    """The client's own record, of which no more is known than that it names plugins by their keys."""
    node = _lenient(path)
    plugins = (node.get("plugins") or node) if node else None
    for child in plugins.children if plugins else ():
        if child.key and child.key.startswith("memd@") and child.node.value:
            yield child.key


def _lenient(path: str) -> Node | None:
    try:
        return read(path)
    except (OSError, NoJson):
        return None


def read(path: str) -> Node | None:
    """A settings file; None where there is none, OSError or NoJson where it cannot be read."""
    try:
        text = (file.content(path) or b"").decode()
    except UnicodeDecodeError:
        raise NoJson("it is no UTF-8 text") from None
    if not text.strip(" \t\r\n" + jsonc.BOM):
        return None
    node = jsonc.parse(text)
    if not isinstance(node.value, dict):
        raise NoJson("it holds no object")
    return node
