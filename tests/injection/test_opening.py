"""MC39, W34, B07: what a session's start says, for every way in which one starts."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from memd.injection import handed
from memd.injection.options import Options, Place
from memd.server.injecting import place_of
from memd.sources import attribution, projects
from tests import rows
from tests.injection.memory import NOW, Memory, entry
from tests.injection.memory import memory as reopened
from tests.memory import stored

DAY_MS = rows.DAY_MS


def lines(text: str) -> list[str]:
    """The lines between the notice and the end."""
    return text.splitlines()[2:-1]


def test_MC39_W34_it_tells_entries_the_last_sessions_and_what_waits_for_a_review(memory: Memory) -> None:
    memory.say("How do we deploy on Mondays?", session="first-session")
    rule = memory.note("Deploys need two reviewers", type="decision", importance=8)
    faded = memory.note("The old gateway is still up", importance=6, at_ms=rows.START_MS - 200 * DAY_MS)

    told = lines(memory.start().text)

    assert told == [
        f"- Known decision (2026-09-21, app, entry #{rule}): Deploys need two reviewers",
        f"- Known fact (2026-03-05, app, entry #{faded}): The old gateway is still up",
        "- Earlier session (2026-09-21, branch main, session first-se): How do we deploy on Mondays?",
        "- 1 entry waits for a review, which memctl review shows",
    ]


def test_what_is_important_and_recent_comes_first_and_what_does_not_fit_is_left_out(memory: Memory) -> None:
    for number in range(60):
        text = f"Fact number {number} is told in some words so that it takes its room on the page"
        memory.note(text, importance=number % 10 + 1, at_ms=rows.START_MS - number * 5 * DAY_MS)

    page = memory.start(options=Options(session_tokens=300))

    assert "Fact number 9 " in lines(page.text)[0]
    assert 3 <= len(page.items) < 20


def test_entries_hold_for_the_project_and_branch_and_everywhere(memory: Memory) -> None:
    everywhere = memory.note("Answers are short", everywhere=True)
    here = memory.note("The relay has a runbook")
    branch = memory.note("The rewrite keeps the old API", branch="rewrite")
    gone = memory.note("The relay is restarted by hand")
    stored.get(memory.db, gone)
    memory.db.write_now(lambda c: c.execute("UPDATE entry SET superseded_ms = 1 WHERE id = ?", (gone,)))

    def items(place: Place) -> set[str]:
        return {one.id for one in memory.start(place=place).items}

    assert items(Place([memory.project], "rewrite")) == {str(everywhere), str(here), str(branch)}
    assert items(Place([memory.project], "main")) == {str(everywhere), str(here)}
    assert items(Place([])) == {str(everywhere)}


def test_a_session_that_goes_on_gets_what_is_new_and_one_whose_context_is_gone_gets_all(
    memory: Memory,
) -> None:
    memory.say("How do we deploy on Mondays?", session="another")
    memory.note("Deploys need two reviewers")
    first = memory.start()
    memory.hand("new", first)

    assert memory.start(goes_on=True).text == ""
    later = memory.note("The relay has a runbook")
    assert list(memory.start(goes_on=True).items) == [entry(later)]
    assert "Earlier session" not in memory.start(goes_on=True).text

    memory.db.write_now(handed.empty, "new", NOW)

    assert len(memory.start().items) == 2
    assert "Earlier session" in memory.start().text


def test_a_session_that_goes_on_is_told_of_the_last_sessions_once(memory: Memory) -> None:
    memory.say("How do we deploy on Mondays?", session="another")
    first = memory.start()
    memory.hand("new", first)

    assert "Earlier session" in first.text and not first.items
    assert memory.start(goes_on=True).text == ""


def test_a_session_that_goes_on_from_before_memd_was_there_gets_all(memory: Memory) -> None:
    memory.say("How do we deploy on Mondays?", session="another")
    memory.note("Deploys need two reviewers")

    assert memory.start(goes_on=True).text == memory.start().text


def test_sessions_are_named_by_their_titles_and_the_own_one_is_not_among_them(memory: Memory) -> None:
    for number in range(8):
        memory.store([rows.turn(number, f"Matter number {number}", session=f"session-{number}")])
    memory.db.write_now(lambda c: c.execute("UPDATE session SET title = 'A title' WHERE key = 'session-6'"))

    told = lines(memory.start(session="session-7", options=Options(sessions=3)).text)

    assert [one.partition("): ")[2] for one in told] == ["A title", "Matter number 5", "Matter number 4"]


def test_where_nothing_is_known_nothing_is_said(memory: Memory) -> None:
    assert memory.start().text == ""


def test_the_same_memory_gives_the_same_text_whatever_the_clock_says(memory: Memory, tmp_path: Path) -> None:
    memory.say("How do we deploy on Mondays?", session="another")
    for number, kind in enumerate(("event", "fact", "procedure", "task") * 5):
        at_ms = rows.START_MS - number * DAY_MS
        memory.note(f"Matter {number} of the relay", type=kind, importance=number % 9 + 1, at_ms=at_ms)
    first = memory.start()
    memory.db.close()

    with reopened(tmp_path) as again:
        for seconds in (61, 86_400, 400 * 86_400):
            assert again.start(now_ms=NOW + seconds * 1000).text == first.text


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")
def test_B07_repository_worktree_and_subfolder_are_one_project_before_and_after_removal(
    memory: Memory, tmp_path: Path
) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "init.defaultBranch=main")
        subprocess.run(["git", *identity, *arguments], cwd=repository, check=True, capture_output=True)

    repository, worktree = tmp_path / "myproject", tmp_path / "zurich"
    repository.mkdir()
    git("init")
    git("commit", "--allow-empty", "-m", "first")
    git("worktree", "add", str(worktree), "-b", "f")
    (worktree / "src").mkdir()
    folders = [str(repository), str(worktree), str(worktree / "src")]
    for number, folder in enumerate(folders):
        memory.store([rows.turn(number, f"Said in folder {number}", session=f"session-{number}")], cwd=None)
        _remember(memory, folder, f"session-{number}")

    def told(folder: str) -> set[str]:
        place = memory.db.read_now(place_of, folder)
        return {one.partition("): ")[2] for one in lines(memory.start(place=place).text)}

    everything = {f"Said in folder {number}" for number in range(3)}
    assert all(told(folder) == everything for folder in folders)
    assert memory.db.read_now(place_of, folders[1]).branch == "f"

    git("worktree", "remove", "--force", str(worktree))

    assert all(told(folder) == everything for folder in folders)
    assert told(str(tmp_path / "elsewhere" / "myproject")) == set()


def _remember(memory: Memory, folder: str, session: str) -> None:
    """Give the session to the project that its folder is of, as the intake does."""
    project = memory.db.write_now(attribution.remember, folder, projects.identify(folder))
    memory.db.write_now(
        lambda c: c.execute("UPDATE session SET project_id = ? WHERE key = ?", (project, session))
    )


def test_switched_off_sessions_are_not_named(memory: Memory) -> None:
    memory.say("How do we deploy on Mondays?", session="another")

    assert memory.start(options=replace(Options(), sessions=0)).text == ""
