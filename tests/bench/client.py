"""What a search and a hook cost at the client: `memctl` against a bare interpreter, in turns.

``python -m tests.bench.client`` prints one table. The daemon is a fake in this process, so the figures hold the
client alone; CPU time is that of the child process, as the kernel counts it. A hook has something to print.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

from tests.memctl.events import CONTEXT, EVENTS
from tests.memctl.fake_daemon import Message, running

RUNS = 200
TARGET = 1.6
ROOT = Path(__file__).parents[2]


def script(folder: Path) -> Path:
    """A copy of ``memctl/bin/memctl`` with this interpreter in its first line, as an installer would write it."""
    made = folder / "memctl"
    text = (ROOT / "memctl/bin/memctl").read_text()
    made.write_text(text.replace("#!python\n", f"#!{sys.executable}\n"))
    made.chmod(0o755)
    return made


def cost(command: list[str], env: dict[str, str], said: Path) -> tuple[float, float]:
    """CPU and wall milliseconds of one run that reads this file."""
    began = time.perf_counter()
    with said.open("rb") as stdin:
        child = subprocess.Popen(command, env=env, stdin=stdin, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{command} ended with {child.returncode}")
    return (usage.ru_utime + usage.ru_stime) * 1000, wall * 1000


def reply(request: Message) -> Message:
    """What memd would answer: ten hits as text, or the context for a prompt."""
    text = "".join(f"2026-11-30 09:00  user  app  {n:016x}\n    {'word ' * 60}\n\n" for n in range(10))
    output = CONTEXT if request["method"] == "hook" else text
    return {"v": 1, "id": request["id"], "ok": True, "result": {"output": output, "pid": 1, "version": "0"}}


def main() -> int:
    """Measure and print; 1 where the target is missed."""
    with running(reply) as daemon, tempfile.TemporaryDirectory() as folder:
        program = str(script(Path(folder)))
        event = Path(folder, "event.json")
        event.write_text(json.dumps(EVENTS["user-prompt-submit"]))
        env = {"PATH": os.environ["PATH"], "MEMD_SOCKET": daemon.path, "PYTHONPATH": str(ROOT)}
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "memctl search": [program, "search", "how do we rebuild the index"],
            "memctl hook": [program, "hook", "user-prompt-submit"],
            "memctl ping": [program, "ping"],
            "memctl status": [program, "status"],
        }
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(RUNS):
            for name, command in commands.items():
                found[name].append(cost(command, env, event))
    floor = median(cpu for cpu, _ in found["python -c pass"])
    print(f"{'process':<16} {'CPU ms':>8} {'wall ms':>8} {'p95':>8} {'x floor':>8}")
    for name, runs in found.items():
        cpu, wall = median(one for one, _ in runs), [one for _, one in runs]
        late = quantiles(wall, n=20)[-1]
        print(f"{name:<16} {cpu:8.1f} {median(wall):8.1f} {late:8.1f} {cpu / floor:8.2f}")
    ratios = {name: median(cpu for cpu, _ in found[f"memctl {name}"]) / floor for name in ("search", "hook")}
    print(
        f"target: at most {TARGET} x the floor; {', '.join(f'{name} {r:.2f}' for name, r in ratios.items())}"
    )
    return int(max(ratios.values()) > TARGET)


if __name__ == "__main__":
    sys.exit(main())
