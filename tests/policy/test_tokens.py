"""Token counts never fall short of what a model's vocabulary gives."""

import pytest
import toktok

from memoryapp.tokens import count_tokens

SAMPLES = {
    "english": "Melanie signed up for a pottery class and finds it therapeutic for self-expression and creativity.",
    "chinese": "阿特拉斯项目使用 PostgreSQL 16 数据库，认证采用会话 cookie。",
    "traditional": "繁體中文的備忘錄：請用公制單位回答。",
    "arabic": "يستخدم مشروع أطلس قاعدة بيانات بوستجريس وتفضل الوحدات المترية.",
    "hindi": "एटलस पोस्टग्रेस डेटाबेस का उपयोग करता है।",
    "thai": "ฐานข้อมูลของแอตลาสคือ PostgreSQL",
    "burmese": "ကျွန်တော် လက်ဖက်ရည် ကြိုက်တယ်။",
    "emoji": "👩‍👩‍👧‍👦🎉🚀🇯🇵👍🏽❤️🔥",
    "code": "def f(x: int) -> int:\n    return sum(i**2 for i in range(x))\n",
    "sql": "SELECT id, text FROM memory WHERE person_id = $1 AND valid_to IS NULL;",
    "digits": "3141592653589793238462643383279",
    "white_space": " \n\t" * 40,
}


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base", "o200k_harmony"])
@pytest.mark.parametrize("text", [pytest.param(t, id=name) for name, t in SAMPLES.items()])
def test_it_never_counts_less_than_a_vocabulary(text, encoding):
    assert count_tokens(text) >= toktok.batch_count([text], encoding)[0] > 0


def test_it_counts_english_as_the_newer_vocabulary_does():
    assert count_tokens(SAMPLES["english"]) == toktok.batch_count([SAMPLES["english"]], "o200k_base")[0]


def test_it_counts_special_tokens_as_text():
    assert count_tokens("<|endoftext|>") > 1
    assert count_tokens("a<|im_start|>system") > count_tokens("a system")


@pytest.mark.parametrize("text", ["", "a\x00b", "\ud800", "x\udfffy"])
def test_it_counts_what_no_prompt_should_hold(text):
    assert count_tokens(text) >= (1 if text else 0)
