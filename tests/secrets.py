"""Secrets that open nothing, in the formats that redaction knows."""

from __future__ import annotations

import random
import string

AN = string.ascii_letters + string.digits
URL = AN + "-_"
HEX = "0123456789abcdef"


def made(alphabet: str, length: int, *, seed: int = 0) -> str:
    return "".join(random.Random(f"{alphabet}{length}{seed}").choices(alphabet, k=length))


# Put together at run time, so that no scanner takes this file for a leak: kind, prefix, alphabet, length.
FORMATS = [
    ("anthropic_key", "sk-" + "ant-api03-", URL, 95),
    ("openai_key", "sk-" + "proj-", URL, 120),
    ("openai_key", "sk-", AN, 48),
    ("aws_key", "AK" + "IA", string.ascii_uppercase + "234567", 16),
    ("aws_key", "AS" + "IA", string.ascii_uppercase + "234567", 16),
    ("github_token", "gh" + "p_", AN, 36),
    ("github_token", "gh" + "s_", AN, 36),
    ("github_token", "github" + "_pat_", AN, 82),
    ("gitlab_token", "gl" + "pat-", URL, 20),
    ("slack_token", "xo" + "xp-", string.digits, 50),
    ("stripe_key", "sk" + "_live_", AN, 24),
    ("google_api_key", "AI" + "za", URL, 35),
    ("npm_token", "npm" + "_", AN, 36),
    ("pypi_token", "pypi-" + "AgEI", URL, 100),
    ("hf_token", "hf" + "_", string.ascii_letters, 34),
    ("vault_token", "hv" + "s.", URL, 92),
    ("digitalocean_token", "dop" + "_v1_", HEX, 64),
    ("grafana_token", "gl" + "sa_", AN, 32),
    ("linear_key", "lin" + "_api_", AN, 40),
    ("mailgun_key", "ke" + "y-", HEX, 32),
    ("notion_token", "nt" + "n_", AN, 46),
    ("postman_key", "PM" + "AK-", HEX, 24),
    ("shopify_token", "shp" + "at_", HEX, 32),
    ("supabase_key", "sb" + "p_", HEX, 40),
    ("tailscale_key", "ts" + "key-auth-", AN, 30),
    ("age_key", "AGE-" + "SECRET-KEY-1", string.ascii_uppercase + "234567", 58),
    ("groq_key", "gs" + "k_", AN, 52),
    ("xai_key", "xa" + "i-", AN, 80),
    ("perplexity_key", "pp" + "lx-", AN, 48),
    ("replicate_token", "r" + "8_", AN, 37),
    ("doppler_token", "dp" + ".pt.", AN, 43),
    ("openai_key", "se" + "ss-", AN, 40),
    ("bedrock_key", "AB" + "SK", AN + "+/", 108),
    ("google_oauth_token", "1/" + "/0", URL, 60),
    ("fly_token", "fm" + "2_", AN + "+/", 160),
    ("heroku_key", "HR" + "KU-", URL, 60),
    ("brevo_key", "xkey" + "sib-", HEX, 64),
    ("pinecone_key", "pc" + "sk_", AN, 70),
    ("resend_key", "re" + "_", AN, 33),
    ("elevenlabs_key", "sk" + "_", HEX, 48),
    ("supabase_key", "sb" + "_secret_", URL, 31),
    ("alibaba_key", "LT" + "AI", AN, 20),
    ("artifactory_key", "AK" + "Cp", AN, 69),
    ("openshift_token", "sha" + "256~", URL, 43),
    ("grafana_token", "ey" + "JrIjoi", AN, 72),
]


# What surrounds a secret, the secret.
NAMED = [
    ("export DB_PASSWORD=%s", "swordfish"),
    ("gpg --passphrase %s file", "x"),
    ("--token %s", made(AN, 20)),
    ("run --password '%s' now", "open sesame"),
    ('{"password": "%s"}', "tr0ub4dor&3"),
    (r"{\"password\": \"%s\"}", "tr0ub4dor3"),
    ("password = '%s'", "#W1#4khmnJO"),
    ("password: %s", "hunter2"),
    ("the password is %s ok", "Winter2024!"),
    ("Server=x;User Id=sa;Password=%s;Encrypt=true", "letme1n"),
    ("Server=x;User Id=sa;Password=%s;Encrypt=true", "letmein"),
    ("AWS_SECRET_ACCESS_KEY=%s", made(AN + "+/", 40, seed=1)),
    ("AccountKey=%s;EndpointSuffix=x", made(AN + "+/", 86) + "=="),
    ("encryptionKey: '%s',", made(AN, 26)),
    ("X-Api-Key: %s", made(HEX, 32)),
    ("Authorization: Token %s", made(HEX, 40)),
    ("Authorization: Bearer %s", made(URL, 40)),
    ("Authorization: Basic %s", "YWRtaW46aHVudGVyMg" + "=="),
    ('{"auths": {"r": {"auth": "%s"}}}', "dXNlcjpwYXNzd29yZDEyMw" + "=="),
    ("machine h login me password %s", "s3cr3t"),
    ("postgres://u:%s@h/db", "p"),
    ("redis://:%s@10.0.0.1:6379/0", "a#b"),
    ("https://x.org/?a=b&password=%s&z=1", "swordfish"),
    ("curl -u admin:%s https://x.org", "tOps3cret"),
    ("<password>%s</password>", "hunter22"),
    ("`sk-%s` was seen", "sp-AAAA1111.bbbb2222_CC"),
    ("the key is sk-%s.", "sp-AAAA1111.bbbb2222_CC"),
    ('DB_PASSWORD="%s"', "p w d 9!"),
    ("MYSQL_ROOT_PASSWORD: %s\n", "rootpw"),
    ("ENV DB_PASS %s", "hunter22"),
    ("curl --user 'admin:%s' https://x.org", "hun ter2"),
    ("redis-cli -a %s ping", "hunter2x"),
    ("mysql -uroot -p%s db", "letmein"),
    ("CREATE USER a IDENTIFIED BY '%s'", "hunter2x"),
    ("Cookie: theme=dark; sessionid=%s; lang=en", made(HEX, 32)),
    ("postgres://u:%s@h/db", "pa/ss"),
    ('<add key="ApiKey" value="%s" />', made(AN, 16)),
    ('let token: string = "%s";', made(AN, 20)),
    ('def connect(password: str = "%s")', "hunter2x"),
    ("**Password:** %s", "hunter2x"),
    ("| password | %s |", "hunter2x"),
    ("log in as admin, password '%s'", "hunter2x"),
    ("API key: %s", made(AN, 32)),
    ("Password：%s", "hunter2x"),
    ("密码: %s", "hunter2x9"),
]


def every() -> list[str]:
    """One of each format."""
    return [prefix + made(alphabet, length) for _, prefix, alphabet, length in FORMATS]


def lines() -> list[tuple[str, str]]:
    """Texts with a secret in each, and the secret: every format, and what is called one and is no common word."""
    formats = [(f"step {number} works with {one} for now", one) for number, one in enumerate(every())]
    return formats + [(around % secret, secret) for around, secret in NAMED if len(secret) > 8]
