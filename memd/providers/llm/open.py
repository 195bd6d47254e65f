"""From the settings to a language model; nothing is started and nobody asked yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memd.providers.llm import key
from memd.providers.llm.base import LanguageModel
from memd.providers.llm.frames import Model


def open_model(model: Model, env: Mapping[str, str]) -> LanguageModel | None:
    """The model that is asked for; None for "none", and for "auto" without a key."""
    provider = model.provider
    if provider == "auto":
        provider = "anthropic" if key.is_there(env, model.key_file) else "none"
    match provider:
        case "none":
            return None
        case "claude-cli":
            from memd.providers.llm.claude_cli import ClaudeCli

            return ClaudeCli(model.model, model.timeout_s, env)
    from memd.providers.llm.process import ModelProcess

    return ModelProcess(replace(model, provider=provider), env)
