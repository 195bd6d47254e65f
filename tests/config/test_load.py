"""Settings: what wins, what is refused, and what is said then."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memd.config import load
from memd.config.settings import Key, Settings, keys
from memd.errors import ConfigError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_mc40_the_environment_wins_over_the_file_and_both_are_remembered(file: Path) -> None:
    file.write_text("[search]\nlimit = 7\nmode = 'keyword'\n")

    loaded = load.load(
        file, {"MEMD_SEARCH__LIMIT": "9", "MEMD_EMBEDDER": "hash", "MEMD_IMPORT__SUBAGENTS": "true"}
    )

    assert (loaded.settings.search.limit, loaded.settings.search.mode) == (9, "keyword")
    assert loaded.settings.embedding.embedder == "hash"
    assert loaded.settings.import_.subagents is True
    assert loaded.origins["search.limit"] == "environment MEMD_SEARCH__LIMIT"
    assert loaded.origins["search.mode"] == f"{file}:3"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[search]\nlimt = 3\n", "config.toml:2.*limt.*did you mean search.limit"),
        ("[serach]\nlimit = 3\n", r"config.toml:1.*\[serach\].*did you mean search\?"),
        # the same word stands in another section first
        ("[search]\nmode = 'hybrid'\n[watch]\nmode = 'bogus'\n", "config.toml:4.*watch.mode is 'bogus'"),
        ("[search]\nlimit = " + "9" * 5000 + "\n", "no TOML"),
        ("[search]\nlimit = 'many'\n", "search.limit is 'many'; allowed: 1 to 100"),
        ("[search]\nlimit = 1000\n", "allowed: 1 to 100"),
        ("[search]\nlimit = true\n", "allowed: 1 to 100"),
        ("[search]\nlimit = 7.5\n", "allowed: 1 to 100"),
        ("[governor]\ncpu_share = nan\n", "governor.cpu_share is nan; allowed: 0.05 to 64"),
        ("[governor]\ncpu_share = true\n", "allowed: 0.05 to 64"),
        ("[governor]\ncpu_share = 0\n", "allowed: 0.05 to 64"),
        ("[log]\nformat = 'xml'\n", "allowed: console, json"),
        ("[scoring]\nweight_recency = 0.4\n", "weight_relevance make 1.1 together; they must make 1"),
        ("[memory]\ndedup_conflict = 0.95\n", "above memory.dedup_vector, 0.92; it must be the lower one"),
        ("[review]\nthreshold = 1\n", "review.threshold is 1.0; allowed: 0.01 to 0.99"),
        ("limit = 3\n", "outside any section"),
        ("[search\n", "no TOML"),
    ],
)
def test_mc40_a_wrong_file_is_refused_with_the_place_and_what_is_allowed(
    file: Path, text: str, says: str
) -> None:
    file.write_text(text)

    with pytest.raises(ConfigError, match=says) as caught:
        load.load(file, {})

    assert caught.value.exit_code == 78


@pytest.mark.parametrize(("text", "share"), [("cpu_share = 0.25", 0.25), ("cpu_share = 2", 2.0)])
def test_a_number_with_a_point_may_be_written_without_one(file: Path, text: str, share: float) -> None:
    file.write_text(f"[governor]\n{text}\n")
    assert load.load(file, {}).settings.governor.cpu_share == share

    load.set_value(file, "governor.cpu_share", "0.75")
    assert file.read_text() == "[governor]\ncpu_share = 0.75\n"


@pytest.mark.parametrize("name", ["MEMD_SEARCH__LIMT", "MEMD_NO__SUCH"])
def test_a_wrong_variable_is_refused(file: Path, name: str) -> None:
    with pytest.raises(ConfigError, match=name):
        load.load(file, {name: "1"})


@pytest.mark.parametrize(("content", "says"), [(b"\xff[search]\n", "no UTF-8"), (None, "cannot be read")])
def test_a_file_that_cannot_be_read_is_refused(file: Path, content: bytes | None, says: str) -> None:
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content)

    with pytest.raises(ConfigError, match=says):
        load.load(file, {})


def test_mc40_every_setting_is_described_with_its_origin(file: Path) -> None:
    file.write_text("[search]\nlimit = 7\n")

    rows = {row.key: row for row in load.describe(load.load(file, {"MEMD_LOG_LEVEL": "debug"}))}

    assert set(rows) == set(keys())
    limit = rows["search.limit"]
    assert (limit.value, limit.default, limit.origin) == (7, 10, f"{file}:2")
    assert rows["log.level"].origin == "environment MEMD_LOG_LEVEL"
    assert rows["watch.mode"].origin == "default"
    assert all(row.doc and row.allowed for row in rows.values())


@pytest.mark.parametrize("key", keys().values(), ids=lambda key: key.dotted)
def test_every_default_is_allowed_and_settable_by_its_variable(file: Path, key: Key) -> None:
    text = os.pathsep.join(key.default) if isinstance(key.default, tuple) else str(key.default)

    loaded = load.load(file, {key.variable: text})

    assert loaded.values[key.dotted] == key.default
    assert loaded.settings == Settings()


def test_a_list_comes_from_the_file_or_from_its_variable(file: Path) -> None:
    file.write_text("[import]\nexclude = [\n  '/clients', # all of them\n  \"~/notes\",\n]\n")
    assert load.load(file, {}).settings.import_.exclude == ("/clients", "~/notes")

    listed = os.pathsep.join(["/a", "~/b"])
    assert load.load(file, {"MEMD_IMPORT__EXCLUDE": listed}).settings.import_.exclude == ("/a", "~/b")


@pytest.mark.parametrize("value", ["'/a'", "['a']", "[3]", "[['/a']]", "{}"])
def test_a_list_of_something_else_is_refused(file: Path, value: str) -> None:
    file.write_text(f"[import]\nexclude = {value}\n")

    with pytest.raises(ConfigError, match="a list of texts, each beginning with / or ~/"):
        load.load(file, {})


@pytest.mark.parametrize(
    ("value", "works"), [("", True), ("/k", True), ("~/k", True), ("key", False), ("./k", False)]
)
def test_a_file_is_named_from_the_root_or_from_home(file: Path, value: str, works: bool) -> None:
    env = {"MEMD_LLM__KEY_FILE": value}
    if works:
        assert load.load(file, env).settings.llm.key_file == value
    else:
        with pytest.raises(ConfigError, match="a path beginning with / or ~/"):
            load.load(file, env)


def test_weights_that_do_not_make_one_together_are_not_written(file: Path) -> None:
    file.write_text("[scoring]\nweight_recency = 0.2\nweight_relevance = 0.5\n")

    with pytest.raises(ConfigError, match=r"make 0\.9 together"):
        load.set_value(file, "scoring.weight_importance", "0.2")

    assert load.load(file, {}).settings.scoring.rule().weights.relevance == 0.5


@pytest.mark.parametrize("value", ["mysql://ann:hidden@db/team", "hidden password=hidden"])
def test_a_shared_store_of_another_kind_is_refused_and_its_password_not_told(file: Path, value: str) -> None:
    with pytest.raises(
        ConfigError, match="an address beginning with postgresql:// or postgres://"
    ) as refused:
        load.load(file, {"MEMD_STORE__URL": value})

    with pytest.raises(ConfigError) as listed:
        file.write_text("[store]\nurl = ['postgresql://ann:hidden@db']\n")
        load.load(file, {})

    assert "hidden" not in listed.value.message
    assert "password=hidden" not in refused.value.message and ":hidden" not in refused.value.message


@pytest.mark.parametrize("password", ["hid@den", "hid den", "hid%-den", "hid/den"])
def test_a_password_that_is_not_percent_encoded_is_refused_and_not_told(file: Path, password: str) -> None:
    with pytest.raises(ConfigError, match="%40 for @") as refused:
        load.set_value(file, "store.url", f"postgresql://ann:{password}@db/team")

    assert "hid" not in refused.value.message and "den" not in refused.value.message


def test_the_password_of_the_shared_store_is_not_listed(file: Path) -> None:
    loaded = load.load(file, {"MEMD_STORE__URL": "postgresql://ann:hidden@db/team"})

    shown = {row.key: row.value for row in load.describe(loaded)}["store.url"]

    assert shown == "postgresql://ann:***@db/team"
    assert loaded.settings.store.place == "postgresql://ann:***@db/team#memd"
    assert loaded.settings.store.url == "postgresql://ann:hidden@db/team"


def test_one_reads_oneself_and_whom_one_names_or_everybody(file: Path) -> None:
    some = load.load(file, {"MEMD_STORE__USER_ID": "ann", "MEMD_STORE__USERS": f"bob{os.pathsep}ann"})
    every = load.load(file, {"MEMD_STORE__USERS": "*"})

    assert some.settings.store.read() == ("ann", "bob")
    assert every.settings.store.read() is None
