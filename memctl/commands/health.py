"""How memd is: status, stats."""

from __future__ import annotations

from memctl import output, terminal
from memctl.arguments import Arguments
from memctl.client import ask
from memctl.command import Command
from memctl.output import line, part, plain, span


def status(arguments: Arguments) -> int:
    """One calm screen: that it works, what it holds, and what does not work."""
    answer = ask(arguments, "status")
    return output.show(arguments, answer, _screen(answer, terminal.has_color(arguments.has("no_color"))))


def stats(arguments: Arguments) -> int:
    """What is stored and what was passed over."""
    answer = ask(arguments, "stats")
    return output.show(arguments, answer, _figures(answer))


def _screen(answer: output.Record, color: bool) -> str:
    bold, warn, off = ("\x1b[1m", "\x1b[33m", "\x1b[0m") if color else ("", "", "")
    ready = "is ready" if answer.get("ready") else "is starting"
    head = f"{bold}memd {line(answer.get('version'))} {ready}{off}"
    lines = [f"{head}, up {span(answer.get('uptime_s'))}, pid {line(str(answer.get('pid')))}"]
    lines += [f"  {name:<10} {said}" for name, said in _lines(answer)]
    for trouble in output.rows(answer, "degraded"):
        lines.append(f"{warn}! {line(trouble.get('what'))}{off} (since {output.when(trouble.get('since'))})")
        if trouble.get("hint"):
            lines.append(f"    {line(trouble.get('hint'))}")
    return "\n".join(lines) + "\n"


def _lines(answer: output.Record) -> list[tuple[str, str]]:
    counts, jobs, watch = part(answer, "counts"), part(answer, "jobs"), part(answer, "watch")
    embedder, llm = part(answer, "embedder"), part(answer, "llm")
    roots = watch.get("roots")
    name = line(embedder["name"]) if embedder.get("name") else "no embedder"
    found = [
        ("watching", f"by {line(watch.get('mode'))}, last scan {_ago(watch.get('last_scan_age_s'))}"),
        *[("", line(root)) for root in (roots[:8] if isinstance(roots, list) else [])],
        (
            "turns",
            f"{plain(counts.get('turns'))} in {plain(counts.get('sessions'))} sessions, {_files(counts)}",
        ),
        ("entries", plain(counts.get("entries"))),
        *_observed(part(counts, "observations")),
        ("by meaning", f"{plain(counts.get('embedded_pct'))} % embedded, {name}{_building(embedder)}"),
        *_signs(counts),
        ("jobs", _jobs(jobs)),
        *[("", _paused(kind)) for kind in output.rows(jobs, "paused_kinds")],
        (
            "left out",
            f"{plain(counts.get('bad_lines'))} bad lines, {plain(counts.get('redactions'))} redactions",
        ),
        ("memory", _memory(answer)),
        ("database", line(answer.get("database"))),
        ("socket", line(answer.get("socket"))),
    ]
    if store := part(answer, "store"):
        found.append(("store", _store(store)))
    if llm.get("provider"):
        spent = f"{plain(llm.get('spent_today'))} of {plain(llm.get('cap'))} tokens today"
        spent += ", by itself" if llm.get("by_itself") else ", only when you ask"
        found.append(("llm", f"{line(llm['provider'])}, {line(llm.get('model'))}, {spent}"))
    return [pair for pair in found if pair != ("entries", "0")]


def _observed(logs: output.Record) -> list[tuple[str, str]]:
    """What stands in observation logs, where there are some."""
    if not logs.get("logs"):
        return []
    told = f"{plain(logs.get('records'))} records in {plain(logs.get('logs'))} logs"
    for name in ("waiting", "set_aside"):
        told += f", {plain(logs[name])} {name.replace('_', ' ')}" if logs.get(name) else ""
    return [("observed", told)]


def _store(store: output.Record) -> str:
    """The store that is shared: where and as whom, and how far it is told and heard."""
    counts = ", ".join(f"{plain(store.get(name))} {name}" for name in ("told", "waiting", "heard"))
    answers = "" if store.get("reachable") else ", does not answer"
    if store.get("reachable") is None:
        answers = ", not asked yet"
    return f"{line(store.get('url'))}, {line(store.get('table'))}, as {line(store.get('user_id'))}: {counts}{answers}"


def _memory(answer: output.Record) -> str:
    governor = part(answer, "governor")
    told = f"{plain(answer.get('memory_mb'))} MB"
    if governor:
        told += f" of {plain(governor.get('memory_ceiling_mb'))}"
    works = part(answer, "counts").get("embed_waiting")
    if works and governor.get("background") not in (None, "free"):
        told += f", background work {line(governor['background'])}"
    return told


def _building(embedder: output.Record) -> str:
    coming = part(embedder, "building")
    return f"; {line(coming.get('name'))} is built, {plain(coming.get('percent'))} %" if coming else ""


def _signs(counts: output.Record) -> list[tuple[str, str]]:
    """How much is still ranked without its tokens, where something is."""
    left = counts.get("token_signs_waiting")
    return [("", f"signs of tokens are being added, {plain(left)} vectors to go")] if left else []


def _jobs(jobs: output.Record) -> str:
    told = [f"{plain(jobs.get(state))} {state}" for state in ("queued", "running", "retry", "dead")]
    if jobs.get("paused"):
        told.append(f"{plain(jobs['paused'])} paused")
    return ", ".join(told)


def _paused(kind: output.Record) -> str:
    return f"{line(kind.get('kind'))} is paused: {line(kind.get('reason'))}"


def _files(counts: output.Record) -> str:
    """The transcripts; logs are told of apart."""
    logs = part(counts, "observations")
    files = _less(counts.get("files"), logs.get("logs"))
    missing = _less(counts.get("missing_files"), logs.get("missing_logs"))
    return f"{plain(files)} files" + (f" ({plain(missing)} gone)" if missing else "")


def _less(all_: object, some: object) -> object:
    return all_ - some if isinstance(all_, int) and isinstance(some, int) else all_


def _ago(seconds: object) -> str:
    return "not finished yet" if seconds is None else f"{span(seconds)} ago"


def _figures(answer: output.Record) -> str:
    projects = output.rows(answer, "projects")
    text = output.fields(
        {name: value for name, value in answer.items() if name not in ("projects", "memory")}
    )
    memory = part(answer, "memory")
    if memory.get("total"):
        text += "\nENTRIES\n" + output.fields({name: value for name, value in memory.items() if value != {}})
    if projects:
        cells = [(line(row.get("name")), plain(row.get("turns"))) for row in projects]
        text += "\n" + output.table(("PROJECT", "TURNS"), cells)
    return text


COMMANDS = (
    Command(
        "status",
        "say how memd is: what it watches, holds, and cannot do",
        status,
        story="Ends with 0 also where something is degraded: those lines begin with an exclamation mark.",
    ),
    Command("stats", "count what is stored and what was left out", stats),
)
