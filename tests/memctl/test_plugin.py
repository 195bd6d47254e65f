"""The plugin: its files fit each other, its hooks are silent without memctl, and it names only commands that exist."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memctl.main import commands_of
from memd.version import __version__

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "plugin"
EVENTS = ["SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd"]
SKILLS = sorted(PLUGIN.glob("skills/*/SKILL.md"))


def read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def handlers() -> dict[str, Any]:
    groups = read(PLUGIN / "hooks/hooks.json")["hooks"]
    return {event: handler for event, [group] in groups.items() for handler in group["hooks"]}


def frontmatter(skill: Path) -> dict[str, str]:
    _, head, _ = skill.read_text("utf-8").split("---\n", 2)
    return dict(line.split(": ", 1) for line in head.splitlines())


def test_the_marketplace_offers_the_plugin_where_it_lies() -> None:
    [offered] = read(ROOT / ".claude-plugin/marketplace.json")["plugins"]

    manifest = read(ROOT / offered["source"] / ".claude-plugin/plugin.json")
    assert (offered["name"], manifest["name"]) == ("memd", "memd")


def test_its_version_is_memds() -> None:
    assert read(PLUGIN / ".claude-plugin/plugin.json")["version"] == __version__


def test_nothing_in_it_leads_out_of_its_folder() -> None:
    """It is copied when it is installed."""
    for path in PLUGIN.rglob("*"):
        assert not path.is_symlink()
        assert path.is_dir() or ".." not in path.read_text("utf-8")


def test_every_event_has_one_hook_that_ends_soon() -> None:
    found = handlers()

    assert list(found) == EVENTS
    for event, handler in found.items():
        word = re.sub("(?<!^)([A-Z])", r"-\1", event).lower()
        assert f"memctl hook {word} " in handler["command"]
        assert handler["timeout"] == 5


@pytest.mark.parametrize("event", EVENTS)
def test_a_hook_is_silent_where_memctl_is_missing_or_broken(event: str, tmp_path: Path) -> None:
    shell, command = shutil.which("sh"), handlers()[event]["command"]
    assert shell

    def run() -> tuple[int, str, str]:
        done = subprocess.run(
            [shell, "-c", command], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout, done.stderr

    assert run() == (0, "", "")
    broken = tmp_path / "memctl"
    broken.write_text(f"#!{shell}\necho $2; exit 2\n")
    broken.chmod(0o755)
    code, said, _ = run()
    assert code == 0
    assert said.strip() and f"hook {said.strip()} " in command


def test_its_server_is_memctl() -> None:
    assert read(PLUGIN / ".mcp.json")["mcpServers"] == {
        "memd": {"type": "stdio", "command": "memctl", "args": ["mcp"]}
    }


@pytest.mark.parametrize("skill", SKILLS, ids=lambda path: path.parent.name)
def test_a_skill_says_when_to_use_it(skill: Path) -> None:
    head = frontmatter(skill)

    assert head["name"] == skill.parent.name
    assert "Use when" in head["description"] and len(head["description"]) <= 1024


@pytest.mark.parametrize("skill", SKILLS, ids=lambda path: path.parent.name)
def test_a_skill_names_commands_and_flags_that_there_are(skill: Path) -> None:
    text = skill.read_text("utf-8")
    allowed = set(re.findall(r"Bash\(memctl (\w+):\*\)", frontmatter(skill)["allowed-tools"]))

    named = re.findall(r"`memctl (\w+)([^`]*)`", text)
    assert named
    for word, rest in named:
        [command] = [one for one in commands_of(word) if one.name == word]
        assert set(re.findall(r"--[a-z-]+", rest)) <= {flag.name for flag in command.flags}
        assert word in allowed or word in ("undo", "doctor")  # those are for the user


@pytest.mark.skipif(not shutil.which("claude"), reason="needs claude on PATH")
@pytest.mark.parametrize("folder", [PLUGIN, ROOT], ids=["plugin", "marketplace"])
def test_the_client_finds_nothing_wrong_with_it(folder: Path) -> None:
    done = subprocess.run(
        ["claude", "plugin", "validate", "--strict", str(folder)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
