"""The settings of Claude Code that matter to memd: how long transcripts stay, and memd's hooks, once each."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping

from memctl.doctor.check import OK, UNKNOWN, WARN, Check

DEFAULT_DAYS = 30
FEW_DAYS = 7

Settings = Mapping[str, object]


class Unreadable(Exception):
    """A settings file that is no JSON object."""


def checks(env: Mapping[str, str], cwd: str) -> Iterator[Check]:
    """Both looks; a settings file that cannot be read leaves them open."""
    home = _home(env)
    user = os.path.join(home, "settings.json")
    project = [os.path.join(cwd, ".claude", name) for name in ("settings.json", "settings.local.json")]
    try:
        yield retention(_settings(user))
        yield hooks({path: _settings(path) for path in dict.fromkeys([user, *project])})
    except Unreadable as error:
        yield Check(
            "client",
            UNKNOWN,
            str(error),
            "the client's settings say how long its transcripts stay",
            "mend it",
        )


def retention(settings: Settings) -> Check:
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


def hooks(files: Mapping[str, Settings]) -> Check:
    """Whether memd's hooks stand in the settings, each once."""
    means = "hooks put what memd knows before a prompt; twice installed, they say it twice"
    found = [(event, command, path) for path, settings in files.items() for event, command in _ours(settings)]
    plugin = [path for path, settings in files.items() if _has_plugin(settings)]
    if not found:
        seen = "by the plugin" if plugin else "not set up: search by memctl alone"
        return Check("hooks", OK if plugin else UNKNOWN, seen, means)
    doubled = _doubled(found)
    if plugin:
        detail = f"in {found[0][2]} and by the plugin of {plugin[0]}"
        return Check("hooks", WARN, detail, means, "remove one of the two")
    if doubled:
        event, path = doubled
        return Check(
            "hooks", WARN, f"{event} has memd's hook more than once, in {path} too", means, f"edit {path}"
        )
    return Check("hooks", OK, ", ".join(dict.fromkeys(event for event, _, _ in found)), means)


def _doubled(found: list[tuple[str, str, str]]) -> tuple[str, str] | None:
    """An event with two of our handlers: the same command in two files runs once, two in one file run twice."""
    seen: dict[str, dict[str, str]] = {}
    for event, command, path in found:
        known = seen.setdefault(event, {})
        if known and known.get(command) in (None, path):
            return event, path
        known[command] = path
    return None


def _ours(settings: Settings) -> Iterator[tuple[str, str]]:
    """Every hook of memd's, as (event, command)."""
    events = settings.get("hooks")
    for event, groups in events.items() if isinstance(events, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            handlers = group.get("hooks") if isinstance(group, dict) else None
            for handler in handlers if isinstance(handlers, list) else ():
                words = (
                    [handler.get("command"), *_words(handler.get("args"))]
                    if isinstance(handler, dict)
                    else []
                )
                command = " ".join(word for word in words if isinstance(word, str))
                if "memctl" in command and " hook " in f"{command} ":
                    yield str(event), command


def _words(args: object) -> list[object]:
    return args if isinstance(args, list) else []


def _has_plugin(settings: Settings) -> bool:
    plugins = settings.get("enabledPlugins")
    return isinstance(plugins, dict) and any(name.startswith("memd@") and on for name, on in plugins.items())


def _settings(path: str) -> Settings:
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError):
        raise Unreadable(f"{path} cannot be read, or is no JSON") from None
    if not isinstance(found, dict):
        raise Unreadable(f"{path} holds no JSON object")
    return found


def _home(env: Mapping[str, str]) -> str:
    named = env.get("CLAUDE_CONFIG_DIR", "").split(",")[0].strip()
    return (
        os.path.expanduser(named)
        if named
        else os.path.join(env.get("HOME") or os.path.expanduser("~"), ".claude")
    )
