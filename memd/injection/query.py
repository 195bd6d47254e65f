"""What of a prompt is looked for: nothing where it says next to nothing, and of a long one the ends."""

from __future__ import annotations

import re

from memd.text import fence, words

LONGEST = 1_200  # characters that are looked for
MEANT = 240  # characters whose meaning is: some sixty tokens, and a model takes four times as long for all of them
LEAST_WORDS = 2  # that tell something

_COMMAND = re.compile(r"/[\w:-]*(?:\s|\Z)|!")
_CODE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)

# What answers, agrees or sends on, and is about nothing.
_NOTHING = """
    yes yeah yep yup nope okay sure right correct exactly agreed fine good great nice perfect cool awesome thanks thank
    thx please continue proceed go ahead next done stop wait again retry try undo redo keep going carry do does make it
    this that these those one first second third option work works worked ready now both all none fix run show look
    looks see sounds help need want like know think sorry hello morning ok lgtm ship
    ja nein weiter bitte danke oui non merci continuer gracias continua vale bien
"""
_TELLS_NOTHING = frozenset(words.stem(word) for word in _NOTHING.split())


def of(prompt: str) -> str | None:
    """What to look for; None of a prompt that is a command, or says too little to look for."""
    text = fence.unfenced(prompt).strip()
    if not text or _COMMAND.match(text):
        return None
    if len(text) > LONGEST:
        text = _ends(_CODE.sub(" ", text).strip() or text, LONGEST)
    return text if len(telling(text)) >= LEAST_WORDS else None


def telling(text: str) -> set[str]:
    """The stems of its words that say what it is about."""
    return {stem for stem in words.stems(text) if len(stem) > 1} - _TELLS_NOTHING


def meant(text: str) -> str:
    """The part whose meaning is looked for: nobody who has typed a prompt waits for more."""
    return _ends(text, MEANT)


def _ends(text: str, longest: int) -> str:
    """Where a person says what a long text is for: before it, and behind it."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half].rsplit(None, 1)[0]}\n{text[-half:].split(None, 1)[-1]}"
