"""Writing one setting: what is changed, what stays, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.config import load
from memd.errors import ConfigError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "[search]\nlimit = 12\n"),
        ("[search]", "[search]\nlimit = 12\n"),
        ("# mine\n", "# mine\n\n[search]\nlimit = 12\n"),
        # a comment behind the old value stays
        (
            "[search]\n# few\nlimit = 3 # three\nmode = 'keyword'\n",
            "[search]\n# few\nlimit = 12 # three\nmode = 'keyword'\n",
        ),
        # a header with blanks, and a section that is not the first
        (
            "[log]\nlevel = 'info'\n[ search ]\n  mode = 'vector'\n",
            "[log]\nlevel = 'info'\n[ search ]\nlimit = 12\n  mode = 'vector'\n",
        ),
        (
            "[search]\n  limit=3\n\n[watch]\nmode = 'poll'\n",
            "[search]\n  limit = 12\n\n[watch]\nmode = 'poll'\n",
        ),
    ],
)
def test_the_other_lines_stay_as_they_are(file: Path, before: str, after: str) -> None:
    file.write_text(before)

    load.set_value(file, "search.limit", "12")

    assert file.read_text() == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[import]\nexclude = ["/a \\"b\\"", "/c"]\n'),
        ("[import]\nexclude = ['/old'] # mine\n", '[import]\nexclude = ["/old", "/c"] # mine\n'),
        (
            '[import]\nexclude = [\n  "/old", "/x]y",\n]\nsubagents = true\n',
            '[import]\nexclude = ["/old", "/x]y", "/c"]\nsubagents = true\n',
        ),
    ],
)
def test_a_list_is_changed_from_what_stands_in_the_file(file: Path, before: str, after: str) -> None:
    file.write_text(before)

    new = load.change_list(file, "import.exclude", lambda old: [*(old or ['/a "b"']), "/c"])

    assert file.read_text() == after
    assert load.load(file, {}).settings.import_.exclude == tuple(new)


def test_a_list_with_comments_in_it_is_left_to_its_owner(file: Path) -> None:
    text = "[import]\nexclude = [\n  '/a', # the first\n]\n"
    file.write_text(text)

    with pytest.raises(ConfigError, match="edit it by hand"):
        load.change_list(file, "import.exclude", lambda old: [*old, "/b"])

    assert file.read_text() == text


def test_texts_are_quoted_and_a_sign_inside_quotes_is_no_comment(file: Path) -> None:
    file.write_text("[embedding]\nembedder = 'fastembed:a#b' # which\n")

    load.set_value(file, "embedding.embedder", 'fastembed:"x" #y')

    assert file.read_text() == '[embedding]\nembedder = "fastembed:\\"x\\" #y" # which\n'
    assert load.load(file, {}).settings.embedding.embedder == 'fastembed:"x" #y'


def test_the_file_is_for_its_owner_alone_and_nothing_lies_beside_it(file: Path) -> None:
    load.set_value(file, "import.subagents", "yes")

    assert load.load(file, {}).settings.import_.subagents is True
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("text", ["search = { limit = 3 }\n", "search.limit = 3\n"])
def test_a_way_of_writing_that_cannot_be_edited_is_left_alone(file: Path, text: str) -> None:
    file.write_text(text)

    with pytest.raises(ConfigError, match="edit it by hand"):
        load.set_value(file, "search.limit", "12")

    assert file.read_text() == text


@pytest.mark.parametrize(
    ("key", "value"), [("search.limit", "0"), ("search.limt", "3"), ("log.format", "xml")]
)
def test_what_is_not_allowed_is_not_written(file: Path, key: str, value: str) -> None:
    with pytest.raises(ConfigError, match="this command"):
        load.set_value(file, key, value)

    assert not file.exists()


def test_a_file_that_is_wrong_already_is_said_to_be(file: Path) -> None:
    file.write_text("[log]\nlevel = 'loud'\n")

    with pytest.raises(ConfigError, match=r"config.toml:2: log.level is 'loud'"):
        load.set_value(file, "search.limit", "12")


def test_a_linked_file_stays_linked(file: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text("# mine\n")
    file.symlink_to(real)

    load.set_value(file, "search.limit", "12")

    assert file.is_symlink()
    assert real.read_text() == "# mine\n\n[search]\nlimit = 12\n"


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "config.toml").symlink_to(tmp_path / "taken" / "config.toml" / "loop")

    with pytest.raises(ConfigError, match="cannot be"):
        load.set_value(tmp_path / "taken" / "config.toml", "search.limit", "12")
