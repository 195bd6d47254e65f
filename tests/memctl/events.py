"""Events as Claude Code hands them to hooks, with every field, and an answer to them."""

from __future__ import annotations

from collections.abc import Mapping

COMMON = {
    "session_id": "5f3a0c1e-0000-4000-8000-000000000000",
    "transcript_path": "/home/dev/.claude/projects/-home-dev-app/5f3a0c1e-0000-4000-8000-000000000000.jsonl",
    "cwd": "/home/dev/app",
    "prompt_id": "0b1c",
    "permission_mode": "default",
}
EVENTS: Mapping[str, Mapping[str, object]] = {
    "session-start": {
        **COMMON,
        "hook_event_name": "SessionStart",
        "source": "startup",
        "model": "claude-sonnet",
        "agent_type": "main",
        "session_title": "größer 🦆",
        "context_tokens": 0,
    },
    "user-prompt-submit": {
        **COMMON,
        "hook_event_name": "UserPromptSubmit",
        "prompt": "why\nthe \u2028 \U0001f986?",
    },
    "pre-compact": {
        **COMMON,
        "hook_event_name": "PreCompact",
        "trigger": "auto",
        "custom_instructions": None,
    },
    "stop": {
        **COMMON,
        "hook_event_name": "Stop",
        "stop_hook_active": False,
        "last_assistant_message": "Done: `a\\b`.",
        "background_tasks": [{"id": "1", "command": "sleep 9"}],
        "session_crons": [],
        "agent_id": "a1",
        "agent_type": "Explore",
    },
    "session-end": {**COMMON, "hook_event_name": "SessionEnd", "reason": "prompt_input_exit"},
}

CONTEXT = '{"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "gr\\u00f6\\u00df \\ud83e\\udd86\\n"}}'
