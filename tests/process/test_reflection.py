"""Reflection through the real programs: what is new is read, what is found is stored, what is proposed is decided."""

from __future__ import annotations

import json

from tests import messages_api
from tests.messages_api import fail, say
from tests.process.conftest import Box

TEXTS = ("the api runs on port 8080", "Ada prefers tabs", "deploys go out on Tuesdays")
FOUND = json.dumps(
    {
        "insights": [{"text": "habits rule the releases", "entries": [2, 3]}],
        "operations": [
            {"op": "rewrite", "old": ["Ada prefers spaces"], "new": "Ada prefers tabs now", "entries": [2]},
            {"op": "add", "old": [], "new": "Releases are on Tuesdays", "entries": [3]},
        ],
    }
)


def test_a_reflection_from_its_entries_to_an_undo(box: Box) -> None:
    """MC28, MC30, W16"""
    with messages_api.serving() as api:
        box.env |= api.env()
        box.start()
        memory = box.home / "data" / "MEMORY.md"
        memory.write_text("# Memory\n\nBy hand.\n- Ada prefers spaces\n")
        for text in TEXTS:
            box.ask("remember", "--scope", "global", text)
        assert box.ask("reflect")["waiting"] == 3 and not api.asked

        api.script.append(say(FOUND))
        done = box.ask("reflect", "--now", "--wait")
        assert (done["state"], done["result"]["insights"], done["result"]["proposals"]) == ("done", 1, [1, 2])
        assert len(api.asked) == 1 and all(text in api.asked[0].prompt for text in TEXTS)
        again = box.ask("reflect", "--now", "--wait")
        assert again["result"]["skipped"] is True and len(api.asked) == 1
        [insight] = box.ask("insights", "list")["insights"]
        assert (insight["text"], insight["entries"]) == ("habits rule the releases", [2, 3])

        shown = box.ctl("proposals", "show", "1", "2").stdout
        assert "~ Ada prefers spaces\n      → Ada prefers tabs now   [supersede #2]\n" in shown
        box.ask("proposals", "reject", "2")
        applied = box.ask("proposals", "apply", "1")
        assert memory.read_text() == "# Memory\n\nBy hand.\n- Ada prefers tabs now\n"
        assert "Ada prefers tabs now" in box.found("what does Ada prefer")
        assert box.ctl("proposals", "apply", "1").returncode == 1

        undone = box.ask("undo", str(applied["change"]))
        assert undone["proposals_left_in_file"] == []
        assert memory.read_text() == "# Memory\n\nBy hand.\n- Ada prefers spaces\n"
        assert [one["state"] for one in box.ask("proposals")["proposals"]] == ["open"]
        assert [one["state"] for one in box.ask("proposals", "--state", "rejected")["proposals"]] == [
            "rejected"
        ]


def test_an_undo_does_not_claim_what_it_cannot_do_to_the_file(box: Box) -> None:
    """A proposal is forgotten with an entry behind it, and with it what is known of its lines."""
    with messages_api.serving() as api:
        box.env |= api.env()
        box.start()
        for text in TEXTS:
            box.ask("remember", "--scope", "global", text)
        api.script.append(say(FOUND))
        box.ask("reflect", "--now", "--wait")
        applied = box.ask("proposals", "apply", "1")
        box.ask("forget", "#3", "--yes")

        refused = box.ctl("undo", str(applied["change"]))

        assert (refused.returncode, "proposal 1 is forgotten" in refused.stderr) == (1, True)
        assert "Releases are on Tuesdays" in (box.home / "data" / "MEMORY.md").read_text()


def test_what_an_undo_takes_away_another_brings_back_with_its_proposals(box: Box) -> None:
    with messages_api.serving() as api:
        box.env |= api.env()
        box.start()
        remembered = [box.ask("remember", "--scope", "global", text) for text in TEXTS]
        api.script.append(say(FOUND))
        box.ask("reflect", "--now", "--wait")

        undone = box.ask("undo", str(remembered[2]["change"]))
        assert box.ask("proposals")["proposals"] == []
        gone = box.ctl("proposals", "show", "1")
        assert (gone.returncode, "rests on an entry that is gone" in gone.stderr) == (1, True)

        box.ask("undo", str(undone["change"]))
        assert [one["id"] for one in box.ask("proposals")["proposals"]] == [1]
        box.ask("proposals", "apply", "1")
        assert "Releases are on Tuesdays" in (box.home / "data" / "MEMORY.md").read_text()


def test_a_project_has_a_file_of_its_own_where_that_is_turned_on(box: Box) -> None:
    """Reflected on, shown, applied and undone as the one for all, which nothing of the project comes into."""
    app = box.root / "app"
    app.mkdir()
    box.env |= {"MEMD_MEMORY__PROJECT_FILES": "project"}
    with messages_api.serving() as api:
        box.env |= api.env()
        box.start()
        (app / "MEMORY.md").write_text("By hand.\n- Ada prefers spaces\n")
        for text in TEXTS:
            box.ctl("remember", "--scope", "project", text, cwd=app)
        api.script.append(say(FOUND))

        done = box.ask("reflect", "--now", "--wait", "--project", str(app))
        assert done["result"]["proposals"] == [1, 2]
        assert "project's own" in api.asked[0].prompt and "Ada prefers spaces" in api.asked[0].prompt
        shown = box.ask("proposals", "show", "1", "2")["proposals"]
        assert {one["file"] for one in shown} == {str(app / "MEMORY.md")}
        assert f"proposal 1 (open) of {app / 'MEMORY.md'}\n" in box.ctl("proposals", "show", "1").stdout

        applied = box.ask("proposals", "apply", "1", "2")
        assert (app / "MEMORY.md").read_text() == (
            "By hand.\n- Ada prefers tabs now\n- Releases are on Tuesdays\n"
        )
        assert not (box.home / "data" / "MEMORY.md").exists()
        assert box.ask("undo", str(applied["change"]))["proposals_left_in_file"] == []
        assert (app / "MEMORY.md").read_text() == "By hand.\n- Ada prefers spaces\n"


def test_the_same_key_is_the_same_job_also_when_it_is_done(box: Box) -> None:
    """A program that asks once more after a cut connection pays for nothing twice."""
    with messages_api.serving() as api:
        box.env |= api.env() | {"MEMD_REFLECTION__AUTO_APPLY": "add"}
        box.start()
        for text in TEXTS:
            box.ask("remember", "--scope", "global", text)
        api.script.append(say(FOUND))

        first = box.ask("reflect", "--now", "--wait", "--key", "k1")
        box.ask("remember", "--scope", "global", "something else that is new")
        again = box.ask("reflect", "--now", "--wait", "--key", "k1", "--min-new", "0")

        assert (again["job"], again["result"], len(api.asked)) == (first["job"], first["result"], 1)
        assert first["result"]["applied"] == [1]
        assert "Releases are on Tuesdays" in (box.home / "data" / "MEMORY.md").read_text()
        other = box.ask("reflect", "--now", "--wait", "--key", "k2", "--min-new", "0")
        assert (other["job"] != first["job"], len(api.asked)) == (True, 2)


def test_nobody_waits_for_what_does_not_come_meanwhile(box: Box) -> None:
    """A provider that takes calls in an hour again, and a key that none takes: told at once, with the way on."""
    with messages_api.serving() as api:
        box.env |= api.env()
        box.start()
        for text in TEXTS:
            box.ask("remember", "--scope", "global", text)
        api.script.append(fail(429, "rate_limit_error", retry_after="3600"))
        later = box.ctl("reflect", "--now", "--wait")
        api.otherwise = fail(401, "authentication_error")
        refused = box.ctl("reflect", "--now", "--wait", "--min-new", "1")

        assert (later.returncode, "now: memctl jobs retry 1)" in later.stderr) == (75, True)
        assert (refused.returncode, "memctl jobs resume reflect)" in refused.stderr) == (75, True)


def test_a_reflection_without_a_language_model_says_what_to_do(box: Box) -> None:
    box.start()

    refused = box.ctl("reflect", "--now")

    assert refused.returncode != 0 and "ANTHROPIC_API_KEY" in refused.stderr


def test_what_the_model_never_answers_about_is_told_and_can_be_asked_again(box: Box) -> None:
    """MC22, W24: the entries wait, then the one that is to blame is passed over; no window stands still."""
    with messages_api.serving() as api:
        box.env |= api.env()
        box.start()
        for text in TEXTS:
            box.ask("remember", "--scope", "global", text)
        api.otherwise = say("", stop="refusal")

        told = box.ctl("reflect", "--now", "--wait")
        assert told.returncode == 1 and "refused" in told.stderr
        assert (box.ask("reflect")["waiting"], box.ask("status")["degraded"]) == (3, [])

        for _ in range(3):
            box.ctl("reflect", "--now", "--wait")
        assert (box.ask("reflect")["waiting"], box.ask("reflect")["passed_over"]) == (2, [1])
        [degraded] = box.ask("status")["degraded"]
        assert "1 entries not read" in degraded["what"] and "memctl reflect --now" in degraded["hint"]
        assert box.diagnose()[1]["passed_over_entries"]["state"] == "warn"
        assert box.ask("insights")["insights"] == []

        api.otherwise = say(json.dumps({"insights": [], "operations": []}))
        done = box.ask("reflect", "--now", "--wait", "--drain")
        assert done["result"]["read"] == 3
        assert (box.ask("reflect")["waiting"], box.ask("status")["degraded"]) == (0, [])
