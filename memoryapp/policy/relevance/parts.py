"""The parts of a request that ask for something of their own: each is looked for by itself, beside the whole."""

import re

MOST_PARTS = 4
"""The first two and the last two: what somebody wants stands at the ends."""
LONG = 1_000
"""Characters. A longer request without questions asks in its first or its last lines; what lies between is material."""
_END_LETTERS = 300
_SENTENCE = re.compile(r"[^?؟？;；。.!！\n]+[?؟？]?")
_QUESTION_MARKS = tuple("?؟？")
_LEAST_LETTERS = 6
_SAYS_MORE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
"""Chinese, Japanese and Korean characters: two letters' worth."""


def parts_of(query: str) -> tuple[str, ...]:
    """None when the request is one piece. Several questions are parts, and so are the ends of a long text."""
    sentences = (found.strip() for found in _SENTENCE.findall(query))
    questions = [one for one in sentences if one.endswith(_QUESTION_MARKS) and _letters(one) >= _LEAST_LETTERS]
    if len(query) > LONG:
        if not questions:
            questions = [query[:_END_LETTERS].strip(), query[-_END_LETTERS:].strip()]
    elif len(questions) < 2:
        return ()
    distinct = list(dict.fromkeys(questions))
    if len(distinct) > MOST_PARTS:
        distinct = distinct[: MOST_PARTS // 2] + distinct[-MOST_PARTS // 2 :]
    return tuple(distinct)


def _letters(text: str) -> int:
    return len(text) + len(_SAYS_MORE.findall(text))
