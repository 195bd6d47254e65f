"""The language model as a running memd tells of it, without asking it anything."""

from __future__ import annotations

import json
from pathlib import Path

from tests import messages_api
from tests.process.conftest import Box


def test_a_key_in_the_environment_is_seen_never_shown_and_spends_nothing(box: Box) -> None:
    with messages_api.serving() as api:
        box.env |= api.env()
        box.env["MEMD_LLM__TOKENS_PER_DAY"] = "5000"
        box.start()
        box.write("the lamp stands left")
        box.settle()

        status = box.ask("status")
        assert (status["llm"]["provider"], status["llm"]["model"]) == ("anthropic", "claude-haiku-5-5")
        assert (status["llm"]["spent_today"], status["llm"]["cap"]) == (0, 5000)
        assert status["llm"]["by_itself"] is False
        ledger = box.ask("ledger")
        assert ledger["calls"] == []
        assert (ledger["today"]["tokens"], ledger["today"]["cap_money"]) == (0, 0.25)
        _, checks = box.diagnose()
        assert checks["llm"]["state"] == "ok" and "ANTHROPIC_API_KEY" in checks["llm"]["detail"]
        assert "only when you ask" in checks["llm"]["detail"]
        told = json.dumps([status, ledger, checks, box.ask("config", "list")]) + box.log()
        assert messages_api.KEY not in told
        assert not api.asked
        assert (
            "pydantic_core" not in Path(f"/proc/{status['pid']}/maps").read_text()
        )  # the SDK is not in memd


def test_doctor_says_what_is_wrong_with_a_key_file(box: Box) -> None:
    file = box.root / "key"
    file.write_text(messages_api.KEY)
    file.chmod(0o644)
    box.env["MEMD_LLM__KEY_FILE"] = str(file)
    box.start()

    code, checks = box.diagnose()

    assert code == 1
    assert checks["llm"]["state"] == "fault" and "chmod 600" in checks["llm"]["detail"]
