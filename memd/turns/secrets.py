"""The formats of credentials: what each kind looks like, and the cheap sign without which it cannot be there.

A rule holds to three things. Its pattern is tried only where one of its literals stands in the text. A run of the
secret's characters can begin only where such a run begins, so that hostile input costs linear time. And the run has
no upper bound: the whole secret goes, never part of it. The group ``secret``, else the whole match, is taken out.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass

from memd.turns import placeholder


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret: ``literals`` of which one must be in the text, the pattern, a last look at what it found."""

    kind: str
    literals: tuple[str, ...]
    pattern: re.Pattern[str]
    accepts: Callable[[str], object] | None = None


@dataclass(frozen=True, slots=True)
class Family:
    """Rules behind one common sign, so that clean text pays for the sign alone.

    Signs begin with one literal character, which the search skips to at memory speed. ``reach`` is how far from a
    sign the rules' literals can stand; 0 is anywhere.
    """

    sign: re.Pattern[str]
    rules: tuple[Rule, ...]
    reach: int = 0


# What may precede a run: nothing of it, or an escape that only looks like part of it (\n, %3D, a colour code).
_ESCAPES = (r"\\[nrt]", r"%[0-9A-F]{2}", r"\[[0-9]m", r"\[[0-9]{2}m")


def _starts(prefix: str, run: str) -> str:
    before = "|".join(f"(?<={escape}{prefix})" for escape in _ESCAPES)
    return f"{prefix}(?:(?<![{run}]{prefix})|{before})"


def _token(kind: str, prefix: str, least: int, run: str = "A-Za-z0-9_-", *more: str) -> Rule:
    """A fixed prefix and a run of at least so many characters; ``more`` are further prefixes of the kind."""
    prefixes = (prefix, *more)
    body = f"[{run}]{{{least},}}+"
    if "." in run:  # a dot within belongs to it, the full stop after it does not
        part = run.replace(".", "")
        body = rf"[{part}]{{{least},}}+(?:\.[{part}]++)*+"
    parts = [_starts(re.escape(p), "A-Za-z0-9_-") + body for p in prefixes]
    return Rule(kind, prefixes, re.compile("|".join(parts)))


def _shape(kind: str, literals: str, pattern: str, accepts: Callable[[str], object] | None = None) -> Rule:
    return Rule(kind, tuple(literals.split(" ")), re.compile(pattern, re.ASCII), accepts)


def _has_digits(secret: str) -> bool:
    return sum(map(str.isdigit, secret)) >= 2


def _is_mixed(secret: str) -> bool:
    return any(map(str.isdigit, secret)) and any(map(str.isupper, secret))


def _is_basic(secret: str) -> bool:
    """True for base64 of ``user:password``."""
    try:
        return b":" in b64decode(secret + "=" * (-len(secret) % 4), validate=True)
    except binascii.Error:
        return False


_AN = "A-Za-z0-9"
_HEX = "0-9a-f"

UNDERSCORE = Family(
    re.compile(r"_(?![A-Z_]{16})(?=[A-Za-z0-9_-]{16})[a-z_-]{0,14}[0-9A-Z]"),
    (
        _token("github_token", "ghp_", 20, _AN, "gho_", "ghu_", "ghs_", "ghr_"),
        _token("github_token", "github_pat_", 22, "A-Za-z0-9_"),
        _token("stripe_key", "sk_live_", 16, _AN, "rk_live_", "sk_test_", "rk_test_", "whsec_"),
        _token("npm_token", "npm_", 30, _AN),
        _token("hf_token", "hf_", 30, _AN, "api_org_"),
        _token("digitalocean_token", "dop_v1_", 40, _HEX, "doo_v1_", "dor_v1_"),
        _token("grafana_token", "glsa_", 24, "A-Za-z0-9_", "glc_"),
        _token("linear_key", "lin_api_", 30, _AN, "lin_oauth_"),
        _token("notion_token", "ntn_", 30, _AN),
        _token("notion_token", "secret_", 40, _AN),
        _token("shopify_token", "shpat_", 24, "A-Fa-f0-9", "shpca_", "shppa_", "shpss_"),
        _token("sentry_token", "sntrys_", 20, "A-Za-z0-9_+/=-", "sntryu_"),
        _token("supabase_key", "sbp_", 30, "A-Za-z0-9_", "sb_secret_"),
        _token("groq_key", "gsk_", 30, _AN),
        _token("replicate_token", "r8_", 30, _AN),
        _token("langsmith_key", "lsv2_pt_", 30, "A-Za-z0-9_", "lsv2_sk_"),
        _token("posthog_key", "phx_", 30, _AN, "phs_"),
        _token("rubygems_key", "rubygems_", 40, _HEX),
        _token("jina_key", "jina_", 40, "A-Za-z0-9_"),
        _token("e2b_key", "e2b_", 36, _HEX),
        _token("neon_key", "napi_", 40, _AN),
        _token("onepassword_token", "ops_eyJ", 40),
        _token("clojars_token", "CLOJARS_", 50, _HEX),
        _token("fireworks_key", "fw_", 20, _AN),
        _token("together_key", "tgp_v1_", 30),
        _token("vercel_token", "vcp_", 40, _AN, "vck_"),
        _token("render_key", "rnd_", 28, _AN),
        _token("buildkite_token", "bkua_", 36, _HEX),
        _token("airtable_token", "patAT_", 20),
        _token("figma_token", "figd_", 30),
        _token("docker_token", "dckr_pat_", 20, "A-Za-z0-9_-", "dckr_oat_"),
        _token("planetscale_token", "pscale_tkn_", 24, "A-Za-z0-9_.-", "pscale_pw_"),
        _token("fly_token", "FlyV1 fm", 30, "A-Za-z0-9_+/=,-"),
    ),
    reach=128,
)

HYPHEN = Family(
    re.compile(r"-(?!---)(?=[A-Za-z0-9_.-]{16})[a-z_.-]{0,14}[0-9A-Z]"),
    (
        _token("anthropic_key", "sk-ant-", 16),
        _token("openai_key", "sk-proj-", 16, "A-Za-z0-9_-", "sk-svcacct-", "sk-admin-", "sk-None-"),
        _token("openrouter_key", "sk-or-", 24),
        _token("openai_key", "sk-", 20, _AN),
        _shape(
            "api_key",
            "sk-",
            rf"{_starts('sk-', 'A-Za-z0-9_.-')}[a-z0-9]{{2,10}}-[\w.-]{{10,}}+(?<![.-])",
            _has_digits,
        ),
        _shape("secret_token", "secret-token:", r"secret-token:(?P<secret>[\w%.~-]{8,}+)"),
        _token(
            "gitlab_token",
            "glpat-",
            16,
            "A-Za-z0-9_.-",
            "gldt-",
            "glrt-",
            "glcbt-",
            "glptt-",
            "glsoat-",
            "glft-",
            "glimt-",
            "glagent-",
            "gloas-",
            "glffct-",
        ),
        _token(
            "slack_token",
            "xoxb-",
            16,
            "A-Za-z0-9-",
            "xoxp-",
            "xoxa-",
            "xoxr-",
            "xoxs-",
            "xoxo-",
            "xoxc-",
            "xoxd-",
        ),
        _token("slack_token", "xapp-", 16, "A-Za-z0-9-", "xoxe-", "xoxe.xoxp-", "xoxe.xoxb-"),
        _token("pypi_token", "pypi-Ag", 40),
        _token("mailgun_key", "key-", 32, _HEX),
        _token("postman_key", "PMAK-", 24, "A-Za-z0-9-"),
        _token("tailscale_key", "tskey-", 16, "A-Za-z0-9-"),
        _token("xai_key", "xai-", 40),
        _token("perplexity_key", "pplx-", 32, _AN),
        _token("age_key", "AGE-SECRET-KEY-", 40, "A-Z0-9"),
        _token("google_oauth_secret", "GOCSPX-", 20),
        _token("square_token", "sq0csp-", 22, "A-Za-z0-9_-", "sq0atp-", "sq0idp-"),
        _token("newrelic_key", "NRAK-", 24, "A-Z0-9", "NRJS-", "NRII-"),
        _token("pulumi_token", "pul-", 40, _HEX),
        _token("contentful_token", "CFPAT-", 30),
        _token("nvidia_key", "nvapi-", 40),
        _token("tavily_key", "tvly-", 20),
        _token("cerebras_key", "csk-", 30, _AN),
        _token("firecrawl_key", "fc-", 32, _HEX),
        _token("hubspot_token", "pat-na1-", 30, "a-f0-9-", "pat-eu1-"),
        _token("okta_token", "SSWS 00", 36),
    ),
    reach=128,
)

DOT = Family(
    re.compile(r"\.(?=[A-Za-z0-9_-]{20})[a-z_-]{0,16}[0-9A-Z]"),
    (
        _shape("sendgrid_key", "SG.", r"SG\.(?<![A-Za-z0-9_-]SG\.)[\w-]{16,}+\.[\w-]{16,}+"),
        _token("vault_token", "hvs.", 20, "A-Za-z0-9_-", "hvb.", "hvr."),
        _shape("terraform_token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}+"),
        _token("google_oauth_token", "ya29.", 20),
        _token("doppler_token", "dp.pt.", 30, _AN, "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."),
        _shape("doppler_token", "dp.st.", r"dp\.st\.[a-z0-9_-]{2,35}\.[A-Za-z0-9]{30,}+"),
        _shape("dynatrace_token", "dt0c01. dt0s01.", r"dt0[cs]01\.[A-Z0-9]{20,}+\.[A-Z0-9]{40,}+"),
        _token("dropbox_token", "sl.", 100),
        _token("discord_token", "mfa.", 60),
        _shape("airtable_token", "pat", r"pat(?<![\w-]pat)[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
        _shape(
            "jwt", "eyJ", rf"{_starts('eyJ', 'A-Za-z0-9_-')}[\w-]{{10,}}+\.[\w-]{{10,}}+(?:\.[\w-]*+){{0,3}}"
        ),
    ),
    reach=128,
)

_KEY_LINE = (
    r"(?:\s|\\+[nrt])*+(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash)[^\n\\]{0,100}+|[A-Za-z0-9+/=]{20,}+)"
)
_LAST_LINE = r"(?:(?:\r?\n|\\+n)[A-Za-z0-9+/]{1,63}={0,2}(?=\s*(?:\n|\\|[\"']|\Z)))?"
_PEM = (
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]*+(?:-(?!----)[^-]*+)*+-----END [A-Z0-9 ]{0,60}-----"
    rf"|(?:{_KEY_LINE})*+{_LAST_LINE})"
)

UPPER = Family(
    re.compile(r"A(?:[KS]IA[A-Z0-9]{16}|BIA|CCA|Iza|T[AC]TT3|A[A-Za-z0-9_-]{30})"),
    (
        _shape(
            "aws_key",
            "AKIA ASIA ABIA ACCA",
            r"A(?:KI|SI|BI|CC)A(?:(?<![A-Z0-9].{4})|(?<=%[0-9A-F]{2}.{4}))[A-Z0-9]{16}(?![A-Za-z0-9])",
        ),
        _shape(
            "aws_secret",
            "AKIA ASIA",
            r"A[KS]IA[A-Z0-9]{16}[\"']?[\s,:/|]{1,5}[\"']?(?P<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])",
            _is_mixed,
        ),
        _token("google_api_key", "AIza", 30),
        _shape("telegram_token", ":AA", r"(?<!\d)\d{8,10}:AA[\w-]{30,}+"),
        _token("atlassian_token", "ATATT3", 30, "A-Za-z0-9_=-", "ATCTT3"),
        _token("square_token", "EAAA", 56),
        _token("facebook_token", "EAAC", 80, _AN),
    ),
)

DISCORD = Family(
    re.compile(r"\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}"),
    (_shape("discord_token", ".", r"(?<![\w-])[\w-]{23,30}\.[\w-]{6}\.[\w-]{27,}+", _is_mixed),),
)

TWILIO = Family(
    re.compile(r"SK[0-9a-f]{32}"),
    (_shape("twilio_key", "SK", r"(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])"),),
)

AZURE = Family(
    re.compile(r"~(?<=8Q~)"),
    (_shape("azure_ad_secret", "8Q~", r"(?<![\w.~-])[\w.~-]{3}8Q~[\w.~-]{31,34}(?![\w~])"),),
)

URL = Family(
    re.compile(
        r"://(?:[^\s/\"'<>]{1,300}@|hooks\.slack|[\w.-]{0,80}webhook\.office|"
        r"[\w.]{0,20}discord(?:app)?\.com/api|[^\s\"'<>?]{0,300}\?[^\s\"'<>]{0,300}sig=)"
    ),
    (
        _shape(
            "slack_webhook",
            "hooks.slack",
            r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[\w/+-]{16,}+",
        ),
        _shape("discord_webhook", "/api/webhooks/", r"/api/webhooks/(?P<secret>\d{15,22}/[\w-]{40,}+)"),
        _shape("teams_webhook", "webhook.office", r"webhook\.office\.com/(?P<secret>[\w@/-]{40,}+)"),
        _shape("azure_sas", "sig=", r"[?&;]sig=(?P<secret>[A-Za-z0-9%+/=]{40,}+)"),
        _shape(
            "url_password",
            "://",
            r"://(?P<user>[^\s/:@\"'<>\\]{0,80}+):(?P<secret>[^\s/\"'<>\\]{1,200})@(?=[\w.\[$-])",
            placeholder.is_real,
        ),
        _shape("url_password", "://", r"://(?P<secret>[A-Za-z0-9_-]{20,200}+)@(?=\w)", _has_digits),
    ),
)

# The value of a flag: in quotes, else up to the next space; "x" in ["--token", "x"] too.
_VALUE = (
    r"(?:[ \t]{1,4}|[\"'],\s{0,4})[\"']?+(?P<secret>(?<=\")[^\"\n]{1,400}(?=\")|(?<=')[^'\n]{1,400}(?=')|"
    r"(?<![\"'])[^\s\"'`<>|;,\\]++)"
)


def _flag(kind: str, names: str) -> Rule:
    return _shape(
        kind, "--", rf"--(?:[a-zA-Z0-9]{{1,20}}+[-_]){{0,4}}?(?:{names}){_VALUE}", placeholder.is_argument
    )


COMMAND = Family(
    re.compile(r"-(?<![\w-]-)(?:[up]|-[a-z])"),
    (
        _flag("password", "password|passwd|passphrase|pass|pwd"),
        _flag("token", "token"),
        _flag("api_key", "secret|(?:api|access|secret|auth|account|private)-?key"),
        _shape(
            "basic_auth",
            "curl wget http",
            r"\s-(?:u|-user)[ =]?[\"']?[\w.@+-]{1,64}:(?P<secret>[^\s\"'$<{:][^\s\"']*+)",
            placeholder.is_real,
        ),
        _shape("password", "sshpass", r"sshpass\s+-p\s?[\"']?(?P<secret>[^\s\"'$<]+)"),
        _shape(
            "password",
            "mysql mariadb",
            r"(?:mysql|mariadb)[\w-]{0,10}[^\n|;]{0,120}?\s-p[\"']?(?P<secret>[^\s\"'$<]{3,}+)",
        ),
        _shape(
            "password",
            "docker podman helm",
            r"\slogin\s[^\n|;]{0,120}?\s-p[ =][\"']?(?P<secret>[^\s\"'$<]{3,}+)",
        ),
    ),
)

PRIVATE = Family(
    re.compile(r"P(?:RIVATE KEY|rivate-Lines)"),
    (
        _shape("private_key", "-----BEGIN", _PEM, lambda block: block.count("\n") < 400 and len(block) > 60),
        _shape(
            "private_key",
            "Private-Lines:",
            r"Private-Lines: \d+\s+(?P<secret>(?:[A-Za-z0-9+/=]{16,}+\s*+)++)",
        ),
    ),
)

AUTH = Family(
    re.compile(r"uth(?:orization|\\{0,3}[\"']|\s?=)"),
    (
        _shape(
            "basic_auth", "asic", r"asic(?<=(?i:b)asic)(?:\s+|%20)(?P<secret>[\w+/-]{6,}+={0,2})", _is_basic
        ),
        _shape(
            "authorization",
            "uthorization",
            r"uthorization(?<=(?i:a)uthorization)\\{0,3}[\"']?\s{0,3}[:=,]\s{0,3}\\{0,3}[\"']?"
            r"(?:(?i:bearer|basic|token|apikey|api-key|ssws|key)[ =]\s{0,3})?"
            r"(?P<secret>[\w.~+/=:-]{8,}+)(?![\w(\[{<])",
            lambda secret: _has_digits(secret) and placeholder.is_real(secret),
        ),
        _shape(
            "docker_auth",
            "auth",
            r"auth(?:\\{0,3}[\"']\s{0,3}:\s{0,3}\\{0,3}[\"']|(?<=_auth)\s{0,3}=\s{0,3}[\"']?)(?P<secret>[A-Za-z0-9+/]{8,}+={0,2})",
            _is_basic,
        ),
    ),
)

BEARER = Family(
    re.compile(r"rer(?<=earer)(?:\s|%20)"),
    (
        _shape(
            "bearer_token",
            "earer",
            r"earer(?<=(?i:b)earer)(?:\s+|%20)\\{0,3}[\"']?(?P<secret>[\w.~+/=-]{12,}+)",
            lambda secret: _has_digits(secret) or _is_mixed(secret),
        ),
    ),
)

NETRC = Family(
    re.compile(r"login\s{1,4}\S{1,64}\s{1,8}password\s"),
    (
        _shape(
            "password",
            "login",
            r"login\s{1,4}\S{1,64}\s{1,8}password\s{1,4}(?P<secret>[^\s\"'<$][^\s\"']*+)",
            placeholder.is_real,
        ),
    ),
)

FORMATS = (UNDERSCORE, HYPHEN, DOT, DISCORD, UPPER, TWILIO, AZURE, URL, COMMAND, PRIVATE, AUTH, BEARER, NETRC)
