"""Secrets known by where they stand: in a URL, a command line, a header, a private key's frame."""

from __future__ import annotations

from memd.turns import placeholder
from memd.turns.rule import Family, Rule, has_digits, is_basic, is_mixed, shape, token

URL = Family.of(
    "/",
    r"/(?:(?<=1/)/0[\w-]{30}|(?<=:/)/(?:[^\s/\"'<>]{1,300}@|[^\s/:@\"'<>]{1,80}:[^\s:@\"'<>]{1,200}@|hooks\.slack|"
    r"[\w.-]{0,80}webhook\.office|[\w.]{0,20}discord(?:app)?\.com/api|"
    r"[^\s\"'<>?]{0,300}\?[^\s\"'<>]{0,300}sig=))",
    token("google_oauth_token", "1//0", 30),
    shape(
        "slack_webhook",
        "hooks.slack",
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[\w/+-]{16,}+",
    ),
    shape("discord_webhook", "/api/webhooks/", r"/api/webhooks/(?P<secret>\d{15,22}/[\w-]{40,}+)"),
    shape("teams_webhook", "webhook.office", r"webhook\.office\.com/(?P<secret>[\w@/-]{40,}+)"),
    shape("azure_sas", "sig=", r"[?&;]sig=(?P<secret>[A-Za-z0-9%+/=]{40,}+)"),
    shape(
        "url_password",
        "://",
        r"://(?P<user>[^\s/:@\"'<>\\]{0,80}+):(?P<secret>[^\s/\"'<>\\]{1,200})@(?=[\w.\[$-])",
        placeholder.is_real,
    ),
    # a slash that should have been written %2F; behind a port it is a path
    shape(
        "url_password",
        "://",
        r"://[^\s/:@\"'<>\\]{0,80}+:(?P<secret>(?!\d{1,5}/)[^\s:@\"'<>\\]{1,200})@(?=[\w.\[$-])",
        placeholder.is_real,
    ),
    shape("url_password", "://", r"(?<!ssh)://(?P<secret>[A-Za-z0-9_-]{20,200}+)@(?=\w)", has_digits),
)

_FLAG_VALUE = (
    r"(?:[ \t]{1,4}[\"']?+|[\"'],\s{0,4}[\"'])(?P<secret>(?<=\")[^\"\n]{1,400}(?=\")|(?<=')[^'\n]{1,400}(?=')|"
    r"(?<![\"'])[^\s\"'`<>|;,\\]++)"
)


def _flag(kind: str, names: str) -> Rule:
    names = rf"--(?:[a-zA-Z0-9]{{1,20}}+[-_]){{0,4}}?(?:{names})"
    return shape(kind, "--", names + _FLAG_VALUE, placeholder.is_argument)


COMMAND = Family.of(
    "-",
    r"-(?<![\w-]-)(?:u(?=[ =]?[\"']?[\w.@+-]{1,64}:)|[pa]|"
    r"-(?=[\w-]{0,60}(?:pass|pwd|token|secret|key|user)))",
    _flag("password", "password|passwd|passphrase|pass|pwd"),
    _flag("token", "token"),
    _flag("api_key", "secret|(?:api|access|secret|auth|account|private)-?key"),
    shape(
        "basic_auth",
        "curl wget http",
        r"\s-(?:u|-user)[ =]?(?P<quote>[\"'])?[\w.@+-]{1,64}:"
        r"(?P<secret>(?(quote)[^\"'\n]{1,200}|[^\s\"'$<{:][^\s\"']*+))",
        placeholder.is_real,
    ),
    shape("password", "sshpass", r"sshpass\s+-p\s?[\"']?(?P<secret>[^\s\"'$<]+)"),
    shape(
        "password",
        "mysql mariadb",
        r"(?:mysql|mariadb)[\w-]{0,10}[^\n|;]{0,120}?\s-p[\"']?(?P<secret>[^\s\"'$<]{3,}+)",
    ),
    shape(
        "password",
        "docker podman helm",
        r"\slogin\s[^\n|;]{0,120}?\s-p[ =][\"']?(?P<secret>[^\s\"'$<]{3,}+)",
    ),
    shape("password", "redis-cli", r"redis-cli[^\n|;]{0,120}?\s-a[ =][\"']?(?P<secret>[^\s\"'$<]{3,}+)"),
)

# A line of a key may stand behind a quotation mark of mail, a line number, or an escaped line break.
_MARGIN = r"(?:\s|\\+[nrt]|[>|#*+]|\d{1,5}(?:\t|→|[:|]\s))*+"
_KEY_LINE = (
    rf"{_MARGIN}(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash)[^\n\\]{{0,100}}+|[A-Za-z0-9+/=]{{20,}}+)"
)
_LAST_LINE = rf"(?:(?:\r?\n|\\+n){_MARGIN}[A-Za-z0-9+/]{{1,63}}={{0,2}}(?=\s*(?:\n|\\|[\"']|\Z)))?"
_PEM = (
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]*+(?:-(?!----)[^-]*+)*+-----END [A-Z0-9 ]{0,60}-----"
    rf"|(?:{_KEY_LINE})*+{_LAST_LINE})"
)

CAPITALS = Family.of(
    "Y",
    r"Y(?:(?<=PRIVATE KEY)|(?<=PuTTY)|(?<=IDENTIFIED BY)\s)",
    shape(
        "password",
        "IDENTIFIED",
        r"IDENTIFIED BY\s{1,8}(?:PASSWORD\s{1,8})?(?P<quote>[\"'])(?P<secret>[^\"'\n]{1,200})(?P=quote)",
        placeholder.is_real,
    ),
    shape("private_key", "-----BEGIN", _PEM, lambda block: block.count("\n") < 400 and len(block) > 60),
    shape(
        "private_key",
        "Private-Lines:",
        r"Private-Lines: \d+\s+(?P<secret>(?:[A-Za-z0-9+/=]{16,}+\s*+)++)",
    ),
)

AUTHORIZATION = Family.of(
    "u",
    r"uth(?:orization|\\{0,3}[\"']|\s?=)",
    shape("basic_auth", "asic", r"asic(?<=(?i:b)asic)(?:\s+|%20)(?P<secret>[\w+/-]{6,}+={0,2})", is_basic),
    shape(
        "authorization",
        "uthorization",
        r"uthorization(?<=(?i:a)uthorization)\\{0,3}[\"']?\s{0,3}[:=,]\s{0,3}\\{0,3}[\"']?"
        r"(?:(?i:bearer|basic|token|apikey|api-key|ssws|key)[ =]\s{0,3})?"
        r"(?P<secret>[\w.~+/=:-]{8,}+)(?![\w(\[{<])",
        lambda secret: has_digits(secret) and placeholder.is_real(secret),
    ),
    shape(
        "docker_auth",
        "auth",
        r"auth(?:\\{0,3}[\"']\s{0,3}:\s{0,3}\\{0,3}[\"']|(?<=_auth)\s{0,3}=\s{0,3}[\"']?)"
        r"(?P<secret>[A-Za-z0-9+/]{8,}+={0,2})",
        is_basic,
    ),
)

BEARER = Family.of(
    "B",
    r"B(?:earer|EARER)(?:\s|%20)",
    shape(
        "bearer_token",
        "Bearer BEARER",
        r"B(?:earer|EARER)(?:\s+|%20)\\{0,3}[\"']?(?P<secret>[\w.~+/=-]{12,}+)",
        lambda secret: has_digits(secret) or is_mixed(secret),
    ),
)

FAMILIES = (URL, COMMAND, CAPITALS, AUTHORIZATION, BEARER)
