"""Two sessions of the fixture tree become knowledge, with a model that answers by a script: the walk-through of README.

    python -m tests.process.walk_through

prints it as it is now.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from tests import messages_api
from tests.importers.fixtures import ROOT
from tests.messages_api import MessagesApi, say
from tests.process.conftest import Box, until

SESSIONS = ("19751012", "41ab9259")
MEMORY = "# Memory\n\n- Reports use the hill sensor\n"

_EMPTY: Mapping[str, object] = {
    name: []
    for name in ("facts", "preferences", "decisions", "procedures", "bugs_fixed", "entities", "relationships")
}
_TIME = re.compile(r"20\d\d-\d\d-\d\d \d\d:\d\d")


def _item(content: str, importance: int, *turns: int) -> Mapping[str, object]:
    return {"content": content, "importance": importance, "scope": "project", "turns": turns}


OBSERVED = (
    {"preferences": [_item("Frost reports use the valley sensor, not the hill one", 7, 3, 4)]},
    {
        "procedures": [_item("A change of how shifts become days is tested with a 05:45 start", 6, 4, 5)],
        "bugs_fixed": [_item("Bushel totals were off: early shifts were moved back a day twice", 8, 1, 3)],
    },
)
REFLECTED = {
    "insights": [{"text": "Reports go wrong where a source is assumed", "entries": [1, 2]}],
    "operations": [
        {
            "op": "rewrite",
            "old": ["Reports use the hill sensor"],
            "new": "Frost reports use the valley sensor",
            "entries": [1],
        }
    ],
}


def recorded(box: Box, api: MessagesApi) -> str:
    """What a terminal shows, from the sessions to an undo; the times of today are all the same."""
    box.env |= api.env() | {"COLUMNS": "120"}
    shutil.copytree(ROOT / "projects", box.projects, dirs_exist_ok=True)
    box.start()
    box.settle()
    memory = box.home / "data" / "MEMORY.md"
    memory.write_text(MEMORY)
    api.script += [say(json.dumps({**_EMPTY, **one})) for one in OBSERVED]
    api.script.append(say(json.dumps(REFLECTED)))

    shown = [_observe(box, session) for session in SESSIONS]
    assert until(lambda: box.ask("reflect")["waiting"] == 3, 60)
    for command in ("observations", "show '#1'", "reflect --now --wait", "insights", "proposals show 1"):
        shown.append(_told(box, command))
    shown.append(_told(box, "proposals apply 1"))
    shown.append(f"$ cat ~/.local/share/memd/MEMORY.md\n{memory.read_text()}")
    shown.append(_told(box, "undo"))
    assert memory.read_text() == MEMORY
    return _timeless("".join(shown))


def _observe(box: Box, session: str) -> str:
    """Have a session read, and wait until that is done."""
    told = _told(box, f"observe --session {session} --yes")
    [job] = box.ask("jobs", "--kind", "observe_session", "--limit", "1")["jobs"]
    assert until(lambda: box.ask("jobs", "show", str(job["id"]))["job"]["state"] == "done", 60)
    return told


def _told(box: Box, command: str) -> str:
    done = box.ctl(*command.replace("'", "").split())
    assert done.returncode == 0, done.stderr
    return f"$ memctl {command}\n{done.stdout}"


def _timeless(text: str) -> str:
    """The same with one time in the place of every time of today."""
    days = {day for day in ("2026-10-05", "2026-10-12") if day in text}
    text = _TIME.sub(lambda time: time[0] if time[0][:10] in days else "2026-11-30 09:00", text)
    text = re.sub(r"^20\d\d-\d\d-\d\d$", "2026-11-30", text, flags=re.M)
    text = re.sub(r"\b20\d\d-\d\d-\d\d\.jsonl", "2026-11-30.jsonl", text)
    return re.sub(r"^  \d\d:\d\d  memd", "  09:00  memd", text, flags=re.M)


def main() -> None:
    """Print it."""
    box = Box()
    try:
        with messages_api.serving() as api:
            print(recorded(box, api), end="")
    finally:
        box.kill()
        shutil.rmtree(box.root, ignore_errors=True)


README = Path(__file__).parents[2] / "README.md"

if __name__ == "__main__":
    main()
