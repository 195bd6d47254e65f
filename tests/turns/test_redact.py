"""Redaction takes whole secrets, leaves their kind, and lets everything else be."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.turns.redact import redact, redact_all
from tests.secrets import AN, FORMATS, HEX, NAMED, made

PLACES = ["%s", "use %s.", "x = '%s'", r"\n%s\n", "(%s)", "\x1b[31m%s\x1b[0m", "密%s码", "%%3D%s", "`%s`"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("kind", "prefix", "alphabet", "length"), FORMATS)
def test_a_known_format_goes_whole_wherever_it_stands(
    kind: str, prefix: str, alphabet: str, length: int, place: str
) -> None:
    for seed in range(5):
        secret = prefix + made(alphabet, length, seed=seed)

        result = redact(place % secret)

        assert result.text == place % f"[REDACTED:{kind}]"
        assert result.counts == {kind: 1}


@pytest.mark.parametrize(("around", "secret"), NAMED)
def test_a_named_secret_goes_and_the_words_around_it_stay(around: str, secret: str) -> None:
    before, after = around.split("%s")

    text = redact(around % secret).text

    assert text.startswith(before.removesuffix("sk-"))
    assert text.endswith("]" + after)
    assert text.count("[REDACTED:") == 1


KEY = "PRIVATE" + " KEY"
LINES = [made(AN + "+/", 64, seed=seed) for seed in range(4)]
BLOCK = "\n".join([f"-----BEGIN RSA {KEY}-----", *LINES, f"-----END RSA {KEY}-----"])


@pytest.mark.parametrize(
    "text",
    [
        BLOCK,
        BLOCK.replace("RSA ", "").replace(KEY, f"PGP {KEY} BLOCK"),
        BLOCK.replace("\n", "\\n"),  # within a JSON string
        BLOCK.rpartition("\n")[0],  # cut off before its end
        BLOCK[:200],
        "\n".join("> " + line for line in BLOCK.split("\n")),
        "\n".join(
            f"{n:6}\t{line}" for n, line in enumerate(BLOCK.split("\n")[:-1], 1)
        ),  # as a reader numbers lines
    ],
)
def test_a_private_key_goes_with_all_its_lines(text: str) -> None:
    left = redact(f"see {text}\nand go on").text

    assert "[REDACTED:private_key]" in left
    assert left.startswith("see ") and left.endswith("\nand go on")
    assert not any(line[:20] in left for line in LINES)


HARMLESS = [
    "no API key in the build",
    "apiKey: import.meta.env.KEY",
    "apiKey: process.env.OPENAI_API_KEY,",
    "commit " + made(HEX, 40),
    "sha256:" + made(HEX, 64),
    "etag " + made(HEX, 32),
    "3f0c8a52-7e0a-4d52-9c39-0f4f2a6f5c11",
    "/srv/app/releases/20260103T101500/lib/python3.12/site-packages/foo_bar/baz.py",
    "com.example.internal.AbstractSingletonProxyFactoryBeanTest",
    "sha512-" + made(AN + "+/", 86) + "==",
    "ANTHROPIC_API_KEY=<your key here>",
    "API_KEY=your_api_key_here",
    "PASSWORD=$DB_PASSWORD and TOKEN=${TOKEN}",
    "password = os.environ['DB_PASSWORD']",
    "token: xxxxxxxx, password: ***",
    "def login(user, password: str, token: str | None = None)",
    "connect(password=password, token=self.token)",
    "const token = await getToken()",
    "max_tokens: 4096, tokens_per_second: 45.2",
    "cache_key = '" + made(HEX, 40) + "'",
    "use --token to pass the token, or --password PASSWORD",
    "Bearer authentication, basic authentication",
    "http://user:${PASS}@host and git@github.com:foo/bar.git",
    'GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}, "password": "Enter your password"',
    "OLDPWD=/home/dev/app, 3 passed, bypass=True",
    f"grep -e '-----BEGIN {KEY}-----'",
    'token = r"[-!#$%&*+.^_`|~0-9a-zA-Z]+"',
    "if token._value is _NoValueSet.NO_VALUE_SET:",
    'Option("--forward-hf-token", help="Inject the token")',
    "GPG_KEY=" + made(HEX, 40).upper(),
    'pass `dtype="datetime64[ns]"` to be sure',
    "DEFAULT_LAST_PASS: Final = 2",
    "Set-Cookie: PART_NUMBER=ROCKET_LAUNCHER_0001; path=/",
    "ssh://" + made(HEX, 24) + "@ssh.example.org",
    "http://localhost:8080/@fs/src/main.ts",
    "API key: see the wiki; the password is required; token 5 of 10",
    "task-force-alpha-2024-Report-Final, sk-learn is fun, pypi-publish, hf_hub_download",
    "_ZN10__cxxabiv123__fundamental_type_infoD1Ev@@CXXABI_1.3",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_stays_and_is_the_same_text(text: str) -> None:
    result = redact(text)

    assert result.text is text
    assert not result.counts


_PIECES = [around % secret for around, secret in NAMED] + [p + made(a, n) for _, p, a, n in FORMATS]
_GLUE = [
    "password=",
    "token: ",
    "://",
    "@",
    '"',
    "'",
    " ",
    "\n",
    "=",
    "-",
    ".",
    "[REDACTED:jwt]",
    "Bearer ",
    BLOCK,
]


@settings(max_examples=150)
@given(st.lists(st.sampled_from(_PIECES + _GLUE) | st.text(max_size=8), max_size=8).map("".join))
def test_redacting_again_changes_nothing(text: str) -> None:
    once = redact(text).text

    assert redact(once).text is once


@settings(max_examples=50)
@given(st.lists(st.sampled_from([*_PIECES, *_GLUE, *HARMLESS, ""]), max_size=30))
def test_many_texts_at_once_give_what_each_gives_alone(texts: list[str]) -> None:
    alone = {number: redact(text) for number, text in enumerate(texts)}

    assert redact_all(texts) == {number: result for number, result in alone.items() if result.counts}


HOSTILE = [
    "sk-",
    "=",
    "-----BEGIN",
    f"-----BEGIN {KEY}-----",
    "eyJ",
    "password=",
    "_key=",
    "://a:",
    '"',
    "-",
    ".",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_four_times_the_hostile_text_takes_about_four_times_as_long(unit: str) -> None:
    def seconds(length: int) -> float:
        text = (unit * length)[:length]
        started = process_time()
        redact(text)
        return process_time() - started

    short = min(seconds(25_000) for _ in range(3))

    # Quadratic time would be sixteen times; below a few milliseconds the clock alone decides.
    assert min(seconds(100_000) for _ in range(3)) < 9 * max(short, 0.004)
