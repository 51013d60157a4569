"""Function words of every language weigh nothing, and hide no word that means something in another one."""

import pytest

from memoryapp.policy.relevance import Document, Lexical, analyse, analyse_request

FLOOR = 0.3
# Language: a memory, a question of function words and one of its words, one that is about something else.
QUESTIONS = {
    "german": ("Schuhgröße ist 41.", "Welche Schuhgröße habe ich?", "Welche Hauptstadt hat Peru?"),
    "german_has": ("Die Katze heißt Minna.", "Hat sie eine Katze?", "Wie hoch ist der Turm?"),
    "german_article": ("Die Laube liegt am Fluss.", "Wo war denn die Laube?", "War die Miete hoch?"),
    "german_in": ("Ein Jahr in Bergen.", "War sie in Bergen?", "War sie in Kiel?"),
    "italian_mine": ("Taglia 41.", "Qual è la mia taglia?", "Qual è la capitale?"),
    "spanish_mine": ("Talla 41.", "¿Cuál es la talla mía?", "¿Cuál es la capital?"),
    "german_greeting": ("Frieda geht in die Grundschule.", "Frieda?", "Wie geht's?"),
    "german_greeting_in_full": ("Frieda geht in die Grundschule.", "Frieda?", "Wie geht es dir?"),
    "spanish_of": ("Su hermana Ottoline nació de noche.", "¿Cuándo es el día de Ottoline?", "¿De quién?"),
    "french": ("Pointure 41.", "Quelle est ma pointure ?", "Quelle est la capitale du Pérou ?"),
    "french_elided": ("Préfère l'avion.", "Est-ce que j'ai l'avion ?", "Quelle heure est-il ?"),
    "french_curly": ("Allergique à l’arachide.", "Qu’est-ce que l’arachide ?", "Qu’est-ce qu’un atome ?"),
    "spanish": ("Vive con dos gatos.", "¿Cuántos gatos tengo?", "¿Cuál es la capital de Perú?"),
    "portuguese": ("Mora com dois gatos.", "Quantos gatos eu tenho?", "Qual é a capital do Peru?"),
    "italian": ("Vive con due gatti.", "Quanti gatti ho?", "Qual è la capitale del Perù?"),
    "italian_elided": ("Teme l'acqua.", "Che cosa è dell'acqua?", "Che ora è?"),
    "dutch": ("Schoenmaat is 41.", "Welke schoenmaat heb ik?", "Wat is de hoofdstad van Peru?"),
    "swedish": ("Skostorlek 41.", "Vilken skostorlek har jag?", "Vad är huvudstaden i Peru?"),
    "polish": ("Rozmiar 41.", "Jaki mam rozmiar?", "Jaka jest stolica Peru?"),
    "turkish": ("Ayakkabı 41 numara.", "Bana hangi ayakkabı var?", "Peru'nun başkenti neresi?"),
    "russian": ("Размер обуви 41.", "Какой у меня размер обуви?", "Какая столица Перу?"),
    "ukrainian": ("Розмір взуття 41.", "Який у мене розмір взуття?", "Яка столиця Перу?"),
    "greek": ("Νούμερο 41.", "Τι νούμερο έχω;", "Ποια είναι η πρωτεύουσα του Περού;"),
    "arabic": ("مقاس الحذاء 41.", "ما هو مقاس الحذاء الخاص بي؟", "ما هي عاصمة بيرو؟"),
    "hindi": ("जूते का नंबर 41 है।", "मुझे जूते का नंबर क्या है?", "पेरू की राजधानी क्या है?"),
    "vietnamese": ("Giày 41.", "Giày của tôi là bao nhiêu?", "Thủ đô của Peru là gì?"),
    "indonesian": ("Sepatu 41.", "Berapa sepatu saya?", "Apa ibu kota Peru?"),
}
OTHERS = [Document("Walks the dog at seven."), Document("Booked a train to Oslo for June.")]


@pytest.mark.parametrize(("text", "asked", "other"), [pytest.param(*c, id=name) for name, c in QUESTIONS.items()])
def test_what_is_asked_about_is_found_whatever_stands_around_it(text, asked, other):
    def passes(query):
        return [one.relevance >= FLOOR for one in Lexical().score(query, [Document(text), *OTHERS])]

    assert passes(asked) == [True, False, False]
    assert passes(other) == [False, False, False]


# Words that are function words in another language, in a sentence of their own.
CONTENT = {
    "hat": "Where did she buy the hat?", "war": "Which war did he report on?", "die": "Can the plants die?",
    "son": "What is the son called?", "sin": "Is it a sin?", "hay": "Who delivers the hay?",
    "comment": "Did she comment on it?", "ton": "Does it weigh a ton?", "hoe": "Where is the hoe?",
    "uber": "How often does she take an Uber?", "soy": "Is there soy in it?", "kim": "When does Kim come?",
    "sue": "Would Sue help?", "jest": "Was it in jest?", "bin": "When is the bin emptied?", "ai": "Is AI allowed?",
    "mir": "What did the crew of Mir do?", "man": "Who was that man?", "c": "Is C faster than Java?",
    "war, beside a foreign name": "What did the man of Der Spiegel say about the war?",
    "mia": "When is Mia's birthday?", "cho": "Does Cho sing?", "yang": "Is Yang here?", "chung": "Did Chung write?",
    "era": "Which era does she study?", "aux": "Is there an aux input?", "elle": "Is Elle at home?",
    "mais": "Pflanzt sie Mais?", "tee": "Trinkt er Tee?", "haar": "Welche Haarfarbe, welches Haar?",
}  # fmt: skip


@pytest.mark.parametrize(("word", "query"), [pytest.param(*c, id=c[0]) for c in CONTENT.items()])
def test_a_word_of_one_language_is_not_hidden_by_another(word, query):
    (content,) = analyse_request(word.partition(",")[0]).words
    assert content in analyse_request(query).words


def test_an_article_that_lost_its_vowel_is_told_from_the_letter():
    assert analyse_request("Qui connaît l'adresse d'Ada ?").words == analyse_request("connaît adresse Ada").words
    assert {"l", "d"} <= set(analyse_request("vitamin D, size L").words)
    assert "d" in analyse_request("vitamin 'D' level").words


def test_a_word_that_two_languages_share_tells_neither_from_the_other():
    assert analyse_request("War sie in Bergen?").words == ("bergen",)
    assert "war" in analyse_request("War was in the news in Bergen").words


def test_a_memory_drops_what_a_request_drops():
    text = "Die Katze war bei mir."
    assert "katz" in analyse(text, "", ()).words and set(analyse_request(text).words) <= analyse(text, "", ()).words
    assert analyse(text, "", ()).words.isdisjoint({"die", "di", "war", "mir"})
