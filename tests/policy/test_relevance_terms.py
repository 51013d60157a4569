"""Terms: what a memory is found by, and what a request asks for."""

import gc
import random
import re
import subprocess
import sys
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryapp.policy.relevance import Match, Probe, analyse, analyse_request, match_terms, name_index, term_index
from memoryapp.policy.relevance.probe import resolve
from memoryapp.policy.relevance.stemming import stem
from memoryapp.policy.relevance.terms import MAX_REQUEST_WORDS
from memoryapp.policy.relevance.words import split_words
from tests.policy.growth import takes_linear_time

SAME_STEM = {
    "plural": ("databases", "database"),
    "plural_es": ("boxes", "box"),
    "plural_ies": ("libraries", "library"),
    "ing": ("running", "run"),
    "ing_e": ("caching", "cache"),
    "ed": ("planned", "plan"),
    "ed_e": ("decided", "decide"),
    "ied": ("tried", "tries"),
    "double_l": ("calling", "calls"),
    "ly": ("recently", "recent"),
    "irregular": ("went", "goes"),
    "use": ("using", "uses"),
    "lives": ("lives", "living"),
    "russian": ("базу", "база"),
    "arabic_article": ("البيانات", "بيانات"),
}


@pytest.mark.parametrize(("one", "other"), [pytest.param(*pair, id=name) for name, pair in SAME_STEM.items()])
def test_it_stems_both_sides_alike(one, other):
    assert stem(one) == stem(other)


@pytest.mark.parametrize(
    "pair", [("go", "google"), ("test", "tea"), ("mongo", "mongodb"), ("16", "1"), ("react", "reactor")]
)
def test_it_keeps_other_words_apart(pair):
    assert stem(pair[0]) != stem(pair[1])


FORMS = {
    "case": ("PostgreSQL", "postgresql"),
    "accents": ("café Łódź", "cafe lodz"),
    "width": ("ＡＴＬＡＳ", "atlas"),
    "sharp_s": ("Straße", "STRASSE"),
    "digits": ("١٦", "16"),
    "points": ("שָׁלוֹם", "שלום"),
    "invisible": ("data\u00adbase\u200b", "database"),
    "possessive": ("Caroline's", "caroline"),
    "hyphened_letter": ("e-mail", "email"),
    "initials": ("U.S.A.", "usa"),
    "emoji_tone": ("👍🏽", "👍"),
    "emoji_selector": ("❤️", "❤"),
    "halfwidth_kana": ("ﾃﾞｰﾀ", "データ"),
}


@pytest.mark.parametrize(("one", "other"), [pytest.param(*pair, id=name) for name, pair in FORMS.items()])
def test_it_reads_spelling_variants_as_one(one, other):
    assert [w.stem for w in split_words(one)] == [w.stem for w in split_words(other)] != []


def test_it_keeps_vowel_signs_that_make_words():
    assert [w.stem for w in split_words("हिन्दी में")] != [w.stem for w in split_words("हन्द म")]


def test_it_tells_c_from_c_sharp_and_c_plus_plus():
    assert [w.stem for w in split_words("C, C++ and C#.")] == ["c", "c++", "and", "c#"]


@given(st.text("ab9AU1 .,-_/'+#&st", max_size=12).filter(lambda text: re.search("[a-z0-9]", text, re.I)))
def test_a_word_that_is_joined_elsewhere_in_the_text_changes_none(text):
    """Texts in which nothing is joined are split by a shorter way."""
    assert split_words(f"{text} node.js") == [*split_words(text), *split_words("node.js")]


NAMES = {
    "snake": ("response_length", "respons length"),
    "snake_joined": ("response_length", "responselength"),
    "camel": ("responseLength", "respons length"),
    "hyphen": ("try-catch", "try catch"),
    "dots": ("fly.io", "fly io"),
    "article": ("the beatles", "beatl"),
    "stop_inside": ("composition_over_inheritance", "composition over inheritanc"),
    "chinese": ("数据库", "数据 据库"),
}


@pytest.mark.parametrize(("subject", "name"), [pytest.param(*pair, id=name) for name, pair in NAMES.items()])
def test_it_knows_a_subject_by_its_name(subject, name):
    assert name in analyse("Some text of more than six words in all.", subject, ()).names
    assert (
        name in analyse("Some text of more than six words in all.", "x", (subject,)).names
        or subject == "responseLength"
    )


def test_it_takes_words_of_text_subject_and_aliases():
    terms = analyse("Uses Helm charts.", "kubernetes_cluster", ("k8s",))
    assert {"helm", "chart", "kubernet", "clust" if "clust" in terms.words else "cluster", "k8s"} <= terms.words
    assert "a" not in terms.words


PROPER = {
    "in_a_sentence": ("Her sister Ottoline lives in Ghent.", {"Ottolin", "Ghent"}),
    "first_word": ("Cats are fine. Dogs are not.", set()),
    "after_a_comma": ("Sees Ada, Minna and Ben.", {"Ada", "Minna", "Ben"}),
    "possessive": ("Feeds Minna's kitten.", {"Minna"}),
    "days_and_months": ("Swims on Monday in May.", set()),
    "stop_word": ("So am I, and The too.", set()),
    "all_capitals": ("CALL ADA AT NOON.", set()),
    "cyrillic": ("Живёт в Казани.", {"Казан"}),
    "german": ("Spielt Cello in einem Orchester.", set()),
    "german_shared_word": ("Ist am Abend mit dem Zug in Bergen.", set()),
}


@pytest.mark.parametrize(("text", "names"), [pytest.param(*c, id=name) for name, c in PROPER.items()])
def test_it_marks_the_proper_names_of_a_text(text, names):
    assert {word for word in analyse(text, "", ()).words if word[:1].isupper()} == names


def test_proper_names_take_linear_time():
    assert takes_linear_time(lambda text: analyse(text, "", ()), "Aa Bb ", 1_500)


def test_it_keeps_stop_words_only_where_there_is_nothing_else():
    assert analyse_request("what is it?").words == ("what", "is", "it")
    assert analyse_request("what is tea?").words == ("tea",)


def test_it_lists_request_words_once_in_order():
    assert analyse_request("tables and table of Databases, table").words == ("tabl", "databas")


def test_it_bounds_a_long_request_to_its_head_and_tail():
    words = [f"w{i}x" for i in range(1500)]
    asked = analyse_request(" ".join(words)).words
    assert len(asked) == MAX_REQUEST_WORDS
    assert (asked[0], asked[-1]) == ("w0x", "w1499x")


def test_it_bounds_the_terms_of_any_text_of_2000_characters():
    rng = random.Random(0)
    for low, high in ((0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0x0E01, 0x0E2E), (0x21, 0x7E), (0x1F300, 0x1F5FF)):
        text = "".join(chr(rng.randint(low, high)) for _ in range(2000))
        terms = analyse(text, "x", ("y" * 80,) * 20)
        assert len(terms.words) + len(terms.names) < 16_000
        assert max(map(len, terms.words)) <= 64


def test_it_shortens_endless_words_and_still_tells_them_apart():
    one, other = analyse("k" * 1000 + "a", "", ()), analyse("k" * 1000 + "b", "", ())
    assert one.words != other.words


def test_it_keeps_no_endless_word_in_memory():
    analyse("z" * 100_000 + "1", "", ())  # what is made once is made by now
    tracemalloc.start()
    for letter in "abcdefgh":
        analyse(letter * 100_000 + "1", "", ())
    gc.collect()
    kept, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 100_000 < most


@given(st.text(max_size=200))
def test_it_has_every_request_word_of_a_text_among_its_terms(text):
    request = analyse_request(text)
    assert set(request.words) <= analyse(text, "", ()).words


@given(st.text(), st.text())
def test_it_places_terms_within_the_vector(one, other):
    for index in (term_index(one), name_index(one)):
        assert 1 <= index <= 1_000_000_000
    assert (term_index(one) == term_index(other)) == (one == other)
    assert term_index(one) != name_index(one)


def test_it_places_terms_alike_in_every_process():
    code = "from memoryapp.policy.relevance import term_index, name_index; print(term_index('tea'), name_index('tea'))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == [str(term_index("tea")), str(name_index("tea"))]


WORDS = st.lists(
    st.sampled_from([*"abcdefgh", "Table", "Dr Mango", "table", "tabel", "database", "databse", "tabla"]), max_size=45
)


@given(WORDS, WORDS, st.integers(1, 3))
def test_it_reads_a_match_back_from_the_terms_that_a_memory_has(asked, held, repeat):
    many = [f"{word}{'q' * i}" for i in range(repeat) for word in asked]
    request = analyse_request(" ".join(many))
    terms = analyse(" ".join(held), "tabel", ("a b",))
    probe = resolve(request, terms.words & set(request.words), terms.words)
    stored = {term_index(w) for w in terms.words} | {name_index(n) for n in terms.names}
    mask = sum(1 << bit for bit, term in enumerate(probe.terms) if term in stored)
    names = sum(term in stored for term in probe.name_terms)
    assert probe.match(mask, names) == match_terms(probe, terms)


def test_it_lets_one_word_stand_for_two_request_words():
    probe = Probe(("mongo", "mango"), ((1, "mongo"),))
    assert probe.terms == [term_index("mongo"), term_index("mango"), term_index("mongo")]
    assert probe.match(0b101, 0) == Match(exact=0b01, near=0b10)
