"""Normal forms: what is the same value or subject, and what is not."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryapp.policy.normal import folded, normal_form
from tests.policy.growth import takes_linear_time

SAME = {
    "case": ("Likes Tea", "likes tea"),
    "full_stop": ("Likes tea.", "Likes tea"),
    "several_marks": ("Likes tea?! …", "Likes tea"),
    "chinese_full_stop": ("喜欢喝茶。", "喜欢喝茶"),
    "closing_quote": ("Likes “tea”", "Likes “tea"),
    "white_space": ("  Likes \t tea ", "Likes tea"),
    "line_break": ("Likes\ntea", "Likes tea"),
    "carriage_return": ("Likes\r\ntea", "Likes tea"),
    "tab": ("Likes\ttea", "Likes tea"),
    "next_line": ("Likes\x85tea", "Likes tea"),
    "line_separator": ("Likes\u2028tea", "Likes tea"),
    "no_break_space": ("Likes\u00a0tea", "Likes tea"),
    "ideographic_space": ("东京\u3000塔", "东京 塔"),
    "zero_width_space": ("Li\u200bkes tea", "Likes tea"),
    "soft_hyphen": ("Li\u00adkes tea", "Likes tea"),
    "byte_order_mark": ("\ufeffLikes tea", "Likes tea"),
    "direction_mark": ("\u202eLikes tea\u202c", "Likes tea"),
    "bell": ("Likes\x07 tea", "Likes tea"),
    "full_width": ("Ｌｉｋｅｓ　ｔｅａ．", "Likes tea"),
    "half_width_kana": ("ｶﾀｶﾅ", "カタカナ"),
    "ligature": ("ﬁne", "fine"),
    "decomposed": ("Cafe\u0301", "Café"),
    "decomposed_around_zero_width": ("Cafe\u200b\u0301", "Café"),
    "sharp_s": ("Straße", "STRASSE"),
    "final_sigma": ("ΟΔΟΣ", "οδος"),
    "iota_below": ("\u1fb3", "\u0391\u0345"),
    "circled_digit": ("Room ①", "Room 1"),
    "trailing_space_and_mark": ("tea . . .", "tea"),
    "invisible_between_marks": ("tea.\u200b.", "tea"),
}
DIFFERENT = {
    "other_word": ("Likes tea", "Likes coffee"),
    "cyrillic_look_alike": ("scope", "sсope"),
    "greek_look_alike": ("A", "Α"),
    "marks_only": ("!!!", "???"),
    "leading_mark": ("#tea", "tea"),
    "inner_mark": ("node.js", "nodejs"),
    "accent": ("Cafe", "Café"),
    "chinese": ("喜欢喝茶", "喜欢喝咖啡"),
    "emoji": ("Likes 🍵", "Likes ☕"),
    "sign": ("C++", "C"),
    "number": ("value1", "value2"),
    "words_joined": ("Likes tea", "Likestea"),
    "after_200_letters": ("a" * 200 + "b", "a" * 200 + "c"),
}


@pytest.mark.parametrize(("one", "other"), [pytest.param(*pair, id=name) for name, pair in SAME.items()])
def test_it_takes_for_the_same_value(one, other):
    assert normal_form(one) == normal_form(other)


@pytest.mark.parametrize(("one", "other"), [pytest.param(*pair, id=name) for name, pair in DIFFERENT.items()])
def test_it_tells_apart(one, other):
    assert normal_form(one) != normal_form(other)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        pytest.param("Prefers metric units.", "prefers metric units", id="sentence"),
        pytest.param("!!!", "!!!", id="marks_only"),
        pytest.param(" ！？ ", "!?", id="full_width_marks_only"),
        pytest.param(". .", ". .", id="marks_and_space"),
        pytest.param("", "", id="empty"),
        pytest.param("\u200b\n", "", id="nothing_visible"),
    ],
)
def test_it_gives_the_form(text, form):
    assert normal_form(text) == form


@settings(deadline=None)
@given(st.text())
def test_it_changes_nothing_the_second_time(text):
    form = normal_form(text)
    assert normal_form(form) == form
    assert normal_form(unicodedata.normalize("NFD", text)) == form
    assert normal_form(f" {text}\n") == form


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param("\u0301\u0316", id="marks_out_of_order"),
        pytest.param("\u0344", id="marks_that_part"),
        pytest.param("ﷺ", id="long_compatibility_form"),
        pytest.param("tea. ", id="sentences"),
        pytest.param(".", id="marks"),
        pytest.param(" ", id="spaces"),
        pytest.param("喝", id="chinese"),
    ],
)
def test_it_takes_linear_time(unit):
    assert takes_linear_time(lambda text: (normal_form(text), folded(text)), unit, 2_000)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        pytest.param("plain, ASCII\n", "plain, ASCII\n", id="ascii"),
        pytest.param("４１１１－１", "4111-1", id="full_width"),
        pytest.param("٤١", "41", id="arabic_digits"),
        pytest.param("a—b\u2212c", "a-b-c", id="dashes"),
        pytest.param("a\u200bb\u2028c\u3000d", "ab\nc d", id="invisible_and_breaks"),
        pytest.param("e\u0301t", "ét", id="decomposed"),
    ],
)
def test_it_folds_to_plain_characters(text, plain):
    assert folded(text).text == plain


@settings(deadline=None)
@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("ﷺe\u0301\u200bﬁ４"))))
def test_it_finds_the_way_back_from_folded_text(text):
    view = folded(text)
    spans = [view.span_of(index, index + 1) for index in range(len(view.text))]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert spans == sorted(spans)
    if view.text:
        start, end = view.span_of(0, len(view.text))
        assert folded(text[start:end]).text == view.text
