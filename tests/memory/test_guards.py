"""Guards (MC13, W8): what differs in one of these is never a duplicate, whatever the letters and vectors say."""

from __future__ import annotations

import pytest

from memd.memory import differences, guards

APART = [
    ("The API runs on port 8080", "The API runs on port 8081"),  # a number
    ("Deploys are allowed", "Deploys are not allowed on Fridays"),  # a negation
    ("We pin ruff to 0.8.1", "We pin ruff to 0.8.2"),  # a version
    ("We pin ruff to v0.8", "We pin ruff to v0.9"),
    ("The release was on 2026-11-29", "The release was on 2026-11-30"),  # a date
    ("It takes from 2 to 10 tries", "It takes from 10 to 2 tries"),  # which is which
    ("Retry after 10 ms", "Retry after 10 s"),  # a unit
    ("Retry after 10ms", "Retry after 10s"),
    ("It costs $5 a month", "It costs €5 a month"),
    ("The timeout is given in seconds", "The timeout is given in milliseconds"),
    ("The cache may take 5 MB", "The cache may take 5%"),
    ("Settings live in src/app.py", "Settings live in src/api.py"),  # a path
    ("Logs go to /var/log/app", "Logs go to /var/log/App"),
    ("Call getUser first", "Call getUsers first"),  # an identifier
    ("Set max_retries in the client", "Set min_retries in the client"),
    ("Set maxRetries in the client", "Set maxretries in the client"),
    ("Use node.js for it", "Use deno.js for it"),
    ("It broke in a1b2c3d", "It broke in a1b2c3e"),  # a hash
    ("Run it with --force", "Run it with --no-force"),
    ("The branch 'main' is protected", "The branch 'dev' is protected"),  # quoted
    ("auth-service owns the table", "user-service owns the table"),
    ("We deploy to AWS", "We deploy to GCP"),
    ("The parser is written in C++", "The parser is written in C#"),
    ("Force pushes are allowed", "Force pushes are forbidden"),  # an opposite
    ("The flag is enabled", "The flag is disabled"),
    ("Always squash", "Never squash"),
    ("The option is true", "The option is false"),
    ("Caching is on", "Caching is off"),
    ("It runs before the build", "It runs after the build"),
    ("That is the min size", "That is the max size"),
    ("Wait at least a while", "Wait at most a while"),
    ("Windows is supported", "Windows is unsupported"),
    ("The release is on Tuesday", "The release is on Thursday"),
    ("Reviews take two people", "Reviews take three people"),
    ("Use tabs", "Don't use tabs"),
    ("Use tabs", "Don’t use tabs"),
    ("It works without a key", "It works with a key"),
    ("The key is used no longer", "The key is used"),
    ("Alice reports to Bob", "Bob reports to Alice"),  # who to whom
    ("Alice reviews Bob's code", "Bob reviews Alice's code"),
    ("Service orders calls service payments", "Service payments calls service orders"),
    ("Flag A implies flag B", "Flag B implies flag A"),
    ("Run the migrations first, then start the server", "Start the server first, then run the migrations"),
    ("He prefers tabs over spaces", "He prefers spaces over tabs"),
    ("Write the notes, not the code", "Write the code, not the notes"),
    ("The queue feeds the worker", "The worker is feeding the queue"),
    ("The queue fills the worker", "The queue is filled by the worker"),
    ("The queue feeds the worker", "The workers feed the queue"),
    ("The frontend calls the backend", "The backend calls the frontend"),
    ("Der Zugriff ist erlaubt", "Der Zugriff ist nicht erlaubt"),
    ("Der Zugriff ist erlaubt", "Der Zugriff ist verboten"),
    ("L'accès est autorisé", "L'accès est interdit"),
    ("On pousse toujours", "On ne pousse jamais"),
    ("El acceso está permitido", "El acceso no está permitido"),
    ("Siempre con pruebas", "Nunca con pruebas"),
]

TOGETHER = [
    ("The user prefers dark mode in the editor.", "User prefers dark mode in the editor"),
    ("Do not use tabs", "Don't use tabs"),
    ("Retry after 10 ms", "Retry after 10ms"),
    ("Retry after 10 seconds", "Retry after 10 s"),
    ("The cache holds 1,000 rows", "The cache holds 1000 rows"),
    ("The branch `main` is protected", "The branch main is protected"),
    ("Force pushes are forbidden", "Force pushes are forbidden on every branch"),
    ("Node.js runs the build", "The build is run by node.js"),
    ("The API is behind a proxy", "The api is behind a proxy"),
    ("Redis caches what Postgres holds", "What Postgres holds is cached"),
]


@pytest.mark.parametrize(("one", "other"), APART)
def test_mc13_these_are_two_statements(one: str, other: str) -> None:
    assert guards.apart(one, other)
    assert guards.apart(other, one)


@pytest.mark.parametrize(("one", "other"), TOGETHER)
def test_these_are_one_statement(one: str, other: str) -> None:
    assert not guards.apart(one, other)
    assert not guards.apart(other, one)


@pytest.mark.parametrize(
    ("one", "other", "exchanged"),
    [
        ("Postgres serves the billing", "Redis serves the billing", True),
        ("It is sent to Karl every week", "It is sent to Karla every week", True),
        ("The user likes the dark mode", "User likes dark modes", False),
        ("The deploy runs every night", "The deploy runs each night", False),
        ("The adress is cold", "The addresses are cold", False),
        ("Do not use it", "Don't use it", False),
    ],
)
def test_another_word_in_the_place_of_one_is_seen(one: str, other: str, exchanged: bool) -> None:
    assert differences.exchanged(one, other) is exchanged
    assert differences.exchanged(other, one) is exchanged


def test_a_wording_says_more_that_has_all_the_words_and_others() -> None:
    assert guards.says_more("The build uses a shared cache", "the build uses a cache")
    assert not guards.says_more("The build uses a cache", "the build uses a cache.")
    assert not guards.says_more("The build uses a shared disk", "the build uses a cache")
