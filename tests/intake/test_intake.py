"""The intake: whatever happens to the files, each turn is stored exactly once."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections import Counter
from pathlib import Path

import pytest

from memd.db import check
from memd.intake import loop
from tests.intake.home import SECONDS, Home, line, transcript
from tests.rows import database

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "claude-code"
EXPECTED = json.loads((FIXTURES / "expected.json").read_text("utf-8"))


def expected() -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]], dict[str, str]]:
    """What must be stored, what may be besides, and the session of each id."""
    must: Counter[tuple[str, str]] = Counter()
    may: Counter[tuple[str, str]] = Counter()
    sessions: dict[str, str] = {}
    for file in EXPECTED["files"].values():
        for group, into in (("turns", must), ("other_branch_turns", may), ("optional_turns", may)):
            for turn in file.get(group, []):
                if turn["id"] is None or turn["id"] not in sessions:
                    into[(turn["role"], turn["text"])] += 1
                if turn["id"]:
                    sessions.setdefault(turn["id"], turn["session_id"])
    return must, may, sessions


def compare(home: Home) -> None:
    must, may, sessions = expected()
    turns = home.turns()
    have = Counter((str(turn["role"]), str(turn["text"])) for turn in turns)
    assert must - have == Counter()
    assert have - must - may == Counter()
    told = {turn["id"]: turn["session_id"] for turn in turns if turn["id"] in sessions}
    assert told == {turn_id: sessions[str(turn_id)] for turn_id in told}
    hidden = Counter((turn["role"], turn["text"]) for turn in turns if turn["hidden"])
    branches = [t for f in EXPECTED["files"].values() for t in f.get("other_branch_turns", [])]
    assert hidden == Counter((turn["role"], turn["text"]) for turn in branches)


def test_a_tree_that_is_there_gives_what_is_expected(home: Home) -> None:
    """MC19: sidechains, meta records, summaries and copies among them."""
    shutil.copytree(FIXTURES / "projects", home.projects, dirs_exist_ok=True)

    home.start()
    home.settle()

    compare(home)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_tree_that_grows_in_pieces_with_restarts_gives_the_same(home: Home, seed: int) -> None:
    """MC19"""
    draw = random.Random(seed)
    left = {path: path.read_bytes() for path in sorted((FIXTURES / "projects").rglob("*")) if path.is_file()}
    home.start()
    while left:
        path = draw.choice(sorted(left))
        size = draw.choice((1, 7, 100, 3000, 70000))
        target = home.projects / path.relative_to(FIXTURES / "projects")
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("ab") as file:
            file.write(left[path][:size])
        left[path] = left[path][size:]
        if not left[path]:
            del left[path]
        if draw.random() < 0.1:
            home.settle()
        if draw.random() < 0.02:
            home.stop()
            home.start()

    home.settle()

    compare(home)


def test_a_batch_over_many_files_writes_one_segment_of_the_text_index(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "BATCH_SECONDS", SECONDS)
    for number in range(5):
        transcript(home, number).write_bytes(line(f"words {number}", session=f"s{number}"))

    home.start()
    home.settle()

    assert len(home.turns()) == 5
    segments = "SELECT count(DISTINCT segid) FROM turn_fts_idx"
    assert home.db.read_now(lambda connection: connection.execute(segments).get) == 1


def test_files_that_appear_last_first_give_the_same(home: Home) -> None:
    home.start()
    for path in sorted((p for p in (FIXTURES / "projects").rglob("*") if p.is_file()), reverse=True):
        target = home.projects / path.relative_to(FIXTURES / "projects")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        home.settle()

    compare(home)


def test_a_transcript_written_byte_by_byte_gives_each_turn_once(home: Home) -> None:
    """MC19: half a line waits for its rest, and none is stored twice."""
    lines = [line("one"), b'{"type":"summary"}\n', b"no record\n", line("zwei ü", number=2)]
    home.start()
    with transcript(home).open("ab", buffering=0) as file:
        for at, byte in enumerate(data := b"".join(lines)):
            file.write(bytes([byte]))
            if (
                at % 5 == 0 or data[at : at + 2].strip() != data[at : at + 2]
            ):  # around each end of a line, too
                home.settle()
                assert len(home.turns()) <= data[: at + 2].count(b'"type": "user"')
    home.settle()

    assert home.texts() == {"one": 1, "zwei ü": 1}


@pytest.mark.parametrize("scenario", EXPECTED["live"], ids=lambda s: s["name"])
def test_a_live_file_is_followed(home: Home, scenario: dict[str, object]) -> None:
    """MC19: cut short, replaced, moved, removed."""
    home.start()
    if "cuts" in scenario:
        data = (FIXTURES / str(scenario["file"])).read_bytes()
        path = transcript(home)
        for cut in scenario["cuts"]:  # type: ignore[attr-defined]  # a list
            path.write_bytes(b"")
            path.write_bytes(data[: cut["bytes"]])
            home.settle()
            assert len(home.turns()) == cut["turns"]
        return
    path = transcript(home)
    for step in scenario["steps"]:  # type: ignore[attr-defined]  # a list
        path = act(home, path, step)
        home.settle()
        assert len(home.turns()) == step["stored_turns"]
    if "texts_after" in scenario:
        assert sorted(home.texts()) == sorted(scenario["texts_after"])  # type: ignore[call-overload]  # from JSON


def act(home: Home, path: Path, step: dict[str, object]) -> Path:
    how = str(step.get("how", ""))
    if "append_from" in step:
        rest = (FIXTURES / str(step["append_from"])).read_bytes()[int(str(step["append_after_bytes"])) :]
        with path.open("ab") as file:
            file.write(rest)
    elif how.startswith("rename into"):
        target = home.projects / "-home-dev-other" / path.name
        target.parent.mkdir()
        return path.rename(target)
    elif how.startswith("delete"):
        path.unlink()
    elif how.startswith("write a temporary"):
        new = path.with_suffix(".tmp")
        new.write_bytes((FIXTURES / str(step["put"])).read_bytes())
        new.replace(path)
    elif how.startswith("append in place"):
        with path.open("ab") as file:
            file.write((FIXTURES / str(step["put"])).read_bytes()[path.stat().st_size :])
    else:
        with path.open("r+b" if path.exists() else "wb") as file:
            file.truncate(0)
            file.write((FIXTURES / str(step["put"])).read_bytes())
    return path


def test_a_growing_tail_is_stored_once_while_up_and_while_down(home: Home) -> None:
    """Field case B01."""
    path = transcript(home)
    path.write_bytes(b"".join(line(f"first {n}", number=n) for n in range(4)))
    home.start()
    home.settle()
    with path.open("ab") as file:
        file.write(b"".join(line(f"tailword_{x}") for x in "ABC"))
    home.settle()
    home.stop()
    with path.open("ab") as file:
        file.write(b"".join(line(f"tailword_{x}") for x in "DE"))
    home.start()
    home.settle()
    os.utime(path)
    home.settle()

    texts = home.texts()
    assert len(home.turns()) == 9
    assert all(texts[f"tailword_{x}"] == 1 for x in "ABCDE")


def test_subagents_belong_to_their_parent_and_are_marked(home: Home) -> None:
    """Field case B03."""
    home.subagents = True
    parent = "11111111-1111-4111-8111-111111111111"
    folder = home.projects / "-home-dev-app"
    inner = folder / parent / "subagents"
    inner.mkdir(parents=True)
    (folder / f"{parent}.jsonl").write_bytes(line("parent words", session=parent))
    for n in (1, 2):
        (inner / f"agent-{n}.jsonl").write_bytes(line(f"subword{n}", session=parent))
    other = home.projects / "-home-dev-two"
    other.mkdir()
    (other / "agent-1.jsonl").write_bytes(line("another agent", session="x", cwd="/home/dev/two"))

    home.start()
    home.settle()

    by_text = {str(turn["text"]): turn for turn in home.turns()}
    assert set(by_text) == {"parent words", "subword1", "subword2", "another agent"}
    for n in (1, 2):
        assert by_text[f"subword{n}"]["session_id"] == parent
        assert by_text[f"subword{n}"]["agent_id"] == str(n)
        assert by_text[f"subword{n}"]["project"] == "/home/dev/app"
    assert by_text["parent words"]["agent_id"] is None


def test_subagents_are_left_alone_by_default_and_counted(home: Home) -> None:
    """LS25"""
    inner = home.projects / "-home-dev-app" / "11111111-1111-4111-8111-111111111111" / "subagents"
    inner.mkdir(parents=True)
    (inner / "agent-1.jsonl").write_bytes(line("hidden words"))

    home.start()
    home.settle()

    assert home.turns() == []
    assert home.intake and home.intake.passed_over()["subagents"] == 1


def test_a_broken_line_is_counted_and_the_next_goes_on(home: Home) -> None:
    path = transcript(home)
    path.write_bytes(line("before") + b'{"type": "user", "mess\n' + b"[" * 100_000 + b"\n" + line("after"))

    home.start()
    home.settle()

    assert home.texts() == Counter(["before", "after"])
    assert home.db.read_now(lambda c: c.execute("SELECT bad_lines FROM file").get) == 2


def test_links_and_fifos_are_left_alone(home: Home, tmp_path: Path) -> None:
    outside = tmp_path / "outside.jsonl"
    outside.write_bytes(line("outside"))
    transcript(home, 1).symlink_to(outside)
    os.mkfifo(transcript(home, 2))
    transcript(home, 3).mkdir()
    transcript(home, 4).write_bytes(line("inside"))

    home.start()
    home.settle()

    assert home.texts() == Counter(["inside"])


def test_own_runs_are_not_imported(tmp_path: Path) -> None:
    """Field case B19, the part of the import."""
    with database(tmp_path) as db:
        home = Home(tmp_path, db)
        transcript(home).write_bytes(line("what memd asked a model", cwd="/no/home/data"))
        transcript(home, 1).write_bytes(line("what a person said"))
        home.start()
        home.settle()
        home.stop()

        assert home.texts() == Counter(["what a person said"])


def test_a_moved_file_is_not_missing(home: Home) -> None:
    path = transcript(home)
    path.write_bytes(line("moved words"))
    home.start()
    home.settle()
    path.rename(transcript(home, 1, "-home-dev-other"))
    home.settle()

    assert home.db.read_now(lambda c: c.execute("SELECT path LIKE '%other%', missing FROM file").get) == (
        1,
        0,
    )
    assert home.texts() == Counter(["moved words"])


def test_the_index_is_made_anew_while_turns_are_stored(home: Home) -> None:
    path = transcript(home)
    path.write_bytes(line("old words"))
    home.start()
    home.settle()
    last = home.db.write_now(check.clear_index)
    with path.open("ab") as file:
        file.write(line("new words"))
    home.settle()

    home.db.write_now(check.fill_index, 0, last)

    assert [one.name for one in home.db.write_now(check.faults, None) if not one.ok] == []
    found = home.db.read_now(
        lambda c: c.execute("SELECT count(*) FROM turn_fts WHERE turn_fts MATCH 'words'").get
    )
    assert found == 2
