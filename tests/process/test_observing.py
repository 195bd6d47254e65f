"""Sessions read by the language model, through the real programs."""

from __future__ import annotations

import json

from tests import messages_api
from tests.messages_api import say
from tests.process.conftest import Box, until

EMPTY = {
    name: []
    for name in ("facts", "preferences", "decisions", "procedures", "bugs_fixed", "entities", "relationships")
}
FACT = {"content": "the lamp stands left of the door", "importance": 7, "scope": "global", "turns": [1]}


def test_a_session_is_read_when_it_is_asked_for_and_no_sooner(box: Box) -> None:
    """W33: an entry leads back to its turn."""
    with messages_api.serving() as api:
        box.env |= api.env()
        box.start()
        box.write("the lamp stands left")
        box.settle()
        [session] = box.ask("sessions")["sessions"]
        [sent] = box.ask("observe", "--session", session["id"], "--dry-run")["prompts"]
        assert not api.asked

        api.script.append(say(json.dumps({**EMPTY, "facts": [FACT]})))
        [job] = box.ask("observe", "--since", "100y", "--yes")["jobs"]
        assert until(lambda: box.ask("jobs", "show", str(job))["job"]["state"] == "done", 60)
        assert (api.asked[0].prompt, len(api.asked)) == (sent["prompt"], 1)
        assert until(lambda: box.found("where does the lamp stand") != [])

        def entries() -> list[dict[str, object]]:
            return list(box.ask("list", "--in", "entries", "--all-projects")["entries"])

        assert until(lambda: [one["content"] for one in entries()] == [FACT["content"]])
        kinds = {one["kind"] for one in box.ask("show", str(entries()[0]["id"]))["sources"]}
        assert kinds == {"observation", "turn"}
        assert box.ask("observe", "--since", "100y", "--yes")["jobs"] == []
        assert box.ctl("observe").returncode == 2
