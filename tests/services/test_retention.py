"""How long things are kept: by the service, shorter by the person, with the day on each row, by a clock that moves."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from memoryapp.database.isolation import acting_for
from memoryapp.models import Answer, Decision, Episode, Memory, Retention, RetrievalTrace
from memoryapp.services import retention_rounds
from memoryapp.services.detail import memory_detail
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.errors import Conflict, Invalid
from memoryapp.services.export import export_person
from memoryapp.services.forget import forget, restore
from memoryapp.services.maintain import maintain
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.refused import not_remembered
from memoryapp.services.retention import choose, count_past, read_limits
from memoryapp.services.retention_rounds import keep_to_limits, keep_to_limits_of
from memoryapp.services.states import confirm, pause, pin
from memoryapp.services.trace_view import trace_view
from memoryapp.services.traces import join_answer
from memoryapp.services.trash import trash
from tests.dashboard.conftest import signed_in

pytestmark = pytest.mark.django_db


def days(number, minutes=1):
    return datetime.now(UTC) + timedelta(days=number, minutes=minutes)


def texts(actor, state="standing"):
    with acting_for(actor.opened):
        rows = Memory.objects.all()
        rows = rows.exclude(state="forgotten") if state == "standing" else rows.filter(state=state)
        return set(rows.values_list("text", flat=True))


def aged(memory_id, actor, number):
    """The memory was written and said so many days ago."""
    at = datetime.now(UTC) - timedelta(days=number)
    with acting_for(actor.opened):
        Memory.objects.filter(pk=memory_id).update(confirmed_at=at, created_at=at)


KINDS = [("preference", None), ("fact", "atlas"), ("decision", "atlas"), ("identifier", "atlas")]


@pytest.mark.parametrize(("kind", "scope"), KINDS, ids=[kind for kind, _ in KINDS])
@pytest.mark.parametrize("by_person", [False, True], ids=["by the service", "by the person"])
def test_each_kind_has_its_time(kind, scope, by_person, remember, ada, ben, herself, settings):
    others = [one for one in KINDS if one[0] != kind]
    for other, where in [*others, (kind, scope)]:
        for actor in (ada, ben):
            remember(f"A {other}.", kind=other, scope=where, subject="thing", actor=actor)
    if by_person:
        choose(kind, 90, expected_count=0, actor=herself)
    else:
        settings.MEMORY_KEPT_DAYS = settings.MEMORY_KEPT_DAYS | {kind: 90}
    maintain(days(89))
    assert len(texts(ada)) == len(texts(ben)) == 4
    for _ in range(2):
        maintain(days(90))
    assert texts(ada) == {f"A {other}." for other, _ in others}
    assert texts(ada, "forgotten") == {f"A {kind}."}
    assert texts(ben) == (texts(ada) | {f"A {kind}."} if by_person else texts(ada))


def test_what_is_said_again_has_its_time_anew_and_a_pin_does_not_help(remember, ada, herself):
    said, pinned, paused = (remember(f"Likes {one}.", subject=one) for one in ("tea", "rum", "jazz"))
    pin(pinned["id"], actor=herself)
    pause(paused["id"], actor=herself)
    for memory in (said, pinned, paused):
        aged(memory["id"], ada, 100)
    confirm(said["id"], actor=ada)
    assert count_past("preference", 90, actor=herself, now=days(0)) == 2
    choose("preference", 90, expected_count=2, actor=herself)
    keep_to_limits_of(herself.opened, days(0))
    assert texts(ada) == {"Likes tea."}


def test_what_had_its_time_can_be_brought_back_by_the_person_and_then_stays(remember, ada, herself):
    memory = remember("Likes tea.")
    aged(memory["id"], ada, 100)
    choose("preference", 90, expected_count=1, actor=herself)
    keep_to_limits(days(0))
    assert [one.memory.text for one in trash(actor=herself).items] == ["Likes tea."]
    with pytest.raises(Conflict) as caught:
        restore(memory["id"], actor=ada)
    assert caught.value.code == "person_decides"
    restore(memory["id"], actor=herself)
    keep_to_limits(days(0))
    assert texts(ada) == {"Likes tea."}
    keep_to_limits(days(91))
    assert texts(ada) == set()


def test_messages_have_their_time(remember, ada, ben, herself, settings):
    for actor in (ada, ben):
        store_turns(session="s", scope=None, turns=[Turn(1, "user", "I like tea")], actor=actor)
    memory = remember("Likes tea.", source="I like tea", session="s", turn=1)
    choose("messages", 30, expected_count=0, actor=herself)

    def stored(actor):
        with acting_for(actor.opened):
            return Episode.objects.count()

    for at, expected in ((29, (1, 1)), (30, (0, 1)), (364, (0, 1)), (365, (0, 0))):
        maintain(days(at))
        assert (stored(ada), stored(ben)) == expected, at
    # The memory is not the message: what it quotes stays with it.
    assert memory_detail(UUID(memory["id"]), actor=herself).memory.source == "I like tea"


REFUSED = [(364, (1, 1)), (365, (0, 0))]
REFUSED_BY_PERSON = [(6, (1, 1)), (7, (0, 1)), (364, (0, 1)), (365, (0, 0))]


@pytest.mark.parametrize("chosen", [None, 7], ids=["as the service does", "as the person chose"])
def test_refused_proposals_have_their_time(chosen, propose_one, remember, ada, ben, herself, settings):
    for actor in (ada, ben):
        remember("Likes tea.", actor=actor)
        propose_one("Is zanzibar tired.", kind="mood", subject="mood", actor=actor)
    if chosen:
        choose("refused", chosen, expected_count=0, actor=herself)
    (shown,) = not_remembered(actor=herself).items
    assert shown.kept_until == shown.at + timedelta(days=chosen or 365)
    assert "kept until" in signed_in(herself).get("/not-remembered/").text

    def kept(actor):
        with acting_for(actor.opened):
            return Decision.objects.filter(action="rejected", text="Is zanzibar tired.").count()

    for at, expected in REFUSED_BY_PERSON if chosen else REFUSED:
        maintain(days(at))
        assert (kept(ada), kept(ben)) == expected, at
    # What was accepted goes with its memory, and not before.
    with acting_for(ada.opened):
        assert Decision.objects.filter(action="new").count() == 1
    assert "zanzibar" not in str(export_person(actor=herself)) and not_remembered(actor=herself).count == 0


def test_refused_proposals_stay_where_no_end_is_set(propose_one, ada, herself, settings):
    settings.MEMORY_KEPT_DAYS = settings.MEMORY_KEPT_DAYS | {"refused": 0}
    propose_one("Is tired.", kind="mood", subject="mood")
    maintain(days(3_000))
    (shown,) = not_remembered(actor=herself).items
    assert shown.kept_until is None


def test_answers_have_their_time(remember, ada, ben, herself):
    remember("Likes tea.")
    remember("Likes tea.", actor=ben)
    for actor in (ada, ben):
        sent = recall(ContextRequest(query="tea"), actor=actor)
        join_answer(UUID(sent["trace_id"]), answer_id=f"a {actor.opened}", model=None, text="Tea.", actor=actor)
    choose("answers", 30, expected_count=0, actor=herself)

    def kept(actor):
        with acting_for(actor.opened):
            return RetrievalTrace.objects.count(), Answer.objects.count()

    keep_to_limits(days(29))
    assert kept(ada) == (1, 1)
    keep_to_limits(days(30))
    assert (kept(ada), kept(ben)) == ((0, 0), (1, 1))


def test_answers_go_in_pieces_with_their_retrievals(remember, ada, herself, monkeypatch):
    monkeypatch.setattr(retention_rounds, "_AT_ONCE", 2)
    remember("Likes tea.")
    for number in range(5):
        sent = recall(ContextRequest(query="tea"), actor=ada)
        join_answer(UUID(sent["trace_id"]), answer_id=f"a {number}", model=None, text="Tea.", actor=ada)
    choose("answers", 7, expected_count=0, actor=herself)

    def kept():
        with acting_for(ada.opened):
            traces = set(RetrievalTrace.objects.values_list("id", flat=True))
            return len(traces), traces == set(Answer.objects.values_list("trace_id", flat=True))

    assert kept() == (5, True)
    for left in (3, 1, 0):
        assert retention_rounds._some_go(ada.opened, days(7)) and kept() == (left, True)
    assert not retention_rounds._some_go(ada.opened, days(7))


def test_the_trash_has_its_time(remember, ada, ben, herself):
    for actor in (ada, ben):
        memory = remember("Likes tea.", actor=actor)
        forget(memory["id"], relearn="allow", source="keep", actor=actor)
    choose("trash", 7, expected_count=0, actor=herself)
    (item,) = trash(actor=herself).items
    assert item.restorable_until - item.forgotten_at == timedelta(days=7)
    maintain(days(6))
    assert texts(ada, "forgotten") == {"Likes tea."}
    maintain(days(7))
    assert (texts(ada, "forgotten"), texts(ben, "forgotten")) == (set(), {"Likes tea."})


def test_a_choice_counts_for_what_is_there_and_takes_nothing_that_was_not_shown(remember, ada, herself):
    remember("Likes jazz.", subject="music")
    old = remember("Likes tea.")
    aged(old["id"], ada, 40)
    with pytest.raises(Conflict) as caught:
        choose("preference", 30, expected_count=0, actor=herself)
    assert caught.value.code == "count_changed"
    assert texts(ada) == {"Likes tea.", "Likes jazz."} and read_limits(actor=herself)[0].chosen is None
    choose("preference", 30, expected_count=1, actor=herself)
    keep_to_limits_of(herself.opened, days(0))
    assert texts(ada) == {"Likes jazz."}


def test_a_choice_is_never_longer_than_the_service_keeps(remember, ada, herself, settings):
    choose("preference", 365, expected_count=0, actor=herself)
    settings.MEMORY_KEPT_DAYS = settings.MEMORY_KEPT_DAYS | {"preference": 90}
    limit = read_limits(actor=herself)[0]
    assert (limit.days, limit.choices) == (90, (30,))
    with pytest.raises(Invalid):
        choose("preference", 180, expected_count=0, actor=herself)
    remember("Likes tea.")
    keep_to_limits(days(90))
    assert texts(ada) == set()
    settings.MEMORY_TRASH_DAYS = 10
    with pytest.raises(Invalid):
        choose("trash", 14, expected_count=0, actor=herself)


@pytest.mark.parametrize(("what", "number"), [("mood", 30), ("fact", 31), ("fact", 0), ("fact", 7)])
def test_only_what_is_offered_can_be_chosen(what, number, herself):
    with pytest.raises(Invalid):
        choose(what, number, expected_count=0, actor=herself)


def test_only_the_person_chooses(ada, herself):
    with pytest.raises(Conflict):
        choose("fact", 30, expected_count=0, actor=ada)
    choose("fact", 30, expected_count=0, actor=herself)
    choose("fact", None, expected_count=0, actor=herself)
    with acting_for(ada.opened):
        assert Retention.objects.count() == 0


def test_every_row_says_until_when(remember, ada, herself):
    store_turns(session="s", scope=None, turns=[Turn(1, "user", "I like tea")], actor=ada)
    memory = remember("Likes tea.", source="I like tea", session="s", turn=1)
    sent = recall(ContextRequest(query="tea"), actor=ada)
    before = trace_view(UUID(sent["trace_id"]), actor=herself).kept_until
    assert memory_detail(UUID(memory["id"]), actor=herself).kept_until is None
    for what in ("preference", "messages", "answers"):
        choose(what, 30, expected_count=0, actor=herself)
    detail = memory_detail(UUID(memory["id"]), actor=herself)
    ends = [detail.kept_until, detail.conversation[0].kept_until]
    ends.append(trace_view(UUID(sent["trace_id"]), actor=herself).kept_until)
    assert all(abs(end - days(30)) < timedelta(minutes=5) for end in ends) and before > days(31)
