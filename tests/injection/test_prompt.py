"""What a prompt gets: what bears on it, each thing once in a session, and nothing that its context holds already."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memd.db.driver import Connection
from memd.injection import handed
from memd.injection.options import Options, Place
from memd.text.fence import NOTICE
from tests import rows
from tests.injection.memory import ASKED, NOW, PORT, Memory, entry, turn_items
from tests.injection.memory import memory as reopened


def test_a_prompt_gets_what_was_said_and_what_is_known_with_source_and_date(memory: Memory) -> None:
    memory.say(PORT, "The gardener waters the tulips.")
    known = memory.note("Since the move staging uses a port of its own", type="decision")

    page = memory.prompt()

    assert page.text.splitlines() == [
        "<memd-memory>",
        NOTICE,
        f"- Known decision (2026-09-21, app, entry #{known}): Since the move staging uses a port of its own",
        f"- Earlier the user said (2026-09-21, app, turn s1-0): {PORT}",
        "</memd-memory>",
    ]


def test_a_turn_comes_with_the_other_half_of_its_exchange(memory: Memory) -> None:
    memory.store(
        [
            rows.turn(0, "Which port does staging use since the move?"),
            rows.turn(1, "Let me look.", role="assistant"),
            rows.turn(2, "It is 8080.", role="assistant"),
            rows.turn(3, "Thanks, and the tulips?"),
            rows.turn(4, "They are watered.", role="assistant"),
        ]
    )

    assert turn_items(memory.prompt()) == ["s1-0", "s1-2"]


@pytest.mark.parametrize(
    "prompt", ["how do tulips grow in the desert", "zzqxv blorft", "which colour has the moon"]
)
def test_where_nothing_bears_on_a_prompt_nothing_is_said(memory: Memory, prompt: str) -> None:
    memory.say(PORT)
    memory.note("The relay is restarted by hand")

    assert memory.prompt(prompt).text == ""


def test_a_session_is_handed_nothing_twice_also_after_a_restart(memory: Memory, tmp_path: Path) -> None:
    memory.say(PORT)
    known = memory.note("Since the move staging uses a port of its own")
    page = memory.prompt()
    memory.hand("new", page)
    memory.db.close()

    with reopened(tmp_path) as again:
        assert entry(known) in page.items
        assert again.prompt().text == ""
        assert again.prompt(session="another").text == page.text


def test_what_is_second_to_what_was_handed_over_is_not_handed_over_in_its_place(memory: Memory) -> None:
    memory.say(PORT, "The move left the crane at the port.")
    options = Options(floor=0.1)

    page = memory.prompt(options=options)
    memory.hand("new", page)

    assert turn_items(page) == ["s1-0"]
    assert memory.prompt(options=options).text == ""


def test_what_was_handed_over_at_the_start_is_not_handed_over_with_a_prompt(memory: Memory) -> None:
    memory.note("Since the move staging uses a port of its own")
    memory.hand("new", memory.start())

    assert memory.prompt().text == ""


def test_a_session_gets_none_of_its_own_turns_but_those_from_before_its_last_compaction(
    memory: Memory,
) -> None:
    memory.say(PORT, "Nothing else.", session="new")
    assert memory.prompt(session="new").text == ""

    memory.db.write_now(handed.empty, "new", rows.START_MS + 500)

    assert turn_items(memory.prompt(session="new")) == ["new-0"]
    memory.db.write_now(handed.empty, "new", rows.START_MS)
    assert memory.prompt(session="new").text == ""


def test_a_fork_has_the_turns_of_its_origin_in_its_context_and_what_that_was_handed(memory: Memory) -> None:
    memory.say(PORT, session="origin")
    known = memory.note("Since the move staging uses a port of its own")
    memory.say("Something else entirely.", session="new")

    def go_on(connection: Connection) -> None:
        connection.execute("UPDATE session SET continues = 'origin' WHERE key = 'new'")
        handed.note(connection, "origin", [entry(known)], NOW)

    memory.db.write_now(go_on)

    assert memory.prompt(session="new").text == ""
    assert memory.prompt(session="another").items


def test_the_origin_of_a_session_may_be_a_circle(memory: Memory) -> None:
    memory.say("one thing", session="a")
    memory.say("another thing", session="b")

    def tie(connection: Connection) -> None:
        connection.execute("UPDATE session SET continues = CASE key WHEN 'a' THEN 'b' ELSE 'a' END")

    memory.db.write_now(tie)

    assert memory.context("a").sessions == ["a", "b"]


def test_subagents_and_branches_that_were_given_up_are_left_out_unless_they_are_wished_for(
    memory: Memory,
) -> None:
    memory.say(PORT, session="s1", agent="a1")
    memory.say("Staging has used port 8080 since the move began.", session="s2")
    memory.db.write_now(lambda c: c.execute("UPDATE turn SET hidden = 1 WHERE id = 's2-0'"))

    assert memory.prompt().text == ""
    with_agents = memory.prompt(options=Options(subagents=True))
    assert turn_items(with_agents) == ["s1-0"]
    assert "- Earlier the transcript of a subagent read (" in with_agents.text
    assert "the user said" not in with_agents.text
    assert turn_items(memory.prompt(options=Options(other_branches=True))) == ["s2-0"]


def test_other_projects_and_other_git_branches_are_left_out(memory: Memory) -> None:
    memory.store([rows.turn(0, PORT)], cwd="/home/dev/other")
    memory.note("Since the move staging uses a port of its own", branch="feature")
    here, there = Place([memory.project], "main"), Place([memory.project], "feature")

    assert memory.prompt(place=here).text == ""
    assert memory.prompt(place=there).items


def test_where_memd_knows_no_project_only_what_holds_everywhere_is_handed_over(memory: Memory) -> None:
    memory.say(PORT)
    known = memory.note("Since the move staging uses a port of its own", everywhere=True)

    assert list(memory.prompt(place=Place([])).items) == [entry(known)]


@pytest.mark.parametrize(
    ("role", "lead"),
    [
        ("user", "Earlier the user said"),
        ("assistant", "Earlier the assistant said"),
        ("tool", "Earlier the output of a tool read"),
        ("system", "Earlier a note of the client read"),
    ],
)
def test_who_said_it_is_told_and_a_tool_is_no_person(memory: Memory, role: str, lead: str) -> None:
    memory.say(PORT, role=role)

    assert f"\n- {lead} (2026-09-21, app, turn s1-0): {PORT}\n" in memory.prompt().text


def test_of_a_long_reply_the_part_that_bears_on_the_prompt_is_shown(memory: Memory) -> None:
    filler = "The gardener waters the tulips of another row today. " * 20
    memory.say(f"{filler}{PORT} {filler}", role="assistant")

    text = memory.prompt().text

    assert PORT in text and len(text) < len(NOTICE) + 600


def test_B07_what_was_said_twice_counts_once(memory: Memory) -> None:
    memory.say(PORT, session="s1")
    memory.say(PORT, session="s2")

    assert memory.prompt().text.count(PORT) == 1


def test_the_same_memory_gives_the_same_text_whatever_the_clock_says(memory: Memory, tmp_path: Path) -> None:
    memory.say(PORT, "Staging moved to port 8080 on a Monday.")
    memory.note("Since the move staging uses a port of its own")
    first = memory.prompt()
    memory.db.close()

    with reopened(tmp_path) as again:
        assert again.prompt(now_ms=NOW + 61_000).text == first.text
        assert again.prompt(now_ms=NOW + 400 * rows.DAY_MS).text == first.text


def test_a_higher_floor_hands_over_less(memory: Memory) -> None:
    memory.say(PORT)

    assert memory.prompt(ASKED + " of the harbour", options=Options(floor=0.2)).text
    assert not memory.prompt(ASKED + " of the harbour", options=replace(Options(), floor=0.99)).text
