"""Orders to the assistant, which are no memory: whether a text gives one, or plays a role of the conversation."""

import re

from memoryapp.policy import instruction_english as english
from memoryapp.policy import instruction_languages as languages
from memoryapp.policy.normal import folded
from memoryapp.policy.patterns import Pattern

_AT_START = Pattern("|".join((*english.AT_START, *languages.AT_START)), re.IGNORECASE)
_ANYWHERE = Pattern("|".join((*english.ANYWHERE, *languages.ANYWHERE)), re.IGNORECASE)
_AFTER_CONDITION = Pattern(english.AFTER_CONDITION, re.IGNORECASE)

_ROLES = (
    "system|assistant|user|human|ai|developer|tool|系统|系統|助手|用户|用戶|システム|アシスタント|ユーザー|시스템|어시스턴트|사용자|"
    "система|ассистент|пользователь|système|sistema|asistente|assistente|assistent"
)
_TAGS = (
    "system|assistant|user|human|developer|tool|tool_?calls?|tool_?results?|tool_?use|function|function_?calls?|"
    "function_?results?|invoke|parameter|instructions?|im_start|im_end|start_of_turn|end_of_turn|s|bos|eos|think|thinking"
)
_ORNAMENT = r"[ \t>*_#`\"'|\[(-]{0,12}"
_ROLE_LINE = Pattern(
    rf"^{_ORNAMENT}(?:{_ROLES})(?: (?:prompt|message|note|override|instructions?|turn|response))?"
    r"[*_`\"'\])]{0,4}[ \t]{0,4}:"
    r"|^[ \t]{0,8}#{1,6}[ \t]{0,4}(?:system|assistant|user|human|instructions?|response|input)\b[ \t:#]{0,8}$"
    rf"|^[ \t]{{0,8}}<{{1,2}}/?(?:antml:)?(?:{_TAGS})\b[^>\n]{{0,200}}>"
    r"|^[ \t]{0,8}\[/?(?:inst|sys|system|assistant|user|tool_calls|tool_results|available_tools)\]"
    r"|<\|[a-z_ ]{1,40}\|>|\[/?INST\]|<</?SYS>>",
    re.IGNORECASE | re.MULTILINE,
)
_TOOL_LINE = Pattern(
    r"^[ \t]{0,8}[\[{]{0,2}\s{0,8}\{?\s{0,8}\"(?:tool|tool_?calls?|tool_name|function|"
    r"function_?call|recipient_name)\"\s{0,8}:"
    r"|^[ \t]{0,8}[\[{]{1,2}\s{0,8}\"(?:name|action|type)\"\s{0,8}:\s{0,8}\"[^\"\n]{1,80}\"\s{0,8},\s{0,8}"
    r"\"(?:arguments|parameters|input|args|action_input|function)\"\s{0,8}:"
    r"|^[ \t]{0,8}(?:action input|tool_?calls?|function_?call|tool_code|tool_use)[ \t]{0,4}[:(=]"
    r"|^[ \t]{0,8}(?:`{3,}|~{3,})[ \t]{0,4}tool_?\w{0,20}"
    r"|^[ \t]{0,8}<function=|^[ \t]{0,8}(?:to=)?(?:functions|tools|multi_tool_use|default_api)\.\w{1,80}"
    r"|^[ \t]{0,8}(?:await |print\()?[a-z]{1,40}(?:_[a-z0-9]{1,40}){1,8}\([^\n]{0,400}\)[ \t;)]{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)
_BREAK = re.compile(r"[.!?;\n\r\u0085\u2028\u2029。！？；]+|:(?=\s)|(?<=\s)-{1,2}(?=\s)|[\"“”«»„]")
_INNER_BREAK = re.compile(r"[,，、]|(?<=\s)(?:and|but|then|so|und|aber|et|mais|y|pero|и|но)(?=\s)", re.IGNORECASE)
_LEAD = Pattern(
    r"[\W\d_]{0,20}(?:(?:please|pls|kindly|hey|hi|hello|ok|okay|now|also|and|but|so|then|first|next|finally|important|note|"
    r"attention|notice|warning|remember|reminder|instead|sure|assistant|ai|chatgpt|claude|dear assistant|listen|"
    r"bitte|s'il (?:te|vous) plaît|por favor|per favore|per piacere|alsjeblieft|proszę|lütfen|пожалуйста|будь ласка|"
    r"من فضلك|कृपया|tolong|mohon|xin|vui lòng)\b[\W_]{1,10}){0,4}",
    re.IGNORECASE,
)
_CONDITION = Pattern(
    r"(?:if|when|whenever|before|after|unless|once|every time|each time|any time|for|in|as|regardless|no matter|wenn|"
    r"falls|si|quand|cuando|quando|se|als|если|когда)\b",
    re.IGNORECASE,
)
_EMPHATIC = Pattern(
    r"(?:please|always|never|do not|don't|you|from now|ignore|disregard|immer|niemals|du|toujours|tu|siempre|sempre|"
    r"всегда|ты)\b",
    re.IGNORECASE,
)


def is_instruction(text: str) -> bool:
    """Whether the text gives the assistant an order, or has a line that starts with a role header or a tool call.

    Statements about the person do not, even where they speak of answers, rules or systems. A sieve for the obvious in
    about twenty languages: what it lets through is still fenced as data when it is sent.
    """
    # Full-width and invisible characters must not hide an order.
    plain = folded(text).text.replace("’", "'")
    lines = re.sub(r"[\r\v\f\x1c-\x1e]", "\n", plain)
    if _ROLE_LINE.search(lines) or _TOOL_LINE.search(lines):
        return True
    # It is sent on one line: neither line breaks nor wide spaces part an order.
    readings = {"\n".join(" ".join(line.split()) for line in lines.split("\n")), " ".join(lines.split())}
    return any(_ANYWHERE.search(one) or any(map(_is_order, _BREAK.split(one))) for one in readings)


def _is_order(sentence: str) -> bool:
    if _starts_with_order(sentence):
        return True
    has_condition = _CONDITION.match(sentence.lstrip()) is not None
    # Within a sentence a bare verb may belong to a list ("can read, write in Greek"), unless a condition precedes it.
    for part in _INNER_BREAK.split(sentence)[1:]:
        if has_condition and _AFTER_CONDITION.match(part):
            return True
        if (has_condition or _EMPHATIC.match(part.lstrip())) and _starts_with_order(part):
            return True
    return False


def _starts_with_order(clause: str) -> bool:
    lead = _LEAD.match(clause)
    return any(_AT_START.match(clause, start) for start in {lead.end() if lead else 0, _first_letter(clause)})


def _first_letter(clause: str) -> int:
    return next((index for index, letter in enumerate(clause) if letter.isalpha()), 0)
