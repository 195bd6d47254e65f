"""Secrets known by the name they are given to: ``DB_PASSWORD=…``, ``"token": "…"``, ``--passphrase …``.

Names come in any case, so they are sought in a lower-cased ASCII shadow of the text, where a position means the same;
only what follows a name is then judged in the text itself. A value goes when it looks like one that was given, and
stays when it is code, a blank or a plain word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memd.turns import placeholder

Span = tuple[int, int, str]

# What may stand between a name and its value; "?" is what the shadow has for a full-width colon. A space alone does
# before quotes, and where a Dockerfile or a .netrc is quoted.
_SEPARATOR = (
    rb"(?:(?:\\{0,7}[\"'`]\]?|\*\*|\])?[ \t]{0,12}"
    rb"(?P<sign>:=|=>|==?(?!=)|:[ \t]?(?:&?(?:'static )?str(?:ing)?|bytes)[ \t]?=(?!=)|:(?![:/])"
    rb"|[ \t](?:is|was):?(?=[ \t])|\||\?)(?:\*\*)?[ \t]{0,12}"
    rb"|>(?=[^\s<>]{3,200}</)|[\"']\s{1,4}value=(?=[\"'])"
    rb"|[ \t]{1,4}(?=[\"'`])|(?P<gap>(?<=password)\s{1,8}(?=[^\s=:|&/(),.-])|[ \t](?=\S{0,20}\d)))"
)


def _sight(words: bytes) -> re.Pattern[bytes]:
    return re.compile(b"(?P<word>" + words + rb")(?P<rest>[\w.-]{0,40}?)" + _SEPARATOR)


# What the shadow must hold, and the sight. Each begins with one literal byte or word, and a rare one: the search skips
# to it at memory speed.
_SIGHTS = (
    (b"p", _sight(rb"p(?:ass(?:word|wd|phrase|code|wort)?|wd|sk)")),
    (b"secret", _sight(rb"secret")),
    (b"k", _sight(rb"k(?:(?<=tok)en|(?<=[a-z0-9_.-]k)ey|(?<=(?:pi|ss|et|te) k)ey|(?<=cook)ie)")),
)
_WHOLE = {"ken": "token", "kie": "cookie"}  # words that are sighted behind their beginning

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
    r"(?:^|[_.-])(?:row|hash|group|gpg|index|map|dict|lookup|i18n|hot|arrow|press|sub|react|node|item|data|host|known|"
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
    r"\d{4}-\d\d-\d\d.*|(?:[a-z]+[-_/:. ])+[a-z]*\d{0,2}|(?:[A-Z]+_)+[A-Z]*\d{0,4}|[A-Z]?[a-z]+(?:[A-Z][a-z]+)*\d?",
    re.ASCII,
)
_LABEL = re.compile(
    r"(?i)\b(?:password|passwd|passphrase|token|secret|key|enter|your|must|invalid|required|please|incorrect|forgot|wrong|for|"
    r"the|is|not|to|of|and|or|a|no|with)\b"
)


_SPOKEN = re.compile(r"(?i)\b(?:api|access|secret|private|license) \Z")
_CJK = re.compile(
    r"(?:密码|密碼|口令|令牌|パスワード|비밀번호)[^\S\n]{0,4}(?:[:：=]|是|为|為|は|는)[^\S\n]{0,4}"
)
_LOGIN = re.compile(r"\blogin\s{1,4}\S{1,64}\s{1,8}\Z")
_LINE_STARTS = ("\n", "export ", "set ", "env ", "\\n", "ENV ", "-e ", ";", "&", "?", "$env:")
_RUN = re.compile(r"[\w+/=.~%!@$-]+", re.ASCII)
_COOKIE_LINE = re.compile(r"[\"']?[^\n\"'\\]{0,4000}")
_COOKIE = re.compile(r"(?P<name>[\w.-]{1,80})=(?P<value>[^\s;,\"'\\]+)")


# As much of a value as is judged; what is taken out then goes on to its end.
_LONG = 500


@dataclass(frozen=True, slots=True)
class _Given:
    """A value with what is known about where it stands."""

    name: str  # as written
    word: str  # the word that makes the name a secret's
    sign: str
    text: str
    quoted: bool
    raw: bool  # r"...": a pattern more often than a secret
    tight: bool  # no space on either side of the sign
    line_start: bool  # at most ``export`` before the name
    ends_line: bool
    behind_login: bool  # as in a .netrc


@dataclass(frozen=True, slots=True)
class _Value:
    """Where a value stands, whether quotes end it, and whether they are those of a raw string."""

    start: int
    end: int
    quoted: bool
    raw: bool


def find(texts: Sequence[str]) -> Iterator[tuple[int, list[Span]]]:
    """Where in which of the texts values stand that are secrets by their name, and of what kind."""
    shadows = [text.encode("ascii", "replace").lower() for text in texts]
    for needs, sight in _SIGHTS:
        for number, shadow in enumerate(shadows):
            if needs in shadow and sight.search(shadow):
                yield number, list(_sighted(texts[number], sight.finditer(shadow)))
    for number, text in enumerate(texts):
        if not text.isascii() and any(sign in text for sign in "密令ワ밀"):
            yield number, list(_told_in_cjk(text))


def _sighted(text: str, matches: Iterator[re.Match[bytes]]) -> Iterator[Span]:
    done = 0
    for match in matches:
        if match.start() < done:
            continue
        for span in _cookies(text, match) if match["word"] == b"kie" else _judged(text, match):
            yield span
            done = span[1]


def _told_in_cjk(text: str) -> Iterator[Span]:
    for match in _CJK.finditer(text):
        value = _value(text, match.end())
        if _is_random(text[value.start : value.end], 6):
            yield value.start, value.end, "password"


def _judged(text: str, match: re.Match[bytes]) -> Iterator[Span]:
    tail = match["word"].decode()
    word = _WHOLE.get(tail, tail)
    begin = match.end("word") - len(word)
    before = _BEFORE.search(text, max(0, begin - 60), begin)
    prefix = before[0] if before else ""
    if not prefix and word == "key" and (spoken := _SPOKEN.search(text, max(0, begin - 20), begin)):
        prefix = spoken[0]
    full = text[begin - len(prefix) : match.end("rest")]
    if not _holds(word, prefix, text[begin : match.end("rest")], full.lower(), match["rest"].decode()):
        return
    value = _value(text, match.end())
    sign = _sign(text, match)
    if value.start == value.end or not sign:
        return
    opening = text[max(0, begin - len(prefix) - 80) : begin - len(prefix)]
    given = _Given(
        name=full,
        word=word,
        sign=sign,
        text=text[value.start : value.end],
        quoted=value.quoted or sign == ">",
        raw=value.raw,
        tight=b" " not in match[0][match.end("rest") - match.start() :],
        line_start=opening.endswith(_LINE_STARTS) or begin == len(prefix),
        ends_line=text[value.end : value.end + 1] in ("", "\n", "\r"),
        behind_login=bool(_LOGIN.search(opening)),
    )
    if not _is_secret(given):
        return
    long = not value.quoted and value.end - value.start >= _LONG
    rest = _UNQUOTED.match(text, value.end) if long else None
    yield value.start, rest.end() if rest else value.end, _kind(word, full.lower())


def _sign(text: str, match: re.Match[bytes]) -> str:
    """What ties the value to the name: = : := => is was > or a space; empty where nothing does."""
    sign = match["sign"]
    if sign is None:
        return " " if match[0][-1:].isspace() else ">"
    if sign == b"?":
        return ":" if text[match.start("sign")] == "：" else ""
    written = sign.decode().strip(" \t")
    return "=" if written.endswith("=") and len(written) > 2 else written.rstrip(":") or ":"


def _cookies(text: str, match: re.Match[bytes]) -> Iterator[Span]:
    """The values of a Cookie header that were drawn; the names and what else it tells stay."""
    if match["sign"] != b":" and match["rest"]:
        return
    line = _COOKIE_LINE.match(text, match.end())
    for pair in _COOKIE.finditer(text, *line.span()) if line else ():
        if _is_random(pair["value"], 12) and pair["name"].lower() not in ("expires", "domain", "path"):
            yield *pair.span("value"), "session_cookie"


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
    stem = prefix.lower().replace(" ", "_")
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


def _value(text: str, at: int) -> _Value:
    """The value that begins here: what the quotes hold, else up to where a bare word ends."""
    raw = False
    if opening := _OPENING.match(text, at):
        start, quote, raw = opening.end(), opening["quote"], opening["raw"] in ("r", "R")
        end = text.find(quote, start, start + 2000)
        while end > 0 and len(quote) == 1 and text[end - 1] == "\\" and text[end - 2] != "\\":
            end = text.find(quote, end + 1, start + 2000)
        if end >= 0 and "\n" not in text[start:end]:
            return _Value(start, end, True, raw)
        at = start
    match = _UNQUOTED.match(text, at, at + _LONG)
    end = match.end() if match else at
    while end > at and text[end - 1] in ".:)]}*,;":
        end -= 1
    return _Value(at, end, False, raw)


def _is_secret(given: _Given) -> bool:
    value = given.text
    if not placeholder.is_real(value) or value.lower() in given.name.lower() or value[0] in " ,)|":
        return False
    strong = given.word.startswith("p")
    if given.sign in ("is", "was", "|", " "):
        return _is_told(given, strong)
    if given.quoted:
        return _is_quoted_secret(given, strong)
    if _CODE.fullmatch(value) and not (strong and value.isdigit() and len(value) >= 4 and given.tight):
        return False
    shell = given.tight and "=" in given.sign and (given.line_start or given.name.isupper())
    if strong:
        if shell or (given.name.isupper() and "_" in given.name and given.ends_line):
            return len(value) >= 3
        return _is_random(value, 6) or (
            bool(re.search(r"[^\w.]", value)) and len(value) >= 6 and "(" not in value
        )
    if shell and given.name.isupper():
        return len(value) >= 8 and (_is_random(value, 8) or (value.isalpha() and value != value.upper()))
    return _is_random(value, 12 if given.word == "key" else 8)


def _is_told(given: _Given, strong: bool) -> bool:
    """True for a secret that a sentence, a table, a Dockerfile or a .netrc names."""
    value = given.text
    if given.name.lower() == "pass":
        return False  # the verb
    if given.sign == " " and given.behind_login and strong:
        return True
    if given.sign == " " and not (given.quoted or given.line_start or strong):
        return False
    if given.quoted:
        return strong and " " not in value and (given.sign != " " or _is_random(value, 6))
    least = (6 if given.sign in ("is", "was") or given.line_start else 8) if strong else 12
    return _is_random(value, least) and not _CODE.fullmatch(value)


def _is_quoted_secret(given: _Given, strong: bool) -> bool:
    value = given.text
    if given.raw and re.search(r"[\[({|\\]", value):
        return False  # a pattern
    if strong:
        if " " in value.strip():
            enough = 3 if given.tight and given.name.isupper() else 12
            return len(value) >= enough and not _LABEL.search(value)
        return len(value) >= 3 and value[0].isascii() and not re.search(r"[=(){}\[\]]{2}|^\W+$", value)
    return " " not in value and _is_random(value, 8 if given.word != "key" else 12)


def _is_random(value: str, least: int) -> bool:
    """True if the value was drawn rather than named: letters and digits mixed beyond a word with a number."""
    if len(value) < least or (
        _HARMLESS.fullmatch(value) and not (least < 8 and len(value) >= 7 and value[-1].isdigit())
    ):
        return False
    return (any(map(str.isdigit, value)) and any(map(str.isalpha, value))) or (
        len(value) >= 24 and value.lower() != value and bool(_RUN.fullmatch(value))
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
