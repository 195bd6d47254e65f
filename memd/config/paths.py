"""Places: where everything of memd lies, from the environment alone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from memd.wire.address import socket_path


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
    home = Path(env["MEMD_HOME"]).absolute() if env.get("MEMD_HOME") else None
    data = home / "data" if home else _xdg(env, "XDG_DATA_HOME", platformdirs.user_data_path("memd"))
    config = home if home else _xdg(env, "XDG_CONFIG_HOME", platformdirs.user_config_path("memd"))
    state = home / "logs" if home else _xdg(env, "XDG_STATE_HOME", platformdirs.user_state_path("memd"))
    model_dir = env.get("MEMD_MODEL_DIR")
    observations = env.get("MEMD_OBSERVATIONS_DIR")
    return Paths(
        home=home,
        config_file=Path(env.get("MEMD_CONFIG") or config / "config.toml").absolute(),
        data=data,
        database=data / "memd.db",
        lock=data / "memd.lock",
        backups=data / "backups",
        observations=Path(observations).absolute() if observations else data / "observations",
        models=home / "models" if home else data / "models",
        model_dir=Path(model_dir).absolute() if model_dir else None,
        socket=Path(socket_path(env)),
        logs=state,
        memory_md=data / "MEMORY.md",
    )


def _xdg(env: Mapping[str, str], name: str, otherwise: Path) -> Path:
    """An absolute XDG folder from the environment that was handed in, else what the platform says."""
    base = env.get(name, "")
    return Path(base) / "memd" if os.path.isabs(base) else otherwise


def projects_dirs(env: Mapping[str, str]) -> list[str]:
    """The watched roots: MEMD_PROJECTS_DIR, else the ``projects`` of the client's own folders."""
    named = [folder for folder in env.get("MEMD_PROJECTS_DIR", "").split(os.pathsep) if folder]
    if named:
        return [os.path.abspath(os.path.expanduser(folder)) for folder in named]
    clients = [folder.strip() for folder in env.get("CLAUDE_CONFIG_DIR", "").split(",") if folder.strip()]
    if clients:
        return [os.path.join(os.path.abspath(os.path.expanduser(folder)), "projects") for folder in clients]
    home = env.get("HOME") or os.path.expanduser("~")
    usual = os.path.join(home, ".claude", "projects")
    older = os.path.join(home, ".config", "claude", "projects")
    return [older] if not os.path.isdir(usual) and os.path.isdir(older) else [usual]
