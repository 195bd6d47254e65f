"""Every bench in one run: ``python -m tests.bench``; one of them: ``python -m tests.bench injecting``.

Figures are ratios to a floor measured beside them.
"""

from __future__ import annotations

import sys
from importlib import import_module

from tests.bench import (
    client,
    clients,
    embedding,
    entries,
    injecting,
    living,
    recall_latency,
    recalling,
    storing,
    storing_entries,
)


def main() -> None:
    """Import, search, entries, the client's start, many of them, embedding, rest, and what recall finds and costs."""
    for count in (10_000, 100_000):
        storing.measure(count)
    storing_entries.measure(50_000, 40)
    client.main()
    clients.main()
    embedding.main()
    entries.main()
    living.main()
    recalling.main()
    recall_latency.measure()
    injecting.main()


if __name__ == "__main__":
    for name in sys.argv[1:]:
        import_module(f"tests.bench.{name}").main()
    if not sys.argv[1:]:
        main()
