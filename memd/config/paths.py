"""Places: where everything of memd lies, from the environment alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from memd.wire.address import config_file, socket_path


@dataclass(frozen=True, slots=True)
class Paths:
    """Every place of one home. ``home`` is set where one folder holds everything (MEMD_HOME)."""

    home: Path | None
    config_file: Path
    data: Path
    database: Path
    lock: Path
    backups: Path
    observations: Path
    models: Path
    model_dir: Path | None
    socket: Path
    logs: Path
    memory_md: Path


def resolve(env: Mapping[str, str]) -> Paths:
    """The places that the environment asks for; XDG (or the platform's) folders where it is silent."""
    home = _named(env, "MEMD_HOME")
    data = home / "data" if home else _xdg(env, "XDG_DATA_HOME", platformdirs.user_data_path("memd"))
    state = home / "logs" if home else _xdg(env, "XDG_STATE_HOME", platformdirs.user_state_path("memd"))
    return Paths(
        home=home,
        config_file=Path(config_file(env)),
        data=data,
        database=data / "memd.db",
        lock=data / "memd.lock",
        backups=data / "backups",
        observations=data / "observations",
        models=home / "models" if home else data / "models",
        model_dir=_named(env, "MEMD_MODEL_DIR"),
        socket=Path(socket_path(env)),
        logs=state,
        memory_md=data / "MEMORY.md",
    )


def projects_dirs(env: Mapping[str, str]) -> list[str]:
    """The watched roots: MEMD_PROJECTS_DIR, else the ``projects`` of the client's own folders."""
    named = [folder for folder in env.get("MEMD_PROJECTS_DIR", "").split(os.pathsep) if folder]
    if named:
        return [absolute(folder, env) for folder in named]
    clients = [folder.strip() for folder in env.get("CLAUDE_CONFIG_DIR", "").split(",") if folder.strip()]
    if clients:
        return [os.path.join(absolute(folder, env), "projects") for folder in clients]
    usual = absolute("~/.claude/projects", env)
    older = absolute("~/.config/claude/projects", env)
    return [older] if not os.path.isdir(usual) and os.path.isdir(older) else [usual]


def observations_dirs(env: Mapping[str, str], own: Path, configured: Iterable[str]) -> list[str]:
    """The folders of observation logs: memd's own, and MEMD_OBSERVATIONS_DIR, else the setting, else mait-code's."""
    named = [folder for folder in env.get("MEMD_OBSERVATIONS_DIR", "").split(os.pathsep) if folder]
    usual = os.path.join(
        env.get("MAIT_CODE_DATA_DIR") or "~/.claude/mait-code-data", "memory", "observations"
    )
    others = named or list(configured) or [usual]
    return list(dict.fromkeys([str(own), *(absolute(folder, env) for folder in others)]))


def history_dirs(env: Mapping[str, str]) -> dict[str, str]:
    """Where other programs keep their history, by the program: where their own variables say, else where they do."""
    codex = env.get("CODEX_HOME") or "~/.codex"
    gemini = os.path.join(env.get("GEMINI_CLI_HOME") or "~", ".gemini")
    data = env.get("XDG_DATA_HOME", "")
    opencode = os.path.join(data if os.path.isabs(data) else "~/.local/share", "opencode")
    return {
        "codex": absolute(os.path.join(codex, "sessions"), env),
        "gemini": absolute(os.path.join(gemini, "tmp"), env),
        "opencode": absolute(opencode, env),
    }


def _named(env: Mapping[str, str], variable: str) -> Path | None:
    return Path(absolute(env[variable], env)) if env.get(variable) else None


def absolute(path: str, env: Mapping[str, str]) -> str:
    """As the socket's rule has it: a ~ that no shell has expanded is the home of this environment."""
    if path == "~" or path.startswith("~/"):
        path = (env.get("HOME") or os.path.expanduser("~")) + path[1:]
    return os.path.abspath(path)


def _xdg(env: Mapping[str, str], name: str, otherwise: Path) -> Path:
    """An absolute XDG folder from the environment that was handed in, else what the platform says."""
    base = env.get(name, "")
    return Path(base) / "memd" if os.path.isabs(base) else otherwise
