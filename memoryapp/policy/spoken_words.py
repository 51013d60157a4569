"""The words around a spoken credential: its names, what links it to its value, and what is no value."""

import re
from typing import NamedTuple


class Language(NamedTuple):
    """How a language says what a password is; read only where one of `marks` (lower case) occurs in the text.

    `names` are the patterns of the credential's name, `copulas` of what links it to its value. Not `is_spaced` where
    words are not parted by spaces.
    """

    marks: str
    names: str
    copulas: str
    is_spaced: bool = True


LANGUAGES = (
    Language(
        "pass pwd pword",
        r"pass ?(?:word|code|phrase)s?|passwd|pass_?wd|pword|pwd",
        r"(?:is|are|was|has been|have been|got)(?: (?:set|changed|reset|updated) to)?|(?:set|changed|reset|updated) to|"
        # Many languages borrow the English name.
        r"ist|lautet|est|es|è|é|är|er|jest|je|adalah|là|это",
    ),
    Language("pass pw", r"pass(?=[\"']?[ \t]{0,2}[:=])|(?<![A-Za-z])pw", r"is"),
    Language("phrase mnemonic", r"(?:seed|recovery|mnemonic|secret) phrase|mnemonic", r"is|are"),
    Language(
        "wort wört geheimzahl zugangscode",
        r"(?:pass|kenn)w[oö]rt(?:er)?|geheimzahl|zugangscode",
        r"ist|sind|lautet|war|heißt",
    ),
    Language("passe secret", r"mots? de passe|code secret", r"est|sont|c'est|était"),
    Language("contrase clave", r"contraseñas?|clave(?: de acceso| secreta)?", r"es|son|era"),
    Language("senha palavra código", r"senhas?|palavra-passe|código secreto", r"é|são|era"),
    Language("parola codice", r"parola d'ordine|parola|codice segreto", r"è|e'|era|este"),
    Language("wachtwoord toegang", r"wachtwoord(?:en)?|toegangscode", r"is|zijn|was|luidt"),
    Language("has", r"has[łl]o", r"to|jest|brzmi"),
    Language(
        "senord adgang passord kodeord", r"l[öo]senord(?:et)?|adgangskode(?:n)?|passord(?:et)?|kodeord(?:et)?", r"är|er"
    ),
    Language("salasana", r"salasana(?:ni)?", r"on"),
    Language("heslo jelsz parol lozinka", r"heslo|jelsz[óo](?:m)?|parol[aă]|lozinka", r"je|az|este"),
    Language("ifre parola", r"[şs]ifre(?:m|si|miz)?|parola(?:m|sı)", r"şu|şudur"),
    Language("парол кодовое", r"парол(?:ь|я|и|ем)|кодовое слово", r"это|есть|є|-"),
    Language("κωδικ", r"κωδικός(?: πρόσβασης)?", r"είναι"),
    Language("סיסמ", r"ה?סיסמ[הא]|ה?סיסמתי", r"היא|הוא"),
    Language("كلمة", r"كلمة (?:المرور|السر)", r"هي|هو"),
    Language("पासवर्ड", r"पासवर्ड", r"है|यह है"),
    Language("kh", r"m[ậâ]t kh[ẩâ]u", r"là"),
    Language("sandi", r"kata sandi|sandi(?: saya)?", r"adalah|ialah"),
    Language("รหัสผ่าน", r"รหัสผ่าน(?:ของ\S{1,10})?", r"คือ|เป็น", False),
    Language("密 口令", r"(?:密[码碼]|口令)", r"是|为|為|就是|改成(?:了)?|设为", False),
    Language("パス 暗証 合言葉", r"(?:パスワード|暗証番号|合言葉)", r"は|が", False),
    Language("비밀 암호 패스", r"(?:비밀번호|암호|패스워드)", r"은|는|이|가", False),
)

PREPOSITIONS = (
    "for|to|of|on|at|für|fürs|vom|von|der|des|zum|zur|de|del|della|du|da|do|per|pour|para|voor|van|för|til|till|na|"
    "для|от|к|на"
)

KEYS = (
    r"(?:api|access|secret|private|encryption|signing|master|license|deploy|shared)[ _-]?(?:access[ _-]?)?keys?|"
    r"(?:[a-z0-9]{1,20}[_-]){0,3}(?:api|secret|access)[_-]?key|"
    r"(?:api|access|auth|bearer|refresh|bot|session|personal access|security)[ _-]?tokens?|token|"
    r"(?:client|app|webhook|signing|shared)[ _-]?secret|secret|schlüssel|clé|llave|ключ|密钥|金鑰|キー|키"
)

KEY_MARKS = ("key", "token", "secret", "schl", "clé", "llave", "ключ", "密钥", "金鑰", "キー", "키")
CODE_MARKS = ("pin", "пин", "nip", "cv", "csc", "security code", "prüfziffer", "安全码")

PROSE = frozenset(
    """
    a an the this that these those it its his her hers their theirs my mine your yours our ours same one other another
    in on at by to for from of with without within into under over behind inside only not no never always already also
    just very too so still now then here there somewhere elsewhere nowhere where when what which who how why because if
    is are was were be been being has have had do does did can cannot could must should shall will would may might
    wrong right correct incorrect valid invalid weak strong stronger strongest safe secure insecure secret private
    public confidential sensitive personal temporary permanent default optional mandatory necessary compulsory
    long short longer shorter enough easy hard simple complex difficult different unique random common old new empty
    blank gone lost known unknown missing available unavailable fine good bad ok okay great important irrelevant none
    null nil true false yes unset undefined todo tbd unchanged impossible possible plaintext plain text string str
    bytes hash hashes salt stored kept reset rotate rotates changes expires uses use see ask set get change enter type
    prompt env environment vault keychain bitwarden keepass lastpass dashlane keeper authenticator sso saml passkey
    passkeys biometric biometrics login field policy manager required needed hidden written taken known shown given
    forgotten broken stolen at least minimum maximum every each all any both either neither more less most least
    masked redacted removed expired changed rotated managed encrypted hashed protected disabled enabled shared saved
    everything nothing something anything mfa totp ldap oauth kerberos input
    geheim falsch richtig sicher unsicher unbekannt erforderlich nötig notwendig pflicht leer weg abgelaufen im in am
    auf bei nicht kein keine der die das ein eine immer nie zu
    requis obligatoire nécessaire secret faux fausse correct invalide dans le la les un une sur pas toujours perdu
    requerida obligatoria necesaria secreta incorrecta correcta inválida en el los una muy no siempre segura débil
    obrigatória necessária secreta incorreta errada correta inválida na no em o as um uma muito não segura fraca
    obbligatoria necessaria segreta sbagliata corretta nel nella il lo una molto sempre sicura debole
    vereist verplicht geheim verkeerd juist veilig onveilig niet altijd het een
    wymagane wymagany tajne błędne poprawne w na nie zawsze potrzebne
    обязателен обязательный нужен неверный верный секретный хранится в на не всегда должен это
    gerekli zorunlu yanlış gizli doğru krävs påkrævet nødvendig hemligt hemmelig
    """.split()  # noqa: SIM905
)

# What an assignment (`password=…`) may say without giving the password.
TYPES = frozenset(
    "none null nil true false undefined str string text input required optional prompt env".split()  # noqa: SIM905
)

# Endings of English words for a state; a capital letter makes a name of it ("Schmetterling").
PROSE_ENDINGS = ("ed", "ing", "able", "ible", "ly", "ful", "less", "-only", "-based", "-hashed", "-protected", "-free")

JOINING = frozenset("and but for please thanks und aber et mais y pero e ma en i и а".split())  # noqa: SIM905

COUNTED = frozenset(
    """
    character characters char chars digit digits letter letters symbol symbols word words bit bits byte bytes day days
    week weeks month months year years hour hours minute minutes second seconds time times attempt attempts users
    accounts hashed encrypted encoded protected zeichen ziffern stellen tage wochen monate caractères chiffres jours
    caracteres dígitos días dias caratteri cifre giorni tekens cijfers znaków cyfr символов цифр цифры дней
    """.split()  # noqa: SIM905
)

PRODUCTS = re.compile(
    r"1password.*|2fa|mfa2?|oauth-?2?.*|sha-?[0-9]+.*|md5.*|aes-?[0-9]*.*|rsa-?[0-9]*|pbkdf2.*|argon2.*|bcrypt.*|"
    r"scrypt.*|base-?(?:32|58|64).*|utf-?8|s3|ec2|k8s|auth0|keepass(?:2|xc)?|web3|[mo]365|fido2?.*|u2f|"
    r"v[0-9.]+|[0-9]+(?:[.,][0-9]+)?(?:%|\+)?(?:/[0-9]+)?(?<![0-9]{4})",
    re.IGNORECASE,
)
