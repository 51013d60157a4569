"""A request in parts: each question finds its own memories, and material around a question does not drown it."""

import pytest

from memoryapp.policy.relevance import Document, Lexical
from memoryapp.policy.relevance.parts import MOST_PARTS, parts_of
from tests.policy.growth import takes_linear_time

CODE = "\n".join(f"def handler_{i}(request): return render(request, 'page_{i}.html', context)" for i in range(110))
STORE = [
    Document("Atlas keeps its data in PostgreSQL.", "storage"),
    Document("The dentist is called Marit Lund.", "teeth"),
    Document("Flies to Bergen on the third of May.", "journey"),
    Document("Drinks green tea at noon.", "drink"),
]

PARTS = {
    "one_question": ("Which database does Atlas use?", ()),
    "a_remark_and_a_question": ("We are late. Which database does Atlas use?", ()),
    "two": ("Who is my dentist? When do I fly?", ("Who is my dentist?", "When do I fly?")),
    "arabic": ("من هو طبيبي؟ متى سأسافر؟", ("من هو طبيبي؟", "متى سأسافر؟")),
    "french": ("Où j'habite ? Quel est mon chat ?", ("Où j'habite ?", "Quel est mon chat ?")),
    "chinese": ("住哪里？过敏吗？", ("住哪里？", "过敏吗？")),
    "short_chinese": ("什么？吗？", ()),
    "the_same_twice": ("Who is my dentist? Who is my dentist?", ("Who is my dentist?",)),
    "marks_only": ("??? ?", ()),
}


@pytest.mark.parametrize(("query", "parts"), [pytest.param(*c, id=name) for name, c in PARTS.items()])
def test_it_takes_questions_apart(query, parts):
    assert parts_of(query) == parts


@pytest.mark.parametrize("unit", ["x", "부산에 살고 병원에서 일합니다 ", "? ", "a?"])
def test_it_takes_linear_time(unit):
    assert takes_linear_time(parts_of, unit, 8_000)


def test_of_many_questions_it_takes_the_first_and_the_last():
    parts = parts_of(" ".join(f"What is number {i}?" for i in range(30)))
    assert len(parts) == MOST_PARTS and parts[0] == "What is number 0?" and parts[-1] == "What is number 29?"


def test_each_question_finds_its_own():
    query = "Where does Atlas keep its data? What is the dentist called? Who flies to Bergen in May?"
    assert [one.relevance >= 0.3 for one in Lexical().score(query, STORE)] == [True, True, True, False]


@pytest.mark.parametrize(
    "query", [f"Where does Atlas keep its data?\n{CODE}", f"{CODE}\nWhere does Atlas keep its data?"]
)
def test_eight_thousand_characters_of_code_do_not_drown_the_question(query):
    assert len(query) > 7_900
    assert [one.relevance >= 0.3 for one in Lexical().score(query, STORE)] == [True, False, False, False]


def test_a_question_of_one_word_is_not_outshone_by_the_others():
    query = "Who is my dentist? Where does Atlas keep its data? Who flies to Bergen in May?"
    assert [one.relevance >= 0.3 for one in Lexical().score(query, STORE)] == [True, True, True, False]
    alone, together = Lexical().score("Who is my dentist?", STORE)[1], Lexical().score(query, STORE)[1]
    assert together.relevance == pytest.approx(alone.relevance)
