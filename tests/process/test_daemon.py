"""The whole program from outside: commands, files, signals."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import stat
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.process.conftest import Box, until

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "claude-code"


def test_what_is_written_is_found_by_itself_within_seconds(box: Box) -> None:
    """Field case B05: a file dropped in one rename, one in a folder just made, a single append."""
    box.write("old words")
    box.start()
    path = box.write("dropped words", 1, slug="-elsewhere")
    path.rename(box.projects / "-home-dev-app" / path.name)
    box.write("words in a new folder", 2, slug="-home-dev-new")
    box.write("appended words")

    for query in ("dropped", "folder", "appended"):
        assert until(lambda q=query: len(box.found(q)) == 1), box.log()
    assert box.ask("search", "dropped")["fresh"]["behind_files"] == 0


def test_the_projects_folder_may_come_later(box: Box) -> None:
    box.projects.rmdir()
    box.start()
    box.projects.mkdir()
    box.write("late words")

    assert until(lambda: box.found("late") == ["late words"])


def test_the_projects_folder_may_go_and_come_back(box: Box) -> None:
    box.write("old words")
    box.start()
    box.settle()
    shutil.rmtree(box.projects)
    box.projects.mkdir()
    box.write("words in the new folder")

    assert until(lambda: box.found("folder") == ["words in the new folder"])
    assert box.found("old") == ["old words"]


def test_a_killed_daemon_starts_again_and_has_everything_once(box: Box) -> None:
    """Field cases B12 and B16: the socket left behind is no obstacle, nothing is lost or doubled."""
    for n in range(400):
        box.write(f"word{n} of the import", n % 7)
    for _ in range(3):
        box.start()
        box.kill()
        assert box.ctl("ping").returncode == 69
    box.start()
    box.settle()

    texts = Counter(turn["text"] for turn in box.export())
    assert texts == Counter(f"word{n} of the import" for n in range(400))
    assert box.ask("verify")["ok"] is True
    socket_file = box.home / "run" / "memd.sock"
    assert stat.S_IMODE(socket_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(socket_file.parent.stat().st_mode) == 0o700


def test_a_stop_in_the_middle_of_an_import_ends_with_0_and_the_next_start_goes_on(box: Box) -> None:
    for n in range(3000):
        box.write(f"word{n} of the import", n % 11)
    for _ in range(3):
        box.start()
        assert box.stop() == 0
    box.start()
    box.settle()

    assert Counter(turn["text"] for turn in box.export()).most_common(1)[0][1] == 1
    assert box.ask("status")["counts"]["turns"] == 3000


def test_a_second_daemon_refuses_and_the_first_goes_on(box: Box) -> None:
    box.start()
    first = box.process
    second = box.spawn()

    assert second.wait(15) == 73
    assert first and f"pid {first.pid}" in box.log()
    box.process = first
    assert box.ctl("ping").returncode == 0


def test_of_five_started_at_once_one_serves_and_the_others_leave(box: Box) -> None:
    """Field case B12: never two owners, also of a home that no memd has made yet."""
    started = [box.spawn() for _ in range(5)]
    try:
        assert until(lambda: sum(one.poll() is not None for one in started) == 4, 30), box.log()
        [owner] = [one for one in started if one.poll() is None]

        assert until(lambda: box.ctl("ping").returncode == 0)
        assert box.ask("ping")["pid"] == owner.pid
        assert [one.poll() for one in started if one is not owner] == [73] * 4
    finally:
        for one in started:
            one.kill()
            one.wait(15)


@pytest.mark.parametrize("what", ["file", "link", "listener"])
def test_what_stands_at_the_sockets_path_is_not_removed(box: Box, what: str) -> None:
    path = box.home / "run" / "memd.sock"
    path.parent.mkdir(parents=True, mode=0o700)
    other = socket.socket(socket.AF_UNIX)
    if what == "file":
        path.write_text("keep")
    elif what == "link":
        path.symlink_to(box.root / "nothing")
    else:
        other.bind(str(path))
        other.listen(1)

    code = box.spawn().wait(15)
    other.close()

    assert code == 73
    assert path.is_symlink() or path.exists()


@pytest.mark.parametrize(
    ("config", "code", "says"),
    [("[search]\nlimt = 3\n", 78, "search.limit"), ("[embedding]\nembedder = 'magic'\n", 78, "bundled")],
)
def test_a_wrong_setting_is_78_with_the_key(box: Box, config: str, code: int, says: str) -> None:
    box.home.mkdir()
    (box.home / "config.toml").write_text(config)

    assert box.spawn().wait(15) == code
    assert says in box.log()
    assert "Traceback" not in box.log()


def test_a_newer_schema_is_refused_and_left_as_it_is(box: Box) -> None:
    box.start()
    box.stop()
    database = box.home / "data" / "memd.db"
    with database.open("r+b") as file:
        file.seek(60)
        file.write((2**31 - 1).to_bytes(4, "big"))
    before = database.read_bytes()

    assert box.spawn().wait(15) == 65
    assert database.read_bytes() == before
    assert "version" in box.log()


@pytest.mark.parametrize(
    ("variable", "value", "lane"),
    [
        ("MEMD_EMBEDDER", "none", "off: no embedder"),
        ("MEMD_EMBEDDER", "fastembed:BAAI/bge-small-en-v1.5", "off:"),
    ],
)
def test_without_a_model_the_words_are_found_and_the_answer_says_so(
    box: Box, variable: str, value: str, lane: str
) -> None:
    """Field cases B11 and B22."""
    box.env |= {variable: value, "HF_HUB_OFFLINE": "1"}
    box.write("the quokka sleeps")
    box.start()
    box.settle()

    answer = box.ask("search", "quokka")

    assert [hit["text"] for hit in answer["results"]] == ["the quokka sleeps"]
    assert answer["lanes"]["vector"].startswith(lane)
    assert answer["lanes"]["keyword"] == "on"


def test_vectors_come_by_themselves_once_there_is_an_embedder(box: Box) -> None:
    box.env["MEMD_EMBEDDER"] = "none"
    box.write("the quokka sleeps")
    box.start()
    box.settle()
    assert box.ask("status")["counts"]["embedded_pct"] == 0
    box.stop()
    box.env["MEMD_EMBEDDER"] = "hash"

    box.start()
    box.settle("--embedded")

    assert box.ask("status")["counts"]["embedded_pct"] == 100
    assert box.ask("search", "quokka")["lanes"]["vector"] == "on"


def test_without_sqlite_vec_vectors_are_scanned_and_status_tells(box: Box) -> None:
    box.env["MEMD_WITHOUT_SQLITE_VEC"] = "1"
    box.write("the quokka sleeps")
    box.start()
    box.settle("--embedded")

    assert box.found("quokka sleeps") == ["the quokka sleeps"]
    assert any("sqlite-vec" in trouble["what"] for trouble in box.ask("status")["degraded"])


def test_an_import_of_the_fixture_tree_is_exported_whole(box: Box) -> None:
    shutil.copytree(FIXTURES / "projects", box.projects, dirs_exist_ok=True)
    expected = json.loads((FIXTURES / "expected.json").read_text())
    box.start()
    box.settle()

    ids = {turn["id"] for turn in box.export()}

    for file in expected["files"].values():
        assert {turn["id"] for turn in file.get("turns", []) if turn["id"]} <= ids
    report = box.ask("import", str(FIXTURES / "projects"), "--format", "claude-code", "--dry-run")
    skipped: Counter[str] = Counter()
    for file in expected["files"].values():
        skipped.update(file.get("skipped", {}))
    assert report["skipped"] == dict(skipped)
    assert report["imported"] == 0


def secrets() -> dict[str, str]:
    """Made-up credentials, put together here so that none stands in this file."""
    return {
        "aws": "AK" + "IA" + "Q7XZ2LMKP4WD5TRB",
        "github": "gh" + "p_" + "k9Xw2Lq7Zt" * 3 + "m4Nc8R",
        "slack": "xo" + "xb-" + "123456789012-123456789012-" + "r7Kd2Wq9Lz4Xm6Bt1Yc8Vn3H",
        "url": "postgres://app:" + "s3cr3tPassw0rdX9" + "@db.internal/prod",
        "env": "export DB_PASSWORD=" + "hunter2hunter2Xq9",
    }


def test_no_secret_settles_anywhere_and_the_words_around_it_stay(box: Box) -> None:
    """Field case B20, the part of the import."""
    for n, (name, secret) in enumerate(secrets().items()):
        box.write(f"before{name} {secret} after{name}", n)
    prose = (
        "no API key in the build, apiKey: import.meta.env.KEY, commit " + "0123456789abcdef" * 2 + "01234567"
    )
    box.write(prose, 9)
    box.start()
    box.settle("--embedded")

    texts = [turn["text"] for turn in box.export()]
    for name in secrets():
        assert len(box.found(f"before{name}")) == 1
    assert prose in texts
    assert box.ctl("backup", str(box.root / "copy.db")).returncode == 0
    (box.root / "export").write_text(box.ctl("export", "--jsonl").stdout)
    box.stop()
    everything = b"".join(
        p.read_bytes() for p in box.root.rglob("*") if p.is_file() and box.projects not in p.parents
    )
    for secret in secrets().values():
        value = secret.split("=")[-1] if "=" in secret else secret.split(":")[-1].split("@")[0]
        assert value.encode() not in everything


def test_a_worktree_is_its_repositorys_project_also_when_it_is_gone(box: Box) -> None:
    """Field case B07."""
    top = box.root / "myproject"
    top.mkdir()

    def git(*arguments: str) -> None:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", "-C", str(top), *who, *arguments], check=True, capture_output=True)

    git("init")
    git("commit", "--allow-empty", "-m", "first")
    git("worktree", "add", "../zurich", "-b", "f")
    (box.root / "zurich" / "src").mkdir()
    (box.root / "other" / "myproject").mkdir(parents=True)
    places = [top, box.root / "zurich", box.root / "zurich" / "src", box.root / "other" / "myproject"]
    for n, place in enumerate(places):
        path = box.write(f"placeword number {n}", n, slug=f"-p{n}")
        path.write_text(path.read_text().replace("/home/dev/app", str(place)))
    box.start()
    box.settle()

    def seen(place: Path) -> set[str]:
        return {hit["text"] for hit in box.ask("search", "placeword", "--project", str(place))["results"]}

    mine = {f"placeword number {n}" for n in range(3)}
    assert [seen(place) for place in places[:3]] == [mine] * 3
    assert seen(places[3]) == {"placeword number 3"}
    git("worktree", "remove", "--force", "../zurich")
    assert [seen(place) for place in places[:3]] == [mine] * 3


def test_sigint_ends_it_like_sigterm(box: Box) -> None:
    box.start()
    assert box.process
    box.process.send_signal(signal.SIGINT)

    assert box.process.wait(15) == 0
    assert not (box.home / "run" / "memd.sock").exists()


def test_a_socket_whose_path_is_too_long_is_told_before_anything_is_made(box: Box) -> None:
    box.env["MEMD_SOCKET"] = str(box.root / ("s" * 110))

    assert box.spawn().wait(15) == 78

    assert "MEMD_SOCKET" in box.log()
    assert not box.home.exists()


def test_a_job_that_waits_for_a_model_is_seen_paused_resumed_and_called_off(box: Box) -> None:
    box.env |= {"MEMD_EMBEDDER": "fastembed:BAAI/bge-small-en-v1.5", "HF_HUB_OFFLINE": "1"}
    box.write("the quokka sleeps")
    box.start()
    box.settle()

    def job() -> dict[str, Any]:
        (one,) = box.ask("jobs", "list", "--kind", "embed_turns")["jobs"]
        shown: dict[str, Any] = box.ask("jobs", "show", str(one["id"]))["job"]
        return shown

    assert until(lambda: job()["state"] == "retry"), box.log()
    (attempt,) = job()["history"]
    assert (attempt["ending"], attempt["next_at"]) == ("waited", job()["run_at"])
    assert "bge-small" in attempt["reason"]
    assert (job()["attempts"], box.ask("status")["jobs"]["dead"]) == (0, 0)

    assert "embed_entries, embed_turns" in box.ctl("jobs", "pause", "embd").stderr
    box.ask("jobs", "pause", "embed_turns", "--why", "not now")
    assert box.stop() == 0
    box.start()
    status = box.ask("status")["jobs"]
    assert (status["paused"], status["paused_kinds"][0]["reason"]) == (1, "not now")
    assert "embed_turns is paused: not now" in box.ctl("status").stdout
    waits = box.ctl("sync", "--embedded", "--timeout", "50")
    assert (waits.returncode, "memctl jobs resume embed_turns" in waits.stderr) == (1, True)

    box.ask("jobs", "resume", "embed_turns")
    assert until(lambda: job()["state"] == "retry"), box.log()
    assert box.ask("jobs", "cancel", str(job()["id"]))["job"]["state"] == "cancelled"
    assert box.ctl("jobs", "cancel", "no-such-job").returncode == 1
    assert box.ask("jobs", "dismiss", "--state", "cancelled")["dismissed"]
    assert box.ask("jobs", "list")["jobs"] == []


def test_without_an_embedder_its_jobs_stand_still_and_go_on_with_one(box: Box) -> None:
    box.env |= {"MEMD_EMBEDDER": "fastembed:BAAI/bge-small-en-v1.5", "HF_HUB_OFFLINE": "1"}
    box.write("the quokka sleeps")
    box.start()
    box.settle()
    box.stop()

    box.env["MEMD_EMBEDDER"] = "none"
    box.start()
    paused = {one["kind"]: one["reason"] for one in box.ask("jobs")["paused"]}
    assert paused["embed_turns"] == "no embedder is configured"
    box.stop()

    box.env["MEMD_EMBEDDER"] = "hash"
    box.start()
    box.settle("--embedded")
    assert box.ask("jobs")["paused"] == []
    assert until(lambda: box.ask("status")["jobs"]["queued"] == 0)
    assert box.ask("status")["counts"]["embedded_pct"] == 100.0


def test_mc42_no_word_of_a_turn_or_a_question_stands_in_the_log(box: Box) -> None:
    box.env["MEMD_LOG_LEVEL"] = "debug"
    path = box.write("canaryturn in a text")
    with path.open("ab") as lines:
        lines.write(b'{"type": "user", "canarybroken": \n{"type": "canarykind"}\n')
    box.start()
    box.settle()
    assert box.found("canaryturn")
    box.ctl("search", "--session", "canarywhen", "canaryquestion")
    box.ctl("forget", "--match", "canaryturn", "--all-projects", "--yes")

    assert box.stop() == 0
    assert "canary" not in box.log()
    assert "stopping" in box.log()
