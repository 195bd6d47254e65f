"""What the calls of a day may cost. A day is one of UTC: it has 24 hours, and begins for every machine at once."""

from __future__ import annotations

from dataclasses import dataclass

from memd.clock import iso
from memd.errors import BudgetSpent
from memd.ledger.call import Tokens

DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class Caps:
    """At most so many tokens and US dollars a day."""

    tokens: int
    money: float


@dataclass(frozen=True, slots=True)
class Spent:
    """What a day's calls took so far, with the estimates of those whose outcome is not known."""

    tokens: int
    money: float


def begin_of(now_ms: int) -> int:
    """When the present day began."""
    return now_ms - now_ms % DAY_MS


def seconds_left(now_ms: int) -> float:
    """How long until the next day begins."""
    return (begin_of(now_ms) + DAY_MS - now_ms) / 1000


def require_room(caps: Caps, spent: Spent, tokens: Tokens, price: float | None, now_ms: int) -> None:
    """BudgetSpent where the rest of the day's budget does not hold a call."""
    for setting, cap, left, asked in (
        ("tokens_per_day", f"{caps.tokens:,} tokens", caps.tokens - spent.tokens, tokens.all),
        ("money_per_day", _dollars(caps.money), caps.money - spent.money, price or 0.0),
    ):
        if asked > left:
            raise BudgetSpent(_told(setting, cap, now_ms), retry_after_s=seconds_left(now_ms))


def _dollars(amount: float) -> str:
    """Cents, and more digits where they say something."""
    whole, _, part = f"{amount:.9f}".partition(".")
    return f"${whole}.{part.rstrip('0').ljust(2, '0')}"


def _told(setting: str, cap: str, now_ms: int) -> str:
    until = iso(begin_of(now_ms) + DAY_MS)[:16].replace("T", " ")
    return f"a call may take more than is left of the day's {cap} (llm.{setting}): it goes on at {until} UTC"
