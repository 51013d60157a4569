"""Credentials are found and masked in any script, prose about them is left alone."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryapp.policy.secrets import find_secret, mask_secrets


def run_of(length, letters="aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY"):
    """A string without meaning, so that no credential stands in this file."""
    return (letters * (length // len(letters) + 1))[:length]


def joined(*parts):
    return "".join(parts)


HEX = "0123456789abcdef"
UPPER = "A2B3C4D5E6F7"
JWT = joined("ey", "J", run_of(20), ".ey", "J", run_of(30), ".", run_of(43))
PEM = joined(
    "-----BEGIN ", "RSA PRIVATE KEY-----\n", run_of(64), "\n", run_of(40), "\n-----END ", "RSA PRIVATE KEY-----"
)

ISSUED = {
    "aws_key_id": joined("AK", "IA", run_of(16, UPPER)),
    "aws_session_key_id": joined("AS", "IA", run_of(16, UPPER)),
    "github_classic": joined("gh", "p_", run_of(36)),
    "github_oauth": joined("gh", "o_", run_of(36)),
    "github_fine_grained": joined("github", "_pat_", run_of(22), "_", run_of(59)),
    "gitlab": joined("gl", "pat-", run_of(20)),
    "slack_bot": joined("xo", "xb-", "123456789012-123456789012-", run_of(24)),
    "slack_webhook": joined("https://hooks.", "slack.com/services/", "T00000000/B00000000/", run_of(24)),
    "openai": joined("s", "k-", run_of(48)),
    "openai_project": joined("s", "k-proj-", run_of(40), "_", run_of(40)),
    "anthropic": joined("s", "k-ant-api03-", run_of(80), "-AA"),
    "google": joined("AI", "za", run_of(35)),
    "google_oauth": joined("GOC", "SPX-", run_of(28)),
    "stripe_live": joined("s", "k_live_", run_of(24)),
    "stripe_restricted_test": joined("r", "k_test_", run_of(24)),
    "npm": joined("np", "m_", run_of(36)),
    "pypi": joined("py", "pi-AgEIcHlwaS5vcmc", run_of(60)),
    "hugging_face": joined("h", "f_", run_of(34)),
    "sendgrid": joined("S", "G.", run_of(22), ".", run_of(43)),
    "twilio": joined("S", "K", run_of(32, HEX)),
    "telegram": joined("1234567890", ":", "AA", run_of(33)),
    "azure_storage": joined("Account", "Key=", run_of(86), "=="),
    "azure_client_secret": joined("abc", "8", "Q~", run_of(34)),
    "jwt": JWT,
    "our_own": joined("mem", "_", run_of(12, "ab2c3d4"), "_", run_of(43)),
    "private_key": PEM,
    "private_key_openssh": PEM.replace("RSA", "OPENSSH"),
    "private_key_without_end": PEM.partition("-----END")[0],
    "vault": joined("hv", "s.", run_of(24)),
    "digitalocean": joined("do", "p_v1_", run_of(64, HEX)),
    "shopify": joined("shp", "at_", run_of(32, HEX)),
    "bearer": f"Authorization: Bearer {run_of(24)}",
    "url_with_login": "postgres://ada:s3cr3t@db.example.com:5432/atlas",
    "url_with_password_only": "redis://:hunter2@localhost:6379/0",
    "url_with_signs_in_password": "amqp://ada:p@ss:w0rd@mq.example.com/",
}

SPOKEN = {
    "is": "My password is hunter2.",
    "is_a_plain_word": "The wifi password is swordfish",
    "is_a_plain_word_and_more": "The password is swordfish, and the user is ada.",
    "for_something": "The password for the guest network at home is Blue-Parrot-77",
    "colon": "password: hunter2",
    "capitals": "PASSWORD: HUNTER2",
    "equals": "pwd=x",
    "passwd": "passwd = tr0ub4dor",
    "environment": "DB_PASSWORD=hunter2",
    "json": '{"user": "ada", "password": "hunter2"}',
    "option": "mysql --password hunter22",
    "query": "https://example.com/login?user=ada&password=hunter2",
    "xml": "<password>hunter2</password>",
    "markdown": "**Password:** hunter2",
    "quoted": "password is 'correct horse battery staple'",
    "quoted_curly": "The passphrase is “open sesame please”.",
    "changed_to": "The password has been changed to Winter2024!",
    "still": "the password is still Winter2024!",
    "signs": "password is p@ssword",
    "pw": "my pw is hunter2",
    "assigned_word": "password=secret",
    "words": "The passphrase is correct horse battery staple.",
    "seed_phrase": "Seed phrase: army van defense carry jealous true garbage claim echo media make crunch",
    "digits_beside": "Wifi password 12345678",
    "passcode_beside": "passcode 4821",
    "capital_word": "Passwort: Schmetterling",
    "said_first": "hunter2 is my email password",
    "digits": "Her passcode is 482913.",
    "pin": "The card's PIN is 4821.",
    "pin_beside": "Card PIN 4821",
    "pin_german": "Die Handy-PIN lautet 4821",
    "cvv": "CVV 123",
    "cvc": "The CVC is 4821",
    "api_key": "The API key is 8f3b2c9d1e7a6f50",
    "api_key_assigned": "api_key=8f3b2c9d1e7a6f50",
    "client_secret": "client_secret: 8f3b2c9d1e7a6f50aa",
    "aws_secret": joined("aws_secret_access_key = ", run_of(40)),
    "german": "Das Passwort ist Geheim123",
    "german_for": "Passwort für das WLAN: Sommer2024",
    "german_compound": "Das WLAN-Passwort lautet sonnenblume",
    "french": "Le mot de passe est Soleil99",
    "spanish": "La contraseña es Verano2024",
    "portuguese": "A senha é Verao2024",
    "italian": "La password è Estate2024",
    "dutch": "Het wachtwoord is Zomer2024",
    "polish": "Hasło to Lato2024",
    "swedish": "Lösenordet är Sommar2024",
    "danish": "Adgangskoden er Sommer2024",
    "finnish": "Salasana on Kesa2024",
    "czech": "Heslo je Leto2024",
    "turkish": "Şifre: Yaz2024",
    "russian_colon": "пароль: кошка",
    "russian_dash": "Пароль от почты — qwerty123",
    "russian_beside": "пароль qwerty123",
    "greek": "Ο κωδικός είναι kalokairi24",
    "hebrew": "הסיסמה היא kayitz24",
    "arabic": "كلمة المرور هي sayf2024",
    "vietnamese": "Mật khẩu là muahe2024",
    "indonesian": "Kata sandi adalah panas2024",
    "chinese": "密码是hunter2",
    "chinese_traditional": "密碼為 hunter2",
    "chinese_colon": "他的密码：hunter2，请保密",
    "japanese": "パスワードはhunter2です",
    "korean": "비밀번호는 hunter2입니다",
    "full_width": "ｐａｓｓｗｏｒｄ： ｈｕｎｔｅｒ２",
    "zero_width": "pass\u200bword is hun\u200bter2",
}

CARDS = {
    "visa": "4111 1111 1111 1111",
    "visa_one_block": "4111111111111111",
    "visa_dashes": "4111-1111-1111-1111",
    "visa_dots": "4111.1111.1111.1111",
    "visa_en_dashes": "4111–1111–1111–1111",
    "visa_13": "4222222222222",
    "visa_19": "4000 0000 0000 0000 006",
    "mastercard": "5555 5555 5555 4444",
    "mastercard_2": "2223003122003222",
    "amex": "3782 822463 10005",
    "diners": "3056 930902 5904",
    "discover": "6011111111111117",
    "jcb": "3530111333300000",
    "unionpay": "6200000000000005",
    "in_pairs": "41 11 11 11 11 11 11 11",
    "before_expiry": "4111 1111 1111 1111 12/29 123",
    "beside_chinese": "我的卡号是4111111111111111请记住",
    "beside_japanese": "カード番号4111-1111-1111-1111です",
    "full_width": "４１１１ １１１１ １１１１ １１１１",
    "full_width_in_chinese": "卡号４１１１１１１１１１１１１１１１。",
    "arabic_digits": "٤١١١ ١١١١ ١١١١ ١١١١",
    "zero_width": "4111\u200b1111\u200b1111\u200b1111",
    "after_underscore": "card_4111111111111111",
}

NO_SECRETS = {
    "required": "A password is required to open the vault.",
    "stored": "The password is stored in the vault.",
    "rotated": "The admin password is rotated every 90 days.",
    "rotated_for": "The password for production is rotated every 90 days",
    "wrong": "Said that the password is wrong.",
    "hashed": "The password is hashed with bcrypt2 and a salt.",
    "algorithm": "Decided that the password is argon2id hashed.",
    "length": "The password is 12 characters long.",
    "length_long": "Their passphrase is 1024 bits long",
    "at_least": "Password: at least 16 characters",
    "kept_in": "Keeps every password in 1Password.",
    "manager": "Uses the password manager 1Password 8",
    "manager_first": "1Password is my password manager",
    "policy": "Password policy: 12+ characters",
    "none": "Password: none",
    "required_colon": "password: required",
    "see_vault": "Password: see the vault",
    "type": "The column is password: string",
    "variable": "password=$DB_PASSWORD",
    "template": "password: {{ vault.password }}",
    "angle": "password=<your password>",
    "call": 'password = os.environ["PASSWORD"]',
    "stars": "password: ********",
    "masked": "The password is [masked].",
    "forgot": "Often forgets passwords and resets them in 2 minutes",
    "same": "The password is the same everywhere",
    "assigned_type": "password = required",
    "phrase_prose": "The passphrase is kept with the family papers upstairs",
    "year_beside": "Chose a new password 2024",
    "count_beside": "Reset the password 100000 times",
    "birthday": "The password is Ada's birthday",
    "bearer_word": "Uses Bearer authentication",
    "not_known": "The password is not known to support",
    "passport": "Her passport is blue.",
    "pass_time": "The pass is 2500 metres high",
    "pin_digits": "The PIN is 4 digits long.",
    "pin_changed": "Changed the PIN in 2024",
    "postal_pin": "Lives in Bangalore, PIN code 560001",
    "pinned": "Pinned 2024 notes to the board",
    "board_pin": "The LED is on pin 13.",
    "api_key_kept": "The API key is kept in the vault.",
    "api_key_rotates": "API keys: rotate quarterly",
    "token_budget": "Token budget: 4000 tokens per request",
    "token_plain": "The token is refreshed automatically",
    "secret_plain": "Secret: likes karaoke",
    "bearer": "He was the bearer of good news on 2024-05-01",
    "basic": "Knows Basic programming",
    "german": "Das Passwort ist erforderlich.",
    "german_kept": "Das Passwort ist im Tresor.",
    "german_changed": "Das Passwort wird alle 90 Tage geändert",
    "french": "Le mot de passe est obligatoire.",
    "spanish": "La contraseña es obligatoria.",
    "spanish_key": "La clave es la paciencia.",
    "italian": "La password è nel cassetto",
    "russian": "Пароль обязателен",
    "russian_kept": "Пароль хранится в сейфе",
    "chinese": "密码是必须的",
    "chinese_kept": "密码是Bitwarden管理的",
    "japanese": "パスワードは必要です",
    "korean": "비밀번호는 필요합니다",
    "phone": "Call +49 151 2345 6789 after six",
    "phone_international": "+4111111111111111",
    "fails_luhn": "4111 1111 1111 1112",
    "order_id": "Order 1234567890123456 was late",
    "twelve_digits": "411111111111",
    "twenty_digits": "41111111111111111111",
    "epoch": "Since 1700000000004 milliseconds",
    "isbn": "ISBN 9783161484100",
    "isbn_dashes": "ISBN 978-3-16-148410-0",
    "dates": "From 2024-01-15 to 2024-02-01",
    "years": "Was in Rome in 2018 2019 2020 2021",
    "pi": "Pi is 3.14159265358979",
    "uuid": "0190a5b2-4c1d-7e3f-8a9b-123456789012",
    "commit": "Fixed in 3f2b8c9d1e7a6f504b3c2d1e0f9a8b7c6d5e4f30",
    "zeros": "0000 0000 0000 0000",
    "in_a_word": "x4111111111111111",
    "iban_like": "DE89 3704 0044 0532 0130 00",
    "skill": "Uses sk-learn-based-classification-models daily",
    "aws_word": "AKIA is the prefix of AWS key ids",
    "github_word": "Tokens of GitHub start with ghp_",
    "url": "See https://example.com:8443/a/b@c",
    "url_user": "Clone from ssh://git@example.com/atlas.git",
    "url_placeholder": "postgres://ada:****@db.example.com/atlas",
    "public_key": "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
    "mail": "Write to ada@example.com",
    "memory_metric": "The metric mem_total_bytes is watched",
    "units": "Prefers metric units.",
    "database": "Atlas uses a PostgreSQL 16 database.",
    "blank": "",
}


def ids(cases):
    return [pytest.param(text, id=name) for name, text in cases.items()]


@pytest.mark.parametrize("text", ids(ISSUED))
def test_it_finds_a_credential_of_a_known_form(text):
    assert find_secret(text)
    assert find_secret(f"His key: {text}, he said.")
    assert find_secret(f"密钥{text}请保密")


@pytest.mark.parametrize("text", ids(SPOKEN))
def test_it_finds_what_a_sentence_calls_a_credential(text):
    assert find_secret(text)


@pytest.mark.parametrize("text", ids(CARDS))
def test_it_finds_a_card_number(text):
    assert find_secret(text)
    assert find_secret(f"The card is {text}, he said.")


@pytest.mark.parametrize("text", ids(NO_SECRETS))
def test_it_leaves_other_text_alone(text):
    assert not find_secret(text)
    assert mask_secrets(text) == text


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        pytest.param("My password is hunter2.", "My password is [masked].", id="value_only"),
        pytest.param("卡号４１１１１１１１１１１１１１１１。", "卡号[masked]。", id="full_width"),
        pytest.param("a 4111 1111 1111 1111 b", "a [masked] b", id="card"),
        pytest.param("4111 1111 1111 1111 12/29", "[masked] 12/29", id="card_before_expiry"),
        pytest.param("x\u200b pass\u200bword: hun\u200bter2 y", "x\u200b pass\u200bword: [masked] y", id="zero_width"),
        pytest.param("redis://:hunter2@localhost/0", "redis://[masked]@localhost/0", id="url"),
        pytest.param(f"Bearer {run_of(24)} sent", "Bearer [masked] sent", id="bearer"),
        pytest.param(f"Before\n{PEM}\nafter", "Before\n[masked]\nafter", id="private_key"),
        pytest.param("password: password: hunter2", "password: [masked]: [masked]", id="value_that_is_a_name"),
        pytest.param("pwd=a1b2c3 and PIN 4821", "pwd=[masked] and PIN [masked]", id="two"),
        pytest.param("パスワードはhunter2です", "パスワードは[masked]です", id="within_japanese"),
        pytest.param(f"token={JWT}", "token=[masked]", id="found_twice"),
    ],
)
def test_it_masks_the_credential_and_keeps_the_rest(text, masked):
    assert mask_secrets(text) == masked


@pytest.mark.parametrize("text", ids(ISSUED | SPOKEN | CARDS))
def test_it_masks_everything_it_finds_once(text):
    masked = mask_secrets(text)
    assert "[masked]" in masked
    assert not find_secret(masked)
    assert mask_secrets(masked) == masked


PIECES = (
    *("password", " is ", ": ", "=", "hunter2", "x", "PIN ", "Bearer ", "sk-", run_of(24), "'", "required", "密码是"),
    *("4111 1111 ", "4111", "４", "-", " ", "...", "\n", "://", "a:b@", "-----BEGIN PRIVATE KEY-----"),
    *("[masked]", "\u200b", "ﷺ", "e\u0301"),
)


@settings(deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=14).map("".join)))
def test_it_masks_any_text_for_good(text):
    masked = mask_secrets(text)
    assert not find_secret(masked)
    assert (masked == text) == (not find_secret(text))


@settings(deadline=None)
@given(st.integers(min_value=10**11, max_value=10**17 - 1), st.sampled_from(["4", "5", "6"]))
def test_it_knows_a_wrong_check_digit(body, first):
    digits = first + str(body)
    check = next(str(last) for last in range(10) if find_secret(digits + str(last)))
    assert [last for last in range(10) if find_secret(digits + str(last))] == [int(check)]


HOSTILE = {
    "plain": "The quick brown fox jumps. ",
    "chinese": "他喜欢在早上喝茶。",
    "passwords": "password ",
    "passwords_for": "password for a b c d e f ",
    "spaces": " ",
    "digits": "4",
    "spaced_digits": "4 ",
    "even_groups": "4111 ",
    "jwt_heads": "eyJaaaaaaaaaa-",
    "jwt_dots": "eyJaaaaaaaa.eyJaaaaaaaaaa-",
    "pem_heads": "-----BEGIN PRIVATE KEY-----\n",
    "pem_unclosed": "-----BEGIN ",
    "urls": "://a:b",
    "colons": "::",
    "dots": "a.",
    "bearers": "Bearer a ",
    "quotes": "password is '",
    "letters": "a",
    "underscores": "a_",
    "said_first": "aaaa1 is my a ",
    "marks": "\u0301\u0316",
    "ligatures": "ﷺ",
    "tokens": "token",
    "telegram": "123456789:",
    "slack": "xoxb-",
    "pins": "pin for a (b) ",
}


@pytest.mark.parametrize("unit", ids(HOSTILE))
def test_it_takes_linear_time(unit):
    text = (unit * (100_000 // len(unit) + 1))[:100_000]
    started = time.perf_counter()
    mask_secrets(text)
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        pytest.param("My password\nis hunter2", "My password\nis [masked]", id="spoken"),
        pytest.param("password:\n\nhunter2 and more", "password:\n\n[masked] and more", id="written"),
        pytest.param("4111\n1111\n1111\n1111", "[masked]", id="card by line"),
        pytest.param("4111_1111_1111_1111", "[masked]", id="card by underscore"),
        pytest.param("Change your password\nThen restart it", "Change your password\nThen restart it", id="prose"),
    ],
)
def test_it_finds_what_is_spread_over_lines(text, masked):
    assert mask_secrets(text) == masked
    assert find_secret(text) == (text != masked)
