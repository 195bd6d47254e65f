"""Who is asked: by the setting, and by the key that is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.errors import ModelUnauthorized
from memd.providers.llm import key
from memd.providers.llm.frames import Model
from memd.providers.llm.open import open_model
from tests import messages_api

KEYS = {"ANTHROPIC_API_KEY": messages_api.KEY}


@pytest.mark.parametrize(
    ("provider", "env", "name"),
    [
        ("auto", {}, None),  # without a key nobody is asked
        ("auto", KEYS, "anthropic"),
        ("auto", {"ANTHROPIC_AUTH_TOKEN": "t"}, "anthropic"),
        ("anthropic", {}, "anthropic"),  # it was asked for: the missing key is told of
        ("bedrock", {}, "bedrock"),
        ("claude-cli", KEYS, "claude-cli"),
        ("none", KEYS, None),
    ],
)
def test_the_setting_and_the_key_say_who_is_asked(
    provider: str, env: dict[str, str], name: str | None
) -> None:
    model = open_model(Model(provider, "claude-haiku-5-5", None, 5.0), env)

    assert (model.name if model else None) == name


def test_a_key_file_is_a_key(tmp_path: Path) -> None:
    file = tmp_path / "key"
    before = open_model(Model("auto", "claude", file, 5.0), {})
    file.write_text(messages_api.KEY)
    after = open_model(Model("auto", "claude", file, 5.0), {})

    assert before is None
    assert after is not None and after.name == "anthropic"


@pytest.mark.parametrize(
    ("mode", "held", "works"),
    [
        (0o600, messages_api.KEY, True),
        (0o644, messages_api.KEY, False),  # others can read it
        (0o600, "", False),
        (0o600, "two words", False),
    ],
)
def test_a_key_file_must_be_for_its_owner_alone(tmp_path: Path, mode: int, held: str, works: bool) -> None:
    file = tmp_path / "key"
    file.write_text(held + "\n")
    file.chmod(mode)
    if works:
        assert key.find({}, file).api_key == held
    else:
        with pytest.raises(ModelUnauthorized, match=r"llm\.key_file") as caught:
            key.find({}, file)
        assert held not in caught.value.message or not held


def test_what_a_login_gave_is_a_token(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("sk-ant-oat01-of-a-login")
    file.chmod(0o600)

    found = key.find({}, file)

    assert (found.api_key, found.auth_token) == (None, "sk-ant-oat01-of-a-login")
    assert "sk-ant" not in repr(found)
