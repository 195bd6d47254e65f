"""Every bench in one run: ``python -m tests.bench``. Figures are ratios to a floor measured beside them."""

from __future__ import annotations

from tests.bench import (
    client,
    clients,
    embedding,
    entries,
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


if __name__ == "__main__":
    main()
