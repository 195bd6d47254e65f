from __future__ import annotations

import shutil
import subprocess

import pytest

from memctl.main import main


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script_of_that_shell(shell: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0

    script = capfd.readouterr().out
    assert "completion" in script and "include-superseded" in script
    if found := shutil.which(shell):
        subprocess.run([found, "-n"], input=script, text=True, check=True)


def test_bash_completes_commands_flags_and_values(capfd: pytest.CaptureFixture[str]) -> None:
    main(["completion", "bash"])
    script = capfd.readouterr().out
    code = (
        '\nCOMP_WORDS=({words} "{last}"); COMP_CWORD=${{#COMP_WORDS[@]}}-1; _memctl; echo "${{COMPREPLY[@]}}"'
    )

    def complete(words: str, last: str) -> str:
        text = script + code.format(words=words, last=last)
        return subprocess.run(["bash"], input=text, capture_output=True, text=True, check=True).stdout.strip()

    assert complete("memctl", "jo") == "jobs"
    assert complete("memctl jobs", "ca") == "cancel"
    assert complete("memctl jobs list", "--st") == "--state"
    assert complete("memctl jobs list --state", "de") == "dead"
    assert complete("memctl search word", "--lim") == "--limit"
