"""What counts as a standing request (LS12), a preference (LS13), a claim (LS14), in six languages (L19)."""

from __future__ import annotations

from collections.abc import Sequence
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.recall import statements
from memd.recall.context import RecallOptions, StoredTurn
from memd.recall.in_memory import InMemoryHistory
from memd.recall.statements import Statement
from memd.text import words
from tests.recall.histories import turn

REQUESTS = [
    "Always answer in French.",
    "- **Always** add a docstring",
    "please never force push",
    "From now on use pnpm instead of npm.",
    "Going forward, keep commit messages under 72 characters.",
    "I'd like you to never touch the generated files.",
    "I want you to always run the linter.",
    "I’d like you to mention the ticket number in commits.",
    "When I ask about recipes, give metric units.",
    "Include the rollback command when I ask about deployments.",
    "Whenever I ask for SQL, use upper case keywords.",
    "Stop apologising.",
    "Don't ever commit to main.",
    "Remember to update the changelog.",
    "Could you always add type hints?",
    "Use British spelling in all your answers.",
    "Call me Sam.",
    "In future, ask before deleting files.",
    "Don't change the schema without asking.",
    "You must never log request bodies.",
    "Antworte immer auf Deutsch.",
    "Ab jetzt nutzen wir pnpm.",
    "Wenn ich nach Rezepten frage, gib metrische Einheiten an.",
    "Ich möchte, dass du nie auf main pushst.",
    "Réponds toujours en français.",
    "Désormais, utilise pnpm.",
    "Quand je te demande du SQL, mets les mots-clés en majuscules.",
    "Responde siempre en español.",
    "A partir de ahora usa pnpm.",
    "Cuando te pregunte por recetas, usa unidades métricas.",
    "以后都用中文回答。",
    "永远不要直接推送到主分支。",
    "我希望你在提交信息里写上工单号。",
    "今後は日本語で答えてください。",
    "必ずテストを追加してください。",
    "レシピについて聞いたら、メートル法で答えて。",
]
NO_REQUESTS = [
    "I always forgot the flag.",
    "Never mind.",
    "Should I always use tabs?",
    "If we always used tabs it would be fine.",
    "He said always use tabs.",
    'The README says "always run make first".',
    "The docs say `never call this`.",
    "Always a pleasure!",
    "Never again!",
    "Never give up!",
    "Always here to help.",
    "You can always count on me!",
    "I'll write it down from now on.",
    "Don't ever doubt yourself.",
    "Don't forget to take breaks when you need them.",
    "Never seen that before.",
    "Always been like that.",
    "We never use mocks here.",
    "I want you to fix the login bug.",
    "It always fails on Windows.",
    "Do you always need the flag?",
    "> Always use tabs.",
    "# Always use tabs",
    "```\nAlways use tabs.\n```",
    "    Always use tabs.",
    "| Always use | tabs |\n|---|---|\n| Never | spaces |",
    "Ich habe das immer vergessen.",
    "Sollte ich immer Tabs nehmen?",
    "Je n'ai jamais vu ça.",
    "Nunca he visto eso.",
    "我从来没用过这个。",
]
PREFERENCES = [
    "I prefer tabs over spaces.",
    "I'd rather use Postgres.",
    "I usually work late in the evening.",
    "I don't like ORMs.",
    "I love Rust.",
    "I'm allergic to peanuts.",
    "I am not a fan of mocks.",
    "My favourite editor is Helix.",
    "we usually review on Mondays",
    "I can't stand long meetings.",
    "I really hate it when CI is slow.",
    "I tend to write tests first.",
    "my preferred shell is fish",
    "I generally avoid inheritance.",
    "Dark mode works best for me.",
    "Ich bevorzuge kleine Commits.",
    "Ich arbeite lieber abends.",
    "Ich mag keine langen Meetings.",
    "Je préfère les petites fonctions.",
    "Je n'aime pas les ORM.",
    "Prefiero las funciones pequeñas.",
    "No me gustan los ORM.",
    "Soy alérgica a los cacahuetes.",
    "我更喜欢用制表符。",
    "我对花生过敏。",
    "私はタブの方が好きです。",
    "ORMは苦手です。",
]
NO_PREFERENCES = [
    "Should I prioritise speed over safety?",
    "should I prefer composition",
    "Do you prefer Vim?",
    "I like that idea.",
    "I love this.",
    "I used to like Java.",
    "I'd like a summary.",
    "I feel like it is slow.",
    "If you prefer tabs, say so.",
    "I always get an error here.",
    "I always forgot the flag.",
    "Not sure if I like this.",
    "The users prefer dark mode?",
    'She said "I prefer tabs".',
    "It works like the old one.",
    "Sollte ich Tabs bevorzugen?",
    "Préfères-tu Vim ?",
    "你喜欢哪个编辑器？",
]
AFFIRMS, DENIES = "affirms", "denies"
CLAIMS = [
    ("I set up the VPC with Terraform last year.", AFFIRMS),
    ("We deployed it with Terraform.", AFFIRMS),
    ("Migrated everything to Terraform.", AFFIRMS),
    ("I used Terraform because I never liked Pulumi.", AFFIRMS),
    ("I have never used Terraform.", DENIES),
    ("We haven't deployed with Terraform yet.", DENIES),
    ("I don't use Terraform anymore.", DENIES),
    ("Terraform was never part of our setup.", DENIES),
    ("I no longer touch Terraform.", DENIES),
    ("Ich habe noch nie mit Terraform gearbeitet.", DENIES),
    ("Ich habe das Netz mit Terraform aufgesetzt.", AFFIRMS),
    ("Je n'ai jamais utilisé Terraform.", DENIES),
    ("J'ai monté le réseau avec Terraform.", AFFIRMS),
    ("Nunca he usado Terraform.", DENIES),
    ("Monté la red con Terraform.", AFFIRMS),
    ("我从来没用过 Terraform。", DENIES),
    ("我去年用 Terraform 搭建了网络。", AFFIRMS),
    ("Terraform は使ったことがありません。", DENIES),
    ("去年 Terraform でネットワークを作りました。", AFFIRMS),
]
NO_CLAIMS = [
    "I want to try Terraform.",
    "I'm considering Terraform.",
    "Maybe we could use Terraform.",
    "Have I used Terraform?",
    "Never use Terraform.",
    "Terraform is written in Go.",
    "If I had used Terraform, it would be done.",
    "I wonder if we used Terraform.",
    "I set up the VPC with Pulumi.",
]


def _history(*texts: str, role: str = "user") -> InMemoryHistory:
    turns = [turn(n, text, role=role) for n, text in enumerate(texts)]
    return InMemoryHistory(turns, "anything", RecallOptions())


def _texts(found: Sequence[Statement]) -> list[str]:
    return [statement.text for statement in found]


@pytest.mark.parametrize("text", REQUESTS)
def test_LS12_L19_a_standing_request_is_found(text: str) -> None:
    assert _texts(statements.requests(_history(f"The build is green. \n\n{text}"))) == [text]


@pytest.mark.parametrize("text", NO_REQUESTS)
def test_LS12_what_only_looks_like_a_request_is_none(text: str) -> None:
    assert statements.requests(_history(text)) == []


@pytest.mark.parametrize("text", PREFERENCES)
def test_LS13_L19_a_preference_is_found(text: str) -> None:
    assert _texts(statements.preferences(_history(f"The build is green. \n\n{text}"))) == [text]


@pytest.mark.parametrize("text", NO_PREFERENCES)
def test_LS13_what_is_only_asked_about_or_remarked_is_no_preference(text: str) -> None:
    assert statements.preferences(_history(text)) == []


@pytest.mark.parametrize(("text", "side"), CLAIMS)
def test_LS14_L19_a_claim_affirms_or_denies(text: str, side: str) -> None:
    found = statements.claims([turn(1, text)], words.stems("terraform"))

    assert [(claim.text, claim.side) for claim in found] == [(text, side)]


@pytest.mark.parametrize("text", NO_CLAIMS)
def test_LS14_plans_wishes_orders_and_other_matters_are_no_claims(text: str) -> None:
    assert statements.claims([turn(1, text)], words.stems("terraform")) == []


@pytest.mark.parametrize("role", ["assistant", "system", "tool"])
def test_only_user_turns_state_anything(role: str) -> None:
    said = turn(1, "Always use tabs. I prefer tabs. I have never used tabs.", role=role)
    history = InMemoryHistory([said], "tabs", RecallOptions())

    assert statements.requests(history) == statements.preferences(history) == []
    assert statements.claims([said], ["tab"]) == []


def test_statements_of_a_turn_are_counted_in_their_order() -> None:
    said = "Always use tabs. I prefer cats. It rains.\n- Never use spaces."
    found = statements.requests(_history(said))

    assert [(one.part, one.text, one.whole) for one in found] == [
        (0, "Always use tabs.", False),
        (1, "- Never use spaces.", False),
    ]
    assert all(said[one.start : one.end] == one.text for one in found)


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        ("When I ask about deployments, always include the rollback command.", "rollback command"),
        ("Please always mention the ticket number.", "ticket number"),
        ("Never use emojis.", ""),
        ("Stop apologising.", ""),
    ],
)
def test_LS12_what_a_request_wants_an_answer_to_hold(request_: str, wanted: str) -> None:
    (found,) = statements.requests(_history(request_))

    assert wanted in statements.asks_for(found)
    assert "deployment" not in statements.asks_for(found)
    assert bool(wanted) == bool(statements.asks_for(found))


def test_what_a_request_applies_to_is_known() -> None:
    (found,) = statements.requests(_history("When I ask about recipes, give metric units."))

    assert found.topic == "recipes"


def test_no_more_turns_are_read_than_a_history_of_any_size_may_cost() -> None:
    class Counting(InMemoryHistory):
        asked: list[int]

        def marked(self, phrases: Sequence[str], limit: int) -> Sequence[StoredTurn]:
            self.asked.append(limit)
            return super().marked(phrases, limit)

    history = Counting([turn(n, f"Always check {n}.") for n in range(1000)], "check", RecallOptions())
    history.asked = []

    assert len(statements.requests(history)) == statements.READ[1]
    assert history.asked == list(statements.READ)


def test_a_sentence_of_more_characters_than_anybody_says_states_nothing() -> None:
    assert statements.requests(_history("Always use tabs" + " and tabs" * 50 + ".")) == []


@given(
    st.text(max_size=300)
    | st.lists(st.sampled_from(["always ", "never ", "i prefer ", '"', "`", ". ", "\n", "? "])).map("".join)
)
def test_whatever_is_found_is_word_for_word(text: str) -> None:
    history = _history(text)

    for one in (*statements.requests(history), *statements.preferences(history)):
        assert text[one.start : one.end] == one.text == one.text.strip() != ""


@pytest.mark.parametrize(
    "piece", ["always ", "when i ask ", "i prefer ", '"', "don't use ", "never again ", "我对"]
)
def test_a_long_turn_is_read_in_time_that_grows_with_its_length(piece: str) -> None:
    started = process_time()
    statements.requests(_history(piece * (100_000 // len(piece))))
    statements.preferences(_history(piece * (100_000 // len(piece))))

    assert process_time() - started < 5
