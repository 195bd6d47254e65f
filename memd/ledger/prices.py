"""What a call costs, by the dated list in prices.toml."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memd.ledger.call import Tokens

MILLION = 1_000_000
_FILE = Path(__file__).with_name("prices.toml")


@dataclass(frozen=True, slots=True)
class Rate:
    """US dollars for a million tokens, of calls whose prompt has more than ``above`` tokens."""

    above: int
    input: float
    output: float


def dollars(model: str, tokens: Tokens) -> float | None:
    """The price of a call in US dollars; None where the model's price is not known."""
    cached, rates = _list()
    name = next((known for known in rates if _is_called(known, model)), None)
    if name is None:
        return None
    rate = next(rate for rate in rates[name] if tokens.input > rate.above)
    read = (tokens.input - tokens.cached + cached * tokens.cached) * rate.input
    return (read + tokens.output * rate.output) / MILLION


def _is_called(known: str, model: str) -> bool:
    """Whether a provider's name is that of the model: with region and maker before it, with a date behind it."""
    return re.fullmatch(rf"(?:[\w-]+\.)*{re.escape(known)}(?:[-@:].*)?", model) is not None


@cache
def _list() -> tuple[float, dict[str, list[Rate]]]:
    """The share that cached tokens cost, and the rates of each model, those of the longest prompts first."""
    listed = tomllib.loads(_FILE.read_text("utf-8"))
    rates = {}
    for name, entry in listed["models"].items():
        long = [Rate(**entry["long"])] if "long" in entry else []
        rates[name] = [*long, Rate(-1, entry["input"], entry["output"])]
    return listed["cached"], rates
