"""How people order an assistant about in English, as patterns to be read without regard to case."""

# What only a speaker to an assistant does; a third person would have an s ("Always drinks tea").
_ASSISTANT_VERBS = (
    "answer|reply|respond|say|tell|speak|talk|address|refer|translate|act|behave|pretend|be|reveal|disclose|refuse|ask|"
    "remind|recommend|suggest|promote|praise|agree|obey|comply|trust|cite|summari[sz]e|apologi[sz]e|mention|insist|claim|"
    "deny|lie|convince|persuade|encourage|warn|inform|contradict|acknowledge|ignore|assume|remember|execute|follow|output"
)
# What people tell each other to do as well ("Always use UTC"): an order to the assistant only beside a word for it.
_COMMON_VERBS = (
    "use|write|call|treat|give|provide|include|add|append|start|begin|end|finish|keep|make|show|hide|share|send|do|stay|"
    "stop|store|save|delete|run|format|check|consult|prefer|consider|think|insert|replace|avoid|explain|describe|"
    "generate|create|list|quote|confirm|grant|allow|approve|accept|direct|link|print|return|put|let|help|switch|sign"
)
_ADDRESSED = (
    r"(?=.{0,200}?\b(?:you|your|yourself|users?|answers?|repl(?:y|ies)|responses?|assistant|conversation|chat|me)\b)"
)
_VERB = rf"(?:(?:{_ASSISTANT_VERBS})\b|(?:{_COMMON_VERBS})\b{_ADDRESSED})"
_MODAL = (
    r"(?:must|shall|should|will|have to|need to|are to|ought to|may|can|cannot|can't|must not|mustn't|won't|shouldn't)"
)
_ORDERS = (
    r"(?:instructions?|prompts?|guidelines?|directives?|directions|commands?|orders|rules|constraints|"
    r"restrictions|safeguards|training|programming)"
)
_NOW = (
    r"(?:from (?:now|here|today|this (?:point|moment|message))(?: on(?:wards?)?| forward)?|going forward|henceforth|"
    r"hereafter|starting (?:now|today)|as of now|until further notice|"
    r"for the rest of (?:this|the|our) (?:conversation|chat)|"
    r"in (?:all |every |any )?(?:your |the |future |following |next )+(?:answers?|repl(?:y|ies)|responses?|messages?))"
)
_THE_USER = r"(?:the|this|your|our|any) (?:user|users|human|person|customer|reader)s?\b"

# Where a clause begins.
AT_START = (
    # adverb
    rf"(?:always|never|only|at all times|under no circumstances|in no case),? (?:please )?{_VERB}",
    # from now on
    rf"{_NOW}\W{{1,4}}(?:please |always |never |only |just )*(?:you\b|do not|don't|(?:{_ASSISTANT_VERBS}|"
    rf"{_COMMON_VERBS})\b)",
    # not
    rf"(?:do not|don't|do never|never ever|please never|must not) (?:ever |again )?(?:tell|mention|reveal|"
    rf"say|disclose|answer|reply|respond|refuse|ask|inform|warn|remind|apologi[sz]e|recommend|suggest|"
    rf"follow|obey|admit|show|let the|talk|speak|discuss|acknowledge|translate|contradict|remember|share|"
    rf"(?:{_COMMON_VERBS})\b{_ADDRESSED})",
    # you must
    rf"you {_MODAL}(?: (?:always|never|only|not|now|immediately|also|please))* (?:{_ASSISTANT_VERBS}|"
    rf"{_COMMON_VERBS})\b",
    r"you (?:must|shall)\b",
    # a word for the assistant's listener
    r"(?:always|never) (?:please )?[a-z]{2,20}(?<!s) (?:me|the user|users)\b",
    rf"(?:{_ASSISTANT_VERBS}|{_COMMON_VERBS}) (?:[a-z']{{1,20}} ){{0,6}}(?:to|from|for|with) the user\b",
    rf"(?:{_ASSISTANT_VERBS}|{_COMMON_VERBS}) (?:[a-z']{{1,20}} ){{0,4}}(?:every|each|any|all) "
    r"(?:time|message|answer|reply|response|question|conversation|turn)s?\b",
    r"the user (?:must|should|shall|may|is)(?: never| not| always)* "
    r"(?:to )?(?:be (?:told|informed|warned|asked)|know|learn)\b",
    # make sure
    rf"(?:make sure|be sure|remember|ensure|take care)(?: to| that you| you)(?: always| never)? {_VERB}",
    # manner
    r"be (?:more |less |very |always )?(?:concise|brief|polite|formal|informal|honest|rude|sarcastic|verbose|direct|"
    r"friendly|helpful|creative|funny)\b",
    r"(?:keep|make) (?:all |every )?(?:of )?(?:your |the )?(?:answers?|repl(?:y|ies)|responses?|messages?)\b",
    r"translate (?:everything|all|it|this|that)\b",
    # you must always
    r"you (?:must|shall|should|will|have to|need to|are to)(?: now)? (?:always|never|only|not)\b",
    # you are
    r"you(?: are|'re|’re) (?:now|no longer|not allowed|forbidden|required to|instructed to|to|hereby|"
    r"going to act|(?:an?|the|my) (?:\w+ ){0,2}(?:assistant|ai|bot|chatbot|model|expert|pirate|hacker|"
    r"agent|dan)\b|dan\b|unrestricted)",
    # reply
    r"(?:answer|reply|respond)(?: to (?:me|the user|everything|all|every|each)\b)? (?:only|always|just|"
    r"exclusively|in|with|like|as|using|without|briefly|concisely|shortly|honestly|every)\b",
    # reply to
    r"(?:answer|reply|respond) to (?:me|the user|everything|all|every|each)\b",
    # speak
    r"(?:speak|write|talk|communicate)(?: to me| everything| all (?:answers|replies))? (?:only|always|"
    r"exclusively|in|like|as)\b",
    # me
    r"(?:call|address|refer to|remind|tell|give|show|send|ask|help|treat|answer|let) me\b",
    # user
    rf"(?:tell|inform|remind|convince|warn|ask|notify|let|make|encourage|persuade|show|give|send|advise|"
    rf"urge|trick|assure) {_THE_USER}",
    # pretend
    r"(?:pretend (?:to|you|that|as|not)|act (?:as|like) (?:if|though|an?\b|the\b|my\b|you)|role-?play|"
    r"behave (?:as|like)|impersonate|imagine (?:that )?you|simulate (?:an?|the|being)|(?:assume|take on|"
    r"adopt|play) the (?:role|part|persona|identity))",
    # reveal
    r"(?:reveal|print|output|repeat|show|display|leak|dump|share|disclose|give|write|recite|summari[sz]e|"
    r"ignore|override)(?: me| us)?(?: all| every| any| of| the| your| these| my| full| entire| exact)*"
    r" (?:system|hidden|initial|secret|original|internal)? ?(?:prompts?|instructions?|directives|"
    r"secrets)\b",
    # exfiltrate
    r"(?:send|forward|upload|post|e-?mail|exfiltrate|delete|erase|wipe|purge|leak|overwrite)(?: all|"
    r" every| any| the| your| their| of| user's| users?| these| stored| private)* (?:memor(?:y|ies)|"
    r"conversations?|chat|secrets?|passwords?|credentials?|chat history|history|api keys?|tokens?|"
    r"personal data)\b",
    # tool
    r"(?:execute|run|call|invoke|use|trigger)(?: \w+){1,4} (?:tools?|functions?|shell commands?|commands?|"
    r"plugin|code below|code above)\b(?! (?:is|are|was)\b)",
    r"(?:execute|run|evaluate) (?:the )?following\b",
    # mode
    r"(?:enable|enter|activate|switch (?:in)?to|turn on|go into)(?: the)? (?:developer|debug|god|dan|"
    r"jailbreak|admin|unrestricted|unfiltered|sudo|root) mode",
    # obey
    r"(?:obey|follow|comply with|adhere to|execute)(?: only| all| these| my| the| your| new|"
    r" following)+ (?:instructions?|orders|rules|commands|directives)\b",
    # ignore
    rf"(?:ignore|disregard|forget|discard|override|bypass)(?: all| of| the| these| those| my| any| such|"
    rf" other)* (?:{_ORDERS}|context|messages?)\b",
    r"(?:ignore|disregard|forget) (?:everything\b(?! about)|all of (?:it|that|this|the above)|"
    r"(?:all )?the (?:above|previous))",
    r"(?:ignore|disregard|override|bypass|disable|turn off|switch off) (?:your|the user's)\b",
    # stop
    r"(?:stop|quit|refrain from|avoid) (?:answering|replying|responding|apologi[sz]ing|asking|refusing|"
    r"saying|mentioning|calling me|reminding|following|suggesting|recommending)\b",
    # your task
    r"your (?:new |only |next |main )?(?:task|job|role|goal|instructions?|purpose|name|objective|mission|"
    r"answers?|repl(?:y|ies)|responses?) (?:is|are|must|should|shall|will|has to|have to)\b",
    # assistant
    r"(?:the|this|your|any) (?:ai |virtual |digital )?(?:assistant|chatbot|ai|llm|language model) (?:must|"
    r"should|shall|has to|needs to|is to|may (?:not|never|only)|can never|will (?:always|never)|"
    r"is (?:required|instructed|supposed|forbidden) to)\b",
    r"(?:the|this) (?:model|agent|bot) (?:must|should|shall|has to)(?: always| never| not| only)*"
    r" (?:answer|reply|respond|say|tell|refuse|reveal|mention|pretend|obey|ignore)\b",
    # vocative
    r"(?:note|message|instructions?|reminder|command|attention|dear|hey|hi|hello)(?: to| for)?(?: the|"
    r" all| any)? ?(?:ai|assistants?|llm|chatgpt|claude|gemini|copilot|language models?|chatbot)\b",
)

# Within a sentence too.
ANYWHERE = (
    # ignore instructions
    rf"\b(?:ignore|disregard|forget|discard|override|overlook|bypass)(?: (?:all|any|every|each|of|the|"
    rf"these|those|my|and|or|previous|prior|above|earlier|preceding|your|system|existing|former|initial|"
    rf"original|safety|other)){{0,7}} (?:all|any|every|previous|prior|above|earlier|preceding|your|system|"
    rf"existing|former|initial|original|safety) {_ORDERS}\b",
    # ignore instructions above
    rf"\b(?:ignore|disregard|forget)(?: \w+){{0,3}} {_ORDERS} (?:above|before|so far|you (?:were|have|got|"
    rf"received))\b",
    # ignore what you were told
    r"\b(?:ignore|disregard|forget|discard)(?: all| about| of)? (?:everything|anything|whatever|what|all)"
    r"(?: that)? (?:(?:you|i|we|they)(?:'ve| have| had| were| was| are)?(?: ever| just| previously| been)*"
    r" (?:told|taught|said|instructed|given|know|learned|learnt|wrote|written|read)|(?:came |said |"
    r"written )?(?:above|before this|previously|so far))\b",
    # new instructions
    r"\b(?:new|updated|revised|real|actual) (?:system )?(?:instructions?|prompt|directive)s?\W{0,3}:",
    r"\bend of (?:the )?(?:system )?(?:prompt|instructions)\b",
    r"\b(?:system|admin|developer) override\b",
)

# After "When asked …,".
AFTER_CONDITION = rf"\s{{0,8}}(?:{_ASSISTANT_VERBS})\b"
