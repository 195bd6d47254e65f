"""The hooks of memd in a settings file of Claude Code: how they read, where they stand, in and out again.

The rule: a hook of ours is known by its whole command, so one that a person wrote is never taken for it; and where
its memctl is gone or broken it ends with 0 and says nothing.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from memctl.setup import jsonc
from memctl.setup.jsonc import Child, Node, NoJson

SECONDS = 5
EVENTS = {  # the client's name of each, and ours
    "SessionStart": "session-start",
    "UserPromptSubmit": "user-prompt-submit",
    "PreCompact": "pre-compact",
    "Stop": "stop",
    "SessionEnd": "session-end",
}
_MATCHERS = {"SessionStart": "startup|resume|clear|compact|fork"}
_ON_PATH = "command -v memctl >/dev/null 2>&1 && memctl"
_OURS = re.compile(
    rf"(?:test -x (?P<path>\S*memctl|'[^\n]*memctl') && (?P=path)|{re.escape(_ON_PATH)})"
    r"(?: --\w+ [^\n]+)? hook [a-z-]+ \|\| true"
)


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook that runs memctl: for which event, its command, and the way to it from the root."""

    event: str
    command: str
    chain: tuple[tuple[Node, Child], ...]

    @property
    def ours(self) -> bool:
        """Whether setup has put it there."""
        return _OURS.fullmatch(self.command) is not None


def command(event: str, memctl: str | None, flags: Sequence[str] = ()) -> str:
    """What the hook of an event runs: the memctl at a path, or (None) the one on PATH."""
    guard = _ON_PATH if memctl is None else f"test -x {shlex.quote(memctl)} && {shlex.quote(memctl)}"
    return f"{' '.join([guard, *map(shlex.quote, flags)])} hook {EVENTS[event]} || true"


def put(text: str, command: Callable[[str], str]) -> str:
    """The text with our hook for every event that has none of memd's; ours are brought up to date where they stand."""
    for event in EVENTS:
        text = _put(text, event, command(event))
    return text


def take_out(text: str, before: Node | None = None) -> str:
    """The text without our hooks, nor what they alone were in, unless that stood there ``before`` too."""
    while ours := [hook for hook in find(jsonc.parse(text)) if hook.ours]:
        text = jsonc.prune(text, ours[-1].chain, before)
    return text


def find(root: Node) -> Iterator[Hook]:
    """Every hook that runs memctl, ours or not."""
    hooks = root.child("hooks")
    for event in hooks.node.children if hooks else ():
        for group in event.node.children if isinstance(event.node.value, list) else ():
            handlers = group.node.get("hooks")
            for handler in handlers.children if handlers and isinstance(handlers.value, list) else ():
                said = _said(handler.node)
                if hooks and handlers and "memctl" in said and " hook " in f"{said} ":
                    places = ((root, hooks), (hooks.node, event), (event.node, group), (handlers, handler))
                    yield Hook(str(event.key), said, places)


def _said(handler: Node) -> str:
    """Command and arguments of a handler."""
    named, args = handler.get("command"), handler.get("args")
    words = [named.value if named else None, *(args.value if args and isinstance(args.value, list) else ())]
    return " ".join(word for word in words if isinstance(word, str))


def _put(text: str, event: str, wanted: str) -> str:
    root = jsonc.parse(text)
    standing = [hook for hook in find(root) if hook.event == event]
    ours = next((hook for hook in standing if hook.ours), None)
    if ours:
        node = ours.chain[-1][1].node.get("command")
        return jsonc.replace(text, node, wanted) if node and ours.command != wanted else text
    return text if standing else _append(text, root, event, _group(event, wanted))


def _append(text: str, root: Node, event: str, group: object) -> str:
    hooks = root.get("hooks")
    if hooks is None:
        return jsonc.append(text, root, {event: [group]}, "hooks")
    if not isinstance(hooks.value, dict):
        raise NoJson("its hooks are no object")
    groups = hooks.get(event)
    if groups is None:
        return jsonc.append(text, hooks, [group], event)
    if not isinstance(groups.value, list):
        raise NoJson(f"its hooks for {event} are no array")
    return jsonc.append(text, groups, group)


def _group(event: str, wanted: str) -> object:
    matcher = {"matcher": _MATCHERS[event]} if event in _MATCHERS else {}
    return {**matcher, "hooks": [{"type": "command", "command": wanted, "timeout": SECONDS}]}
