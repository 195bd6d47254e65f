"""Questions take the route that people mean (LS10), in six languages (L19), and ask for the sections they need."""

from __future__ import annotations

from time import process_time

import pytest

from memd.recall.question import Route, read
from tests.recall.phrasings import PHRASINGS, phrasings

FLOOR = 0.9
HAPPENED = [
    "Have I ever used Terraform in production?",
    "Did I mention a nut allergy before?",
    "have we already tried sharding?",
    "Was there ever an outage in March?",
    "Hi, I wonder if we ever used Kafka",
    "Habe ich je mit Terraform gearbeitet?",
    "Ai-je déjà utilisé Terraform ?",
    "¿He usado alguna vez Terraform?",
    "我以前用过Terraform吗？",
    "Terraformを使ったことがありますか？",
]
ASKS_FOR_SOMETHING_ELSE = [
    "What did I say about Terraform?",
    "Should I use Terraform?",
    "When have we last deployed?",
    "Summarise what we did",
    "He said that it works",
    "Welche Datenbank haben wir gewählt?",
]


@pytest.mark.parametrize(
    ("query", "route"),
    [
        ("Fasse zusammen, was wir gemacht haben", Route.OVERVIEW),
        ("Devrais-je changer de base de données ?", Route.ADVICE),
        ("¿Cuándo cambiamos el puerto?", Route.LOOKUP),
        ("我应该怎么部署？", Route.ADVICE),
        ("締め切りはいつですか？", Route.LOOKUP),
    ],
)
def test_L19_other_languages_take_the_same_routes(query: str, route: Route) -> None:
    assert read(query).route is route


def test_LS10_phrasings_take_the_route_they_mean() -> None:
    taken = [(route, read(phrasing).route == route, phrasing) for route, phrasing in phrasings()]

    assert len(taken) >= 100
    assert len(set(taken)) == len(taken)
    for route in PHRASINGS:
        right = [fits for of_route, fits, _ in taken if of_route == route]
        missed = [phrasing for of_route, fits, phrasing in taken if of_route == route and not fits]
        assert sum(right) / len(right) >= FLOOR, f"{route}: {missed}"


@pytest.mark.parametrize("query", HAPPENED)
def test_LS14_a_question_whether_something_happened_asks_for_conflicts(query: str) -> None:
    assert read(query).wants_conflicts


@pytest.mark.parametrize("query", ASKS_FOR_SOMETHING_ELSE)
def test_other_questions_ask_for_no_conflicts(query: str) -> None:
    assert not read(query).wants_conflicts


@pytest.mark.parametrize(
    ("query", "requests", "preferences"),
    [
        ("Which port does staging use?", False, False),
        ("Write the release notes", True, True),
        ("Summarise what we did", True, False),
        ("The build is red", True, False),
    ],
)
def test_sections_are_asked_for_by_the_route(query: str, requests: bool, preferences: bool) -> None:
    question = read(query)

    assert (question.wants_requests, question.wants_preferences) == (requests, preferences)


def test_a_task_in_a_long_prompt_decides_over_the_facts_around_it() -> None:
    prompt = "Which port is it? The service is down.\n\n```\nwhat did we discuss\n```\n\nPlease fix the health check."

    assert read(prompt).route is Route.ADVICE


def test_code_asks_nothing() -> None:
    assert read("```\nshould I summarise what we discussed\n```").route is Route.OTHER


@pytest.mark.parametrize("query", ["", " ", "?", "…", "\x00", "。。。"])
def test_a_text_without_words_takes_the_last_route(query: str) -> None:
    assert read(query).route is Route.OTHER


@pytest.mark.parametrize(
    "piece", ["what did we ", "how did the ", "have i ever ", "please ", "if i ask about ", "a", ">"]
)
def test_a_long_question_is_read_in_little_time(piece: str) -> None:
    query = piece * 20_000
    read(query)

    started = process_time()
    read(query)

    assert process_time() - started < 0.5
