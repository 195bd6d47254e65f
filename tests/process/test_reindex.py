"""Vectors anew, from outside: the old ones serve until the new ones are whole, through kills and restarts."""

from __future__ import annotations

from typing import Any

from tests.process.conftest import Box, until

TEXTS = 200


def embedder(box: Box) -> dict[str, Any]:
    found: dict[str, Any] = box.ask("status")["embedder"]
    return found


def vector_lane(box: Box) -> str:
    return str(box.ask("search", "quokka")["lanes"]["vector"])


def test_a_reindex_goes_on_over_a_kill_and_the_old_vectors_serve_until_the_switch(box: Box) -> None:
    for n in range(TEXTS):
        box.write(f"note {n} about the quokka " + f"and more of it {n} " * 14, n % 5)
    box.start()
    box.settle("--embedded")

    job = box.ask("reindex", "--embedder", "bundled")["job"]
    assert until(lambda: (embedder(box)["building"] or {"waiting": TEXTS})["waiting"] < TEXTS), box.log()
    box.kill()
    box.start()
    first = embedder(box)
    assert (first["name"], first["building"]["name"]) == ("hash", "bundled")
    assert 0 < first["building"]["waiting"] < TEXTS
    assert vector_lane(box) == "on"
    assert box.ask("jobs", "show", str(job))["job"]["progress"]["embedder"] == "bundled"

    assert until(lambda: embedder(box)["name"] == "bundled", 60), box.log()
    assert vector_lane(box) == "on"
    shown = box.ask("jobs", "show", str(job))["job"]
    assert (shown["state"], shown["result"]["texts"]) == ("done", TEXTS)
    assert [attempt["ending"] for attempt in shown["history"]] == ["killed", "done"]
    assert box.ask("verify")["ok"] is True

    box.stop()
    box.start()  # the setting still says hash, and the reindex outranks it
    assert (embedder(box)["name"], embedder(box)["configured"]) == ("bundled", "hash")


def test_another_setting_is_followed_and_the_new_vectors_take_over(box: Box) -> None:
    box.env["MEMD_EMBEDDER"] = "bundled"
    box.write("the quokka sleeps")
    box.start()
    box.settle("--embedded")
    box.stop()

    box.env["MEMD_EMBEDDER"] = "hash"
    box.start()
    assert until(lambda: embedder(box)["name"] == "hash"), box.log()
    assert vector_lane(box) == "on"

    def is_tidy() -> bool:
        return bool(box.ask("jobs", "list", "--kind", "prune", "--state", "done")["jobs"])

    assert until(is_tidy), box.log()
    assert box.ask("jobs", "list", "--state", "dead")["jobs"] == []
