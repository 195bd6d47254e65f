"""The names, signatures and fields of turn memory that programs rely on."""

from __future__ import annotations

SCOPE = "user_id=None, agent_id=None, run_id=None"
ITEM = "id, role, content, created_at, seq=0, user_id=None, agent_id=None, run_id=None"
STORE = {
    "add": "self, items",
    "list": "self, scope, *, since=None, until=None",
    "get": "self, item_id",
    "update": "self, item_id, *, content=None, metadata=None",
    "delete": "self, item_id",
    "delete_scope": "self, scope",
}
METHODS = {
    "Memory": {
        "__init__": "self, store=None, *, budget=2000, relevance='lexical', tz=datetime.timezone.utc,"
        " stamp_format='%Y-%m-%d (%a) %H:%M', date_format=None, clock=_utcnow, standing_requests=True,"
        " coverage='auto', preferences=True, conflicts=True",
        "add": f"self, messages, *, {SCOPE}, timestamp=None, metadata=None",
        "update": "self, memory_id, content=None, *, metadata=None",
        "delete": "self, memory_id",
        "delete_all": f"self, *, {SCOPE}",
        "get": "self, memory_id",
        "get_all": f"self, *, {SCOPE}, since=None, until=None",
        "search": f"self, query, *, {SCOPE}, budget=None, relevance=None, since=None, until=None,"
        " standing_requests=None, coverage=None, preferences=None, conflicts=None, explain=False",
    },
    "Scope": {"__init__": f"self, {SCOPE}", "matches": "self, user_id, agent_id, run_id"},
    "MemoryStore": STORE,
    "InMemoryStore": STORE | {"__init__": "self"},
    "SQLiteStore": STORE | {"close": "self"},
    "MemoryItem": {"to_dict": "self"},
    "MemoryContext": {"to_dict": "self"},
    "ExplainedCandidate": {"to_dict": "self", "from_dict": "data"},
    "ExplainedSection": {"to_dict": "self", "from_dict": "data"},
    "ExplainedTurn": {"to_dict": "self", "from_dict": "data"},
    "SearchExplanation": {"to_dict": "self", "from_dict": "data"},
    "ImportReport": {"to_dict": "self"},
    "ImportedSession": {"to_dict": "self"},
}
FIELDS = {
    "Scope": "user_id agent_id run_id",
    "MemoryItem": "id role content created_at seq user_id agent_id run_id metadata updated_at",
    "RecalledTurn": "item score partial",
    "MemoryContext": "query text turns tokens budget history_tokens sessions_total sessions_kept elapsed_ms"
    " requests preferences conflicts explanation",
    "ExplainedCandidate": "turn_id pool kind part rank score tokens status reason side",
    "ExplainedSection": "name shown reason cap tokens share candidates",
    "ExplainedTurn": "id role created_at session pool status reason tokens share candidates",
    "SearchExplanation": "mode route budget tokens history_tokens room user_room user_turn_cap clipped"
    " unattributed_tokens turns sections",
    "ImportLimits": "max_file_bytes max_record_bytes max_depth max_turn_chars max_zip_members max_zip_ratio",
    "ImportReport": "format source dry_run files sessions imported duplicates malformed skipped redactions errors"
    " limited",
    "ImportedSession": "format session_id title run_id user_id turns imported duplicates skipped",
}
PROPERTIES = {"MemoryContext": ["compressed"], "ImportReport": ["ok", "skipped_total"]}
IMPORT = (
    "source, memory, *, format='auto', user_id=None, agent_id=None, since=None, until=None, limit=None,"
    " include_tool_output=False, dry_run=False, strict=False, redact=True, limits=None, on_session=None"
)
