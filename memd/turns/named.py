"""Secrets known by the name they are given to: ``DB_PASSWORD=…``, ``"token": "…"``, ``--passphrase …``.

Names come in any case, so they are sought in a lower-cased ASCII shadow of the text, where a position means the same;
only what follows a name is then judged in the text itself. A value goes when it looks like one that was given, and
stays when it is code, a blank or a plain word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memd.turns import placeholder

Span = tuple[int, int, str]

_SEPARATOR = (
    rb"(?:(?:\\{0,7}[\"'`]\]?|\*\*|\])?[ \t]{0,12}"
    rb"(?P<sign>:=|=>|==?(?!=)|:(?![:/])|[ \t](?:is|was):?(?=[ \t]))[ \t]{0,12}"
    rb"|>(?=[^\s<>]{3,200}</))"
)


def _name(word: str, endings: str = "") -> tuple[str, re.Pattern[bytes]]:
    """A word names a secret also within a longer name: ``db_<word>_prod``."""
    return word, re.compile((word + endings).encode() + rb"(?P<rest>[\w.-]{0,40}?)" + _SEPARATOR)


# Each begins with its word, whole: the search for a pattern's literal head runs at the speed of a plain find.
_NAMES = (
    _name("pass", "(?:word|wd|phrase|code|wort)?"),
    _name("pwd"),
    _name("secret"),
    _name("token"),
    _name("key", "(?<=[a-z0-9_.-]key)"),
)

_BEFORE = re.compile(r"[A-Za-z0-9_.$-]*\Z", re.ASCII)
_REST = re.compile(
    r"(?:s|[_.-]?\d+|[_-]?(?:key|access_?key|value|base|token|secret|pass(?:word)?|string|text|plain(?:text)?)"
    r"|[_.-][a-z0-9_.-]*)?",
    re.ASCII,
)
# Names that end so tell about a secret and do not hold it.
_ABOUT = re.compile(
    r"(?:^|[_.-]|(?<=[a-z]))(?:id|ids|type|types|ur[il]|endpoint|count|name|names|file|path|dir|len|length|size|limit|fields?|"
    r"expir\w*|ttl|at|arn|version|prompt|label|hint|policy|regex|pattern|format|kind|class|index|usage|budget|ref|env|var|"
    r"rotation|strength|error|errors|message|help|description|store|provider|manager|algorithm|alg|hash|hashes|input|"
    r"header|param|command|cmd|func|function|list|map|set|dict|required|enabled|changed|valid|status|info|start|end|"
    r"offset|position|pos|window|per_\w+|s_per_\w+|used|cached)\Z"
)
_OTHER_KEYS = re.compile(
    r"(?:public|primary|foreign|cache|sort|partition|idempotency|object|unique|natural|composite|config|registry|"
    r"translation|message|event|shortcut|keyboard|query|search|dedupe|column|content|routing|page|next|prev|total|"
    r"input|output|prompt|completion|special|cancell?|cancellation|continuation|cursor|"
    r"(?:^|[_.-])(?:row|hash|group|index|map|dict|lookup|i18n|hot|arrow|press|sub|react|node|item|data|host|known|"
    r"state|job|max|min|num|n|eos|bos|pad|unk|mask|cls|sep|stop))[_.-]?\Z"
)
_SURE_KEYS = re.compile(
    r"(?:api|secret|access|private|auth|encryption|encrypt|signing|sign|master|account|shared|service|admin|license|app|"
    r"application|client|subscription|consumer|storage|deploy|webhook|jwt|integration|ingest|license|function|write|read)[_.-]?\Z"
)

_OPENING = re.compile(r"(?P<raw>(?:[bBrRuU]|[fF](?=[\"'][^{}]*[\"']))?)(?P<quote>\\*[\"'`])")
_UNQUOTED = re.compile(
    r"(?:[^\s\"'`,;&<>\\]|[,;&](?=[^\s\"'`,;&<>\\])(?![A-Za-z_][\w. -]{0,40}=)|\\(?![nrt\"'`\\u])|>(?=[^\s]))*+",
    re.ASCII,
)
_CODE = re.compile(
    r"[A-Za-z_][\w.]*(?:\(|\[|\?\.|::|->).*|(?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*|-?\d[\d_.,]*|0x[0-9A-Fa-f]+|"
    r"(?:~|\.{1,2})?/(?:[\w.-]*[a-z_.-]/)*[a-z_.-]*|[A-Za-z]+://.*|[=*|!^#&({\[\\].*|/\*.*|"
    r"[A-Za-z_.]+(?:[|+*][A-Za-z_.]+)+|lambda|not|await|new|get\w*",
    re.ASCII,
)
_HARMLESS = re.compile(
    r"[a-z]+\d{1,3}|[\w-]+\.(?:py|js|ts|json|ya?ml|txt|pem|key|md|toml|cfg)|(?:sha|md|utf|base|rs|hs|es|aes)-?\d+\w*|v?\d+(?:\.\d+)+.*|"
    r"\d{4}-\d\d-\d\d.*|(?:[a-z]+[-_/:. ])+[a-z]*\d{0,2}|(?:[A-Z]+_)+[A-Z]*\d{0,2}|[A-Z]?[a-z]+(?:[A-Z][a-z]+)*\d?",
    re.ASCII,
)
_LABEL = re.compile(
    r"(?i)\b(?:password|passwd|passphrase|token|secret|key|enter|your|must|invalid|required|please|incorrect|forgot|wrong|for|"
    r"the|is|not|to|of|and|or|a|no|with)\b"
)


# As much of a value as is judged; what is taken out then goes on to its end.
_LONG = 500


@dataclass(frozen=True, slots=True)
class _Given:
    """A value with what is known about where it stands."""

    name: str  # as written
    word: str  # the word that makes the name a secret's
    sign: str  # = : := => is was, or -- after a flag
    text: str
    quoted: bool
    tight: bool  # no space on either side of the sign
    line_start: bool  # at most ``export`` before the name


def find(text: str, shadow: bytes) -> Iterator[Span]:
    """Where values stand that are secrets by their name, and of what kind. ``shadow``: the text in lower-case ASCII."""
    for word, pattern in _NAMES:
        done = 0
        for match in pattern.finditer(shadow):
            if match.start() >= done and (span := _judged(text, match, word)):
                yield span
                done = span[1]


def _judged(text: str, match: re.Match[bytes], word: str) -> Span | None:
    before = _BEFORE.search(text, max(0, match.start() - 60), match.start())
    prefix = before[0] if before else ""
    full = text[match.start() - len(prefix) : match.end("rest")]
    lower = full.lower()
    if not _holds(word, prefix, text[match.start() : match.end("rest")], lower, match["rest"].decode()):
        return None
    start, end, quoted = _value(text, match.end())
    if start == end:
        return None
    sign = (match["sign"] or b">").decode().strip(" \t:") or ":"
    at = match.start() - len(prefix)
    given = _Given(
        name=full,
        word=match[0][: match.start("rest") - match.start()].decode(),
        sign=sign,
        text=text[start:end],
        quoted=quoted or sign == ">",
        tight=b" " not in match[0][match.end("rest") - match.start() :],
        line_start=text[:at].endswith(
            ("\n", "export ", "set ", "env ", "\\n", "ENV ", "-e ", ";", "&", "?", "$env:")
        )
        or at == 0,
    )
    if not _is_secret(given):
        return None
    rest = _UNQUOTED.match(text, end) if not quoted and end - start >= _LONG else None
    return start, rest.end() if rest else end, _kind(given.word, lower)


def _holds(word: str, prefix: str, written: str, lower: str, rest: str) -> bool:
    """True if a name of these parts holds a secret itself: not ``tokenizer``, ``password_file``, ``cache_key``."""
    if lower.endswith("private_key_id"):
        return True
    if rest:
        head = written[: len(written) - len(rest)]
        camel = rest[0].isalpha() and written[len(head)].isupper() and head[-1].islower()
        if not camel and not _REST.fullmatch(rest):
            return False
        if _ABOUT.search(rest):
            return False
    stem = prefix.lower()
    if word in ("key", "token"):
        if _OTHER_KEYS.search(stem):
            return False
        if word == "key":
            return bool(stem) and (
                stem[-1] in "_-" or bool(_SURE_KEYS.search(stem)) or (stem[-1] == "." and len(stem) > 1)
            )
    if word == "pass" and not rest and lower.endswith("pass"):
        return not stem or stem[-1] in "_-" or (written[0] == "P" and stem[-1:].isalpha())
    return True


def _value(text: str, at: int) -> tuple[int, int, bool]:
    """Where the value that begins here stands, and whether quotes end it."""
    if opening := _OPENING.match(text, at):
        start, quote = opening.end(), opening["quote"]
        end = text.find(quote, start, start + 2000)
        while end > 0 and len(quote) == 1 and text[end - 1] == "\\" and text[end - 2] != "\\":
            end = text.find(quote, end + 1, start + 2000)
        if end >= 0 and "\n" not in text[start:end]:
            return start, end, True
        at = start
    match = _UNQUOTED.match(text, at, at + _LONG)
    end = match.end() if match else at
    while end > at and text[end - 1] in ".:)]}*,;":
        end -= 1
    return at, end, False


def _is_secret(given: _Given) -> bool:
    value = given.text
    if not placeholder.is_real(value) or value.lower() in given.name.lower() or value[0] in " ,)|":
        return False
    strong = given.word.startswith("pass") or given.word == "pwd"
    if given.sign in ("is", "was"):
        return (_is_random(value, 6 if strong else 12) and not given.quoted) or (
            strong and given.quoted and " " not in value
        )
    if given.quoted:
        return _is_quoted_secret(given, strong)
    if _CODE.fullmatch(value) and not (strong and value.isdigit() and len(value) >= 4 and given.tight):
        return False
    shell = given.tight and "=" in given.sign and (given.line_start or given.name.isupper())
    if strong:
        if shell:
            return len(value) >= 3
        return _is_random(value, 6) or (
            bool(re.search(r"[^\w.]", value)) and len(value) >= 6 and "(" not in value
        )
    if shell and given.name.isupper():
        return len(value) >= 8 and (_is_random(value, 8) or (value.isalpha() and value != value.upper()))
    return _is_random(value, 12 if given.word == "key" else 8)


def _is_quoted_secret(given: _Given, strong: bool) -> bool:
    value = given.text
    if strong:
        if " " in value.strip():
            return len(value) >= 12 and not _LABEL.search(value)
        return len(value) >= 3 and value[0].isascii() and not re.search(r"[=(){}\[\]]{2}|^\W+$", value)
    return " " not in value and _is_random(value, 8 if given.word != "key" else 12)


def _is_random(value: str, least: int) -> bool:
    """True if the value was drawn rather than named: letters and digits mixed beyond a word with a number."""
    if len(value) < least or (
        _HARMLESS.fullmatch(value) and not (least < 8 and len(value) >= 7 and value[-1].isdigit())
    ):
        return False
    return (any(map(str.isdigit, value)) and any(map(str.isalpha, value))) or (
        len(value) >= 24 and value.lower() != value
    )


_KINDS = (
    ("private_key_id", "gcp_key"),
    ("accountkey", "azure_storage_key"),
    ("account_key", "azure_storage_key"),
    ("sharedaccesskey", "azure_storage_key"),
    ("aws_session", "aws_session_token"),
    ("sessiontoken", "aws_session_token"),
    ("secretaccesskey", "aws_secret"),
    ("secret_access_key", "aws_secret"),
    ("aws", "aws_secret"),
    ("discord", "discord_token"),
    ("datadog", "datadog_key"),
    ("cloudflare", "cloudflare_token"),
    ("azure", "azure_ad_secret"),
    ("twilio", "twilio_key"),
    ("mailgun", "mailgun_key"),
    ("heroku", "heroku_key"),
)


def _kind(word: str, name: str) -> str:
    """The kind a name tells of: its owner's, else the sort of secret."""
    for part, kind in _KINDS:
        if part in name:
            return kind
    if (
        word.startswith("pass")
        or word.endswith(("pass", "password", "passwd", "passphrase", "pwd", "pw"))
        or word == "pwd"
    ):
        return "password"
    if "token" in name:
        return "token"
    return "secret" if "secret" in name else "api_key"
