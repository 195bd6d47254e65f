"""B19: what memd handed over comes back in transcripts, and is not memory; what was said about it is."""

from __future__ import annotations

import json

import pytest

from memd.db.vectors import Lane, Vectors
from memd.injection import opening, prompt
from memd.injection.opening import Start
from memd.injection.options import Options, Place
from memd.injection.page import Page
from memd.injection.prompt import Prompt
from memd.memory.entry import Draft, MemoryScope
from memd.memory.writer import store
from memd.sources import attribution
from memd.sources.projects import Project
from memd.text.fence import OWN_RUN
from memd.text.tokens import Offline
from memd.turns import search
from tests.intake.home import Home, transcript
from tests.rows import START_MS

CWD = "/home/dev/app"
COUNTER = Offline()
ASKED = "which port does staging use since the move"
SENTENCE = "I looked it up; it is as {} tells, so nothing is to be done."


def lines(number: int, *messages: tuple[str, object], cwd: str = CWD, **more: object) -> bytes:
    """The lines of a transcript: user and assistant in turns as they are named, each with its content."""
    session = f"{number:08x}-0000-4000-8000-000000000000"
    records = [
        {
            "type": role,
            "uuid": f"{session}-{place}",
            "sessionId": session,
            "cwd": cwd,
            "timestamp": f"2026-10-0{1 + number % 9}T00:00:{place:02d}.000Z",
            ("attachment" if role == "attachment" else "message"): (
                content if role == "attachment" else {"role": role, "content": content}
            ),
            **more,
        }
        for place, (role, content) in enumerate(messages)
    ]
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


class Hooked:
    """A home whose sessions are handed what memd knows."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.project = home.db.write_now(attribution.remember, CWD, Project("app", CWD, "cwd"))
        draft = Draft("Staging uses port 8080 since the move", scope=MemoryScope(self.project))
        home.db.write_now(store, draft, None, START_MS)

    def pages(self) -> tuple[Page, Page]:
        """What a session's start says, without the sessions before it, and what a prompt gets."""
        place, options = Place([self.project]), Options(sessions=0)
        start = self.home.db.read_now(
            opening.page_for, Start(place, START_MS), options, COUNTER, options.session_tokens
        )
        about = Prompt(ASKED, place, START_MS)
        got = self.home.db.read_now(
            prompt.page_for, about, Lane(Vectors()), options, COUNTER, options.prompt_tokens
        )
        return start, got

    def hits(self) -> int:
        """How many turns hold the fact's words."""
        asked = search.Question("staging port 8080", mode="keyword")
        return len(self.home.db.read_now(search.search, asked, Vectors(), None, None).hits)

    def round(self, number: int) -> None:
        """A session in which all that was handed over comes back, in each way in which a client writes it down."""
        start, got = (page.text for page in self.pages())
        transcript(self.home, number).write_bytes(
            lines(
                number,
                ("attachment", {"type": "hook_additional_context", "content": [start]}),
                (
                    "user",
                    f"<system-reminder>\nSessionStart hook additional context: {start}\n</system-reminder>",
                ),
                ("user", f"{got}\n\nHow are things, round {number}?"),
                ("attachment", {"type": "hook_success", "hookEvent": "UserPromptSubmit", "content": got}),
                ("user", [{"type": "tool_result", "tool_use_id": "t", "content": got}]),
                ("user", [{"type": "text", "text": f"I paste {start} here, round {number}."}]),
                ("assistant", [{"type": "text", "text": SENTENCE.format(got)}]),
                ("assistant", SENTENCE.format(start)),
            )
        )
        self.home.settle()


def test_B19_ten_rounds_of_what_was_handed_over_make_nothing_grow(home: Home) -> None:
    home.start()
    hooked = Hooked(home)
    first, hits = hooked.pages(), hooked.hits()

    for number in range(10):
        hooked.round(number)
        assert hooked.pages() == first
        assert hooked.hits() == hits == 0

    texts = home.texts()
    assert not any("memd-memory" in text or "8080" in text for text in texts)
    assert texts["I looked it up; it is as  tells, so nothing is to be done."] == 20
    assert sum(text.startswith("How are things, round") for text in texts) == 10
    assert sum(text.startswith("I paste  here, round") for text in texts) == 10


@pytest.mark.parametrize("folder", ["/no/home", "/no/home/run"])
def test_B19_a_run_of_memds_own_is_not_imported(home: Home, folder: str) -> None:
    home.start()
    transcript(home).write_bytes(
        lines(0, ("user", "Reflect on this."), ("assistant", "Reflected."), cwd=folder)
    )
    home.settle()

    assert not home.texts()


@pytest.mark.parametrize("as_blocks", [False, True])
def test_B19_nor_one_that_begins_with_memds_mark_whose_rest_comes_later(home: Home, as_blocks: bool) -> None:
    prompt_text = f"{OWN_RUN}\nWhat follows from these entries?"
    content = [{"type": "text", "text": prompt_text}] if as_blocks else prompt_text
    whole = lines(0, ("user", content), ("assistant", "It follows that it rains."), ("user", "And then?"))
    first = whole.index(b"\n") + 1
    home.start()
    transcript(home).write_bytes(whole[:first])
    home.settle()
    home.stop()
    transcript(home).write_bytes(whole)
    home.start()
    home.settle()

    assert not home.texts()


def test_a_person_may_speak_of_the_mark(home: Home) -> None:
    home.start()
    said = [f"What does {OWN_RUN} mean?", "It marks a run of memd's own."]
    transcript(home).write_bytes(lines(0, ("user", said[0]), ("assistant", said[1])))
    home.settle()

    assert set(home.texts()) == set(said)
