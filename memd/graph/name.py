"""Names of entities: how they are shown, how they are compared, and which are no names of things at all."""

from __future__ import annotations

import re
import unicodedata

MOST_CHARS = 100

_QUOTES = "\"'`´“”‘’«»„‚"
_TRAILING = ".,;:!?…" + _QUOTES
_ARTICLE = re.compile(r"\Athe\s+(?=\S)")

_VERSION = re.compile(r"[vV]?\d+(\.\d+)+([.+-]?[A-Za-z0-9])*|v\d{1,3}")  # V8, with a large letter, is a thing
_HASH = re.compile(
    r"(sha-?\d+:)?(?=[0-9a-f]*\d)(?=[0-9]*[a-f])[0-9a-f]{7,64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)
_NUMBERED = re.compile(
    r"((pr|mr|pull request|merge request|issue|ticket|card|bug|task|commit)\s*[#!]?\s*\d+|[\w./-]*[#!]\d+)",
    re.IGNORECASE,
)
# MEMD-1234 is a card; what is numbered of a standard or of a model is a thing.
_CARD = re.compile(r"(?!(?:AES|CVE|ECMA|IEEE|ISO|PEP|RFC|RSA|SHA|UTF|GPT)-)[A-Z][A-Z0-9]{1,9}-\d{3,}")
_BRANCH = re.compile(
    r"main|master|HEAD|(feature|feat|fix|bugfix|hotfix|release|chore|refactor|dependabot|renovate|origin|refs)/\S+"
)


def shown(name: str) -> str:
    """The name in one line, without blanks around it."""
    return " ".join(name.split())


def key(name: str) -> str:
    """What names are compared by: not by case, width, quotes around, punctuation behind or an article before."""
    plain = shown(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()))
    bare = plain.lstrip(_QUOTES + " ").rstrip(_TRAILING + " ")
    return _ARTICLE.sub("", bare) or plain


def why_not(name: str, branch: str | None = None) -> str | None:
    """Why a text names no thing worth a place in the graph; None where it does. ``branch``: what is checked out."""
    bare = shown(name).strip(_QUOTES)
    if len(bare) > MOST_CHARS:
        return "too_long"
    if _VERSION.fullmatch(bare):
        return "version"
    if _HASH.fullmatch(bare):
        return "hash"
    if _NUMBERED.fullmatch(bare) or _CARD.fullmatch(bare):
        return "card"
    if bare == branch or _BRANCH.fullmatch(bare):
        return "branch"
    return None if any(character.isalpha() for character in bare) else "number"
