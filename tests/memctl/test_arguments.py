from __future__ import annotations

import pytest

from memctl.arguments import HelpWanted, VersionWanted, first_word, parse
from memctl.exits import Usage
from memctl.hot import COMMANDS
from memctl.main import all_commands, main
from memd.clock import parse_when
from tests.memctl.conftest import Run

SEARCH = COMMANDS[0]


@pytest.mark.parametrize(
    ("line", "params"),
    [
        ("word", {"query": "word"}),
        ("several words here", {"query": "several words here"}),
        ("-n 5 word", {"query": "word", "limit": 5}),
        ("word -n5", {"query": "word", "limit": 5}),
        ("--limit=100 word", {"query": "word", "limit": 100}),
        ("word --limit 1 --limit 2", {"query": "word", "limit": 2}),  # the last one wins
        ("--in turns word --mode vector", {"query": "word", "in": "turns", "mode": "vector"}),
        (
            "word --all-projects --other-branches",
            {"query": "word", "all_projects": True, "other_branches": True},
        ),
        ("word --project -home-dev-app", {"query": "word", "project": "-home-dev-app"}),  # a slug
        (
            "word --role user --session s --branch b",
            {"query": "word", "role": "user", "session": "s", "branch": "b"},
        ),
        (
            "word --since 7d --until 1d --type task",
            {"query": "word", "since": "7d", "until": "1d", "type": "task"},
        ),
        (
            "word --subagents --include-superseded",
            {"query": "word", "subagents": True, "include_superseded": True},
        ),
        ("--explain -- --limit 3", {"query": "--limit 3", "explain": True}),  # all of it is the query
        ("-- -n", {"query": "-n"}),
        ("a - b", {"query": "a - b"}),
        (
            "--json --no-color --timeout 2 --socket /s --home /h word",
            {"query": "word"},
        ),  # none of memd's business
    ],
)
def test_a_search_is_read(line: str, params: dict[str, object]) -> None:
    assert parse(SEARCH, line.split()).params() == params


@pytest.mark.parametrize(
    "time",
    ["7d", "12h", "2 W", "3mo", "90s", "2026-11-30", "2026-11-30T09:00Z", "2026-11-30 09:00:00.5+01:00"],
)
def test_every_form_of_a_time_that_memd_reads_is_taken(time: str) -> None:
    assert parse(SEARCH, ["word", "--since", time]).params()["since"] == time
    assert parse_when(time, 2_000_000_000_000) > 0


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "QUERY is missing"),
        ("--", "QUERY is missing"),
        ("--limit", "--limit needs a value: N"),
        ("--limit --json word", "--limit needs a value"),
        ("--limit 0 word", "--limit must be a whole number from 1 to 100, not '0'"),
        ("--limit 101 word", "from 1 to 100"),
        ("--limit 1e1 word", "whole number"),
        ("--limit ٣ word", "whole number"),  # a digit elsewhere
        ("--in everything word", "--in must be one of all, turns, entries, native, not 'everything'"),
        ("--json=yes word", "--json takes no value"),
        ("--timeout 0 word", "--timeout must be a number of seconds above 0"),
        ("--timeout nan word", "--timeout must be a number of seconds"),
        ("--timeout inf word", "--timeout must be a number of seconds"),
        ("--limt 3 word", "there is no flag --limt; did you mean --limit?"),
        ("--zzz word", "there is no flag --zzz"),
        ("-x word", "put -- before a text that begins with a dash"),
        ("--type foo word", "--type must be one of fact, preference, decision, event"),
        (
            "--since yesterday word",
            "--since must be a time: 7d, 12h, 2026-11-30 or 2026-11-30T09:00, not 'yesterday'",
        ),
        ("--until 2026-13-01 word", "--until must be a time"),
        ("--since 7x word", "--since must be a time"),
        ("--since d word", "--since must be a time"),
        ("--until 2026-11-30Tnoon word", "--until must be a time"),
        ("--project= word", "--project must be a text"),
        ("--project p --all-projects word", "--project and --all-projects do not go together"),
    ],
)
def test_a_wrong_search_is_told_why(line: str, says: str) -> None:
    with pytest.raises(Usage) as told:
        parse(SEARCH, line.split())

    assert says in told.value.message


def test_a_query_of_white_space_is_empty() -> None:
    with pytest.raises(Usage, match="QUERY is empty"):
        parse(SEARCH, ["  "])


def test_help_and_version_are_asked_for_wherever_they_stand() -> None:
    with pytest.raises(HelpWanted):
        parse(SEARCH, ["word", "-h", "--unknown"])
    with pytest.raises(VersionWanted):
        parse(SEARCH, ["--version"])


@pytest.mark.parametrize(
    ("line", "at"),
    [
        ("search x", 0),
        ("--json search", 1),
        ("--socket /s search", 2),
        ("--socket=/s search", 1),
        ("--json", -1),
    ],
)
def test_the_command_stands_behind_global_flags(line: str, at: int) -> None:
    assert first_word(line.split()) == at


@pytest.mark.parametrize("command", all_commands(), ids=lambda command: command.name)
def test_every_command_has_help_and_json(command: object, capfd: pytest.CaptureFixture[str]) -> None:
    name = getattr(command, "name", "")

    code = main([*name.split(), "--help"])

    said = capfd.readouterr()
    assert (code, said.err) == (0, "")
    assert said.out.startswith(f"usage: memctl {name}")
    assert "--json" in said.out
    assert max(map(len, said.out.split("\n"))) <= 100


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "a command is missing"),
        ("serch x", "there is no command 'serch'; did you mean search?"),
        ("ponder x", "there is no command 'ponder'"),  # of a later version
        ("\x1b[2J", "there is no command '\\x1b[2J'"),
        ("--nosuch search x", "there is no flag --nosuch; a command"),
        ("--limit 3 search x", "a command's own flags stand behind it"),
        ("jobs shw 1", "there is no jobs 'shw'; did you mean show?"),
        ("jobs show", "ID is missing"),
        ("jobs retry", "give an ID, --state or --kind"),
        ("jobs dismiss 1 --state dead", "an ID goes without --state and --kind"),
        ("jobs show 1 2", "one word too many: '2'"),
        ("service", "service needs one of install, uninstall,"),
        ("config set key", "VALUE is missing"),
        ("completion tcsh", "SHELL must be one of bash, zsh, fish, not 'tcsh'"),
        ("import --format csv x", "--format must be one of auto, claude-code"),
        ("search " + "x" * 4097, "longer than 4 KiB"),
        ("search " + "ö" * 2049, "longer than 4 KiB"),
    ],
)
def test_usage_errors_are_one_line_and_2(line: str, says: str, capfd: pytest.CaptureFixture[str]) -> None:
    code = main(line.split(" ") if line else [])

    said = capfd.readouterr()
    assert (code, said.out) == (2, "")
    assert said.err.startswith("memctl: ") and said.err.count("\n") == 1
    assert says in said.err
    assert "--help)" in said.err


@pytest.mark.parametrize("line", [["--version"], ["search", "--version"], ["status", "--json", "--version"]])
def test_the_version_is_that_of_memd(line: list[str], memctl: Run) -> None:
    from memd.version import __version__

    done = memctl(*line)

    assert (done.returncode, done.stdout) == (0, f"memctl {__version__}\n")


def test_help_of_all_lists_every_command(memctl: Run) -> None:
    said = memctl("--help").stdout

    assert all(f"\n  {command.name} " in said for command in all_commands())


def test_help_of_a_group_lists_its_commands(memctl: Run) -> None:
    said = memctl("jobs", "--help").stdout

    assert said.startswith("usage: memctl jobs list|show|retry|cancel|dismiss|pause|resume")
