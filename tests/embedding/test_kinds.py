"""Every kind of request, with the built-in model: what is meant comes back, the rest does not."""

import pytest

from memoryapp.embedding import MiniLM
from memoryapp.policy.relevance.blended import Blended, coefficients_of
from memoryapp.policy.relevance.parts import parts_of
from memoryapp.policy.relevance.scorer import Document

FLOOR = 0.3
CODE = "\n".join(f"def handler_{i}(request): return render(request, 'page_{i}.html', context)" for i in range(110))
MEMORIES = {
    "storage": ("Atlas keeps all of its data in PostgreSQL 16.", ()),
    "hosting": ("Atlas is deployed to a Kubernetes cluster in Frankfurt.", ("k8s",)),
    "framework": ("Uses Fastify for HTTP services rather than Express.", ("Fastify",)),
    "dentist": ("Marit Lund is her dentist; the practice is closed on Fridays.", ()),
    "sister": ("Her sister moved to Bergen and teaches music at a school there.", ()),
    "allergy": ("Is allergic to peanuts and carries an injection.", ()),
    "running": ("Runs ten kilometres along the river every Sunday morning.", ()),
    "budget": ("The marketing budget for next year was cut by a fifth.", ()),
    "cat": ("Has an old grey cat called Minna.", ()),
}
KINDS = {
    "own_words": ("By how much was the marketing plan reduced for next year?", {"budget"}),
    "own_words_and_one_of_its": ("In which city does her sister give lessons?", {"sister"}),
    "on_which_day": ("On which day does she run by the river?", {"running"}),
    "a_pet": ("What is the name of her pet cat?", {"cat"}),
    "same_words": ("Which database does Atlas keep its data in?", {"storage"}),
    "alias": ("how many pods can k8s schedule?", {"hosting"}),
    "capitals": ("WHAT IS THE NAME OF HER DENTIST?", {"dentist"}),
    "name_misspelt": ("what about the kubernets cluster in Frankfurt?", {"hosting"}),
    "alias_misspelt": ("fastfy plugins", {"framework"}),
    "negated": ("I do not want Express, what then?", {"framework"}),
    "several": ("What is her dentist called? Where does her sister live? Is she allergic to peanuts?",
                {"dentist", "sister", "allergy"}),
    "long_with_code_before": (f"{CODE}\nIn which database does Atlas keep its data?", {"storage"}),
    "long_with_code_after": (f"In which database does Atlas keep its data?\n{CODE}", {"storage"}),
    "exact": (MEMORIES["running"][0], {"running"}),
    "stop_words": ("what should we do about it, and how?", set()),
    "elsewhere": ("How tall is the Eiffel tower?", set()),
    "elsewhere_long": ("Explain the difference between TCP and UDP to a beginner, please, with an example.", set()),
    "same_person_other_matter": ("Which instrument did her brother learn in Madrid?", set()),
    "code_alone": (CODE, set()),
}  # fmt: skip


@pytest.fixture(scope="module")
def model():
    return MiniLM()


@pytest.fixture(scope="module")
def stored(model):
    return dict(zip(MEMORIES, model.embed([text for text, _ in MEMORIES.values()]), strict=True))


@pytest.fixture
def told(model, stored):
    """`told(query)`: the relevance of every memory."""

    def act(query):
        asked = [vector for vector in model.embed([query, *parts_of(query)]) if vector]
        documents = [
            Document(text, subject, aliases, cosine=max((dot(one, stored[subject]) for one in asked), default=None))
            for subject, (text, aliases) in MEMORIES.items()
        ]
        scores = Blended(coefficients_of(model.model)).score(query, documents)
        return {subject: score.relevance for subject, score in zip(MEMORIES, scores, strict=True)}

    return act


def dot(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(("query", "meant"), [pytest.param(*c, id=name) for name, c in KINDS.items()])
def test_what_is_meant_comes_back_and_nothing_else(query, meant, told):
    found = told(query)
    assert {subject for subject, relevance in found.items() if relevance >= FLOOR} == meant, found


def test_an_exact_text_is_nearly_certain(told):
    for subject, (text, _) in MEMORIES.items():
        assert told(text)[subject] >= 0.95


# Language: a memory, a request that shares words with it, one that has nothing to do with it.
LANGUAGES = {
    "german": ("Atlas speichert Daten in PostgreSQL.", "Wo speichert Atlas seine Daten?", "Wie hoch ist der Turm?"),
    "french": ("Ma soeur habite à Bergen.", "Où habite ma soeur ?", "Quelle heure est-il ?"),
    "russian": ("Сестра живёт в Бергене.", "Где живёт сестра?", "Какая погода завтра?"),
    "greek": ("Προτιμά πράσινο τσάι.", "τι τσάι προτιμά;", "ποια είναι η πρωτεύουσα;"),
    "arabic": ("يستخدم المشروع قاعدة بيانات كبيرة", "ما هي قاعدة البيانات؟", "أين تقع المدينة؟"),
    "hebrew": ("הפרויקט משתמש במסד נתונים", "איזה מסד נתונים הפרויקט", "מה מזג האוויר היום"),
    "hindi": ("उसे हरी चाय पसंद है", "कौन सी चाय पसंद है?", "मौसम कैसा रहेगा"),
    "thai": ("แอตลาสใช้ฐานข้อมูลโพสต์เกรส", "ฐานข้อมูลคืออะไร", "วันนี้ฝนตกไหม"),
    "chinese": ("项目使用PostgreSQL数据库。", "我们用什么数据库？", "埃菲尔铁塔有多高？"),
    "japanese": ("データベースはPostgreSQLを使っています。", "データベースは何ですか？", "エッフェル塔の高さは？"),
    "korean": ("아틀라스는 데이터베이스를 사용합니다.", "데이터베이스는 무엇을 사용하나요?", "오늘 날씨가 어떤가요?"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_every_language_shared_words_find_and_others_do_not(language, model, stored):
    text, sharing, unrelated = LANGUAGES[language]
    (vector,) = model.embed([text])

    def passes(query):
        (asked,) = model.embed([query])
        pairs = [(text, vector), *((MEMORIES[subject][0], stored[subject]) for subject in ("running", "budget"))]
        documents = [Document(one, cosine=dot(asked, v) if asked and v else None) for one, v in pairs]
        return [score.relevance >= FLOOR for score in Blended(coefficients_of(model.model)).score(query, documents)]

    assert passes(sharing) == [True, False, False]
    assert passes(unrelated) == [False, False, False]
    assert passes(text)[0]
