"""Large histories of other programs into a running memd: ``python -m tests.bench.importing [MiB]``.

A ChatGPT-shaped archive of 1 GiB and JSON lines of 300 MiB (the argument shrinks both), and what memd's memory was at
most. Each is imported twice: the second time nothing is new.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.process import cpu_s, peak_mb
from tests.bench.storing import words
from tests.importers.exports import chatgpt
from tests.process.conftest import Box

CONVERSATION_TURNS = 60


def texts() -> Iterator[str]:
    """Words of about a kilobyte."""
    draw, vocabulary = random.Random(11), words()
    while True:
        size = min(3000, int(draw.lognormvariate(4.6, 1.1)) + 3)
        start = draw.randrange(len(vocabulary) - size)
        yield f"turn{draw.getrandbits(40):x} " + " ".join(vocabulary[start : start + size])


def conversations(size: int) -> Iterator[bytes]:
    """Conversations of so many bytes together."""
    said, made, number = texts(), 0, 0
    while made < size:
        talk = chatgpt.conversation(number, CONVERSATION_TURNS)
        for node in talk["mapping"].values():
            if node["message"]:
                node["message"]["content"]["parts"] = [next(said)]
        raw = json.dumps(talk).encode()
        made, number = made + len(raw) + 2, number + 1
        yield raw


def archive(path: Path, size: int) -> None:
    """An export as it is downloaded."""
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as whole,
        whole.open("conversations.json", "w", force_zip64=True) as file,
    ):
        lead = b"["
        for raw in conversations(size - (1 << 20)):
            file.write(lead + raw)
            lead = b", "
        file.write(b"]")


def lines(path: Path, size: int) -> None:
    """Plain messages, a line each."""
    said = texts()
    with path.open("wb") as file:
        while file.tell() < size:
            record = {"role": "user", "content": next(said), "session_id": f"s{file.tell() >> 20}"}
            file.write(json.dumps(record).encode() + b"\n")


def measure(box: Box, path: Path) -> None:
    """Import a file and print how it went."""
    assert box.process
    pid = box.process.pid
    used, began = cpu_s(pid), time.perf_counter()
    command = [sys.executable, "-m", "memctl", "import", str(path), "--json"]
    report = json.loads(subprocess.run(command, env=box.env, capture_output=True, check=True).stdout)
    print(
        f"{path.name}: {report['imported']:,} turns new, {report['duplicates']:,} known, {report['errors']};"
        f" wall {time.perf_counter() - began:.0f} s, CPU {cpu_s(pid) - used:.0f} s, peak {peak_mb(pid):.0f} MB"
    )


def main() -> None:
    """Print the figures."""
    mib = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
    for name, make, size in (("chatgpt.zip", archive, mib << 20), ("lines.jsonl", lines, mib * 300 << 10)):
        box = Box()
        path = box.root / name
        make(path, size)
        try:
            box.start()
            measure(box, path)
            measure(box, path)
        finally:
            box.kill()
            shutil.rmtree(box.root)


if __name__ == "__main__":
    main()
