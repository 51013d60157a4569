"""Every script is searchable: shared words are found, others are not."""

import pytest

from memoryapp.policy.relevance import Document, Lexical

FLOOR = 0.3
# Script: memory, a request that shares words with it, one that does not.
SCRIPTS = {
    "latin": ("Atlas uses a PostgreSQL database.", "which database does Atlas use?", "how tall is the Eiffel tower?"),
    "german": ("Atlas nutzt eine PostgreSQL-Datenbank.", "Welche Datenbank nutzt Atlas?", "Wie hoch ist der Turm?"),
    "french": ("Préfère le thé vert au café.", "Est-ce que je préfère le thé ?", "Où est la gare centrale ?"),
    "spanish": ("Vive en Bogotá con dos gatos.", "¿Cuántos gatos viven en Bogotá?", "¿Cuál es la capital de Perú?"),
    "turkish": ("Istanbul'da yaşıyor ve çay seviyor.", "çay seviyor mu?", "en yakın havaalanı nerede?"),
    "vietnamese": ("Thích uống cà phê sữa đá.", "thích cà phê gì?", "thời tiết hôm nay thế nào?"),
    "cyrillic": (
        "Проект использует базу данных PostgreSQL.",
        "Какая база данных в проекте?",
        "Кто написал этот роман?",
    ),
    "greek": ("Προτιμά πράσινο τσάι το πρωί.", "τι τσάι προτιμά;", "ποια είναι η πρωτεύουσα;"),
    "hebrew": ("הפרויקט משתמש במסד נתונים", "איזה מסד נתונים הפרויקט", "מה מזג האוויר היום"),
    "arabic": ("يستخدم المشروع قاعدة بيانات كبيرة", "ما هي قاعدة البيانات؟", "أين تقع المدينة؟"),
    "persian": ("او چای سبز دوست دارد", "چای سبز", "هوا امروز چطور است"),
    "devanagari": ("उसे हरी चाय पसंद है", "कौन सी चाय पसंद है?", "मौसम कैसा रहेगा"),
    "tamil": ("அவருக்கு பச்சை தேநீர் பிடிக்கும்", "பச்சை தேநீர்", "இன்று வானிலை எப்படி"),
    "chinese": ("项目使用PostgreSQL数据库。", "我们用什么数据库？", "埃菲尔铁塔有多高？"),
    "traditional": ("他住在臺北，喜歡烏龍茶。", "他喜歡什麼茶？烏龍茶嗎？", "明天會下雨嗎？"),
    "japanese": ("データベースはPostgreSQLを使っています。", "データベースは何ですか？", "エッフェル塔の高さは？"),
    "hiragana": ("りんごとみかんがすきです。", "りんごはすき？", "くるまはどこ？"),
    "korean": ("아틀라스는 데이터베이스를 사용합니다.", "데이터베이스는 무엇을 사용하나요?", "오늘 날씨가 어떤가요?"),
    "thai": ("แอตลาสใช้ฐานข้อมูลโพสต์เกรส", "ฐานข้อมูลคืออะไร", "วันนี้ฝนตกไหม"),
    "lao": ("ລາວມັກດື່ມກາເຟ", "ກາເຟ", "ຝົນຕົກບໍ່"),
    "khmer": ("ខ្ញុំចូលចិត្តតែបៃតង", "តែបៃតង", "ភ្លៀងធ្លាក់"),
    "burmese": ("ကျွန်တော် လက်ဖက်ရည် ကြိုက်တယ်", "လက်ဖက်ရည်", "မိုးရွာသလား"),
    "emoji": ("Reacts with 🎉 to releases.", "🎉", "🚀"),
    "one_character": ("猫", "猫", "犬"),
    "one_of_many": ("家里有一只猫。", "猫", "狗"),
}
OTHERS = [Document("Walks the dog at seven."), Document("Booked a train to Oslo for June.")]


@pytest.mark.parametrize(("text", "sharing", "unrelated"), [pytest.param(*c, id=name) for name, c in SCRIPTS.items()])
def test_it_finds_shared_words_in_every_script(text, sharing, unrelated):
    documents = [Document(text), *OTHERS]
    found = [s.relevance >= FLOOR for s in Lexical().score(sharing, documents)]
    assert found == [True, False, False]
    assert [s.relevance >= FLOOR for s in Lexical().score(unrelated, documents)] == [False, False, False]
    assert Lexical().score(text, documents)[0].relevance >= 0.95


# A subject of one character, a request that has it in a sentence, one that has not.
LONE = {
    "chinese_between_breaks": ("猫", "我的猫叫什么？", "我的狗叫什么？"),
    "chinese_before_others": ("猫", "我家的猫几岁了？", "我家的狗几岁了？"),
    "chinese_at_the_end": ("茶", "今天想喝茶", "今天想喝水"),
    "japanese_between_kana": ("酒", "どんな酒を飲みますか？", "どんな本を読みますか？"),
    "japanese_in_a_compound": ("酒", "日本酒は好きですか？", "日本語は好きですか？"),
    "korean_particle": ("집", "우리 집은 어디에 있나요?", "회사는 어디에 있나요?"),
    "korean_two_particles": ("집", "집에서도 일할 수 있어?", "집중이 안 돼요"),
    "korean_copula": ("집", "어디가 내 집이야?", "어디가 회사야?"),
}


@pytest.mark.parametrize(("subject", "having", "lacking"), [pytest.param(*c, id=name) for name, c in LONE.items()])
def test_a_subject_of_one_character_is_met_inside_a_sentence(subject, having, lacking):
    documents = [Document("Bought for two hundred on a Sunday.", subject), *OTHERS]
    assert [s.relevance >= FLOOR for s in Lexical().score(having, documents)] == [True, False, False]
    assert [s.relevance >= FLOOR for s in Lexical().score(lacking, documents)] == [False, False, False]
