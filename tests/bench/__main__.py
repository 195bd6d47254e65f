"""Every bench in one run: ``python -m tests.bench``. Figures are ratios to a floor measured beside them."""

from __future__ import annotations

from tests.bench import client, clients, embedding, entries, living, storing, storing_entries


def main() -> None:
    """Import and search at 10,000 and 100,000 turns, 50,000 entries, the client's start, many, embedding, rest."""
    for count in (10_000, 100_000):
        storing.measure(count)
    storing_entries.measure(50_000, 40)
    client.main()
    clients.main()
    embedding.main()
    entries.main()
    living.main()


if __name__ == "__main__":
    main()
