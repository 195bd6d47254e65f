"""What of Claude Code matters to memd: how long transcripts stay, and memd's hooks and MCP server, once each."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator, Mapping

from memctl.doctor import hook
from memctl.doctor.check import OK, UNKNOWN, WARN, Check
from memctl.setup import hooks as ours
from memctl.setup import places, servers, standing
from memctl.setup.hooks import Hook
from memctl.setup.jsonc import Node, NoJson

DEFAULT_DAYS = 30
FEW_DAYS = 7

_HOOKS = "hooks put what memd knows before a prompt; twice installed, they say it twice"
_SERVER = "by its MCP server a model asks memd by itself"
_SETUP = "memctl setup claude-code"

Files = Mapping[str, Node]


class Unreadable(Exception):
    """A settings file that is no JSON object."""


def checks(env: Mapping[str, str], cwd: str) -> Iterator[Check]:
    """Every look; a settings file that cannot be read leaves them open."""
    try:
        files = _read(places.settings(env, cwd))
        user = places.places(env, places.USER, cwd)
        yield retention(_value(files.get(user.settings)))
        plugin = standing.plugin(env, files)
        yield hooks(files, plugin, env)
        if plugin or any(_found(files)):
            yield hook.check(_command(files), env)
        entries = _read([user.servers, places.places(env, places.PROJECT, cwd).servers])
        yield server(entries, plugin, env)
    except Unreadable as error:
        means = "the client's settings say how long its transcripts stay"
        yield Check("client", UNKNOWN, str(error), means, "mend it")


def retention(settings: Mapping[str, object]) -> Check:
    """How long the client keeps its transcripts. memd keeps their turns when they go."""
    means = "the client deletes older transcripts; their turns stay in memd if it ran before"
    days = settings.get("cleanupPeriodDays", DEFAULT_DAYS)
    if not isinstance(days, int | float) or isinstance(days, bool):
        return Check("retention", UNKNOWN, f"cleanupPeriodDays is {days!r}", means)
    whose = "" if "cleanupPeriodDays" in settings else ", the client's default"
    detail = f"transcripts stay for {days:g} days{whose}"
    if days <= 0:
        return Check(
            "retention", WARN, "the client keeps no transcripts", means, "set cleanupPeriodDays to 30 or more"
        )
    if days < FEW_DAYS:
        return Check("retention", WARN, detail, means, f"set cleanupPeriodDays to {DEFAULT_DAYS} or more")
    return Check("retention", OK, detail, means)


def hooks(files: Files, plugin: str | None, env: Mapping[str, str]) -> Check:
    """Whether memd's hooks stand in the settings, each once, run, and find their memctl."""
    found = list(_found(files))
    if not found and not plugin:
        return Check("hooks", UNKNOWN, "not set up: search by memctl alone", _HOOKS, _SETUP)
    if found and plugin:
        detail = f"in {found[0][0]} and by the plugin {plugin}"
        return Check("hooks", WARN, detail, _HOOKS, "memctl unsetup claude-code, or disable the plugin")
    doubled = _doubled(found)
    if doubled:
        detail = f"{doubled[0]} has memd's hook more than once, in {doubled[1]} too"
        return Check("hooks", WARN, detail, _HOOKS, f"edit {doubled[1]}")
    off = next((path for path, node in files.items() if _value(node).get("disableAllHooks") is True), None)
    if off:
        return Check("hooks", WARN, f"they do not run: {off} has disableAllHooks", _HOOKS, f"edit {off}")
    commands = [one.command for _, one in found] or ["memctl"]
    gone = next((path for command in commands if (path := _gone(command, env))), None)
    if gone:
        return Check("hooks", WARN, f"they say nothing: {gone} is not there", _HOOKS, _SETUP)
    events = ", ".join(dict.fromkeys(one.event for _, one in found))
    return Check("hooks", OK, events or f"by the plugin {plugin}", _HOOKS)


def server(files: Files, plugin: str | None, env: Mapping[str, str]) -> Check:
    """Whether memd is among the client's MCP servers, once, and can be started."""
    found = [(path, entry) for path, node in files.items() if (entry := servers.standing(node))]
    if not found and not plugin:
        return Check("mcp", UNKNOWN, "not set up", _SERVER, _SETUP)
    if found and plugin:
        detail = f"in {found[0][0]} and by the plugin {plugin}: a model sees its tools twice"
        return Check("mcp", WARN, detail, _SERVER, "memctl unsetup claude-code, or disable the plugin")
    for path, entry in found:
        if not servers.is_ours(entry):
            return Check("mcp", UNKNOWN, f"the server memd in {path} is not memctl", _SERVER)
        command = entry.get("command")
        if gone := _gone(shlex.quote(str(command.value if command else "memctl")), env):
            return Check("mcp", WARN, f"{gone} is not there, which {path} names", _SERVER, _SETUP)
    if not servers.can_serve():
        return Check("mcp", WARN, "memctl mcp needs an extra that is not installed", _SERVER, servers.EXTRA)
    return Check("mcp", OK, f"in {found[0][0]}" if found else f"by the plugin {plugin}", _SERVER)


def _found(files: Files) -> Iterator[tuple[str, Hook]]:
    for path, node in files.items():
        for one in ours.find(node):
            yield path, one


def _doubled(found: list[tuple[str, Hook]]) -> tuple[str, str] | None:
    """An event with two of our handlers: the same command in two files runs once, two in one file run twice."""
    seen: dict[str, dict[str, str]] = {}
    for path, one in found:
        known = seen.setdefault(one.event, {})
        if known and known.get(one.command) in (None, path):
            return one.event, path
        known[one.command] = path
    return None


def _gone(command: str, env: Mapping[str, str]) -> str | None:
    """The memctl that a command runs, where there is none."""
    try:
        words = [word for word in shlex.split(command) if os.path.basename(word) == "memctl"]
    except ValueError:
        return None
    path = words[-1] if words else "memctl"
    return None if shutil.which(path, path=env.get("PATH")) else f"{path}{'' if '/' in path else ' on PATH'}"


def _command(files: Files) -> str:
    """The hook that a person waits for, where it is set up, else any; else the plugin's."""
    commands = {one.event: one.command for _, one in _found(files)}
    usual = ours.command("UserPromptSubmit", None)
    return commands.get("UserPromptSubmit") or next(iter(commands.values()), usual)


def _value(node: Node | None) -> Mapping[str, object]:
    return node.value if node and isinstance(node.value, dict) else {}


def _read(paths: list[str]) -> Files:
    found: dict[str, Node] = {}
    for path in dict.fromkeys(paths):
        try:
            node = standing.read(path)
        except (OSError, NoJson) as error:
            raise Unreadable(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
        if node:
            found[path] = node
    return found
