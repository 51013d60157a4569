"""Forgetting with the message: what rests on it alone goes along, what was said elsewhere too stays, as counted."""

from uuid import UUID

import pytest
from django.db import DatabaseError, transaction

from memoryapp.database.isolation import acting_for, erasing
from memoryapp.models import Confirmation, Decision, Episode, IdempotencyRecord, Memory, MemoryVersion
from memoryapp.services.bulk import apply_bulk, preview_bulk, rest_with
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.errors import Conflict
from memoryapp.services.forget import forget, restore
from memoryapp.services.idempotency import once
from memoryapp.services.matching import PageFilters
from memoryapp.services.messages import resting_on, turns_of
from memoryapp.services.resting import resting_with_all
from memoryapp.services.reviewing import keep
from memoryapp.services.scope_verbs import preview_scope_forget, rest_with_scope
from tests.dashboard.conftest import signed_in

pytestmark = pytest.mark.django_db

SAID = "I moved to Graz with Kim and we like tea"


@pytest.fixture
def say(remember, ada):
    """`say("Likes tea.", 1, subject="drink")`: a memory out of that turn of the conversation."""
    store_turns(session="s", scope=None, turns=[Turn(turn, "user", SAID) for turn in (1, 2, 3)], actor=ada)

    def act(text, turn, **fields):
        return UUID(remember(text, **({"source": SAID, "session": "s", "turn": turn} | fields))["id"])

    return act


def texts(actor, **filters):
    with acting_for(actor.opened):
        rows = Memory.objects.exclude(state="forgotten").filter(**filters)
        return set(rows.values_list("text", flat=True))


ALONG = [
    pytest.param(lambda say, herself: say("Lives in Graz.", 1, subject="city"), True, id="said in it only"),
    pytest.param(
        lambda say, herself: say("Is with Kim.", 1, subject="friend", source=None), True, id="inferred from it only"
    ),
    pytest.param(
        lambda say, herself: max([say("Lives in Graz.", turn, subject="city") for turn in (1, 2)]), False,
        id="said again elsewhere",
    ),
    pytest.param(lambda say, herself: say("Lives in Graz.", 2, subject="city"), False, id="said elsewhere only"),
    pytest.param(
        lambda say, herself: [say("Lives in Wien.", 1, subject="city"), say("Lives in Graz.", 2, subject="city")][0],
        False, id="another value by now, said elsewhere",
    ),
    pytest.param(
        lambda say, herself: keep(say("Lives in Graz.", 1, subject="city", source=None), actor=herself).id, False,
        id="kept by the person",
    ),
]  # fmt: skip


def rests_with(memory_id, actor):
    """Asked as for thousands of them, and as for one."""
    with acting_for(actor.opened):
        counted = resting_with_all(Memory.objects.filter(pk=memory_id), actor=actor)
        assert counted == resting_on(turns_of([memory_id]), besides={memory_id}, actor=actor)
    return counted


@pytest.mark.parametrize(("other", "goes"), ALONG)
def test_what_rests_on_the_message_alone_goes_along_and_is_counted_before(other, goes, say, ada, herself):
    tea = say("Likes tea.", 1)
    beside = other(say, herself)
    counted = rests_with(tea, herself)
    before = texts(ada)
    forget(tea, relearn="allow", source="erase", actor=herself, expected_along=len(counted.alone))

    gone = before - texts(ada) - {"Likes tea."}
    assert (len(counted.alone), bool(goes)) == (len(gone), bool(gone))
    assert (beside in counted.alone) == goes
    with acting_for(ada.opened):
        assert (Memory.objects.get(pk=beside).state == "forgotten") == goes
        assert 1 not in Episode.objects.values_list("turn", flat=True)
        assert Episode.objects.count() == 2


def test_keeping_the_message_keeps_what_rests_on_it(say, ada, herself):
    tea, city = say("Likes tea.", 1), say("Lives in Graz.", 1, subject="city")
    forget(tea, relearn="allow", source="keep", actor=herself)
    assert texts(ada) == {"Lives in Graz."}
    with acting_for(ada.opened):
        assert Memory.objects.get(pk=city).source == SAID


def test_nothing_quotes_an_erased_message_any_more(say, remember, propose_one, ada, herself):
    """Also what stays: it keeps what it says, and when it was said, and loses the words of that message."""
    tea = say("Likes tea.", 1)
    city = say("Lives in Graz.", 1, subject="city")
    say("Lives in Graz.", 2, subject="city", source="moved to Graz")
    propose_one("Feels well.", kind="mood", source=SAID, session="s", turn=1)
    neighbour = remember("Likes jazz.", subject="music", source="we like", session="s", turn=3)

    def answer():
        memory = propose_one("Lives in Graz.", subject="city", source=SAID, session="s", turn=1).memory
        return 200, {"action": "reconfirmed", "memory": memory}, ada.person_id

    once(key_id=ada.key_id, key="k", fingerprint=b"f", act=answer)

    def quotes():
        with acting_for(ada.opened):
            rows = [*Memory.objects.all(), *MemoryVersion.objects.all(), *Confirmation.objects.all()]
            rows += [*Decision.objects.all()]
            return {row.source for row in rows} | {str(row.body) for row in IdempotencyRecord.objects.all()}

    assert any(SAID in str(quote) for quote in quotes())
    forget(tea, relearn="allow", source="erase", actor=herself)
    assert not any(SAID in str(quote) for quote in quotes())
    assert {"moved to Graz", "we like"} <= quotes()
    with acting_for(ada.opened):
        head = Memory.objects.get(pk=city)
        assert (head.text, head.state, head.seen) == ("Lives in Graz.", "current", 3)
        assert Memory.objects.get(pk=neighbour["id"]).source == "we like"


def test_two_messages_of_one_memory_erased_one_after_the_other(say, ada, herself):
    """What the first erasing left with one support is alone with the second."""
    tea, rum = say("Likes tea.", 1), say("Likes rum.", 2, subject="spirit")
    for turn in (1, 2):
        say("Lives in Graz.", turn, subject="city")
    forget(tea, relearn="allow", source="erase", actor=herself)
    assert "Lives in Graz." in texts(ada)
    assert len(rests_with(rum, herself).alone) == 1
    forget(rum, relearn="allow", source="erase", actor=herself)
    assert texts(ada) == set()


def test_what_went_along_comes_back_one_by_one(say, ada, herself):
    tea, city = say("Likes tea.", 1), say("Lives in Graz.", 1, subject="city")
    forget(tea, relearn="allow", source="erase", actor=herself)
    assert texts(ada) == set()
    assert restore(city, actor=herself)["text"] == "Lives in Graz."
    assert texts(ada) == {"Lives in Graz."}


def test_another_number_than_was_shown_forgets_nothing(say, ada, herself):
    tea = say("Likes tea.", 1)
    say("Lives in Graz.", 1, subject="city")
    with pytest.raises(Conflict) as caught:
        forget(tea, relearn="allow", source="erase", actor=herself, expected_along=0)
    assert caught.value.code == "count_changed"
    assert texts(ada) == {"Likes tea.", "Lives in Graz."}


def test_nothing_of_another_person_goes_along(say, remember, ada, ben, herself):
    store_turns(session="s", scope=None, turns=[Turn(1, "user", SAID)], actor=ben)
    remember("Lives in Graz.", subject="city", source=SAID, session="s", turn=1, actor=ben)
    forget(say("Likes tea.", 1), relearn="allow", source="erase", actor=herself)
    assert texts(ben) == {"Lives in Graz."}
    with acting_for(ben.opened):
        assert Episode.objects.count() == 1 and Memory.objects.get().source == SAID


@pytest.mark.parametrize("whole_scope", [False, True], ids=["all that match", "a scope"])
def test_many_at_once_are_counted_and_taken_alike(whole_scope, say, ada, herself):
    for text, turn, subject in (("Uses Go.", 1, "lang"), ("Uses Redis.", 2, "cache")):
        say(text, turn, kind="fact", scope="atlas", subject=subject)
    for turn in (1, 2):
        say("Lives in Graz.", turn, subject="city")
    for turn in (2, 3):
        say("Likes tea.", turn)
    say("Likes jazz.", 3, subject="music")
    filters = PageFilters(scope="atlas")
    if whole_scope:
        counted = rest_with_scope("atlas", actor=herself)
        preview = preview_scope_forget("atlas", actor=herself, bars=True, erases_sources=True)
    else:
        counted = rest_with(filters, actor=herself)
        preview = preview_bulk("forget", actor=herself, filters=filters, bars=True, erases_sources=True)
    assert (len(counted.alone), len(counted.supported)) == (1, 1)
    progress = apply_bulk(preview.run_id, expected_count=2, actor=herself)
    assert (progress.done, progress.skipped) == (2, 0)
    assert texts(ada) == {"Likes tea.", "Likes jazz."}


def test_quotations_change_in_no_other_way(say, ada):
    tea = say("Likes tea.", 1)
    rows = Confirmation.objects.filter(version__memory=tea)
    for fields in ({"source": "other"}, {"source": None}, {"message_erased": True}, {"said_at": None}):
        with pytest.raises(DatabaseError), transaction.atomic(), acting_for(ada.opened):
            rows.update(**fields)
    with pytest.raises(DatabaseError), transaction.atomic(), acting_for(ada.opened), erasing(ada.opened):
        rows.update(source="other")
    with acting_for(ada.opened), erasing(ada.opened):
        assert rows.update(source=None) == 1


def test_the_page_counts_both_before(say, ada, herself):
    tea = say("Likes tea.", 1)
    say("Lives in Graz.", 1, subject="city")
    for turn in (1, 2):
        say("Likes jazz.", turn, subject="music")
    browser = signed_in(herself)
    shown = browser.get(f"/memories/{tea}/forget/").text
    assert "<b>1</b> other memory rests on nothing else" in shown
    assert "<b>1</b> other memory was said elsewhere" in shown
    assert "other memory rests on nothing else" in browser.get("/memories/bulk/?q=drink").text
    assert browser.post(f"/memories/{tea}/forget/", {"message": "1", "along": "0"}).status_code == 409
    assert "Likes tea." in texts(ada)
    assert browser.post(f"/memories/{tea}/forget/", {"message": "1", "along": "1"}).status_code == 303
    assert texts(ada) == {"Likes jazz."}
