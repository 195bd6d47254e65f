"""What a call costs, by the list of November 2026."""

from __future__ import annotations

import pytest

from memd.ledger import prices
from memd.ledger.call import Tokens

HAIKU, SONNET, OPUS = "claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5"
MILLION = 1_000_000


@pytest.mark.parametrize(
    ("model", "tokens", "price"),
    [
        (HAIKU, Tokens(100_000, 0, 0), 0.01),
        (HAIKU, Tokens(0, 0, MILLION), 0.50),
        (HAIKU, Tokens(100_001, 0, 0), 0.0500005),  # a long prompt makes the whole call dear
        (HAIKU, Tokens(200_000, 0, MILLION), 0.10 + 2.50),
        (HAIKU, Tokens(10_000, 10_000, 0), 0.0001),  # what the provider had cached costs a tenth
        (SONNET, Tokens(MILLION, 0, MILLION), 12.0),
        (OPUS, Tokens(MILLION, MILLION // 2, MILLION), 2.0 + 0.2 + 20.0),
        (f"{HAIKU}-20261015", Tokens(MILLION // 10, 0, 0), 0.01),
        (f"eu.anthropic.{HAIKU}-20261015-v1:0", Tokens(MILLION // 10, 0, 0), 0.01),
        ("claude-haiku-5", Tokens(1, 0, 1), None),  # another model
        ("claude-haiku-5-50", Tokens(1, 0, 1), None),
        (f"claude-cli:{HAIKU}", Tokens(1, 0, 1), None),  # a login is not charged by the call
    ],
)
def test_the_price_of_a_call(model: str, tokens: Tokens, price: float | None) -> None:
    assert prices.dollars(model, tokens) == (None if price is None else pytest.approx(price, abs=1e-12))
