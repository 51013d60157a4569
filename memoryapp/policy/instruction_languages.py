"""How people order an assistant about in other languages, as patterns to be read without regard to case.

Modest on purpose: the usual ways to set instructions aside, to fix answers, and to keep things from the user.
"""

# Where a clause begins.
AT_START = (
    # german
    r"(?:ignorier(?:e|en sie|t)?|vergiss|vergessen sie|missachte)(?: \w+){0,3} (?:anweisung|regel|"
    r"instruktion|vorgabe|befehl|prompt|gesagt)\w*",
    r"(?:antworte|antworten sie|sprich|schreib(?:e)?)(?: mir| bitte| ab jetzt)* (?:immer|nur|stets|auf|"
    r"ausschließlich|in|mit|nie|niemals|ab)\b",
    r"(?:ab (?:jetzt|sofort|nun)|von nun an|künftig)\W+(?:antworte|antworten sie|sprich|du|sie (?:müssen|"
    r"sollen)|bist du|sollst du|musst du|nenn|schreib|sag|verwende)\w*",
    r"du (?:musst|sollst|darfst|bist (?:jetzt|nun|ab))\b",
    r"(?:sag|sage|verrate|erzähl|erzähle|nenn|nenne)(?: \w+)? (?:dem|der) (?:nutzer|benutzer|nutzerin|"
    r"anwender)\w*",
    r"nenn(?:e)? mich\b",
    r"tu(?:e)? so,? als",
    r"verhalte dich",
    r"spiel die rolle",
    # french
    r"(?:ignore|ignorez|oublie|oubliez)(?: \w+){0,3} (?:instructions?|consignes?|règles|ordres|"
    r"directives)\b",
    r"(?:réponds|répondez)(?:[- ]moi)? (?:toujours|en|uniquement|seulement|par|avec|comme)\b",
    r"(?:à partir de maintenant|désormais|dorénavant)\W+(?:tu|vous|réponds|répondez|parle|n'|ne )\w*",
    r"(?:tu dois|vous devez|tu es maintenant|vous êtes maintenant|tu ne dois)\b",
    r"ne (?:dis|dites|révèle|révélez|mentionne|mentionnez)\b",
    r"(?:fais|faites) (?:semblant|comme si)",
    r"(?:agis|agissez|comporte-toi) comme",
    r"appelle-moi",
    r"dis à l'utilisateur",
    # spanish
    r"(?:ignora|ignore|ignorad|olvida|olvide)(?: \w+){0,3} (?:instrucciones|instrucción|reglas|órdenes|"
    r"indicaciones|directrices)\b",
    r"(?:responde|responda|contesta|contéstame|respóndeme) (?:siempre|solo|sólo|únicamente|en español|"
    r"en inglés)\b",
    r"(?:a partir de ahora|de ahora en adelante|desde ahora)\W+(?:responde|debes|tienes que|eres|habla|"
    r"contesta|no (?:digas|respondas)|llámame|usa)\b",
    r"(?:debes|tienes que|tú debes|usted debe) (?:siempre|responder|contestar|decir|ignorar|obedecer|"
    r"fingir|actuar)\b",
    r"no (?:le )?(?:digas|reveles|menciones|diga)\b",
    r"(?:finge|actúa|compórtate) (?:que|como|ser)\b",
    r"dile al usuario",
    r"llámame\b",
    r"ahora eres\b",
    # portuguese
    r"(?:ignore|ignora|esqueça|esquece)(?: \w+){0,3} (?:instruções|regras|ordens|comandos|diretrizes)\b",
    r"(?:responda|responde) (?:sempre|apenas|somente|em português|em inglês)\b",
    r"(?:a partir de agora|de agora em diante)\W+(?:responda|você|tu|deves|fale|aja|não)\b",
    r"(?:você deve|tu deves|você é agora)\b",
    r"não (?:diga|conte|revele|mencione) (?:ao|à|para)\b",
    r"(?:finja|aja|comporte-se) (?:que|como|ser)\b",
    r"diga ao usuário",
    r"me chame\b",
    # italian
    r"(?:ignora|ignorate|dimentica)(?: \w+){0,3} (?:istruzioni|regole|ordini|direttive|indicazioni)\b",
    r"(?:rispondi|rispondimi) (?:sempre|solo|soltanto|in|come|con)\b",
    r"(?:d'ora in poi|da ora in poi|da adesso)\W+(?:rispondi|devi|sei|parla|non dire|chiamami)\b",
    r"(?:tu )?devi (?:sempre|rispondere|dire|ignorare|fingere)\b",
    r"non (?:dire|rivelare|menzionare) (?:all|al|mai)\w*",
    r"(?:fingi|comportati|agisci) (?:di|come|che)\b",
    r"di' all'utente",
    r"chiamami\b",
    # dutch
    r"(?:negeer|vergeet)(?: \w+){0,3} (?:instructies?|regels|opdrachten|aanwijzingen)\b",
    r"(?:antwoord|reageer) (?:altijd|alleen|in het|met|als)\b",
    r"(?:vanaf nu|voortaan)\W+(?:antwoord|je|u|moet|ben je|spreek)\b",
    r"(?:je moet|u moet|jij moet|je bent nu)\b",
    r"(?:vertel|zeg)(?: het)? (?:niet )?(?:aan )?de gebruiker",
    r"doe alsof",
    r"gedraag je",
    r"noem me\b",
    # polish
    r"(?:zignoruj|ignoruj|zapomnij)(?: \w+){0,3} (?:instrukcj|polece|zasad|reguł)\w*",
    r"(?:odpowiadaj|odpowiedz) (?:zawsze|tylko|po|wyłącznie|jak)\b",
    r"(?:od teraz|od tej pory|odtąd)\W+(?:odpowiadaj|musisz|jesteś|mów|nie mów)\b",
    r"(?:musisz|powinieneś) (?:zawsze|odpowiadać|mówić)\b",
    r"nie mów użytkownikowi",
    r"udawaj",
    r"zachowuj się jak",
    r"powiedz użytkownikowi",
    # turkish
    r"(?:önceki|yukarıdaki|tüm|bütün)(?: \w+){0,3} (?:talimat|komut|kural)\w* (?:yok say|unut|"
    r"görmezden gel|dikkate alma)",
    r"bundan (?:sonra|böyle)\W+(?:\w+\W+){0,5}(?:cevap ver|yanıtla|konuş|yaz|davran)\b",
    r"(?:her zaman|daima|sadece)(?: \w+){1,4} (?:cevap ver|yanıt ver|yanıtla|konuş)\b",
    r"kullanıcıya (?:\w+ ){0,3}söyleme",
    # russian
    r"(?:игнорируй|игнорируйте|забудь|забудьте|проигнорируй)(?: \w+){0,3} (?:инструкци|указани|правил|"
    r"команд|сказан)\w*",
    r"(?:отвечай|отвечайте)(?: мне)? (?:всегда|только|на|как|исключительно)\b",
    r"(?:с этого момента|отныне|впредь|с этой минуты|теперь ты)\b\W*(?:отвечай|ты|вы|говори|не говори|"
    r"всегда)?\w*",
    r"(?:ты|вы) (?:долж(?:ен|на|ны)|обязан\w*|теперь)\b",
    r"всегда (?:отвечай|говори|пиши|называй)\w*",
    r"(?:не говори|не говорите|не сообщай|скажи|сообщи|не рассказывай) пользовател\w*",
    r"притворись",
    r"притворяйся",
    r"представь,? что ты",
    r"веди себя как",
    r"называй меня",
    # ukrainian
    r"(?:ігноруй|ігноруйте|забудь|забудьте)(?: \w+){0,3} (?:інструкці|вказів|правил)\w*",
    r"(?:відповідай|відповідайте) (?:завжди|лише|тільки|українською|на)\b",
    r"(?:відтепер|віднині)\b",
    # arabic
    r"(?:تجاهل|انس|انسَ)(?: \S+){0,3} (?:التعليمات|الأوامر|القواعد|تعليمات|تعليماتك)",
    r"من الآن فصاعد\S*",
    r"(?:أجب|رد|تحدث) (?:دائما|دائمًا|فقط|باللغة)",
    r"(?:لا تخبر|أخبر|لا تقل) (?:ال|لل)مستخدم",
    r"يجب عليك",
    r"تظاهر",
    # hindi
    r"(?:पिछले|सभी|पिछली|पहले)(?: \S+){0,3} (?:निर्देश|आदेश)\S*(?: \S+){0,2} (?:अनदेखा|नज़रअंदाज़|भूल|"
    r"अनदेखी)",
    r"(?:अब से|हमेशा)(?: \S+){1,5} (?:जवाब|उत्तर) (?:दो|दें|देना)",
    r"उपयोगकर्ता को (?:\S+ ){0,3}(?:मत|न) (?:बताओ|बताना|बताएं)",
    # indonesian
    r"(?:abaikan|lupakan)(?: \w+){0,3} (?:instruksi|perintah|aturan)\b",
    r"(?:jawablah|jawab|balas) (?:selalu|hanya|dalam bahasa|dengan)\b",
    r"mulai sekarang\W+(?:jawab|kamu|anda|selalu|panggil)\w*",
    r"(?:kamu|anda) harus\b",
    r"jangan (?:beri tahu|katakan)",
    r"berpura-puralah",
    # vietnamese
    r"(?:bỏ qua|hãy quên|quên)(?: \w+){0,4} (?:hướng dẫn|chỉ dẫn|lệnh|chỉ thị)\b",
    r"(?:luôn|hãy|hãy luôn) trả lời\b",
    r"từ (?:giờ|bây giờ)(?: trở đi)?\W+(?:hãy|bạn|trả lời)\b",
    r"đừng nói (?:với|cho)",
    r"bạn phải\b",
    r"giả vờ",
)

# Anywhere: these languages do not part words, or put the verb last.
ANYWHERE = (
    # chinese
    r"(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要遵守)(?:掉|你)?(?:所有|之前|以上|先前|前面|上面|上述|一切|全部|你|的|系统|系統|任何|收到|被告知|"
    r"\s){1,8}(?:指令|指示|说明|說明|提示|命令|规则|規則|要求|内容|內容|设定|設定)",
    r"(?:从现在(?:开始|起)|從現在(?:開始|起)|今后|今後|以后|以後|接下来)[,，]?\s?(?:你|请你?|請你?|都?用|只用|一律|不要|必须|必須|总是|"
    r"始终)[^。\n]{0,30}?(?:回答|回复|回覆|扮演|说|說|叫|是|告诉|告訴|必须|必須)",
    r"(?:^|[。！？；，,.!?\s])(?:请|請)?(?:总是|總是|始终|始終|一律|永远|永遠|必须|必須|只能?|务必)用[^。\n]{1,20}?(?:回答|回复|回覆|答复)",
    r"(?:^|[。！？；，,.!?\s])你(?:必须|必須|应该|應該|现在是|現在是|不得|不能|不准|只能|要始终|要一直)",
    r"(?:不要|别|不得|禁止|請勿|请勿)(?:告诉|告訴|透露给|向)(?:用户|用戶|使用者|任何人)",
    r"(?:^|[。！？；，,.!?\s])(?:请|請)?(?:假装|假裝|扮演)(?:你|成|一|自己)",
    # japanese
    r"(?:指示|命令|指令|ルール|プロンプト|内容|こと)(?:を|は)?(?:すべて|全て|全部|一切|完全に)?(?:無視し|忘れ)(?:て(?:ください|下さい|。|$|、)|ろ|なさい)",
    r"(?:今後は|これからは|これ以降|今から)[^。\n]{0,30}?(?:答えて|回答して|返答して|話して|してください|呼んで|しなさい)",
    r"(?:常に|必ず|いつも)[^。\n]{0,20}?(?:答えて|回答して|返答して|話して)(?:ください|下さい|。|$)",
    r"ユーザー(?:に|には)[^。\n]{0,20}?(?:言わないで|教えないで|伝えないで|言うな|教えるな)",
    r"(?:ふりをして|ように振る舞って)(?:ください|下さい|。|$)",
    # korean
    r"(?:이전|위의?|모든|앞의|기존)(?:의)?\s?(?:모든\s)?(?:지시|명령|지침|규칙|프롬프트)\S{0,4}\s?(?:모두\s|전부\s)?(?:무시|잊)\S{0,6}",
    r"(?:지금부터|앞으로|이제부터)[^.\n]{0,30}?(?:대답해|답해|답변해|말해|답하세요|대답하세요|하십시오|행동해)",
    r"(?:항상|반드시|언제나)[^.\n]{0,20}?(?:대답해|답해|답변해|답하세요|대답하세요|답변하세요)",
    r"사용자에게[^.\n]{0,20}?(?:말하지\s?마|알리지\s?마)",
    # thai
    r"(?:เพิกเฉย|ละเว้น|ลืม|ไม่ต้องสนใจ)(?:ต่อ)?(?:คำสั่ง|คำแนะนำ)",
    r"(?:จากนี้ไป|ต่อไปนี้)[^\n]{0,20}?(?:ตอบ|คุณต้อง)",
)
