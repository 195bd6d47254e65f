"""What a running memd asks the language model for: nothing secret, no more than it may cost, and each thing once."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tests import messages_api, secrets
from tests.messages_api import HANG, say
from tests.process.conftest import Box, until

USAGE: Mapping[str, object] = {"input_tokens": 7_000, "output_tokens": 300}
CAP = 30_000
NOTHING = json.dumps({"insights": [], "operations": []})
PROSE = (
    "there is no API key in the build",
    "apiKey: import.meta.env.KEY",
    f"commit {'0123456789abcdef' * 2}01234567",
)
TEXTS = ("the api runs on port 8080", "Ada prefers tabs", "deploys go out on Tuesdays")


def observed(content: str) -> str:
    """An answer about a stretch of a session: one fact of its first turn."""
    return json.dumps({"facts": [{"content": content, "importance": 7, "scope": "global", "turns": [1]}]})


def job(box: Box, kind: str) -> dict[str, object]:
    """The newest job of a kind."""
    return dict(box.ask("jobs", "--kind", kind, "--limit", "1")["jobs"][0])


def test_no_secret_reaches_the_provider_nor_stays_anywhere(box: Box) -> None:
    """R12, B20: of what was said, remembered, and written into MEMORY.md; none that the model says comes in."""
    told = secrets.lines()
    all_of_them = {secret for _, secret in told}
    with messages_api.serving() as api:
        box.env |= api.env()
        box.start()
        for text, _ in told:
            box.write(text)
        for text in PROSE:
            box.write(text)
        memory = box.home / "data" / "MEMORY.md"
        memory.write_text("".join(f"- {text}\n" for text, _ in told))
        box.settle()
        box.ask("remember", "--scope", "global", f"the pipeline was set up: {told[0][0]}")
        api.script.append(say(observed(f"the key is {told[0][1]}")))
        api.otherwise = say(NOTHING)
        box.ask("observe", "--since", "100y", "--yes")
        assert until(lambda: job(box, "observe_session")["state"] == "done", 60)
        assert until(lambda: box.ask("reflect")["waiting"] == 2, 60)
        box.ask("reflect", "--now", "--wait", "--min-new", "0")

        sent = "".join(str(one.body["messages"]) for one in api.asked)
        assert all(text in sent for text in (*PROSE, "step 3 works with", "the pipeline was set up"))
        memory.unlink()
        files = {str(one): one.read_bytes() for one in box.home.rglob("*") if one.is_file()}
        places = {"the provider": sent.encode(), "the log": box.log().encode(), **files}
        places["an export"] = json.dumps(box.export(), ensure_ascii=False).encode()
        assert [
            (secret, place)
            for place, held in places.items()
            for secret in all_of_them
            if secret.encode() in held
        ] == []
        logs = "".join(one.read_text() for one in (box.home / "data" / "observations").glob("*.jsonl"))
        assert "[REDACTED:anthropic_key]" in logs


def test_at_the_cap_work_waits_and_says_until_when(box: Box) -> None:
    """W20: hundreds of turns under a small budget; the ledger is what the server counted."""
    with messages_api.serving() as api:
        box.env |= api.env() | {"MEMD_LLM__TOKENS_PER_DAY": str(CAP)}
        box.start()
        for number in range(500):
            box.write(f"turn {number} " + "about the lamp and the door " * 15)
        box.settle()
        api.otherwise = say(observed("the lamp stands left"), usage=USAGE)
        box.ask("observe", "--since", "100y", "--yes")

        assert until(lambda: job(box, "observe_session")["state"] == "retry", 60)
        assert "it goes on at" in str(job(box, "observe_session")["error"])
        ledger = box.ask("ledger")
        calls, spent = len(api.asked), sum(map(int, USAGE.values()))  # type: ignore[call-overload]
        assert calls >= 2
        assert [one["result"] for one in ledger["calls"]] == ["ok"] * calls
        assert ledger["today"]["tokens"] == calls * spent <= CAP
        assert box.ask("status")["llm"]["spent_today"] == calls * spent
        assert str(job(box, "observe_session")["run_at"])[:16] >= ledger["today"]["until"][:16]


def test_a_start_with_a_larger_cap_goes_on_at_once(box: Box) -> None:
    with messages_api.serving() as api:
        box.env |= api.env() | {"MEMD_LLM__TOKENS_PER_DAY": "100"}
        box.start()
        for text in TEXTS:
            box.ask("remember", "--scope", "global", text)
        told = box.ctl("reflect", "--now", "--wait")
        assert (told.returncode, "day's 100 tokens" in told.stderr) == (75, True)
        box.stop()

        box.env |= {"MEMD_LLM__TOKENS_PER_DAY": "100000"}
        api.otherwise = say(NOTHING)
        box.start()

        assert until(lambda: job(box, "reflect")["state"] == "done", 30)
        assert len(api.asked) == 1


def test_what_is_excluded_is_told_and_an_answer_of_no_use_can_be_seen(box: Box) -> None:
    """And nothing of it in the log; what is forgotten is in no such answer any more."""
    with messages_api.serving() as api:
        box.env |= api.env()
        box.start()
        box.write("the lamp stands left")
        box.settle()
        key, told = secrets.lines()[0][1], "Well, the lamp is a secret: "
        api.otherwise = say(told + key + " and so on" * 40)
        box.ask("observe", "--since", "100y", "--yes")
        assert until(lambda: job(box, "observe_session")["state"] == "dead", 60)

        shown = box.ask("jobs", "show", str(job(box, "observe_session")["id"]))["job"]
        assert [one["result"] for one in shown["answers"]] == ["unusable"] * 2
        begins = shown["answers"][0]["begins"]
        assert begins.startswith(told + "[REDACTED:") and len(begins) == 200
        assert "lamp is a secret" not in box.log()

        box.ask("forget", "--match", "lamp", "--all-projects", "--yes")
        assert box.ask("jobs", "show", str(shown["id"]))["job"]["answers"] == []
        box.write("the chair stands right")
        box.settle()
        folder = box.ask("projects")["projects"][0]["path"]
        box.ask("exclude", folder)
        assert box.ask("observe", "--since", "100y", "--dry-run")["excluded"][0]["folder"] == folder
        assert f"{folder} is excluded" in box.ctl("observe", "--since", "100y", "--yes").stdout


def test_a_kill_while_the_model_is_asked_leaves_each_effect_once(box: Box) -> None:
    """R1: of an extraction and of a reflection; the session and the entries are read all the same."""
    with messages_api.serving() as api:
        box.env |= api.env()
        box.start()
        box.write("the lamp stands left")
        box.settle()
        api.script.append(HANG)
        box.ask("observe", "--since", "100y", "--yes")
        _kill_while_asked(box, api, say(observed("the lamp stands left")))
        assert until(lambda: job(box, "observe_session")["state"] == "done", 60)
        [log] = (box.home / "data" / "observations").glob("*.jsonl")
        assert log.read_text().count("the lamp stands left") == 1
        assert until(lambda: box.ask("reflect")["waiting"] == 1, 60)

        for text in TEXTS:
            box.ask("remember", "--scope", "global", text)
        api.script.append(HANG)
        box.ask("reflect", "--now")
        found = {"insights": [{"text": "habits rule", "entries": [2, 3]}], "operations": []}
        _kill_while_asked(box, api, say(json.dumps(found)))
        assert until(lambda: job(box, "reflect")["state"] == "done", 60)
        assert [one["sightings"] for one in box.ask("insights")["insights"]] == [1]
        assert (box.ask("reflect")["waiting"], len(api.asked)) == (0, 4)
        assert [one["result"] for one in box.ask("ledger")["calls"]] == ["ok", "unknown", "ok", "unknown"]


def _kill_while_asked(box: Box, api: messages_api.MessagesApi, then: messages_api.Answer) -> None:
    """End memd while its call hangs, and start it anew with an answer to come."""
    assert api.arrived.wait(60)
    api.arrived.clear()
    box.kill()
    api.otherwise = then
    box.start()
    assert api.arrived.wait(60)
    api.arrived.clear()
