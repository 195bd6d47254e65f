"""What callers hand in: messages in the shapes of chat programs, and times in any of theirs."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from memd.importers.roles import role_of
from memd.turns.store import MemoryItem, Scope

Message = str | Mapping[str, object]
TEXT_PARTS = ("text", "input_text", "output_text")


def items(
    messages: Message | Sequence[Message],
    scope: Scope,
    timestamp: object,
    metadata: Mapping[str, object] | None,
    clock: Callable[[], datetime],
) -> list[MemoryItem]:
    """The turns that messages hold, those without a text left out.

    ValueError for a role that is none, TypeError for what is no message, or no time.
    """
    given = moment(timestamp) or _aware(clock())
    return [
        MemoryItem(
            uuid.uuid4().hex,
            _role(one),
            text,
            moment(_own_time(one)) or given,
            user_id=scope.user_id,
            agent_id=scope.agent_id,
            run_id=scope.run_id,
            metadata=metadata or {},
        )
        for one in _each(messages)
        if (text := text_of(one)).strip()
    ]


def _each(messages: Message | Sequence[Message]) -> Iterator[Mapping[str, object]]:
    if isinstance(messages, str | Mapping):
        messages = [messages]
    if not isinstance(messages, Sequence):
        raise TypeError(f"messages are a text, a mapping or a list of them, not {type(messages).__name__}")
    for one in messages:
        if isinstance(one, str):
            yield {"role": "user", "content": one}
        elif isinstance(one, Mapping):
            yield one
        else:
            raise TypeError(f"a message is a text or a mapping, not {type(one).__name__}")


def _role(message: Mapping[str, object]) -> str:
    role = role_of(message.get("role"))
    if role is None:
        raise ValueError(
            f"{message.get('role')!r} is no role: use user (or human), assistant (ai, model), system (developer) or "
            "tool (function)"
        )
    return role


def text_of(message: Mapping[str, object]) -> str:
    """The text of a message: its content, or the text parts of it, a line each."""
    content = message.get("content")
    if content is None:
        return ""
    if isinstance(content, str):
        return sound(content)
    if not isinstance(content, Sequence):
        raise TypeError(f"content is a text or a list of parts, not {type(content).__name__}")
    return "\n".join(sound(text) for part in content if (text := _text_of_part(part)) is not None)


def _text_of_part(part: object) -> str | None:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) or part.get("type") not in TEXT_PARTS:
        return None
    text = part.get("text")
    return text if isinstance(text, str) else None


def sound(text: str) -> str:
    """The text. ValueError where it holds half a character, which no store can keep."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"the text is no valid Unicode: half a character at {error.start:,}") from None
    return text


def _own_time(message: Mapping[str, object]) -> object:
    timestamp = message.get("timestamp")
    return message.get("created_at") if timestamp is None else timestamp


def moment(value: object) -> datetime | None:
    """A time in UTC: of a datetime (without a zone: UTC), epoch seconds or ISO text; None of None.

    TypeError for what is none of these, ValueError for a text or a number that means no time.
    """
    match value:
        case None:
            return None
        case datetime():
            return _aware(value)
        case bool():
            pass
        case int() | float():
            return _of_seconds(value)
        case str():
            return _of_text(value)
    raise TypeError(f"a time is a datetime, epoch seconds or ISO text, not {type(value).__name__}")


def _of_seconds(value: float) -> datetime:
    try:
        return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"{value!r} is no time: epoch seconds of the years 1 to 9999") from None


def _of_text(value: str) -> datetime:
    try:
        return _aware(datetime.fromisoformat(value.strip()))
    except (ValueError, OverflowError):
        raise ValueError(f"{value!r} is no time: use ISO 8601, such as 2026-11-30T09:00:00Z") from None


def _aware(value: datetime) -> datetime:
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
