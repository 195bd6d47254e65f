"""Whatever happens to the logs between looks, the graph is that of their records, each counted once."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.intake.home import Home
from tests.rows import database
from tests.sources.logs import line, log, record
from tests.tasks.absorbing import House

NAMES = ("Redis", "the redis", "app", "APP", "Kafka")
TYPES = {"r": "tool", "a": "project", "k": "service", "t": "tool"}
FILES = 3

Said = tuple[int, str, str, bool]  # the log, two names, whether their types are told
Step = tuple[str, int, int]

SAID = st.lists(
    st.tuples(st.integers(0, FILES - 1), st.sampled_from(NAMES), st.sampled_from(NAMES), st.booleans()),
    min_size=1,
    max_size=12,
)
STEP = st.tuples(
    st.sampled_from(("write", "cut", "scan", "absorb", "restart")),
    st.integers(0, FILES - 1),
    st.integers(0, 9),
)


def logs(said: Sequence[Said]) -> list[list[bytes]]:
    """The lines of each log. The records of all of them are of one time, a minute apart."""
    files: list[list[bytes]] = [[] for _ in range(FILES)]
    for number, (file, one, other, typed) in enumerate(said):
        files[file].append(
            line(
                record(
                    number,
                    entities=[{"name": one, "entity_type": TYPES[one[0].lower()] if typed else None}],
                    relationships=[{"source": one, "target": other, "context": f"said in {number}"}],
                )
            )
        )
    return files


def graph_of(
    folder: pytest.TempPathFactory, files: Sequence[Sequence[bytes]], steps: Sequence[Step]
) -> object:
    """The graph after these steps and a last look at the whole logs."""
    place = folder.mktemp("logs")
    with database(place) as db:
        home, house = Home(place, db), House(db)
        home.start()
        try:
            for step, file, much in [*steps, *(("write", n, 99) for n in range(FILES)), ("absorb", 0, 0)]:
                path = home.logs[0] / f"2026-11-0{file + 1}.jsonl"
                if step == "write":
                    path.unlink(missing_ok=True)
                    log(home.logs[0], *files[file][:much], day=path.stem)
                elif step == "cut" and path.exists():
                    path.write_bytes(path.read_bytes()[: much * 40])
                elif step == "scan":
                    home.settle()
                elif step == "absorb":
                    home.settle()
                    house.absorb()
                elif step == "restart":
                    home.stop()
                    home.start()
        finally:
            home.stop()
        return house.graph()


@settings(deadline=None, max_examples=12)
@given(SAID, st.lists(STEP, max_size=10))
def test_the_graph_is_that_of_the_records_in_whatever_order_they_came(
    tmp_path_factory: pytest.TempPathFactory, said: list[Said], steps: list[Step]
) -> None:
    """MC16, MC17, W19: logs that are written, cut short, replaced and read in any order."""
    files = logs(said)

    assert graph_of(tmp_path_factory, files, steps) == graph_of(tmp_path_factory, files, ())
