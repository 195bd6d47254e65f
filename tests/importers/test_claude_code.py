"""Identity, session, place and time of turns: what takes more than one record to know."""

from __future__ import annotations

import pytest

from memd.importers.claude_code import Transcript
from memd.turns.turn import Claim
from tests.importers.transcripts import (
    OTHER,
    SESSION,
    Json,
    assistant,
    feed,
    lines_of,
    queued,
    reading,
    result,
    system,
    text,
    texts,
    user,
)

WORDS = [text("words")]
THIRD = "33333333-3333-4333-8333-333333333333"


def sessions(*records: Json, **options: object) -> dict[str, tuple[str, Claim]]:
    _, harvest = reading(*records, **options)  # type: ignore[arg-type]  # passed on as they are
    return {turn.id: (turn.session_id, turn.claim) for turn in harvest.turns}


def forked(session: str, uuid: str) -> Json:
    return {"forkedFrom": {"sessionId": session, "messageUuid": uuid}}


# identity ------------------------------------------------------------------------------------------


def test_a_record_met_again_is_a_duplicate_and_counts_under_no_reason() -> None:
    records = (user("u", "hi"), result("r"), system("s"))

    transcript, harvest = reading(*records, *records, user("u", "other words"))

    assert texts(harvest) == ["hi"]
    assert transcript.duplicates == 4
    assert transcript.skipped == {"tool_output": 1, "system": 1}


def test_equal_words_are_never_duplicates() -> None:
    _, harvest = reading(
        user("a", "continue"), user("b", "continue"), user(None, "continue"), user(None, "continue")
    )

    assert texts(harvest) == ["continue"] * 4
    assert len({turn.id for turn in harvest.turns}) == 4


def test_the_id_of_a_copy_is_that_of_the_original() -> None:
    transcript, harvest = reading(
        user("new", "hi", **forked(OTHER, "old")),
        assistant("new2", WORDS, "new"),
        user("old", "hi"),
    )

    assert [turn.id for turn in harvest.turns] == ["old", "new2"]
    assert harvest.turns[0].uuid == "new"
    assert transcript.duplicates == 1


def test_derived_ids_hold_over_readings_and_differ_by_all_they_are_made_of() -> None:
    same = user(None, "hi", timestamp="2026-10-30T12:00:00Z")
    others = [
        same | {"timestamp": "2026-10-30T12:00:01Z"},
        same | {"sessionId": OTHER},
        user(None, "hi!"),
        assistant(None, "hi", timestamp="2026-10-30T12:00:00Z"),
    ]
    _, first = reading(same, same, *others)
    _, again = reading(same, same, *others)
    _, of_agent = reading(same, agent_id="a1")

    ids = [turn.id for turn in first.turns]
    assert ids == [turn.id for turn in again.turns]
    assert len({*ids, of_agent.turns[0].id}) == 7


def test_an_equal_turn_without_a_uuid_gets_the_next_id_after_a_restart() -> None:
    line = lines_of([user(None, "hi")])[0]
    cold = Transcript(SESSION)
    feed(cold, [line] * 3)
    transcript = Transcript(SESSION)
    feed(transcript, [line])
    first = transcript.take()

    loaded = Transcript.load(SESSION, first.head, [first.nodes])
    feed(loaded, [line] * 2, len(line) + 1)

    assert first.turns + loaded.take().turns == cold.take().turns


# session -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, (SESSION, Claim.RECORD)),
        ({"sessionId": None}, ("name", Claim.FILE)),
        ({"session_id": OTHER}, (SESSION, Claim.RECORD)),  # the process's first session: never used
        ({"requestSessionId": OTHER}, (OTHER, Claim.REQUEST)),
        ({"requestSessionId": OTHER, **forked(THIRD, "x")}, (THIRD, Claim.FORK)),
    ],
)
def test_the_session_of_a_turn_is_told_by_the_strongest_field(
    fields: Json, expected: tuple[str, Claim]
) -> None:
    assert list(sessions(assistant("x", WORDS, **fields), name="name").values()) == [expected]


def test_the_next_reply_tells_whose_prompt_it_was() -> None:
    found = sessions(
        user("p", "hi"),
        queued("q", "and this"),
        result("r"),
        assistant("a", [{"type": "tool_use"}], requestSessionId=OTHER),
        user("p2", "more"),
        assistant("old", WORDS),
        assistant("b", WORDS, requestSessionId=SESSION),
        user("p3", "last"),
    )

    assert found["p"] == found["q"] == (OTHER, Claim.REQUEST)
    assert found["p2"] == (SESSION, Claim.RECORD)  # the next reply does not tell
    assert found["old"] == found["b"] == (SESSION, Claim.REQUEST)
    assert found["p3"] == (SESSION, Claim.RECORD)


def test_what_no_request_made_tells_nothing() -> None:
    found = sessions(
        user("p", "hi"),
        assistant("e", [text("API Error")], isApiErrorMessage=True),
        assistant("f", "", message={"model": "<synthetic>", "content": [text("No response requested.")]}),
        assistant("s", WORDS, isSidechain=True, requestSessionId=THIRD),
        assistant("a", WORDS, requestSessionId=OTHER),
    )

    assert found["p"] == (OTHER, Claim.REQUEST)


def test_a_reply_read_later_corrects_the_session_of_turns_given_before() -> None:
    transcript, first = reading(user("p", "hi"), user("q", "there"))
    feed(transcript, lines_of([assistant("a", WORDS, requestSessionId=OTHER)]), 1000)

    assert {turn.session_id for turn in first.turns} == {SESSION}
    assert transcript.take().claims == [("p", OTHER, Claim.REQUEST), ("q", OTHER, Claim.REQUEST)]
    assert transcript.take().claims == []


def test_a_reply_read_after_a_restart_corrects_it_as_well() -> None:
    _, first = reading(user("p", "hi"))
    loaded = Transcript.load(SESSION, first.head, [first.nodes])
    feed(loaded, lines_of([assistant("a", WORDS, requestSessionId=OTHER)]), 1000)

    assert loaded.take().claims == [("p", OTHER, Claim.REQUEST)]


@pytest.mark.parametrize(
    ("records", "origin"),
    [
        ((user("a", "x"),), None),
        ((user("a", "x", sessionId=SESSION.upper()),), None),
        ((user("a", "x", sessionId=OTHER), user("b", "y")), OTHER),
        ((user("a", "x", **forked(OTHER, "a")),), OTHER),
        ((user("a", "x"), assistant("b", WORDS, requestSessionId=OTHER)), OTHER),
        # a fork of a fork comes from the nearer one
        (
            (
                assistant("a", WORDS, requestSessionId=THIRD),
                assistant("b", WORDS, requestSessionId=OTHER),
                assistant("c", WORDS, requestSessionId=SESSION),
            ),
            OTHER,
        ),
    ],
)
def test_a_fork_says_which_session_it_continues(records: tuple[Json, ...], origin: str | None) -> None:
    assert reading(*records)[0].continues == origin


def test_every_way_to_fork_leaves_copied_turns_with_the_original() -> None:
    """A file of each shape, read in either order; the stronger claim decides."""
    original = [
        user("p", "hi"),
        assistant("a", WORDS, "p", requestSessionId=OTHER),
    ]
    original = [record | {"sessionId": OTHER} for record in original]
    forks = {
        "branch": [
            record | {"sessionId": SESSION, **forked(OTHER, str(record["uuid"]))} for record in original
        ],
        "fork-session": [record | {"sessionId": SESSION} for record in original],
        "byte-identical": original,
        "sdk": [
            record
            | {"uuid": f"new-{record['uuid']}", "sessionId": SESSION, **forked(OTHER, str(record["uuid"]))}
            for record in original
        ],
    }
    for fork in forks.values():
        copied = sessions(*fork)
        assert set(copied) == {"p", "a"}
        assert {session for session, _ in copied.values()} == {OTHER}


# subagents -----------------------------------------------------------------------------------------


def test_inline_sidechains_are_skipped_or_marked() -> None:
    records = (
        user("p", "hi", cwd="/main"),
        user("s", "task", isSidechain=True, cwd="/agent"),
        assistant("t", WORDS, "s", isSidechain=True, agentId="a7"),
        assistant("a", WORDS, "p"),
    )

    without, main = reading(*records)
    _, both = reading(*records, subagents=True)

    assert [turn.id for turn in main.turns] == ["p", "a"]
    assert without.skipped == {"subagent": 2}
    assert [(turn.id, turn.agent_id) for turn in both.turns] == [
        ("p", None),
        ("s", "sidechain"),
        ("t", "a7"),
        ("a", None),
    ]


def test_a_subagents_file_belongs_to_the_session_of_its_folder() -> None:
    records = (
        user("p", "task", isSidechain=True, cwd="/work"),
        assistant("a", WORDS, "p", isSidechain=True, sessionId=OTHER),
    )

    transcript, harvest = reading(*records, name="agent-a7", agent_id="a7", session_id=SESSION)

    assert [(turn.session_id, turn.agent_id) for turn in harvest.turns] == [(SESSION, "a7")] * 2
    assert (transcript.session, transcript.cwd, transcript.continues) == (SESSION, "/work", None)
    assert transcript.skipped == {}


def test_a_subagents_file_beside_the_sessions_goes_by_its_records() -> None:
    transcript, harvest = reading(user("p", "task", isSidechain=True), name="agent-a7", agent_id="a7")

    assert harvest.turns[0].session_id == SESSION
    assert transcript.session == SESSION


# place, title, order and time ----------------------------------------------------------------------


def test_turns_stand_at_the_byte_offset_of_their_line_and_their_place_in_it() -> None:
    one, two, three = lines_of([user("a", "x"), user("b", "y"), user("c", "z")])
    transcript = Transcript(SESSION)
    feed(transcript, [one + two, b"broken" + three])

    assert [turn.seq for turn in transcript.take().turns] == [0, 1, len(one + two) + 2]


def test_the_directory_and_branch_of_turns_and_of_the_file() -> None:
    transcript, harvest = reading(
        {"type": "mode", "cwd": "/first"},
        user("a", "x", cwd="/second", gitBranch="main"),
        user("b", "y", cwd="/third", gitBranch="HEAD"),
        {"type": "relocated", "relocatedCwd": "/moved"},
        {"type": "relocated", "relocatedCwd": "/moved/again"},
        {"type": "relocated"},
    )

    assert [(turn.cwd, turn.branch) for turn in harvest.turns] == [("/second", "main"), ("/third", None)]
    assert (transcript.cwd, transcript.project_cwd, transcript.branch) == ("/first", "/moved/again", "main")


@pytest.mark.parametrize(
    ("records", "title"),
    [
        ([], None),
        ([{"type": "ai-title", "aiTitle": "a"}], "a"),
        ([{"type": "ai-title", "aiTitle": "a"}, {"type": "custom-title", "customTitle": "b"}], "b"),
        ([{"type": "custom-title", "customTitle": "b"}, {"type": "ai-title", "aiTitle": "a"}], "a"),
        (
            [{"type": "agent-name", "agentName": "n"}, {"type": "tag", "tag": ""}, {"type": "tag", "tag": 7}],
            "n",
        ),
        ([{"type": "tag", "tag": "t"}], "t"),
        ([{"type": "summary", "summary": "of this", "leafUuid": "u"}], "of this"),
        ([{"type": "summary", "summary": "of another", "leafUuid": "elsewhere"}], None),
        ([{"type": "summary", "summary": "s", "leafUuid": "u"}, {"type": "tag", "tag": "later"}], "later"),
        ([{"type": "tag", "tag": "earlier"}, {"type": "summary", "summary": "s", "leafUuid": "u"}], "s"),
        ([{"type": "last-prompt", "lastPrompt": "no title"}], None),
    ],
)
def test_the_last_title_of_the_file_counts(records: list[Json], title: str | None) -> None:
    before, _ = reading(*records, user("u", "x"))
    after, harvest = reading(user("u", "x"), *records)

    assert before.title == after.title == title
    assert Transcript.load(SESSION, harvest.head, [harvest.nodes]).title == title


def test_a_turn_without_a_time_sorts_with_the_one_before_it() -> None:
    times = [None, "2026-10-30T12:00:01Z", "soon", 1_793_361_600, None]
    transcript, harvest = reading(*(user(f"u{n}", "x", timestamp=time) for n, time in enumerate(times)))
    feed(transcript, lines_of([user("later", "x")]), 5000)

    noon = 1_793_361_600_000
    assert [turn.at_ms for turn in harvest.turns] == [None, noon + 1000, None, noon, None]
    assert [turn.sort_ms for turn in harvest.turns] == [None, noon + 1000, noon + 1000, noon, noon]
    assert [turn.timestamp for turn in harvest.turns] == [
        None,
        "2026-10-30T12:00:01Z",
        "soon",
        "1793361600",
        None,
    ]
    assert transcript.take().turns[0].sort_ms == noon


def test_the_records_of_one_reply_are_turns_that_share_its_id() -> None:
    _, harvest = reading(
        user("p", "hi"),
        assistant("a1", [text("one")], "p", reply="m"),
        result("r", "a1"),
        assistant("a2", [text("two")], "r", reply="m"),
    )

    assert [(turn.text, turn.message_id) for turn in harvest.turns] == [
        ("hi", None),
        ("one", "m"),
        ("two", "m"),
    ]


def test_unknown_types_are_named_but_not_without_end() -> None:
    transcript, harvest = reading(*({"type": f"{n}-{'x' * 500}"} for n in range(500)))

    assert transcript.skipped == {"unsupported": 500}
    assert len(transcript.unknown) == 100
    assert len(harvest.head) < 20_000


def test_a_head_of_prompts_nobody_answers_stays_small() -> None:
    _, harvest = reading(*(user(f"{n:036d}", "x") for n in range(2000)))

    assert len(harvest.head) < 20_000


def test_the_state_of_another_version_is_refused() -> None:
    with pytest.raises(ValueError, match="layout"):
        Transcript.load(SESSION, b"\x92\x00\x80", [])


# tool output ---------------------------------------------------------------------------------------


def test_what_passed_between_claude_and_its_tools_comes_where_it_is_asked_for() -> None:
    """LS23"""
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}
    silent = {"type": "tool_result", "tool_use_id": "t", "content": None}
    records = (
        user("u", "list it"),
        assistant("a", [text("I look."), call], "u"),
        result("r", "a"),
        user("s", [silent], "r"),
    )

    transcript, harvest = reading(*records, tool_output=True)
    without, plain = reading(*records)

    said = [(turn.role, turn.text) for turn in sorted(harvest.turns, key=lambda turn: turn.seq)]
    assert said == [
        ("user", "list it"),
        ("assistant", "I look."),
        ("tool", 'Bash {"command":"ls"}'),
        ("tool", "out"),
    ]
    assert (transcript.skipped["tool_output"], without.skipped["tool_output"]) == (1, 3)
    assert [turn for turn in harvest.turns if turn.role != "tool"] == plain.turns


def test_a_tool_is_left_behind_with_the_reply_that_called_it() -> None:
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}

    _, harvest = reading(
        assistant("x", WORDS),
        user("u", "one", "x"),
        assistant("a", [call], "u"),
        user("v", "two", "x"),
        tool_output=True,
    )

    hidden = [turn.role for turn in harvest.turns if turn.id in harvest.hidden]
    assert hidden == ["user", "tool"]
