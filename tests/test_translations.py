"""German and Arabic say everything that the sources say, with the same placeholders, and pages speak them."""

import gettext
import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import allauth
import pytest
from django.template import Context, Template
from django.test import Client
from django.utils import translation

from accounts.models import User
from memoryapp.dashboard.failures import in_words
from memoryapp.services.errors import Conflict, Invalid, Refused
from tests.catalogues import ROOT, Entry, asked_for, read_po, texts_in

LANGUAGES = ("de", "ar")
PLACEHOLDER = re.compile(r"%\(\w+\)[-.\d]*[a-z]|%%|\{\w*\}")
TAG = re.compile(r"<[^>]+>")
MISSING = "manage.py makemessages -l de -l ar --no-location --no-wrap; translate these; manage.py compilemessages"
ARABIC = re.compile(r"[\u0600-\u06ff]")


def folder(language):
    return ROOT / "locale" / language / "LC_MESSAGES"


def entries(language):
    return read_po(folder(language) / "django.po")[1:]


def plural_rule(language):
    header = read_po(folder(language) / "django.po")[0].forms[0]
    count, rule = re.search(r"nplurals=(\d+); plural=(.*);", header).groups()
    return int(count), gettext.c2py(rule)


def forms_of_one_number(language):
    """The plural forms that stand for a single number, which need not be said in digits."""
    _, rule = plural_rule(language)
    return {form for form, times in Counter(rule(n) for n in range(1000)).items() if times == 1}


def mistakes(entry: Entry, *, plural_forms: int, of_one_number: set[int]) -> list[str]:
    found = []
    if "fuzzy" in entry.flags or "obsolete" in entry.flags:
        found.append("is fuzzy or obsolete")
    if set(entry.forms) != set(range(plural_forms if entry.plural else 1)) or not all(entry.forms.values()):
        found.append("is not translated in every form")
    said = entry.plural or entry.text
    for number, form in entry.forms.items():
        wanted, given = Counter(PLACEHOLDER.findall(said)), Counter(PLACEHOLDER.findall(form))
        may_leave = 1 if entry.plural and number in of_one_number else 0
        if given - wanted or (wanted - given).total() > may_leave:
            found.append(f"has other placeholders in form {number}")
        if Counter(TAG.findall(said)) != Counter(TAG.findall(form)):
            found.append(f"has other tags in form {number}")
        if said.endswith((".", "?", ":")) != form.endswith((".", "?", "؟", ":")):
            found.append(f"ends otherwise in form {number}")
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_every_text_of_the_sources_is_in_the_catalogue_and_nothing_else(language):
    asked = asked_for()
    assert ("", "Forget", "") in asked and ("date", "j F", "") in asked
    assert ("", "%(n)s memory forgotten.", "%(n)s memories forgotten.") in asked
    held = {entry.id for entry in entries(language)}
    assert asked - held == set(), MISSING
    assert held - asked == set(), "these are said nowhere any more"


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_every_entry_is_translated_with_its_placeholders_and_tags(language):
    plural_forms, _ = plural_rule(language)
    single = forms_of_one_number(language)
    wrong = [
        (entry.text, found)
        for entry in entries(language)
        if (found := mistakes(entry, plural_forms=plural_forms, of_one_number=single))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "entry",
    [
        Entry(text="Save", forms={0: ""}),
        Entry(text="Save", forms={0: "Speichern"}, flags=" fuzzy"),
        Entry(text="At most %(n)s.", forms={0: "Höchstens."}),
        Entry(text="At most %(n)s.", forms={0: "Höchstens %(m)s."}),
        Entry(text="{n} selected", forms={0: "ausgewählt"}),
        Entry(text="<b>Yes</b>", forms={0: "Ja"}),
        Entry(text="Saved.", forms={0: "Gespeichert"}),
        Entry(text="%(n)s memory", plural="%(n)s memories", forms={0: "%(n)s Erinnerung"}),
        Entry(text="%(n)s memory", plural="%(n)s memories", forms={0: "Eine", 1: "Viele"}),
    ],
    ids=["empty", "fuzzy", "lost", "renamed", "lost brace", "lost tag", "lost full stop", "one form", "no number"],
)
def test_it_a_bad_translation_is_found(entry):
    assert mistakes(entry, plural_forms=2, of_one_number={0})


def test_it_a_form_of_one_number_may_say_it_in_a_word():
    entry = Entry(text="%(n)s memory", plural="%(n)s memories", forms={0: "Eine Erinnerung", 1: "%(n)s Erinnerungen"})
    assert mistakes(entry, plural_forms=2, of_one_number={0}) == []


def test_it_arabic_has_six_plural_forms_and_each_number_its_own():
    count, rule = plural_rule("ar")
    assert count == 6
    assert [rule(n) for n in (0, 1, 2, 3, 10, 11, 99, 100, 102, 103, 111)] == [0, 1, 2, 3, 3, 4, 4, 5, 5, 3, 4]
    assert forms_of_one_number("ar") == {0, 1, 2}
    assert forms_of_one_number("de") == {0}


def test_it_arabic_is_written_in_arabic():
    latin = [
        entry.text
        for entry in entries("ar")
        if entry.context != "date" and not all(ARABIC.search(form) for form in entry.forms.values())
    ]
    assert latin == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_what_is_compiled_is_what_is_written(language):
    with (folder(language) / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    _, rule = plural_rule(language)
    examples = {rule(n): n for n in range(200, -1, -1)}
    for entry in entries(language):
        for number, form in entry.forms.items():
            if entry.plural:
                assert compiled.ngettext(entry.text, entry.plural, examples[number]) == form
            elif entry.context:
                assert compiled.pgettext(entry.context, entry.text) == form
            else:
                assert compiled.gettext(entry.text) == form


FORMAL = re.compile(r"\b(Sie|Ihnen|Ihre?[nmrs]?)\b")
NOT_OFFERED = re.compile("password|phone", re.IGNORECASE)


def _what_allauth_says():
    """The texts of its Python, and of those of its mails and messages that we have no template for."""
    folder = Path(allauth.__file__).parent
    for path in folder.rglob("*.py"):
        if not {"headless", "idp", "tests", "providers"} & set(path.parts):
            yield from texts_in(path)
    for path in (folder / "templates").rglob("*.txt"):
        if not (ROOT / "templates" / path.relative_to(folder / "templates")).exists():
            yield from texts_in(path)


def test_it_german_is_informal_also_where_allauth_speaks():
    ours = [form for entry in entries("de") for form in entry.forms.values()]
    with translation.override("de"):
        said = {text: translation.gettext(text) for _, text, _ in _what_allauth_says() if text}
    assert len(said) > 50 and FORMAL.search("Verwenden Sie Ihr Passwort")
    assert [words for text, words in said.items() if FORMAL.search(words) and not NOT_OFFERED.search(text)] == []
    # Where a sentence begins, ours say it of a memory.
    assert [form for form in ours if FORMAL.search(re.sub(r"(^|[.:?!] )(Sie|Ihre?)\b", r"\1", form))] == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "direction", "words"),
    [
        ("en", "ltr", ("Memories", "Settings", "Add a memory", "Nothing is remembered yet")),
        ("de", "ltr", ("Erinnerungen", "Einstellungen", "Erinnerung hinzufügen", "Noch ist nichts gemerkt")),
        ("ar", "rtl", ("الذكريات", "الإعدادات", "إضافة ذكرى", "لا شيء محفوظ بعد")),
    ],
    ids=["English", "German", "Arabic"],
)
@pytest.mark.parametrize("by", ["choice", "browser"])
def test_it_the_page_speaks_the_language(ada, language, direction, words, by):
    person = User.objects.get(pk=ada.opened)
    if by == "choice":
        User.objects.filter(pk=person.pk).update(language=language)
    client = Client(headers={"Accept-Language": language if by == "browser" else "fr"})
    client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    answer = client.get("/memories/")
    assert f'<html lang="{language}" dir="{direction}"' in answer.text
    assert answer["Content-Language"] == language
    for word in words:
        assert word in answer.text


@pytest.mark.django_db
def test_it_days_and_numbers_of_memories_are_said_as_the_language_says_them(ada, remember):
    remember("Likes tea.", occurred_at=datetime(2025, 3, 12, 12, tzinfo=UTC))
    person = User.objects.get(pk=ada.opened)
    client = Client()
    client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    pages = {}
    for language in ("en", *LANGUAGES):
        User.objects.filter(pk=person.pk).update(language=language)
        pages[language] = client.get("/memories/").text
    assert "12 March" in pages["en"] and "<b>1</b> memory" in pages["en"]
    assert "12. März" in pages["de"] and "<b>1</b> Erinnerung" in pages["de"]
    assert "12 مارس" in pages["ar"] and "<b>ذكرى</b> واحدة" in pages["ar"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "words"), [("de", "Du bekommst einen Code per E-Mail."), ("ar", "تسجيل الدخول")], ids=LANGUAGES
)
def test_it_signing_in_speaks_the_browsers_language(language, words):
    answer = Client(headers={"Accept-Language": language}).get("/sign-in")
    assert answer.status_code == 200
    assert words in answer.text and f'lang="{language}"' in answer.text


@pytest.mark.parametrize(
    "error",
    [
        *(Conflict(code, "English") for code in ("not_current", "slot_taken", "person_decides", "not_waiting")),
        *(Conflict(code, "English") for code in ("not_rejected", "not_undoable", "count_changed", "scope_exists")),
        *(Invalid(field, "English") for field in ("text", "subject", "expires_at", "into", "scope", "other", "verb")),
        *(Refused(rule, "English") for rule in ("secret", "instruction")),
        Invalid("unheard_of", "English"),
    ],
    ids=lambda error: getattr(error, "field", "") or getattr(error, "rule", "") or error.code,
)
def test_it_what_a_service_refuses_is_said_in_the_persons_language(error):
    said = set()
    for language in ("en", *LANGUAGES):
        with translation.override(language):
            said.add(in_words(error))
    assert len(said) == 3 and "English" not in said


@pytest.mark.parametrize(
    ("verb", "word"), [("keep", "Bei der Prüfung behalten"), ("view", "Angesehen")], ids=["change", "look"]
)
def test_it_who_looked_is_said_in_the_persons_language(verb, word):
    with translation.override("de"):
        assert Template("{% load pages %}{{ verb|verb_word }}").render(Context({"verb": verb})) == word
