"""Light stemming: the same few endings come off requests and memories, so that both sides agree.

The rules follow Porter's step 1 (M. F. Porter, "An algorithm for suffix stripping", 1980): plurals, -ed, -ing, with
doubled consonants undone; then -ly, -ment and a final e. They are English, and harmless elsewhere because they are
symmetric. Russian and Ukrainian lose their case endings, Arabic its article, Korean its particles.
"""

import re
from functools import lru_cache

_IRREGULAR = {
    form: stem
    for stem, forms in {
        "use": "uses used using", "go": "went gone goes going", "run": "ran", "buy": "bought",
        "teach": "taught", "make": "made", "take": "took taken", "write": "wrote written", "meet": "met",
        "see": "saw seen", "eat": "ate eaten", "drive": "drove driven", "fly": "flew flown", "feel": "felt",
        "find": "found", "give": "gave given", "keep": "kept", "leave": "left", "lose": "lost", "pay": "paid",
        "say": "said", "sell": "sold", "send": "sent", "sleep": "slept", "speak": "spoke spoken", "spend": "spent",
        "swim": "swam swum", "think": "thought", "win": "won", "wear": "wore worn", "child": "children",
        "person": "people persons", "woman": "women", "man": "men", "know": "knew known", "begin": "began begun",
        "choose": "chose chosen", "break": "broke broken", "build": "built", "bring": "brought", "catch": "caught",
        "draw": "drew drawn", "drink": "drank drunk", "fall": "fell fallen", "grow": "grew grown", "hear": "heard",
        "hold": "held", "lead": "led", "ride": "rode ridden", "sing": "sang sung", "sit": "sat", "stand": "stood",
        "throw": "threw thrown", "wake": "woke woken", "become": "became", "foot": "feet",
        "wife": "wives", "mouse": "mice", "tooth": "teeth", "die": "died dying", "have": "having",
    }.items()
    for form in forms.split()
}  # fmt: skip
_VOWEL = re.compile("[aeiouy]")
_DOUBLED = re.compile(r"(?<=..)([bdfglmnprstz])\1$")
_CYRILLIC_ENDING = re.compile(
    "(?<=...)(?:иями|ями|ами|ого|его|ому|ему|ыми|ими|ием|иям|иях|ов|ев|ах|ях|ам|ям|ом|ем|ой|ей|ый|ий|ая|яя|ое|ее|ые|"
    "ие|ия|ии|ию|ую|юю|[аеиоуыэюяйьії])$"
)
_ARABIC_ARTICLE = re.compile("^(?:وال|بال|كال|فال|لل|ال)(?=..)")
_KOREAN_ENDING = re.compile(
    "(?:하고있습니다|하고있나요|했습니다|합니다|입니다|습니다|하나요|인가요|되나요|했나요|나요|까요|해요|예요|이에요|하는|에서는|에서도|으로는|에는|에도|에서|에게|으로|까지|부터|"
    "이나|이랑|이야|인데|하고|처럼|보다|한테|께서|이라|은|는|이|가|을|를|에|의|로|와|과|도|만|하다|한다|했다|이다)$"
)
_ASCII_WORD = re.compile("[a-z]+")


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of one folded word; digits, mixed words and words of up to three letters stay as they are."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4:
        return word
    if _ASCII_WORD.fullmatch(word):
        return _english(word)
    first = word[0]
    if "\u0400" <= first <= "\u04ff":
        return _CYRILLIC_ENDING.sub("", word)
    if "\u0600" <= first <= "\u06ff":
        return _ARABIC_ARTICLE.sub("", word)
    return word


def strip_particle(word: str) -> str:
    """A Korean word without its particle or polite ending, as long as one syllable or more is left."""
    bare = _KOREAN_ENDING.sub("", word)
    return bare if bare else word


def _english(word: str) -> str:
    word = _plural(word)
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and _VOWEL.search(word[: -len(ending)]):
            word = word[: -len(ending)]
            break
    for ending in ("ment", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word[: -len(ending)]
            break
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    if word.endswith("y") and len(word) > 3:
        word = word[:-1] + "i"
    return _DOUBLED.sub(r"\1", word)


def _plural(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
