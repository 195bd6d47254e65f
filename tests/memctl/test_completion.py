"""Completion in the shells themselves, where they are there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from memctl.main import main
from tests.memctl.completions import FOLDER, written

# What is typed, with the word that is completed last, and what must be offered for it.
CASES = [
    ("memctl jo", "jobs"),
    ("memctl jobs ca", "cancel"),
    ("memctl jobs list --st", "--state"),
    ("memctl jobs list --state de", "dead"),
    ("memctl search word --lim", "--limit"),
    ("memctl search --limit 5 --in ent", "entries"),
    ("memctl hook user", "user-prompt-submit"),
    ("memctl session 5f", "5f3a0c1e"),
    ("memctl forget --session 5f", "5f3a0c1e"),
]
ZSH = """
compdef() {} ; compadd() { shift; print -rl -- ${(M)@:#$PREFIX*} } ; _files() {}
source "$1"; shift; words=("$@"); CURRENT=$#; PREFIX=$words[-1]; _memctl
"""
BASH = """
source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _memctl; printf '%s\\n' "${COMPREPLY[@]}"
"""
FISH = "source $argv[1]; complete -C (string join -- ' ' $argv[2..])"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with one session."""
    folder = tmp_path / ".claude" / "projects" / "-home-dev-app"
    folder.mkdir(parents=True)
    (folder / "5f3a0c1e.jsonl").touch()
    return tmp_path


def shell(name: str) -> str:
    """Where it is; the test is skipped where it is not there."""
    return shutil.which(name) or pytest.skip(f"no {name} on this machine")


def offered(command: list[str], file: str, line: str, home: Path) -> list[str]:
    """What a shell offers for a line, with no program in its reach."""
    done = subprocess.run(
        [*command, str(FOLDER / file), *line.split(" ")],
        capture_output=True,
        text=True,
        check=True,
        env={"HOME": str(home), "PATH": "/nowhere", "LC_ALL": "C.UTF-8"},
    )
    assert done.stderr == ""
    return [told.split("\t")[0] for told in done.stdout.split("\n") if told]  # fish tells what each is for


@pytest.mark.parametrize("name", written())
def test_what_the_wheel_brings_is_what_the_commands_are_today(name: str) -> None:
    assert (FOLDER / name).read_text() == written()[name], "run: python -m tests.memctl.completions"


@pytest.mark.parametrize(
    ("name", "file"), [("bash", "memctl.bash"), ("zsh", "_memctl"), ("fish", "memctl.fish")]
)
def test_completion_prints_a_script_of_that_shell(
    name: str, file: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", name]) == 0

    script = capfd.readouterr().out
    assert script == written()[file]
    subprocess.run([shell(name), "-n"], input=script, text=True, check=True)


@pytest.mark.parametrize(("line", "word"), CASES)
def test_bash_completes_without_a_program(line: str, word: str, home: Path) -> None:
    assert offered([shell("bash"), "-c", BASH, "bash"], "memctl.bash", line, home) == [word]


@pytest.mark.parametrize(("line", "word"), CASES)
def test_zsh_completes_without_a_program(line: str, word: str, home: Path) -> None:
    assert offered([shell("zsh"), "-fc", ZSH, "zsh"], "_memctl", line, home) == [word]


@pytest.mark.parametrize(("line", "word"), CASES)
def test_fish_completes_without_a_program(line: str, word: str, home: Path) -> None:
    assert offered([shell("fish"), "-c", FISH], "memctl.fish", line, home) == [word]


@pytest.mark.parametrize("line", ["memctl search --project ", "memctl import ", "memctl --socket /"])
def test_bash_leaves_files_to_itself(line: str, home: Path) -> None:
    words = offered([shell("bash"), "-c", BASH, "bash"], "memctl.bash", line, home)

    assert not [word for word in words if not word.startswith("--")]


def test_bash_offers_no_session_where_none_is(tmp_path: Path) -> None:
    assert offered([shell("bash"), "-c", BASH, "bash"], "memctl.bash", "memctl session 5", tmp_path) == []
