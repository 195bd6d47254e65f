"""Values that stand where a secret would stand and are none: blanks to fill in, references, types, words."""

from __future__ import annotations

import re

# The whole value is a blank: <your key here>, xxxx, ***, ..., ${VAR}, $VAR, {{ var }}, %s, %(name)s, [REDACTED:x]
_BLANK = re.compile(
    r"<.*>|<[a-z]+|\[.*\]|[xX]{3,}|[*.•…_#?-]+|\$\{.*|\$\(.*|\$[A-Za-z_][\w.:]*|\{.*\}|%[sdr]|%\(\w+\)[sdr]|%[A-Za-z_]+%|"
    r"@\w+@|#\{.*",
    re.DOTALL,
)
_WORDS = frozenset(
    """null none nil yes no on off
    true false undefined empty string str text bytes number int integer bool boolean object
    array any unknown required optional missing invalid expired hidden redacted masked removed secret
    password passwd passphrase token key apikey api_key value todo tbd changeme change_me placeholder
    example dummy default self this new""".split()  # noqa: SIM905
)
_SPELT = re.compile(
    r"(?i)(?:your|my|the|some|an?|insert|enter|replace|example|dummy|fake|sample|placeholder|redacted|change)"
    r"(?:[-_ ]?(?:your|my|the|me|own|real|actual|here|openai|anthropic|github|api|secret|access|auth|db|new|super|with|"
    r"password|passwd|passphrase|token|key|value|it|this|goes))+[-_ .!]{0,3}"
)
_REFERENCE = re.compile(
    r"(?:os\.environ|os\.getenv|getenv|process\.env|import\.meta|Deno\.env|System\.getenv|ENV\[|env\.|env\(|"
    r"vault:|op://|secrets\.|vars\.|settings\.|config\.|self\.|this\.|arn:|file:|ref\+|ssm:|keyring:|https?://)"
)


def is_real(value: str) -> bool:
    """True unless the value is a blank, a reference to a secret kept elsewhere, or a plain word such as ``None``."""
    return not (
        value.lower() in _WORDS
        or _BLANK.fullmatch(value)
        or _SPELT.fullmatch(value)
        or _REFERENCE.match(value)
    )


_PROSE = frozenset(
    """to is are was be flag flags option options and or for from the a an with argument arguments in on as can
    will which must should if when not instead requires via parameter value stdin string file path that
    this it by at into has without using so but then also does takes support env only""".split()  # noqa: SIM905
)


def is_argument(value: str) -> bool:
    """True if a value after a flag is one, not a metavariable, another flag or the next word of a sentence."""
    bare = value.rstrip(".:)]")
    if not bare or bare.startswith(("-", "(", "/")):
        return False
    return bare.lower() not in _PROSE and not (bare.isupper() and bare.isalpha()) and is_real(bare)
