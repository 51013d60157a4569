"""Imports that meet other calls in flight: all of a file or none, once, and nothing that was let go comes back."""

from uuid import UUID

import pytest
from django.db import IntegrityError

from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import Confirmation, Memory, Receipt
from memoryapp.services import erase_person, erase_stores
from memoryapp.services.audit import verify
from memoryapp.services.erase_jobs import work_now
from memoryapp.services.errors import Conflict, NotFound
from memoryapp.services.forget import forget
from memoryapp.services.importing import Counted
from memoryapp.services.uploads import bring as bring_upload
from memoryapp.services.uploads import keep_upload
from tests.rich import bring, file_of

pytestmark = pytest.mark.django_db(transaction=True)

MANY = 30


@pytest.fixture(autouse=True)
def ledger(settings, tmp_path):
    settings.ERASURE_LEDGER = tmp_path / "erasures.jsonl"


@pytest.fixture
def content(remember, ben):
    """An export of Ben's."""
    for number in range(MANY):
        remember(f"Likes {number}.", subject=f"s{number}", actor=ben)
    return file_of(ben)


def held(actor):
    with acting_for(actor.person_id):
        return list(Memory.objects.filter(person_id=actor.person_id).values_list("text", "state"))


def test_of_eight_imports_one_brings(ada, content, at_once):
    outcomes = at_once(*[lambda: bring(content, ada)] * 8)
    assert sorted((one.new, one.same) for one in outcomes) == [(0, MANY)] * 7 + [(MANY, 0)]
    assert len(held(ada)) == MANY
    with acting_for(ada.person_id):
        assert Confirmation.objects.filter(person_id=ada.person_id).count() == MANY
    assert list(verify()) == []


def test_an_upload_is_brought_once(herself, content, at_once):
    upload = keep_upload(content, actor=herself)
    outcomes = at_once(*[lambda: bring_upload(upload.id, actor=herself)] * 6)
    assert sorted(type(one).__name__ for one in outcomes) == ["NotFound"] * 5 + ["tuple"]
    assert len(held(herself)) == MANY


def test_what_is_barred_meanwhile_is_refused_or_forgotten(ben, content, herself, ada, at_once, remember):
    """Never in force: whichever comes first."""
    memory = remember("Likes 7.", subject="s7")
    outcomes = at_once(
        lambda: forget(UUID(memory["id"]), relearn="block", source="keep", actor=herself),
        *[lambda: bring(content, herself)] * 5,
    )
    assert [one for one in outcomes if isinstance(one, Exception)] == []
    assert ("Likes 7.", "forgotten") in held(ada) and ("Likes 7.", "current") not in held(ada)
    assert sum(state == "current" for _, state in held(ada)) == MANY - 1


def test_erasing_against_imports_leaves_nothing(ada, ben, bot, content, remember, at_once):
    remember("Likes tea.")

    def erase():
        while True:
            with acting_for(ada.person_id):
                count = Memory.objects.filter(person_id=ada.person_id).count()
            try:
                receipt_id = erase_person.begin(expected_count=count, actor=ada)
            except Conflict:
                continue
            work_now()
            return receipt_id

    receipt_id, *outcomes = at_once(erase, *[lambda: bring(content, ada)] * 7)
    assert [one for one in outcomes if not isinstance(one, Counted | NotFound | IntegrityError)] == []
    work_now()
    assert Receipt.objects.get(pk=receipt_id).done_at is not None
    with acting_for(ada.person_id):
        assert {name: count for name, count in erase_stores.left(ada.person_id).items() if count} == {}
    assert not User.objects.filter(pk=ada.person_id).exists()
    assert len(held(ben)) == MANY
    with pytest.raises(NotFound):
        bring(content, ada)
    assert list(verify()) == []
