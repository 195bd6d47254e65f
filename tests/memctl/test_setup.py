"""memctl setup and unsetup: in, out again byte for byte, or not touched and told why."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.hooks import hook as hook_command
from memctl.main import main
from memctl.setup import hooks, jsonc, servers
from memctl.setup import plan as plans
from tests.memctl.test_jsonc import DOCUMENTS
from tests.memctl.test_plugin import EVENTS

OTHER = b'{"type": "command", "command": "notify-send done"}'
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memctl that was installed, the extra for MCP too, and a home of its own to work in."""
    folder = tmp_path / "bin"
    folder.mkdir()
    memctl = folder / "memctl"
    memctl.write_text("#!/bin/sh\necho '{}'\n")
    memctl.chmod(0o755)
    monkeypatch.setattr("sys.argv", [str(memctl)])
    monkeypatch.setenv("MEMD_HOME", str(tmp_path / "m"))
    monkeypatch.setattr(servers, "can_serve", lambda: True)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return memctl


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    (tmp_path / ".claude").mkdir()
    return tmp_path / ".claude" / "settings.json"


def setup(*more: str) -> int:
    return main(["setup", "claude-code", *(more or ("--yes",))])


def unsetup(*more: str) -> int:
    return main(["unsetup", "claude-code", *(more or ("--yes",))])


def tree(folder: Path) -> dict[str, tuple[int, bytes | str]]:
    """Every file and link below a folder, and its mode."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            os.readlink(path) if path.is_symlink() else path.read_bytes(),
        )
        for path in folder.rglob("*")
        if not path.is_dir() or path.is_symlink()
    }


def commands(settings: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    root = jsonc.parse(settings.read_bytes().decode())
    for hook in hooks.find(root):
        found.setdefault(hook.event, []).append(hook.command)
    return found


def link(path: Path) -> None:
    target = path.parent.parent / "dotfiles.json"
    target.write_text('{\n  "model": "opus"\n}\n')
    path.symlink_to(target)


def content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def without_empty(content: bytes) -> dict[str, object]:
    """What settings say, without the hooks that are none."""
    said = dict(json.loads(content.strip() or b"{}"))
    hooks = said.pop("hooks", {})
    return said | ({"hooks": hooks} if any(hooks.values()) else {})


def in_mode_0600(path: Path) -> None:
    path.write_text('{"hooks": {}}')
    path.chmod(0o600)


def written(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


TAKEN: dict[str, Callable[[Path], object]] = {
    "absent": lambda path: None,
    "empty": written(b""),
    "blank": written(b"\n\n"),
    "an empty object": written(b"{}"),
    "an empty object over lines": written(b"{\n\n}\n"),
    "comments": written(b'// mine\n{\n  /* a */ "model": "opus", // which\n  // the end\n}\n// after\n'),
    "other hooks": written(
        b'{\n    "hooks": {\n        "Stop": [\n            {"hooks": [%b]}\n        ]\n    },\n    "z": 1\n}'
        % OTHER
    ),
    "empty events": written(b'{"hooks": {"Stop": [], "PreCompact": [ ]}, "a": 1}\n'),
    "windows": written(b'{\r\n\t"model": "opus",\r\n\t"env": {"A": "b"}\r\n}\r\n'),
    "a mark of order": written(b'\xef\xbb\xbf{\n  "model": "opus"\n}\n'),
    "trailing commas": written(
        b'{\n  "hooks": {\n    "Stop": [\n      {"hooks": [%b,],},\n    ],\n  },\n}\n' % OTHER
    ),
    "no newline at the end": written(b'{\n  "b": 1,\n  "a": 2}'),
    "one line": written(b'{"b":1,"a":[1,2]}'),
    "a link": link,
    "a link to nothing": lambda path: path.symlink_to(path.parent / "later.json"),
    "mode 0600": in_mode_0600,
}


@pytest.mark.parametrize("make", TAKEN.values(), ids=TAKEN)
def test_in_and_out_again_leaves_every_byte_as_it_was(
    make: Callable[[Path], object], settings: Path, tmp_path: Path
) -> None:
    make(settings)
    (tmp_path / ".claude.json").write_text('{"mcpServers": {}, "numStartups": 7}')
    before, was_link = tree(tmp_path), settings.is_symlink()

    assert setup() == 0

    assert sorted(commands(settings)) == sorted(EVENTS)
    assert json.loads((tmp_path / ".claude.json").read_text())["mcpServers"]["memd"]["args"] == ["mcp"]
    assert settings.is_symlink() == was_link
    once = tree(tmp_path)
    assert setup() == 0
    assert tree(tmp_path) == once
    assert unsetup() == 0
    left = {path: found for path, found in tree(tmp_path).items() if not path.startswith("m/")}
    assert left == before
    assert not (tmp_path / ".claude" / "skills").exists()


def unreadable(path: Path) -> None:
    path.write_text("{}")
    path.chmod(0o400)


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "read-only": (unreadable, "read-only"),
    "a folder": (lambda path: path.mkdir(), "no regular file"),
    "a pipe": (lambda path: os.mkfifo(path), "no regular file"),
    "no JSON": (written(b'{\n  "a": 1,\n  b\n}'), "line 3 is no JSON"),
    "no object": (written(b"[]"), "holds no object"),
    "no text": (written(b'{"a": "\xff"}'), "no UTF-8"),
    "strange hooks": (written(b'{"hooks": []}'), "hooks are no object"),
    "strange events": (written(b'{"hooks": {"Stop": 1}}'), "Stop are no array"),
    "huge": (written(b" " * (16 << 20) + b"{}"), "larger than 16 MiB"),
    "a loop": (lambda path: path.symlink_to(path), "symbolic links"),
}


@pytest.mark.parametrize(("make", "says"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_changed_is_not_touched_and_one_line_says_why(
    make: Callable[[Path], object], says: str, settings: Path, tmp_path: Path, capfd: Capture
) -> None:
    make(settings)
    before = settings.lstat()

    assert setup() == 1

    [said] = capfd.readouterr().err.splitlines()
    assert f"{settings} was not touched" in said and says in said and "run this again" in said
    after = settings.lstat()
    assert (after[:7], after.st_mtime_ns) == (before[:7], before.st_mtime_ns) or stat.S_ISDIR(before.st_mode)
    assert not (tmp_path / ".claude.json").exists() and not (tmp_path / "m").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_the_file_of_another_user_is_not_touched(settings: Path, capfd: Capture) -> None:
    settings.write_text("{}")
    os.chown(settings, 12345, -1)

    assert setup() == 1
    assert "belongs to user 12345" in capfd.readouterr().err


def test_what_others_wrote_since_stays_and_only_ours_goes(settings: Path) -> None:
    settings.write_text('{\n  "hooks": {"Stop": []} // mine\n}\n')
    setup()
    text = settings.read_text()
    theirs = jsonc.append(text, jsonc.parse(text), {"Stop": 1}, "theirs")
    settings.write_text(theirs)

    assert unsetup() == 0

    assert settings.read_text() == (
        '{\n  "hooks": {"Stop": []}, // mine\n  "theirs": {\n    "Stop": 1\n  }\n}\n'
    )


def test_a_hook_that_was_put_beside_ours_stays_where_it_is(settings: Path) -> None:
    setup()
    text = settings.read_text()
    [ours] = [hook for hook in hooks.find(jsonc.parse(text)) if hook.event == "Stop"]
    settings.write_text(jsonc.append(text, ours.chain[-1][0], json.loads(OTHER)))

    assert unsetup() == 0

    assert json.loads(settings.read_text()) == {"hooks": {"Stop": [{"hooks": [json.loads(OTHER)]}]}}


def test_every_hook_that_memctl_has_is_put_in() -> None:
    assert set(hooks.EVENTS.values()) == set(hook_command.EVENTS)


def test_without_the_record_it_goes_all_the_same(settings: Path, tmp_path: Path) -> None:
    text = '{\n  "model": "opus"\n}\n'
    settings.write_text(text)
    setup()
    shutil.rmtree(tmp_path / "m")

    assert unsetup() == 0

    assert settings.read_text() == text
    assert not list(tmp_path.glob(".claude/skills/*/SKILL.md"))


@pytest.mark.parametrize("mode", [0o600, 0o644], ids=oct)
@pytest.mark.parametrize("make", TAKEN.values(), ids=TAKEN)
def test_without_the_record_a_file_that_was_there_stays_and_one_that_setup_made_goes(
    make: Callable[[Path], object], mode: int, settings: Path, tmp_path: Path
) -> None:
    make(settings)
    if settings.exists():
        settings.chmod(mode)
    before = content(settings)
    setup()
    shutil.rmtree(tmp_path / "m")

    assert unsetup() == 0

    after = content(settings)
    if before is None or after is None:
        # in a file of mode 0600 that holds an empty object alone nobody can see who made it
        assert after is None and before in ({None, b"{\n\n}\n"} if mode == 0o600 else {None})
    else:
        assert after == before or jsonc.parse(after.decode()).value == without_empty(before)
    assert not (tmp_path / ".claude.json").exists()
    assert not list((tmp_path / ".claude" / "skills").iterdir())


def test_a_file_of_an_empty_object_that_holds_nothing_of_memd_stays(settings: Path) -> None:
    settings.write_text("{}\n")
    settings.chmod(0o600)

    assert unsetup() == 0
    assert settings.read_text() == "{}\n"


def test_a_file_that_setup_made_goes_also_where_others_wrote_into_it_for_a_while(settings: Path) -> None:
    setup()
    alone = settings.read_text()
    theirs = jsonc.append(alone, jsonc.parse(alone), 1, "theirs")
    settings.write_text(theirs.replace('"theirs": 1', ' "theirs": 1'))
    setup()
    settings.write_text(alone + "\n")

    assert unsetup() == 0
    assert not settings.exists()


def test_a_memctl_that_has_moved_is_brought_up_to_date_where_it_stands(
    settings: Path, installed: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings.write_text("{\n}\n")
    setup()
    edited = settings.read_text().replace('"timeout": 5', '"timeout": 9')
    settings.write_text(edited)
    moved = tmp_path / "it's a new place" / "memctl"
    moved.parent.mkdir()
    shutil.copy(installed, moved)
    monkeypatch.setattr("sys.argv", [str(moved)])

    assert setup() == 0

    assert settings.read_text().count('"timeout": 9') == len(EVENTS)
    found = commands(settings)
    assert all("it'\"'\"'s a new place/memctl' hook" in command for [command] in found.values())
    assert sorted(found) == sorted(EVENTS)
    assert unsetup() == 0
    assert settings.read_text() == "{}\n"


def test_a_hook_runs_memctl_and_is_silent_where_it_is_gone(settings: Path, installed: Path) -> None:
    setup()
    [command] = commands(settings)["Stop"]

    def run() -> tuple[int, bytes, bytes]:
        done = subprocess.run(["sh", "-c", command], capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr

    assert run() == (0, b"{}\n", b"")
    installed.unlink()
    assert run() == (0, b"", b"")


def test_a_hook_that_a_person_wrote_is_theirs(settings: Path) -> None:
    own = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "memctl hook stop"}]}]}}'
    settings.write_text(own)

    setup()
    assert commands(settings)["Stop"] == ["memctl hook stop"]
    settings.write_text(settings.read_text() + "\n")
    unsetup()

    assert settings.read_text() == own + "\n"


def test_a_project_finds_memctl_on_the_path_of_whoever_works_in_it(tmp_path: Path) -> None:
    assert setup("--scope", "project", "--yes") == 0

    work = tmp_path / "work"
    assert commands(work / ".claude/settings.json")["Stop"] == [hooks.command("Stop", None)]
    assert json.loads((work / ".mcp.json").read_text())["mcpServers"]["memd"]["command"] == "memctl"
    assert not (tmp_path / ".claude").exists() and not (tmp_path / ".claude.json").exists()
    assert unsetup("--scope", "project", "--yes") == 0
    assert list(work.iterdir()) == []


def test_the_clients_own_folder_is_where_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "c"))

    setup()

    assert sorted(os.listdir(tmp_path / "c")) == [".claude.json", "settings.json", "skills"]


@pytest.mark.parametrize("how", ["enabled", "installed", "project"])
def test_hooks_that_are_there_by_other_means_are_not_added_twice(
    how: str, settings: Path, tmp_path: Path, capfd: Capture
) -> None:
    match how:
        case "enabled":
            settings.write_text('{"enabledPlugins": {"memd@memd": true}}')
        case "installed":
            (tmp_path / ".claude/plugins").mkdir()
            record = {"version": 2, "plugins": {"memd@memd": [{"scope": "user"}]}}
            (tmp_path / ".claude/plugins/installed_plugins.json").write_text(json.dumps(record))
        case "project":
            setup("--scope", "project", "--yes")
    before = tree(tmp_path)
    capfd.readouterr()

    assert setup() == 0

    said = capfd.readouterr().out
    assert "would run twice" in said and "--force" in said
    assert tree(tmp_path) == before
    assert setup("--force", "--yes") == 0
    assert sorted(commands(settings)) == sorted(EVENTS)


def test_a_plugin_that_is_disabled_is_none(settings: Path) -> None:
    settings.write_text('{"enabledPlugins": {"memd@memd": false}}')

    setup()

    assert sorted(commands(settings)) == sorted(EVENTS)


def test_a_dry_run_shows_the_diff_and_changes_nothing(settings: Path, tmp_path: Path, capfd: Capture) -> None:
    settings.write_text('{\n  "a": "\x7f"\n}\n')
    before = tree(tmp_path)

    assert setup("--dry-run") == 0

    said = capfd.readouterr().out
    assert f"--- {settings}\n+++ {settings}\n@@ -1,3 +1," in said
    assert f"\nnew file {tmp_path}/.claude/skills/memd-recall/SKILL.md, " in said
    assert '\n-  "a": "\\x7f"\n+  "a": "\\x7f",\n+  "hooks": {\n' in said
    assert tree(tmp_path) == before


def test_on_a_terminal_the_diff_is_coloured(
    settings: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    monkeypatch.setattr("memctl.terminal.has_color", lambda refused: not refused)

    setup("--dry-run")
    assert '\n\x1b[32m+  "hooks": {\x1b[0m\n' in capfd.readouterr().out
    setup("--dry-run", "--no-color")
    assert "\x1b" not in capfd.readouterr().out


def test_where_nobody_can_be_asked_it_shows_and_changes_nothing(tmp_path: Path, capfd: Capture) -> None:
    assert main(["setup", "claude-code"]) == 2

    said = capfd.readouterr()
    assert "+++ " in said.out and "--yes" in said.err
    assert not (tmp_path / ".claude").exists()


def test_it_speaks_json(settings: Path, capfd: Capture) -> None:
    assert setup("--json", "--yes") == 0

    told: dict[str, Any] = json.loads(capfd.readouterr().out)
    assert (told["scope"], told["done"]) == ("user", True)
    assert {one["path"]: one["what"] for one in told["changes"]}[str(settings)] == "create"


def test_without_the_extra_the_server_is_left_out_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    monkeypatch.setattr(servers, "can_serve", lambda: False)

    assert setup() == 0

    assert "memd[mcp]" in capfd.readouterr().out
    assert not (tmp_path / ".claude.json").exists()


def test_a_server_or_skill_of_that_name_that_is_another_one_stays(settings: Path, tmp_path: Path) -> None:
    theirs = '{"mcpServers": {"memd": {"command": "docker", "args": ["run", "memd"]}}}'
    (tmp_path / ".claude.json").write_text(theirs)
    skill = tmp_path / ".claude/skills/memd-recall/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("mine")

    assert (setup(), unsetup()) == (0, 0)

    assert ((tmp_path / ".claude.json").read_text(), skill.read_text()) == (theirs, "mine")


def test_a_file_that_changes_meanwhile_is_not_overwritten(
    settings: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    settings.write_text("{}")
    apply = plans.apply

    def late(*given: Any) -> object:
        settings.write_text('{"theirs": 1}')
        return apply(*given)

    monkeypatch.setattr(plans, "apply", late)

    assert setup() == 75
    assert settings.read_text() == '{"theirs": 1}'


def test_in_a_folder_that_is_gone_one_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    codes = [main(line) for line in (["setup", "claude-code", "--dry-run"], ["mcp"])]

    assert codes == [1, 1]
    assert capfd.readouterr().err.count("the folder you are in is gone") == 2


def test_setups_at_the_same_time_know_of_each_other(
    settings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plans.setup

    def with_another(*given: Any) -> object:
        planned = plan(*given)
        monkeypatch.setattr(plans, "setup", plan)
        assert setup("--scope", "project", "--force", "--yes") == 0
        return planned

    monkeypatch.setattr(plans, "setup", with_another)

    assert (setup(), unsetup("--scope", "project", "--yes"), unsetup()) == (0, 0, 0)
    assert [*settings.parent.iterdir(), *(tmp_path / "work").iterdir()] == []


@given(DOCUMENTS, st.sampled_from(["/opt/memctl", "/a b/'c'/memctl", None]))
def test_whatever_the_settings_hold_ours_goes_as_it_came(text: str, memctl: str | None) -> None:
    root = jsonc.parse(text)

    after = hooks.put(text, lambda event: hooks.command(event, memctl))

    assert [hook.event for hook in hooks.find(jsonc.parse(after)) if hook.ours] == EVENTS
    back = hooks.take_out(after, root)
    assert back == text if root.children else jsonc.parse(back).value == root.value


@pytest.fixture
def systemctl(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Path]:
    """A systemd that ends with a code, and notes what it was told; where it notes that."""
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("PATH", f"{installed.parent}:/usr/bin:/bin")
    (installed.parent / "memd").write_text("#!/bin/sh\n")
    (installed.parent / "memd").chmod(0o755)

    def make(code: int) -> Path:
        path = installed.parent / "systemctl"
        path.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/log\nexit {code}\n')
        path.chmod(0o755)
        return tmp_path / "log"

    return make


def test_setup_without_a_word_does_both_and_says_how_to_take_them_back(
    systemctl: Callable[[int], Path], settings: Path, tmp_path: Path, capfd: Capture
) -> None:
    log = systemctl(0)

    assert main(["setup", "--yes"]) == 0

    assert "--user enable --now memd.service" in log.read_text()
    assert sorted(commands(settings)) == sorted(EVENTS)
    said = capfd.readouterr().out
    assert "memctl unsetup claude-code; memctl service uninstall" in said
    once = tree(tmp_path)
    assert main(["setup", "--yes"]) == 0
    assert "memd is a service already" in capfd.readouterr().out
    assert tree(tmp_path) == once


@pytest.mark.parametrize(("flags", "code"), [([], 2), (["--dry-run"], 0), (["--dry-run", "--json"], 0)])
def test_setup_only_shows_both_where_nobody_can_be_asked(
    flags: list[str], code: int, systemctl: Callable[[int], Path], tmp_path: Path, capfd: Capture
) -> None:
    systemctl(0)
    before = tree(tmp_path)

    assert main(["setup", *flags]) == code

    said = capfd.readouterr()
    assert "systemctl" in said.out and "SessionEnd" in said.out
    assert ("--yes" in said.err) is (code == 2)
    assert tree(tmp_path) == before


def test_without_a_supervisor_the_client_is_set_up_all_the_same(
    systemctl: Callable[[int], Path], settings: Path, capfd: Capture
) -> None:
    systemctl(1)

    assert main(["setup", "--yes"]) == 1

    assert "autostart = true" in capfd.readouterr().err
    assert sorted(commands(settings)) == sorted(EVENTS)


@pytest.mark.parametrize(("typed", "code"), [(b"n\ny\n", 1), (b"y\ny\n", 0), (b"", 1)])
def test_on_a_terminal_each_step_is_asked_for(
    typed: bytes,
    code: int,
    systemctl: Callable[[int], Path],
    settings: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: Capture,
) -> None:
    log = systemctl(0)
    answers = iter(typed.decode().splitlines())
    asked: list[str] = []

    def agrees(question: str) -> bool:
        asked.append(question)
        return next(answers, "") == "y"

    monkeypatch.setattr("memctl.terminal.can_ask", lambda: True)
    monkeypatch.setattr("memctl.terminal.agrees", agrees)

    assert main(["setup"]) == code

    assert asked == ["Run memd as a service?", "Change these files?"]
    assert log.exists() is typed.startswith(b"y")
    assert settings.exists() is (b"\ny" in typed)
