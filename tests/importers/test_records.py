"""What each kind of record gives: words, or one reason a record or block."""

from __future__ import annotations

import pytest

from tests.importers.transcripts import Json, assistant, queued, reading, system, text, texts, user

IMAGE: Json = {"type": "image", "source": {}}
RESULT: Json = {"type": "tool_result", "content": [text("out")]}
FENCE = "<memd-memory>\n- the vault opens at nine\n</memd-memory>"


@pytest.mark.parametrize(
    ("record", "said", "skipped"),
    [
        (user("u", "hello"), ["hello"], {}),
        (user("u", [text("one"), text("two")]), ["one\n\ntwo"], {}),
        (user("u", [text("look"), IMAGE]), ["look"], {"attachment": 1}),
        (user("u", [RESULT, text("no, stop"), RESULT]), ["no, stop"], {"tool_output": 2}),
        (
            user("u", [{"type": "document"}, {"type": "novel"}, 5, None]),
            [],
            {"attachment": 1, "unsupported": 3},
        ),
        (user("u", [{"type": "text", "text": 7}, {"type": "text"}]), [], {"unsupported": 2}),
        (user("u", [{"type": "tool_result", "content": None}]), [], {"tool_output": 1}),
        (user("u", [text(" "), text("<bash-stdout>x")]), [], {"empty": 1, "tool_output": 1}),
        (user("u", []), [], {"empty": 1}),
        (user("u", ""), [], {"empty": 1}),
        (user("u", None), [], {"unsupported": 1}),
        (user("u", 42), [], {"unsupported": 1}),
        (user("u", {"a": 1}, isMeta=True), [], {"unsupported": 1}),
        (user("u", "x", message=None), [], {"unsupported": 1}),
        (user("u", "x", message="x"), [], {"unsupported": 1}),
        # not typed by a person
        (user("u", [text("a"), text("b")], isMeta=True), [], {"meta": 1}),
        (user("u", "x", isMeta=False), ["x"], {}),
        (user("u", "x", isCompactSummary=True), [], {"meta": 1}),
        (user("u", "x", isVisibleInTranscriptOnly=True), [], {"meta": 1}),
        (user("u", "x", origin={"kind": "human"}), ["x"], {}),
        (user("u", "x", origin={"kind": "channel"}), ["x"], {}),
        (user("u", "x", origin={"kind": "peer"}), [], {"subagent": 1}),
        (user("u", "x", origin={"kind": "coordinator"}), [], {"subagent": 1}),
        (user("u", "x", origin={"kind": "task-notification"}), [], {"meta": 1}),
        (user("u", "x", origin={"kind": "of-tomorrow"}), [], {"meta": 1}),
        (user("u", "x", origin=None), ["x"], {}),
        (user("u", [], origin={"kind": "plugin"}), [], {"meta": 1}),
        # replies
        (assistant("u", [text(" kept \n")]), [" kept \n"], {}),
        (assistant("u", "plain"), ["plain"], {}),
        (
            assistant("u", [text("<system-reminder>x</system-reminder>")]),
            ["<system-reminder>x</system-reminder>"],
            {},
        ),
        (assistant("u", [text("(no content)"), text(" \n")]), [], {"empty": 2}),
        (assistant("u", []), [], {"empty": 1}),
        (
            assistant(
                "u",
                [{"type": kind} for kind in ("thinking", "redacted_thinking", "tool_use", "mcp_tool_use")],
            ),
            [],
            {"thinking": 2, "tool_output": 2},
        ),
        (
            assistant(
                "u", [{"type": kind} for kind in ("server_tool_use", "tool_result", "advisor_tool_result")]
            ),
            [],
            {"tool_output": 3},
        ),
        (assistant("u", [IMAGE, {"type": "poem"}, []]), [], {"attachment": 1, "unsupported": 2}),
        (assistant("u", [text("x")], isApiErrorMessage=True), [], {"system": 1}),
        (assistant("u", [text("x")], isMeta=True), [], {"meta": 1}),
        (assistant("u", 7, isApiErrorMessage=True), [], {"unsupported": 1}),
        (assistant("u", "", message={"model": "<synthetic>", "content": [text("x")]}), [], {"meta": 1}),
        (assistant("u", [text("cut")], isAbortedMidStream=True), ["cut"], {}),
        # prompts absorbed by a running turn
        (queued("u", "use the other"), ["use the other"], {}),
        (queued("u", [text("and this"), IMAGE], origin={"kind": "human"}), ["and this"], {"attachment": 1}),
        (queued("u", "x", origin={"kind": "peer"}), [], {"meta": 1}),
        (queued("u", "x", commandMode="task-notification"), [], {"meta": 1}),
        (queued("u", "x", isMeta=True), [], {"meta": 1}),
        (queued("u", "x") | {"isMeta": True}, [], {"meta": 1}),
        (queued("u", 7), [], {"unsupported": 1}),
        (queued("u", "<bash-stdout>x"), [], {"tool_output": 1}),
        ({"type": "attachment", "attachment": {"type": "todo"}}, [], {"attachment": 1}),
        ({"type": "attachment", "attachment": None}, [], {"attachment": 1}),
        # the client's own
        (system("u"), [], {"system": 1}),
        (system("u", subtype="compact_boundary"), [], {"system": 1}),
        ({"type": "progress"}, [], {"system": 1}),
        ({"type": "last-prompt", "lastPrompt": "x"}, [], {"meta": 1}),
        ({"type": "queue-operation", "operation": "enqueue", "content": "x"}, [], {"meta": 1}),
        ({"type": "file-history-snapshot"}, [], {"meta": 1}),
        ({"type": "turn_end"}, [], {"meta": 1}),
        ({"type": "api-request-blob"}, [], {"meta": 1}),
        ({"type": "of-tomorrow"}, [], {"unsupported": 1}),
        ({"type": ""}, [], {"unsupported": 1}),
        # sidechains come before everything
        (user("u", 42, isSidechain=True), [], {"subagent": 1}),
        ({"type": "of-tomorrow", "isSidechain": True}, [], {"subagent": 1}),
    ],
)
def test_a_record(record: Json, said: list[str], skipped: dict[str, int]) -> None:
    transcript, harvest = reading(record)

    assert texts(harvest) == said
    assert transcript.skipped == skipped
    assert transcript.bad_lines == 0


@pytest.mark.parametrize(
    "record",
    [
        user("u", f"<system-reminder>\n{FENCE}\n</system-reminder>"),
        user("u", [text(FENCE)]),
        user("u", [{"type": "tool_result", "content": FENCE}]),
        user("u", [{"type": "tool_result", "content": [text(FENCE)]}]),
        user("u", FENCE, isMeta=True),
        user("u", f"<session-start-hook>{FENCE}</session-start-hook>"),
        queued("u", FENCE),
        {
            "type": "attachment",
            "uuid": "u",
            "attachment": {"type": "hook_additional_context", "content": [FENCE]},
        },
    ],
)
def test_what_memd_handed_over_itself_is_never_a_turn(record: Json) -> None:
    _, harvest = reading(record)

    assert harvest.turns == []


def test_a_question_with_a_block_of_memd_is_only_the_question() -> None:
    _, harvest = reading(user("u", f"when does the vault open?\n\n{FENCE}"))

    assert texts(harvest) == ["when does the vault open?"]


def test_what_the_assistant_quotes_is_its_own_sentence() -> None:
    said = f"You noted {FENCE} last week."
    _, harvest = reading(assistant("u", [text(said)]))

    assert texts(harvest) == [said]


@pytest.mark.parametrize("value", [7, None, [], {}, True, 1.5, "", "x"])
@pytest.mark.parametrize("of", [user("u", "hi"), assistant("u", [text("hi")], reply="m"), queued("u", "hi")])
def test_no_value_in_any_field_raises(of: Json, value: object) -> None:
    fields = [
        "parentUuid",
        "forkedFrom",
        "sessionId",
        "requestSessionId",
        "timestamp",
        "cwd",
        "gitBranch",
        "agentId",
    ]
    fields += ["uuid", "isSidechain", "origin", "isMeta", "message", "attachment", "leafUuid", "subtype"]
    for field in fields:
        transcript, harvest = reading(of | {field: value}, subagents=True)
        assert len(harvest.turns) + sum(transcript.skipped.values()) == 1
