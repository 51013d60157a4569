"""Agent keys: shown once, kept as a digest, valid until they expire or are revoked; and whom they may act for."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from accounts.actors import Actor
from accounts.models import AgentKey, Scope, User
from memoryapp.database.isolation import SYSTEM, acting_for
from memoryapp.models import AuditEvent
from memoryapp.services.agents import actor_of, authenticate, ensure_person, open_owner, open_person
from memoryapp.services.errors import Invalid, NotFound
from memoryapp.services.first_write import writing_about
from memoryapp.services.keys import create_key, revoke_key

pytestmark = pytest.mark.django_db

OPERATOR = Actor("system")


def test_it_lets_the_holder_in_and_keeps_no_secret(bot_key):
    key, secret = bot_key
    assert secret.startswith(f"mem_{key.prefix}_")
    assert authenticate(secret) == key
    kept = AgentKey.objects.values().get()
    assert secret.split("_", 2)[2] not in str(kept) and len(bytes(kept["digest"])) == 32


@pytest.mark.parametrize(
    "presented",
    [
        pytest.param(lambda s: "", id="empty"),
        pytest.param(lambda s: s[:-1], id="cut"),
        pytest.param(lambda s: s + "A", id="longer"),
        pytest.param(lambda s: s[:-1] + ("A" if s[-1] != "A" else "B"), id="another secret"),
        pytest.param(lambda s: f"mem_{'a' * 12}_{s[17:]}", id="another prefix"),
        pytest.param(lambda s: s.upper(), id="upper case"),
        pytest.param(lambda s: f" {s}", id="space"),
        pytest.param(lambda s: f"{s}\n", id="line break"),
    ],
)
def test_nothing_else_lets_in(presented, bot_key):
    assert authenticate(presented(bot_key[1])) is None
    assert authenticate(bot_key[1])


def test_it_ends_when_it_expires_and_when_it_is_revoked(bot_key):
    now = datetime.now(UTC)
    for ends, lets_in in ((timedelta(minutes=1), True), (timedelta(0), False), (timedelta(days=-1), False)):
        _, secret = create_key("temporary", actor=OPERATOR, expires_at=now + ends)
        assert bool(authenticate(secret)) is lets_in
    key, secret = bot_key
    revoke_key(key, actor=OPERATOR)
    assert authenticate(secret) is None
    revoked_at = AgentKey.objects.get(pk=key.pk).revoked_at
    revoke_key(key, actor=OPERATOR)
    assert AgentKey.objects.get(pk=key.pk).revoked_at == revoked_at


def test_its_last_use_is_written_at_most_once_a_minute(bot_key, django_assert_num_queries):
    _, secret = bot_key
    with django_assert_num_queries(2):
        authenticate(secret)
    with django_assert_num_queries(1):
        authenticate(secret)
    before = datetime.now(UTC) - timedelta(seconds=61)
    AgentKey.objects.update(last_used_at=before)
    authenticate(secret)
    assert AgentKey.objects.get().last_used_at > before


def test_making_and_revoking_leave_events(bot_key, ada):
    person = User.objects.get(pk=ada.person_id)
    key, _ = create_key("hers", actor=OPERATOR, person=person)
    revoke_key(key, actor=OPERATOR)
    revoke_key(bot_key[0], actor=OPERATOR)
    for owner in (SYSTEM, person.id):
        with acting_for(owner):
            assert [e.verb for e in AuditEvent.objects.order_by("seq")] == ["create_key", "revoke_key"]


def test_an_actor_has_what_its_key_has(ada):
    person = User.objects.get(pk=ada.person_id)
    key, _ = create_key("hers", actor=OPERATOR, person=person, can_write=False, scopes=["atlas"])
    actor = actor_of(key)
    assert (actor.kind, actor.person_id, actor.key_id, actor.key_name) == ("agent", person.id, key.id, "hers")
    assert (actor.can_write, actor.scopes, actor.namespace) == (False, frozenset({"atlas"}), "default")


# --- whom a key may act for


@pytest.fixture
def elsewhere():
    """A service key of another namespace."""
    return actor_of(create_key("other", actor=OPERATOR, namespace="elsewhere")[0])


@pytest.fixture
def adas(ada):
    """Ada's personal key."""
    return actor_of(create_key("hers", actor=OPERATOR, person=User.objects.get(pk=ada.person_id))[0])


def test_the_same_id_in_two_namespaces_is_two_people(bot, elsewhere, ada):
    assert open_person(elsewhere, "ada") is None
    assert ensure_person(elsewhere, "ada").person_id != ada.person_id
    assert open_person(bot, "ada").person_id == ada.person_id
    assert User.objects.filter(external_id="ada").count() == 2


@pytest.mark.parametrize("user", ["Ada", " ada", "ada ", "a/da", "ada\u0301", "名前", "1", "*", "%", "default"])
def test_names_are_compared_exactly(user, bot, ada):
    assert open_person(bot, user) is None
    assert ensure_person(bot, user).person_id != ada.person_id
    assert User.objects.get(external_id=user).external_id == user


def test_reading_about_an_unknown_person_makes_nobody(bot):
    assert open_person(bot, "nobody") is None
    assert User.objects.count() == 0
    opened = ensure_person(bot, "carol")
    assert ensure_person(bot, "carol") == opened == open_person(bot, "carol")
    with acting_for(opened.person_id):
        assert list(Scope.objects.values_list("name", flat=True)) == ["personal"]


def test_a_refused_first_write_makes_nobody(bot):
    def refuse(actor):
        raise NotFound

    with pytest.raises(NotFound):
        writing_about(bot, "carol", refuse)
    assert User.objects.count() == 0
    assert writing_about(bot, "carol", lambda actor: actor.person_id) == User.objects.get().id


def test_a_service_key_names_the_person(bot):
    for act in (open_person, ensure_person):
        with pytest.raises(Invalid) as caught:
            act(bot, None)
        assert caught.value.field == "user"


def test_a_personal_key_acts_for_its_own_person_only(adas, ada, ben):
    assert open_person(adas, None).person_id == ensure_person(adas, "ada").person_id == ada.person_id
    for act in (open_person, ensure_person):
        for other in ("ben", "nobody"):
            with pytest.raises(NotFound):
                act(adas, other)
    assert User.objects.count() == 2


def test_an_object_opens_its_owner_to_those_who_may(bot, elsewhere, adas, ada, ben, remember):
    of_ada, of_ben = (UUID(remember("Likes tea.", actor=actor)["id"]) for actor in (ada, ben))
    assert open_owner(bot, "memory", of_ada).person_id == ada.person_id
    assert open_owner(bot, "memory", of_ben).person_id == ben.person_id
    assert open_owner(adas, "memory", of_ada).person_id == ada.person_id
    for actor, object_id in ((elsewhere, of_ada), (adas, of_ben), (bot, uuid4())):
        with pytest.raises(NotFound):
            open_owner(actor, "memory", object_id)
    with pytest.raises(NotFound):
        open_owner(bot, "trace", of_ada)


def test_a_person_who_was_closed_is_not_there(bot, ada, remember):
    memory_id = UUID(remember("Likes tea.")["id"])
    User.objects.filter(pk=ada.person_id).update(is_active=False)
    assert open_person(bot, "ada") is None
    for act in (lambda: ensure_person(bot, "ada"), lambda: open_owner(bot, "memory", memory_id)):
        with pytest.raises(NotFound):
            act()
