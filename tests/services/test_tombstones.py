"""What is not to be learned again is not, however it is written, and however long it takes."""

import unicodedata
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from memoryapp.database.isolation import acting_for
from memoryapp.models import Decision, Memory, MemoryVersion, Tombstone
from memoryapp.services.correct import Changes, correct
from memoryapp.services.do_not_learn import barred, lift
from memoryapp.services.erase import erase_now
from memoryapp.services.errors import Refused
from memoryapp.services.forget import forget
from memoryapp.services.maintain import maintain

pytestmark = pytest.mark.django_db

TEXT = "Likes café crème."


@pytest.fixture
def barred_memory(remember, herself):
    """Forgotten by Ada, not to be learned again."""
    memory = remember(TEXT)
    forget(UUID(memory["id"]), relearn="block", source="keep", actor=herself)
    return UUID(memory["id"])


def everything(person):
    with acting_for(person):
        return sorted(Memory.objects.exclude(state="forgotten").values_list("text", flat=True))


SPELLINGS = {
    "as it was": TEXT,
    "other case": TEXT.upper(),
    "decomposed": unicodedata.normalize("NFD", TEXT),
    "full width": "Ｌｉｋｅｓ ｃａｆé ｃｒèｍｅ．",
    "zero width": "Li\u200bkes\u200d café cr\u2060ème.\ufeff",
    "bidi marks": "\u202eLikes\u202c café \u2066crème\u2069.",
    "soft hyphens": "Li\u00adkes ca\u00adfé crème.",
    "white space": " \t Likes\u00a0\u00a0café\u2003crème . ",
    "no punctuation": "Likes café crème",
    "more punctuation": "Likes café crème …!?。",
    "control characters": "Likes\x01 café\x7f crème.",
}


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS)
@pytest.mark.parametrize(
    "where",
    [{}, {"subject": "breakfast"}, {"kind": "fact", "scope": "atlas", "subject": "drink"}, {"source": None}],
    ids=["there", "other subject", "other kind and scope", "as a guess"],
)
def test_it_is_refused_however_and_wherever_it_is_written(barred_memory, propose_one, ada, text, where):
    outcome = propose_one(text, **({"source": "x"} | where))
    assert (outcome.action, outcome.rule, outcome.memory) == ("rejected", "forgotten", None)
    assert everything(ada.person_id) == []
    with acting_for(ada.person_id):
        # Known by its rule, and by no word of it.
        last = Decision.objects.latest("id")
        assert (last.rule, last.text, last.source) == ("forgotten", None, None)


@pytest.mark.parametrize(
    "text",
    ["Likes coffee with cream.", "Likes café.", "Likes cafe creme.", "Likеs café crème."],
    ids=["paraphrase", "part", "without accents", "a letter of another script"],
)
def test_what_is_another_value_is_learned(barred_memory, propose_one, ada, text):
    assert propose_one(text).action == "new"
    assert everything(ada.person_id) == [text]


def test_a_neighbour_is_learned(barred_memory, propose_one, ben):
    assert propose_one("Likes jazz.", subject="music").action == "new"
    assert propose_one(TEXT, actor=ben).action == "new"


def test_it_cannot_be_laundered(barred_memory, propose_one, ada):
    """Another value first, then the barred one: by restating, correcting, retracting and saying it anew."""
    other = propose_one("Likes tea.").memory
    assert propose_one(TEXT).rule == "forgotten"
    with pytest.raises(Refused) as refused:
        correct(other["id"], Changes(text=TEXT.upper()), expected_version=1, actor=ada)
    assert refused.value.rule == "forgotten"
    propose_one(None, retract=True, source="not any more")
    assert propose_one(TEXT).rule == "forgotten"
    assert propose_one("Likes milk.").action == "new"
    assert everything(ada.person_id) == ["Likes milk."]


def test_every_value_that_it_ever_had_is_barred(remember, propose_one, ada, herself):
    remember("Likes tea.")
    memory = remember("Likes coffee.")
    forget(UUID(memory["id"]), relearn="block", source="keep", actor=herself)
    for text in ("Likes tea.", "LIKES COFFEE"):
        assert propose_one(text).rule == "forgotten"
    assert propose_one("Likes milk.").action == "new"


def test_it_is_laid_with_the_forgetting_or_not_at_all(remember, ada, herself, monkeypatch):
    memory = remember(TEXT)

    def broken(*args, **kwargs):
        raise SystemError

    monkeypatch.setattr("memoryapp.services.forget.audit.record", broken)
    with pytest.raises(SystemError):
        forget(UUID(memory["id"]), relearn="block", source="keep", actor=herself)
    with acting_for(ada.person_id):
        assert not Tombstone.objects.exists() and Memory.objects.get().state == "current"


@pytest.mark.parametrize("days", [1, 31, 400, 4_000])
def test_it_survives_the_trash_and_every_expiry(barred_memory, propose_one, ada, days, settings, tmp_path):
    settings.ERASURE_LEDGER = tmp_path / "erasures.jsonl"
    maintain(datetime.now(UTC) + timedelta(days=days))
    with acting_for(ada.person_id):
        assert Memory.objects.filter(pk=barred_memory).exists() == (days < 30)
        assert MemoryVersion.objects.exists() == (days < 30)
    assert propose_one(TEXT).rule == "forgotten"
    assert propose_one("Likes tea.").action == "new"


def test_it_survives_erasing_the_memory(barred_memory, propose_one, herself, settings, tmp_path):
    settings.ERASURE_LEDGER = tmp_path / "erasures.jsonl"
    erase_now(barred_memory, actor=herself)
    assert propose_one(TEXT).rule == "forgotten"


def test_it_holds_no_text(barred_memory, ada):
    with acting_for(ada.person_id):
        (row,) = Tombstone.objects.values()
    assert len(row["digest"]) == 32
    held = unicodedata.normalize("NFD", str(row)).casefold()
    assert "likes" not in held and "cre" not in held


def test_the_person_sees_it_and_lifts_it(barred_memory, propose_one, ada, herself, settings, tmp_path):
    settings.ERASURE_LEDGER = tmp_path / "erasures.jsonl"
    # Also after the memory itself is gone.
    erase_now(barred_memory, actor=herself)
    (entry,) = barred(actor=herself)
    assert (entry.scope, entry.kind, entry.subject) == ("personal", "preference", "drink")
    lift(entry.id, actor=herself)
    assert barred(actor=herself) == ()
    outcome = propose_one(TEXT)
    assert outcome.action == "new"
    assert outcome.memory["id"] != str(barred_memory)
    assert everything(ada.person_id) == [TEXT]
