"""What people and scripts read: one JSON document, tables, times, sizes, and progress on stderr.

The rule (R13): everything that came from memd passes through ``visible`` on its way to a terminal, and JSON is
ASCII alone.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence

from memctl import terminal
from memctl.arguments import Arguments
from memctl.exits import DONE
from memd.wire.visible import visible

Record = Mapping[str, object]

_BAR = 24  # characters


def document(answer: object) -> str:
    """One line of JSON that no terminal acts on; ``json`` leaves DEL as it is."""
    return json.dumps(answer, ensure_ascii=True).replace("\x7f", "\\u007f") + "\n"


def show(arguments: Arguments, answer: Record, human: str) -> int:
    """Write the answer as it is with ``--json``, else the text for people."""
    terminal.write(document(answer) if arguments.has("json") else human)
    return DONE


def rows(answer: Record, name: str) -> list[Record]:
    """The records under a name; what is no record is left out."""
    found = answer.get(name)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def part(answer: Record, name: str) -> Record:
    """The record under a name; an empty one where there is none."""
    found = answer.get(name)
    return found if isinstance(found, dict) else {}


def plain(value: object) -> str:
    """A value in words, safe to print."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:g}"
        case dict():
            return ", ".join(f"{visible(str(key))} {plain(one)}" for key, one in value.items()) or "none"
        case list():
            return ", ".join(plain(one) for one in value) or "none"
    return visible(str(value))


def line(value: object, most: int = 0) -> str:
    """A value on one line, cut to so many characters."""
    text = plain(value).replace("\n", " ").replace("\t", " ")
    return text[: most - 1] + "…" if most and len(text) > most else text


def table(headings: Sequence[str], cells: Iterable[Sequence[str]], *, color: bool = False) -> str:
    """Columns, each as wide as its widest cell; figures stand to the right."""
    body = [list(row) for row in cells]
    widths = [max(map(len, column)) for column in zip(headings, *body, strict=True)]
    right = [_is_figures([row[at] for row in body]) for at in range(len(headings))]
    lines = [_row(headings, widths, right)]
    if color:
        lines[0] = f"\x1b[1m{lines[0]}\x1b[0m"
    return "\n".join([*lines, *(_row(row, widths, right) for row in body)]) + "\n"


def fields(record: Record) -> str:
    """A name and a value a line."""
    named = [(visible(name.replace("_", " ")), line(value)) for name, value in record.items()]
    wide = max((len(name) for name, _ in named), default=0)
    return "".join(f"{name:<{wide}}  {value}\n" for name, value in named)


def when(value: object) -> str:
    """A time to the minute, UTC, as memd prints it."""
    return visible(str(value))[:16].replace("T", " ") if value else "-"


def size(value: object) -> str:
    """Bytes in the unit that fits."""
    amount = float(value) if isinstance(value, int | float) else 0.0
    for unit in ("B", "KiB", "MiB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GiB"


def dollars(value: object, digits: int, least: int | None = None) -> str:
    """US dollars, rounded to so many digits behind the point unless nothing were left; ``least`` are always shown."""
    if not isinstance(value, int | float):
        return "-"
    whole, _, part = f"{round(value, digits) or value:.9f}".partition(".")
    return f"${whole}.{part.rstrip('0').ljust(digits if least is None else least, '0')}"


def span(value: object) -> str:
    """Seconds as a person says them: the two largest units."""
    if not isinstance(value, int | float):
        return "-"
    left, parts = max(int(value), 0), list[str]()
    for unit, seconds in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        if left >= seconds or (unit == "s" and not parts):
            parts.append(f"{left // seconds} {unit}")
            left %= seconds
        elif parts:
            break
    return " ".join(parts[:2])


class Progress:
    """The events of a long call, on one line of stderr that overwrites itself; silent where that is no terminal.

    ``last`` is the newest event, shown or not. An event's ``share`` of the whole is drawn as a bar.
    """

    def __init__(self) -> None:
        self._shown = terminal.is_terminal(2)
        self._dirty = False
        self.last: Record = {}

    def __call__(self, event: Record) -> None:
        """Show an event."""
        self.last = event
        if not self._shown:
            return
        stage = line(event.get("stage", "working"))
        figures = [_figure(name, value) for name, value in event.items() if name != "stage"]
        text = f"{stage}: {', '.join(figures)}" if figures else stage
        print(f"\r\x1b[K{line(text, terminal.width() - 1)}", end="", file=sys.stderr, flush=True)
        self._dirty = True

    def end(self) -> None:
        """Clear the line."""
        if self._dirty:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._dirty = False


def _figure(name: str, value: object) -> str:
    if name == "bytes":
        return size(value)
    if name == "share" and isinstance(value, int | float):
        done = max(0, min(_BAR, int(value * _BAR)))
        return f"[{'#' * done}{'.' * (_BAR - done)}] {value * 100:.0f} %"
    return f"{plain(value)} {visible(str(name))}"


def _row(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = [
        f"{cell:>{wide}}" if to else f"{cell:<{wide}}"
        for cell, wide, to in zip(cells, widths, right, strict=True)
    ]
    return "  ".join(padded).rstrip()


def _is_figures(column: Sequence[str]) -> bool:
    said = [cell for cell in column if cell != "-"]
    return bool(said) and all(cell.replace(",", "").isdigit() for cell in said)
