"""Values that stand where a secret would stand and are none: blanks to fill in, references, types, words."""

from __future__ import annotations

import re

# The whole value is a blank: <your key here>, xxxx, ***, ..., ${VAR}, $VAR, {{ var }}, %s, %(name)s, [REDACTED:x]
_BLANK = re.compile(
    r"<.*|\[.*|[xX*.•…_#?-]+|\$.*|\{.*|%[sdr]|%\(.*|%[A-Za-z_]+%|@.*@|\(.*|!\w.*|&\w.*|\\.*|/\*.*|#.*", re.DOTALL
)
_WORDS = frozenset(
    """null none nil true false undefined empty string str text bytes number int integer bool boolean object array any
    unknown required optional missing invalid expired hidden redacted masked removed secret password passwd passphrase
    token key apikey api_key value todo tbd changeme change_me placeholder example dummy default self this new""".split()
)
_SPELT = re.compile(
    r"(?i)(?:your|my|the|some|an?|insert|enter|replace|example|dummy|fake|sample|placeholder|redacted|change)[-_ ]?"
    r"(?:your|my|the|me|own|real|actual|here|openai|anthropic|api|secret|access|auth|db|new|github|super)?[-_ ]*"
    r"(?:password|passwd|passphrase|token|secret|key|here|value|it|this|me)*[-_ ]*(?:here|goes|with|value|key|token)*.{0,3}"
)
_REFERENCE = re.compile(
    r"(?:os\.environ|os\.getenv|getenv|process\.env|import\.meta|Deno\.env|System\.getenv|ENV\[|env\.|env\(|vault:|op://|"
    r"secrets\.|vars\.|settings\.|config\.|self\.|this\.|arn:|file:|ref\+|ssm:|keyring:|https?://)"
)


def is_real(value: str) -> bool:
    """True unless the value is a blank, a reference to a secret kept elsewhere, or a plain word such as ``None``."""
    return not (
        value.lower() in _WORDS or _BLANK.fullmatch(value) or _SPELT.fullmatch(value) or _REFERENCE.match(value)
    )
