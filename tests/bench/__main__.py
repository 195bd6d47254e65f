"""Every bench in one run: ``python -m tests.bench``. Figures are ratios to a floor measured beside them."""

from __future__ import annotations

from tests.bench import client, clients, embedding, living, storing


def main() -> None:
    """Import and search at 10,000 and 100,000 turns, the client's start, many of them, embedding, a daemon at rest."""
    for count in (10_000, 100_000):
        storing.measure(count)
    client.main()
    clients.main()
    embedding.main()
    living.main()


if __name__ == "__main__":
    main()
