"""A running memd at rest and at work: ``python -m tests.bench.living``.

Memory before, with and after the model, CPU at rest, and how soon an appended line is found by word and by meaning.
"""

from __future__ import annotations

import statistics
import time

from tests.bench.process import cpu_s, memory_mb
from tests.process.conftest import Box

APPENDS = 200
REST_SECONDS = 20


def waited(box: Box, query: str, mode: str) -> float:
    """Seconds until the query finds something."""
    began = time.perf_counter()
    while not box.ask("search", query, "--mode", mode, "--all-projects")["results"]:
        if time.perf_counter() - began > 30:
            return float("inf")
    return time.perf_counter() - began


def main() -> None:
    """Print the figures."""
    box = Box()
    box.env["MEMD_EMBEDDER"] = "bundled"
    box.env["MEMD_EMBEDDING__IDLE_SECONDS"] = "10"
    try:
        for n in range(500):
            box.write(f"word{n} of a note about the build and the cache", n % 20)
        box.start()
        assert box.process
        pid = box.process.pid
        box.settle("--embedded")
        print(f"RSS MB with the model: {memory_mb(pid):.0f}")
        by_word = []
        for n in range(APPENDS):
            box.write(f"tail{n}word appended", n % 20)
            by_word.append(waited(box, f"tail{n}word", "keyword") * 1000)
        print(
            f"appended line found by word, ms: median {statistics.median(by_word):.0f}, most {max(by_word):.0f}"
        )
        box.settle("--embedded")
        meanings = ("the harbour freezes in winter", "parrots learn to speak", "bread needs yeast and time")
        questions = ("ice in the port", "birds that talk", "baking a loaf")
        by_meaning = []
        for text, question in zip(meanings, questions, strict=True):
            box.write(text)
            by_meaning.append(waited(box, question, "vector"))
        print(f"by meaning, s: most {max(by_meaning):.1f}")
        time.sleep(25)
        used = cpu_s(pid)
        time.sleep(REST_SECONDS)
        print(
            f"at rest: {(cpu_s(pid) - used) * 100 / REST_SECONDS:.2f} % of a core, RSS MB {memory_mb(pid):.0f}"
        )
    finally:
        box.kill()


if __name__ == "__main__":
    main()
