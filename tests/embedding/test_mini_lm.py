"""The built-in embedder: out of its wheel, the same vectors as always, and none for what it cannot read."""

import math

import pytest

from memoryapp.embedding import MiniLM, Unavailable, mini_lm
from memoryapp.embedding.word_pieces import MOST_TOKENS

TEXTS = ["Ada's sister lives in Bergen.", "Where does her sibling live?", "Deploys with Helm charts."]


@pytest.fixture(scope="module")
def model():
    return MiniLM()


def cosine(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))


def test_vectors_have_length_one_and_tell_meanings_apart(model):
    sister, sibling, helm = model.embed(TEXTS)
    assert len(sister) == 384 and math.isclose(cosine(sister, sister), 1, abs_tol=1e-5)
    assert cosine(sister, sibling) > 0.4 > 0.2 > cosine(sister, helm)


def test_a_text_has_the_same_vector_alone_and_among_others(model):
    together = model.embed([*TEXTS, "A much longer text about many things at once. " * 8])
    for text, vector in zip(TEXTS, together, strict=False):
        assert cosine(model.embed([text])[0], vector) > 0.9999


UNREAD = {
    "german": "Bevorzugt kurze Antworten ohne Einleitung.",
    "turkish": "Hangi veritabanını kullanıyoruz?",
    "cyrillic": "Какую базу данных использует Атлас?",
    "greek": "Ποια βάση δεδομένων χρησιμοποιεί;",
    "arabic": "ما قاعدة البيانات التي يستخدمها أطلس؟",
    "hebrew": "באיזה מסד נתונים משתמש אטלס?",
    "devanagari": "एटलस कौन सा डेटाबेस उपयोग करता है?",
    "thai": "แอตลาสใช้ฐานข้อมูลอะไร",
    "chinese": "阿特拉斯使用哪个数据库？",
    "japanese": "アトラスはどのデータベースを使っていますか",
    "korean": "아틀라스는 어떤 데이터베이스를 사용하나요?",
    "signs": "🎉 !? 123",
    "empty": "",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in UNREAD.items()])
def test_what_it_does_not_read_gets_no_vector(model, text):
    assert model.embed([text]) == [None]


def test_a_long_text_is_read_as_far_as_it_goes(model):
    ids, _ = model._pieces.read("word " * 8_000)
    assert len(ids) == MOST_TOKENS
    assert model.embed(["word " * 8_000])[0] is not None


def test_other_weights_are_refused(monkeypatch):
    monkeypatch.setattr(mini_lm, "_DIGEST", "0" * 64)
    with pytest.raises(Unavailable, match="not the ones that were measured"):
        MiniLM().embed(["Likes tea."])


def test_a_missing_wheel_is_said(monkeypatch):
    monkeypatch.setattr(mini_lm, "_PACKAGE", "no_such_wheel")
    with pytest.raises(Unavailable, match="not installed"):
        MiniLM().embed(["Likes tea."])
