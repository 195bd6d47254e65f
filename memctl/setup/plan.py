"""What setup and unsetup would change, decided before anything is: values that are shown, then applied.

The rule: a file that cannot be changed stops the whole plan, so nothing is ever done by half.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from memctl.setup import file, hooks, jsonc, servers, skills, standing
from memctl.setup.jsonc import BOM, Node, NoJson
from memctl.setup.places import PROJECT, Places
from memctl.setup.record import Record

_SPACE = " \t\r\n" + BOM
_NEW = "{}\n"  # what is written into where there was no file; one that was blank is told from it by its end


@dataclass(frozen=True, slots=True)
class Change:
    """A file as it is and as it shall be; None where there is none."""

    path: str
    before: bytes | None
    after: bytes | None


@dataclass(slots=True)
class Plan:
    """Every change, and what is to be said beside them."""

    changes: list[Change] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, path: str, before: bytes | None, after: bytes | None) -> None:
        """One more change, unless it is none."""
        if before != after:
            self.changes.append(Change(path, before, after))


def setup(where: Places, memctl: str, flags: Sequence[str], record: Record) -> Plan:
    """Hooks, server and skills into Claude Code; what stands there already as it should is left."""
    plan = Plan()
    shared = where.scope == PROJECT  # others use its files too, and have their memctl elsewhere
    path = None if shared else memctl
    _edit(plan, where.settings, lambda text: hooks.put(text, lambda event: hooks.command(event, path, flags)))
    if servers.can_serve():
        _edit(plan, where.servers, lambda text: servers.put(text, path or "memctl", flags))
    else:
        plan.notes.append(f"the MCP server is left out, it needs an extra: {servers.EXTRA}")
    for skill, text in skills.files(where.skills).items():
        _add_skill(plan, skill, text.encode(), record)
    return plan


def unsetup(where: Places, record: Record) -> Plan:
    """All of that out again: a file that is as setup left it goes back as it was, else ours alone goes."""
    plan = Plan()
    _restore(plan, where.settings, hooks.take_out, record)
    _restore(plan, where.servers, servers.take_out, record)
    for skill, text in skills.files(where.skills).items():
        now = file.read(skill)
        if now is not None and (record.as_left(skill, now) or now == text.encode()):
            plan.add(skill, now, record.before(skill))
        elif now is not None:
            plan.notes.append(f"{skill} was changed by hand, and stays")
    return plan


def apply(change: Change, record: Record) -> str | None:
    """Change a file, after a copy of it is kept; where that lies."""
    if change.after is None:
        raise ValueError("setup removes nothing")
    copy = record.keep(change.path, change.before, change.after)
    record.made += file.write(change.path, change.after, change.before)
    record.save()
    return copy


def undo(change: Change, record: Record) -> None:
    """Change a file back."""
    file.write(change.path, change.after, change.before)
    record.forget(change.path, change.after)
    if change.after is None:
        skills.leave_no_folder(change.path)


def doubled(env: Mapping[str, str], cwd: str, where: Places) -> str | None:
    """Why hooks would run twice, if they would."""
    there = standing.elsewhere(env, cwd, where.settings)
    return f"memd's hooks come from {there} already, and would run twice" if there else None


def _add_skill(plan: Plan, path: str, text: bytes, record: Record) -> None:
    now = file.read(path)
    if now is None or now == text or record.as_left(path, now):
        plan.add(path, now, text)
    else:
        plan.notes.append(f"{path} is there already, and stays as it is")


def _edit(plan: Plan, path: str, edit: Callable[[str], str]) -> None:
    before = file.read(path)
    text = _NEW if before is None else _text(path, before)
    if not text.strip(_SPACE):
        text += "{}"
    plan.add(path, before, _edited(path, text, edit).encode())


def _restore(plan: Plan, path: str, take_out: Callable[[str, Node | None], str], record: Record) -> None:
    now, before = file.read(path), record.before(path)
    if now is None:
        return
    as_left = record.as_left(path, now)
    left, original = (before, None) if as_left else (now, _node(before))
    if left and (text := _text(path, left)).strip(
        _SPACE
    ):  # what was there before may hold an older hook of ours
        left = _edited(path, text, lambda text: take_out(text, original)).encode()
    plan.add(path, now, None if left != now and left and _was_made(path, left, record) else left)


def _was_made(path: str, left: bytes, record: Record) -> bool:
    """Whether nothing is left in a file that setup made: by the record, else by how a file of its making reads."""
    if path in record:
        return record.before(path) is None and left.split() == [b"{}"]
    return left == _NEW.encode() and file.mode(path) == file.PRIVATE


def _edited(path: str, text: str, edit: Callable[[str], str]) -> str:
    try:
        if not isinstance(jsonc.parse(text).value, dict):
            raise NoJson("it holds no object")
        return edit(text)
    except NoJson as error:
        raise file.refused(path, str(error), "mend it") from None


def _text(path: str, content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise file.refused(path, "it is no UTF-8 text", "mend it") from None


def _node(content: bytes | None) -> Node | None:
    try:
        return jsonc.parse((content or b"").decode())
    except (NoJson, UnicodeDecodeError):
        return None
