"""The audit has its time: what is gone has a checkpoint in its place, and the chain is checked across it."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from accounts.models import User
from memoryapp.database.isolation import SYSTEM, acting_for, erasing
from memoryapp.models import AuditCheckpoint, AuditEvent, AuditHead, Memory
from memoryapp.services import audit, erase_person
from memoryapp.services.audit import verify
from memoryapp.services.audit_retention import drop_old_events
from memoryapp.services.erase_jobs import work_now
from memoryapp.services.maintain import maintain

pytestmark = pytest.mark.django_db

NOW = datetime.now(UTC)
LATER = NOW + timedelta(days=5 * 366 + 31)
"""When all that happens today has had its five years."""


def seqs(person_id):
    with acting_for(person_id):
        return list(AuditEvent.objects.filter(person_id=person_id).order_by("seq").values_list("seq", flat=True))


def as_owner(person_id, sql, *parameters, table="memoryapp_auditevent"):
    """SQL past triggers and policies, as whoever owns the server can."""
    with acting_for(person_id), connection.cursor() as cursor:
        cursor.execute(f"alter table {table} disable trigger user")
        cursor.execute(sql, parameters)
        cursor.execute(f"alter table {table} enable trigger user")


def age(person_id, seq, days=5 * 366 + 31):
    """The first events happened long ago: rewritten with their digests, as they would have been then."""
    with acting_for(person_id):
        before = bytes(32)
        for event in AuditEvent.objects.filter(person_id=person_id).order_by("seq"):
            if event.seq <= seq:
                event.at -= timedelta(days=days)
                event.id = type(event.id)(int=event.id.int - (days * 86_400_000 << 80))
            digest = audit._digest(event, before)
            as_owner(
                person_id,
                "update memoryapp_auditevent set at = %s, id = %s, digest = %s where person_id = %s and seq = %s",
                event.at, event.id, digest, person_id, event.seq,
            )  # fmt: skip
            before = digest
        as_owner(person_id, "update memoryapp_audithead set digest = %s where person_id = %s", before, person_id)


@pytest.fixture
def chain(ada, ben, remember):
    """Ada's five events, three of them of long ago; Ben's five of today."""
    for number in range(5):
        remember(f"{number}.", subject="number")
        remember(f"{number}.", subject="number", actor=ben)
    age(ada.opened, 3)
    assert list(verify()) == []
    return ada.opened


def test_what_has_had_its_time_goes_and_the_chain_holds(chain, ben, remember, settings):
    settings.MEMORY_AUDIT_MONTHS = 62
    assert drop_old_events(NOW) == 0
    settings.MEMORY_AUDIT_MONTHS = 60
    assert drop_old_events(NOW) == 3
    assert (seqs(chain), seqs(ben.opened)) == ([4, 5], [1, 2, 3, 4, 5])
    assert list(verify()) == []
    call_command("verify_audit")
    assert drop_old_events(NOW) == 0
    remember("more", subject="number")
    assert seqs(chain) == [4, 5, 6] and list(verify()) == []


def test_it_is_a_step_of_the_daily_round_and_goes_on_for_years(chain, ben, remember):
    maintain(LATER)
    assert seqs(chain) == seqs(ben.opened) == [] and list(verify()) == []
    remember("more", subject="number")
    assert seqs(chain) == [6] and list(verify()) == []
    with acting_for(chain):
        assert list(AuditCheckpoint.objects.filter(person_id=chain).values_list("seq", flat=True)) == [5]


@pytest.fixture
def dropped(chain):
    drop_old_events(NOW)
    return chain


EVENTS, CHECKPOINTS = "memoryapp_auditevent", "memoryapp_auditcheckpoint"


@pytest.mark.parametrize(
    ("table", "sql"),
    [
        pytest.param(EVENTS, "update {t} set verb = 'view' where person_id = %s and seq = 4", id="changed after it"),
        pytest.param(EVENTS, "delete from {t} where person_id = %s and seq = 4", id="missing after it"),
        pytest.param(EVENTS, "delete from {t} where person_id = %s and seq = 5", id="missing last"),
        pytest.param(EVENTS, "delete from {t} where person_id = %s", id="missing all"),
        pytest.param(CHECKPOINTS, "delete from {t} where person_id = %s", id="checkpoint missing"),
        pytest.param(CHECKPOINTS, "update {t} set seq = 4 where person_id = %s", id="checkpoint moved"),
        pytest.param(CHECKPOINTS, "update {t} set digest = 'x' where person_id = %s", id="checkpoint changed"),
        pytest.param(CHECKPOINTS, "update {t} set at = now() where person_id = %s", id="checkpoint dated anew"),
        pytest.param(
            EVENTS,
            "insert into {t} (id, person_id, seq, at, actor_kind, verb, object_type, digest) "
            "select gen_random_uuid(), person_id, 3, at, 'agent', 'view', 'memory', 'x' from {t} "
            "where person_id = %s and seq = 4",
            id="inserted before it",
        ),
    ],
)
def test_it_finds_what_was_done_across_a_checkpoint(table, sql, dropped, ben):
    as_owner(dropped, sql.format(t=table), dropped, table=table)
    assert [one.person_id for one in verify()] == [dropped]
    with pytest.raises(CommandError):
        call_command("verify_audit")


def test_a_forged_checkpoint_hides_nothing(chain, ben):
    """Whoever takes events out and puts a checkpoint in their place, without the key, is found."""
    with acting_for(ben.opened):
        last = AuditEvent.objects.get(person_id=ben.opened, seq=2)
    as_owner(ben.opened, "delete from memoryapp_auditevent where person_id = %s and seq <= 2", ben.opened)
    as_owner(
        ben.opened,
        "insert into memoryapp_auditcheckpoint (id, person_id, seq, digest, at, seal)"
        " values (%s, %s, 2, %s, now(), %s)",
        uuid4(), ben.opened, bytes(last.digest), b"x" * 32, table=CHECKPOINTS,
    )  # fmt: skip
    assert [one.person_id for one in verify()] == [ben.opened]


def test_another_persons_checkpoint_does_not_serve(dropped, ben):
    as_owner(ben.opened, "delete from memoryapp_auditevent where person_id = %s and seq <= 3", ben.opened)
    with acting_for(dropped):
        seal = bytes(AuditCheckpoint.objects.get().seal)
    with acting_for(ben.opened):
        AuditCheckpoint.objects.create(person_id=ben.opened, seq=3, digest=b"x" * 32, at=NOW, seal=seal)
    assert [one.person_id for one in verify()] == [ben.opened]


def test_a_chain_that_does_not_hold_is_kept_as_evidence(chain):
    as_owner(chain, "update memoryapp_auditevent set verb = 'view' where person_id = %s and seq = 2", chain)
    assert drop_old_events(NOW) == 0
    assert seqs(chain) == [1, 2, 3, 4, 5]
    assert [one.person_id for one in verify()] == [chain]


def test_events_go_only_behind_a_checkpoint_and_while_erasing(dropped):
    def delete(*, inside):
        with transaction.atomic(), acting_for(dropped):
            rows = AuditEvent.objects.filter(person_id=dropped)
            if not inside:
                return rows.delete()
            with erasing(dropped):
                return rows.delete()

    for inside in (False, True):
        with pytest.raises(DatabaseError):
            delete(inside=inside)
    with acting_for(dropped):
        audit.set_checkpoint(AuditEvent.objects.get(person_id=dropped, seq=5), at=NOW)
    with pytest.raises(DatabaseError):
        delete(inside=False)
    assert delete(inside=True)[0] == 2 and list(verify()) == []
    for act in (lambda rows: rows.delete(), lambda rows: rows.update(seq=9)):
        with pytest.raises(DatabaseError), transaction.atomic(), acting_for(dropped), erasing(dropped):
            act(AuditCheckpoint.objects.filter(person_id=dropped))


def test_an_erased_persons_events_stay_checkable_and_go_in_their_time(chain, ada, ben):
    with acting_for(chain):
        count = Memory.objects.count()
    erase_person.begin(expected_count=count, actor=ada)
    work_now()
    assert not User.objects.filter(pk=chain).exists()
    assert len(seqs(chain)) > 5 and list(verify()) == []
    drop_old_events(NOW)
    assert 3 not in seqs(chain) and 4 in seqs(chain) and list(verify()) == []
    drop_old_events(LATER)
    assert seqs(chain) == [] and list(verify()) == []
    with acting_for(chain):
        head = AuditHead.objects.get(person_id=chain)
        assert head.seq == AuditCheckpoint.objects.filter(person_id=chain).order_by("seq").last().seq


def test_what_concerns_nobody_goes_in_its_time_too(bot_key):
    assert seqs(SYSTEM)
    drop_old_events(LATER)
    assert seqs(SYSTEM) == [] and list(verify()) == []
