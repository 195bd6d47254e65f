"""Excluded folders: their files are counted and not kept, and come in once they are excluded no longer."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from memd.intake.history import Import
from memd.services import ImportWish
from tests.intake.home import Home, line, transcript

PRIVATE = "/home/dev/private"


def excluded(home: Home) -> int:
    return int(
        home.db.read_now(lambda c: c.execute("SELECT count(*) FROM file WHERE excluded IS NOT NULL").get)
    )


def title(said: str) -> bytes:
    return json.dumps({"type": "ai-title", "aiTitle": said}).encode() + b"\n"


def test_an_excluded_file_is_counted_and_nothing_of_it_is_kept(home: Home) -> None:
    home.exclusions.replace([PRIVATE])
    transcript(home).write_bytes(title("Quokka") + line("the quokka", cwd=f"{PRIVATE}/src"))
    transcript(home, 1).write_bytes(line("other words"))

    home.start()
    home.settle()

    assert home.texts() == Counter(["other words"])
    assert excluded(home) == 1
    kept = "SELECT head, (SELECT count(*) FROM file_chunk WHERE file_id = id) FROM file WHERE excluded IS NOT NULL"
    assert home.db.read_now(lambda c: c.execute(kept).get) == (b"", 0)
    assert home.db.read_now(lambda c: c.execute("SELECT count(*) FROM session").get) == 1


def test_what_it_gets_later_is_passed_over_too_also_after_a_restart(home: Home) -> None:
    home.exclusions.replace([PRIVATE])
    path = transcript(home)
    path.write_bytes(line("one", cwd=PRIVATE))
    home.start()
    for text in ("two", "three"):
        home.settle()
        with path.open("ab") as file:
            file.write(line(text, cwd=PRIVATE))
    home.settle()
    home.stop()
    home.start()
    home.settle()

    assert home.texts() == Counter()
    assert excluded(home) == 1
    assert home.intake and home.intake.behind() == (0, 0)


def test_once_it_is_excluded_no_longer_all_of_it_comes_in(home: Home) -> None:
    home.exclusions.replace([PRIVATE])
    path = transcript(home)
    path.write_bytes(line("one", cwd=PRIVATE) + line("two", cwd=PRIVATE))
    home.start()
    home.settle()

    home.exclusions.replace([])
    home.settle()

    assert home.texts() == Counter(["one", "two"])
    assert excluded(home) == 0


def test_exclusions_that_changed_between_two_starts_hold(home: Home) -> None:
    transcript(home).write_bytes(line("one", cwd=PRIVATE))
    home.exclusions.replace([PRIVATE])
    home.start()
    home.settle()
    home.stop()

    home.exclusions.replace([])
    home.start()
    home.settle()

    assert home.texts() == Counter(["one"])


def test_a_file_that_is_excluded_later_keeps_its_turns_and_gets_no_more(home: Home) -> None:
    path = transcript(home)
    path.write_bytes(line("before", cwd=PRIVATE))
    home.start()
    home.settle()

    home.exclusions.replace([PRIVATE])
    with path.open("ab") as file:
        file.write(line("meanwhile", cwd=PRIVATE))
    home.settle()
    assert home.texts() == Counter(["before"])
    home.exclusions.replace([])
    home.settle()

    assert home.texts() == Counter(["before", "meanwhile"])


def test_turns_from_an_excluded_folder_inside_another_session_are_left_out_until_they_may_come(
    home: Home,
) -> None:
    home.exclusions.replace([PRIVATE])
    path = transcript(home)
    path.write_bytes(line("here") + line("there", cwd=PRIVATE) + line("back"))
    home.start()
    home.settle()
    with path.open("ab") as file:
        file.write(line("again"))
    home.settle()
    assert home.texts() == Counter(["here", "back", "again"])

    home.exclusions.replace([])
    home.settle()

    assert home.texts() == Counter(["here", "there", "back", "again"])


def test_an_import_leaves_excluded_folders_out_and_says_so(home: Home, tmp_path: Path) -> None:
    home.exclusions.replace([PRIVATE])
    file = tmp_path / "old.jsonl"
    file.write_bytes(line("one", cwd=PRIVATE) + line("two", cwd=PRIVATE))

    wish = ImportWish(str(file))
    report = Import(
        home.db, wish, home.exclusions, follow_up=None, tell=lambda body: None, cancelled=lambda: False
    ).run()

    assert (report.imported, report.skipped) == (0, {"excluded": 2})
    assert home.texts() == Counter()
