"""The tokens are those of `bert-base-uncased`; the expected ones were made with the reference tokenizer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryapp.embedding import mini_lm, word_pieces
from memoryapp.embedding.word_pieces import WordPieces

TEXTS = {
    "ascii_signs": ("Don't re-read foo_bar.baz(1)=2^3!", "don ' t re - read foo _ bar . ba ##z ( 1 ) = 2 ^ 3 !"),
    "other_signs": ("1,000.50€ or $5, ±3 °C", "1 , 000 . 50 ##€ or $ 5 , ± ##3 °c"),
    "accents": ("Naïve CAFÉ, Ångström", "naive cafe , ang ##strom"),
    "unseen": ("soft\u00adhyphen zero\u200bwidth nul\0 \ufffd", "soft ##hy ##ph ##en zero ##wi ##dt ##h nu ##l"),
    "spaces": ("tab\tline\nend", "tab line end"),
    "chinese": ("漢字 豈 word \U00020000", "漢 [UNK] [UNK] word [UNK]"),
    "compatible": ("½ №5 \ufb01ne", "½ № ##5 \ufb01 ##ne"),
    "too_long": ("unbelievably " + "x" * 101, "un ##bel ##ie ##va ##bly [UNK]"),
    "marks_of_the_model_in_a_text": ("[SEP] here", "[ sep ] here"),
}


@pytest.fixture(scope="module")
def pieces():
    return WordPieces(mini_lm._VOCABULARY)


@pytest.mark.parametrize(("text", "expected"), [pytest.param(*case, id=name) for name, case in TEXTS.items()])
def test_tokens_are_those_of_the_reference(pieces, text, expected):
    vocabulary = mini_lm._VOCABULARY.read_text(encoding="utf-8").splitlines()
    ids, _ = pieces.read(text)
    assert [vocabulary[one] for one in ids] == ["[CLS]", *expected.split(), "[SEP]"]


@given(st.text(st.sampled_from("aB9 .,-_$^~`|<>=+\t\r\n'\"()[]{}@#%&*\\/?!;:"), max_size=60))
def test_plain_text_is_split_as_any_other(text):
    assert list(word_pieces._words(text)) == list(word_pieces._words_of_any_script(text))
