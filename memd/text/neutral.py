"""Stored text made unable to act on a model (R13), with as little change as can be, and back again.

Three things are done. A character that hides, turns or drives a terminal is spelled out: ``⟨U+202E⟩``. Where a tag, a
role or a token of a chat begins, a dot is put inside: ``<·/system-reminder>``, ``[·INST]``, ``·Human:``. And where a
fence of code is left open, so that what follows would stand in it, each fence line of the text gets that dot. What the
text itself has of these signs gets one dot more, so that ``restored`` gives back every text as it was.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

DOT = "·"

# Joiners are letters' own business in Arabic, Persian and the scripts of India, and within emoji.
_JOINED = "\u0600-\u06ff\u0750-\u077f\u0900-\u0dff\u2600-\u27bf\ufe0f\U0001f000-\U0001faff"
# What a variation selector may follow: signs that become a picture by it. Elsewhere it carries what nobody sees.
_PICTURES = "\u00a9\u00ae\u2000-\u32ff\U0001f000-\U0001faff0-9#*"
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    f"|\r(?!\n)|(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}])|(?<![{_PICTURES}])[\ufe0e\ufe0f]"
    f"|⟨(?={DOT}*U\\+[0-9A-F]{{4,6}}⟩)"
)
_SPELLED = re.compile(f"⟨(?:({DOT})(?={DOT}*U\\+[0-9A-F]{{4,6}}⟩)|U\\+([0-9A-F]{{4,6}})⟩)")

_LESS = r"<|&(?:amp;)*(?:lt|#0*60|#x0*3c);?|\\u003c|\\x3c|%3c"
_MORE = r"(?:>|&(?:amp;)*(?:gt|#0*62|#x0*3e);?|\\u003e|\\x3e|%3e)"
_SLASH = r"(?:/|\\/|&(?:amp;)*(?:sol|#0*47|#x0*2f);?|\\u002f|%2f)"
_SPACE = r"\s{0,20}"
# Tags of memd and of those it speaks with, whatever follows them.
_TAGS = (
    r"memd\b|memd[-_]\w*|system[-_]reminder|user-prompt-submit-hook|session-start-hook|post-tool-use-hook"
    r"|command-(?:name|message|args)|local-command-\w+|task-notification|function_(?:calls?|results?)|invoke|antml:\w+"
    r"|tool_(?:use|result|calls?|response)"
)
# Names that are tags of other things as well: only where nothing but the tag's end follows.
_ROLES = "system|developer|user|human|assistant|model|tool"
_BARE = rf"{_ROLES}|instructions?|context|memory|memories|s|bos|eos|sys|think|thinking|(?:start|end)_of_turn"
_SPEAKER = r"human|assistant|system(?: (?:message|note|prompt|reminder))?|user|developer|ai|claude|model"

_ACTING = re.compile(
    rf"(?P<tag>{_LESS})(?P<in_tag>{DOT}*)(?={_SPACE}{_SLASH}?{_SPACE}(?:{_TAGS})|\|[^|<>\n]{{1,40}}\|>"
    rf"|{_SPACE}{_SLASH}{_SPACE}(?:{_BARE}){_SPACE}{_MORE})"
    # List<User> is code
    rf"|(?<!\w)(?P<name>{_LESS})(?P<in_name>{DOT}*)(?={_SPACE}(?:{_BARE}){_SPACE}{_SLASH}?{_SPACE}{_MORE})"
    rf"|(?P<bracket>\[)(?P<in_bracket>{DOT}*)(?={_SLASH}?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\])"
    rf"|^(?P<line>[ \t>*_#]{{0,12}})(?P<in_line>{DOT}*)(?=(?:{_SPEAKER})[*_]{{0,3}}[ \t]{{0,4}}:)"
    rf"|^(?P<margin>[ \t]*+)(?P<fence>{DOT}*)(?=```|~~~)",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE = re.compile(r"^[ \t]*+(`{3,}+(?=[^`\n]*$)|~{3,}+)([^\n]*)$", re.MULTILINE)

# Letters and brackets of other alphabets that look like those of the names above.
_LOOKS_LIKE = str.maketrans(
    "аеорсухіѕԁтмнкАЕОРСУХІЅТМНКΑΕΟΡΥΧΙΤΜΗΚαορνιυı‹›❮❯〈〉",
    "aeopcyxisdtmhkAEOPCYXISTMHKAEOPYXITMHKaopviui<><><>",
)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


def neutral(text: str) -> str:
    """The text with nothing in it that closes a fence, speaks as somebody, or cannot be seen."""
    spelled = _HIDDEN.sub(_spell, text)
    open_fence = _leaves_fence_open(spelled)
    return _dotted(spelled, lambda dots, kind: DOT + dots if dots or open_fence or kind != "fence" else "")


def restored(text: str) -> str:
    """The text of which ``neutral`` made this."""
    return _SPELLED.sub(_unspell, _dotted(text, lambda dots, _: dots[1:]))


def _dotted(text: str, dots: Callable[[str, str], str]) -> str:
    """The text with other dots at each place where something could act; what is there and of what kind is handed in."""
    pieces: list[str] = []
    at = 0
    for match in _ACTING.finditer(_folded(text)):
        kind = str(match.lastgroup)
        start, end = match.span(kind)
        pieces += text[at:start], dots(text[start:end], kind)
        at = end
    return "".join(pieces) + text[at:]


def _folded(text: str) -> str:
    """The text with plain letters for those that look like them, each in its place."""
    return text if text.isascii() else _NOT_ASCII.sub(lambda match: _fold(match[0]), text)


@lru_cache(4_096)
def _fold(character: str) -> str:
    plain = unicodedata.normalize("NFKC", character).translate(_LOOKS_LIKE)
    return plain if len(plain) == 1 else character


def _spell(match: re.Match[str]) -> str:
    return f"⟨{DOT}" if match[0] == "⟨" else f"⟨U+{ord(match[0]):04X}⟩"


def _unspell(match: re.Match[str]) -> str:
    return "⟨" if match[1] else chr(int(match[2], 16))


def _leaves_fence_open(text: str) -> bool:
    opened = ""
    for match in _FENCE.finditer(text):
        mark, rest = match[1], match[2]
        if not opened:
            opened = mark
        elif mark[0] == opened[0] and len(mark) >= len(opened) and not rest.strip():
            opened = ""
    return bool(opened)
