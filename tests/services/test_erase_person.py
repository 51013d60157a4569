"""Erasing a person: everything of theirs, nothing of anybody else's, whatever interrupts it."""

import json
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection, transaction

from accounts.actors import Actor
from accounts.models import User
from memoryapp.database.isolation import acting_for, erasing, wide_access
from memoryapp.models import Grant, Memory, Receipt, Report
from memoryapp.services import desk, erase_ledger, erase_person, erase_stores, since_ledger
from memoryapp.services.activity import activity
from memoryapp.services.agents import ensure_person, open_person
from memoryapp.services.audit import verify
from memoryapp.services.erase_jobs import work_now
from memoryapp.services.errors import Conflict, NotFound
from memoryapp.services.grants import grants_at_desk, leave_grants, own_grant, second_grant
from memoryapp.services.maintain import maintain
from memoryapp.services.proposal import Proposal
from memoryapp.services.propose import propose
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.receipts import receipt_json
from memoryapp.services.staff import set_role, staff_of
from memoryapp.services.traces import read_answer
from tests.lives import live
from tests.staffing import grant_on, hire

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def ledger(settings, tmp_path):
    settings.ERASURE_LEDGER = tmp_path / "beside" / "erasures.jsonl"
    return settings.ERASURE_LEDGER


@pytest.fixture
def ada(bot):
    return live(bot, "ada", "zanzibar")


@pytest.fixture
def ben(bot):
    return live(bot, "ben", "quicksilver")


def memories_of(actor):
    with acting_for(actor.person_id):
        return Memory.objects.count()


def erase(actor):
    receipt_id = erase_person.begin(expected_count=memories_of(actor), actor=actor)
    work_now()
    return Receipt.objects.get(pk=receipt_id)


def whole_store():
    """Every row of every table, as text."""
    rows = set()
    with wide_access("verify_audit"), connection.cursor() as cursor:
        cursor.execute(
            "select relname from pg_class where relkind in ('r', 'p') and not relispartition"
            " and relnamespace = current_schema()::regnamespace"
        )
        for (table,) in cursor.fetchall():
            cursor.execute(f'select row_to_json(t)::text from "{table}" t')
            rows |= {(table, text) for (text,) in cursor.fetchall()}
    return rows


def tables_that_lead_to_a_person():
    """By foreign keys, however many steps away, by a column named for one, or because they are under a policy."""
    with connection.cursor() as cursor:
        cursor.execute("""
            with recursive leads (oid) as (
                select 'accounts_user'::regclass::oid
                union select key.conrelid from pg_constraint key join leads on key.confrelid = leads.oid
                where key.contype = 'f'
            )
            select relname from pg_class
            where relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace
                and (oid in (select oid from leads) or relrowsecurity
                    or exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'person_id'))
        """)
        return {name for (name,) in cursor.fetchall()}


def test_every_table_that_leads_to_a_person_is_emptied_or_says_why_not():
    named = {store.table for store in (*erase_stores.STORES, erase_stores.PERSON)} | erase_stores.KEPT.keys()
    found = tables_that_lead_to_a_person()
    assert {"memoryapp_memory", "accounts_ratewindow", "account_emailconfirmation"} <= found
    assert found - named == set(), "an eraser is missing in services/erase_stores.py"
    assert named - found == {"django_session"}


def test_it_leaves_nothing_of_her_and_all_of_him(ada, ben):
    since_ledger.flush()
    before = whole_store()
    receipt = erase(ada)
    after = whole_store()
    hers = {row for row in before if str(ada.person_id) in row[1] or "zanzibar" in row[1]}
    his = {row for row in before if str(ben.person_id) in row[1] or "quicksilver" in row[1]}
    assert len(hers) > 40 and len(his) > 40
    assert his <= after
    assert [row for row in after if "zanzibar" in row[1] or '"ada"' in row[1]] == []
    assert {table for table, text in after if str(ada.person_id) in text} == {
        # No event of hers has had its time.
        *erase_stores.KEPT.keys() - {"memoryapp_auditcheckpoint"}
    }
    # Of what was not hers nothing is gone.
    shared = {row for row in before - hers if row[0] not in ("django_session", "accounts_ratewindow")}
    lost = {table for table, _ in shared - after}
    assert lost <= {store.table for store in erase_stores.STORES}
    assert list(verify()) == []
    assert receipt.done_at is not None


def test_the_receipt_says_what_was_found_erased_and_looked_for(ada, ben, settings):
    shown = receipt_json(erase(ada))
    names = [*(store.name for store in erase_stores.STORES), "person"]
    # A store that a test's person has nothing in would prove nothing.
    assert {name: count > 0 for name, count in shown["counted"].items()} == dict.fromkeys(names, True)
    assert shown["counted"]["memories"] == 4 and shown["counted"]["messages"] == 2
    assert shown["erased"] == shown["counted"]
    assert shown["verified_left"] == dict.fromkeys(names, 0)
    assert shown["status"] == "done"
    until = datetime.fromisoformat(shown["backups_until"]) - datetime.fromisoformat(shown["done_at"])
    assert until.days == settings.MEMORY_BACKUP_DAYS
    assert "zanzibar" not in json.dumps(shown) and str(ada.person_id) not in json.dumps(shown)


def test_what_no_eraser_names_is_found_and_not_called_done(ada):
    with connection.cursor() as cursor:
        cursor.execute("create table unnamed (person_id uuid)")
        cursor.execute("insert into unnamed values (%s)", [ada.person_id])
    receipt = erase(ada)
    assert receipt.done_at is None and receipt.verified_left["unnamed"] == 1
    assert receipt_json(receipt)["status"] == "running"
    with connection.cursor() as cursor:
        cursor.execute("delete from unnamed")
    work_now()
    assert Receipt.objects.get(pk=receipt.pk).done_at is not None


def test_she_is_gone_from_every_read_path_before_the_work_is_done(ada, ben, bot):
    trace = recall(ContextRequest(query="coffee"), actor=ada)["trace_id"]
    erase_person.begin(expected_count=memories_of(ada), actor=ada)
    assert memories_of(ada) == 4
    assert open_person(bot, "ada") is None and open_person(bot, "ben") is not None
    with pytest.raises(NotFound):
        propose([Proposal(kind="preference", subject="drink", text="Likes tea.", source="x")], actor=ada)
    assert recall(ContextRequest(query="coffee"), actor=ada) == recall(ContextRequest(query="coffee"), actor=None)
    assert recall(ContextRequest(query="coffee"), actor=ben)["context"]
    with pytest.raises(NotFound):
        read_answer("a-zanzibar", actor=bot)
    assert read_answer("a-quicksilver", actor=bot)["traces"]
    assert trace


def test_the_same_name_given_again_is_somebody_new(ada, bot):
    erase_person.begin(expected_count=memories_of(ada), actor=ada)
    anew = ensure_person(bot, "ada")
    assert anew.person_id != ada.person_id and memories_of(anew) == 0
    work_now()
    propose([Proposal(kind="preference", subject="drink", text="Likes tea.", source="x")], actor=anew)
    assert memories_of(anew) == 1
    assert not User.objects.filter(pk=ada.person_id).exists()


@pytest.mark.parametrize("off_by", [-1, 1])
def test_another_count_erases_nothing(ada, off_by, ledger):
    before = whole_store()
    with pytest.raises(Conflict) as caught:
        erase_person.begin(expected_count=memories_of(ada) + off_by, actor=ada)
    assert caught.value.code == "count_changed"
    assert whole_store() == before and not ledger.exists()


def test_staff_are_not_erased(ada):
    User.objects.filter(pk=ada.person_id).update(is_staff=True)
    with pytest.raises(Conflict):
        erase_person.begin(expected_count=memories_of(ada), actor=ada)


def test_whoever_was_staff_is_erased_and_what_they_saw_stays_with_the_persons(ada, ben):
    """By their role, as ever: their name was never shown. A grant that ran or waited ends with them."""
    staff = {name: hire(name) for name in ("sol", "kim")}
    herself = replace(ada, kind="person", key_id=None, key_name=None)
    before = activity(actor=herself)
    trace_id = next(one.trace_id for one in before.entries if one.trace_id)
    running = grant_on(trace_id, staff["kim"])
    waiting = grant_on(trace_id, staff["kim"], reason="emergency", ticket="")
    second_grant(waiting.id, staff=staff["sol"])

    def grants():
        with acting_for(ada.person_id):
            return {row.pk: row for row in Grant.objects.all()}

    held = grants()
    assert len(held) > 2 and all(row.staff_id for row in held.values())
    for one in staff.values():
        set_role(User.objects.get(pk=one.id), None, actor=Actor("system"))
        actor = Actor("person", person_id=one.id)
        receipt = erase(actor)
        assert not User.objects.filter(pk=one.id).exists()
        assert receipt.erased[erase_person.AS_STAFF] == receipt.counted[erase_person.AS_STAFF] > 0
    after = grants()
    assert after.keys() == held.keys() and not any(row.staff_id or row.second_id for row in after.values())
    assert (after[running.id].ended_by, after[waiting.id].ended_by) == ("staff", "staff")
    assert not after[waiting.id].is_flagged and after[running.id].ticket == "T-17"
    shown = [one for one in activity(actor=herself).entries if one.actor_kind == "staff"]
    assert {"open_grant", "second_grant"} <= {one.verb for one in shown}
    assert list(verify()) == []


def test_grants_that_an_interrupted_run_left_are_in_the_receipt(ada, ben):
    sol = hire("sol")
    set_role(User.objects.get(pk=sol.id), None, actor=Actor("system"))
    actor = Actor("person", person_id=sol.id)
    receipt_id = erase_person.begin(expected_count=memories_of(actor), actor=actor)
    leave_grants(sol.id)
    erase_person.work_off(receipt_id)
    receipt = Receipt.objects.get(pk=receipt_id)
    assert receipt.erased[erase_person.AS_STAFF] == receipt.counted[erase_person.AS_STAFF] > 0


def test_a_grant_loses_its_staff_member_in_no_other_way(ada, ben):
    sol = hire("sol")
    rows = Grant.objects.filter(staff_id=sol.id, person_id=ada.person_id)
    for fields in ({"staff_id": None}, {"staff_id": ben.person_id}):
        with pytest.raises(DatabaseError), transaction.atomic(), acting_for(ada.person_id):
            rows.update(**fields)
    with acting_for(ada.person_id), erasing(sol.id):
        with pytest.raises(DatabaseError), transaction.atomic():
            rows.update(staff_id=ben.person_id)
        assert rows.update(staff_id=None) > 0


def test_staff_find_nothing_of_her_before_the_work_is_done(ada, ben):
    sol = staff_of(User.objects.get(email="sol@example.org"))
    traces = {who: desk.find(f"a-{who}", staff=sol)[0].trace_id for who in ("zanzibar", "quicksilver")}
    grants = {view.trace_id: view.id for view in grants_at_desk(staff=sol)[0]}
    references = {}
    for who, actor in (("zanzibar", ada), ("quicksilver", ben)):
        with acting_for(actor.person_id):
            references[who] = Report.objects.get().reference
    erase_person.begin(expected_count=memories_of(ada), actor=ada)

    def found(who):
        names = (f"a-{who}", f"s-{who}", str(traces[who]), references[who])
        return [bool(desk.find(name, staff=sol)) for name in names]

    assert found("zanzibar") == [False] * 4 and found("quicksilver") == [True] * 4
    assert [view.trace_id for view in grants_at_desk(staff=sol)[0]] == [traces["quicksilver"]]
    for act in (
        lambda who: desk.case(traces[who], staff=sol),
        lambda who: own_grant(grants[traces[who]], staff=sol),
        lambda who: grant_on(traces[who], sol),
    ):
        act("quicksilver")
        with pytest.raises(NotFound):
            act("zanzibar")


def test_it_survives_an_end_at_any_step(ada, ben, monkeypatch):
    """Every transaction is the last of one process: the next one goes on, and the sum is right."""
    monkeypatch.setattr(erase_stores, "PIECE", 1)
    receipt_id = erase_person.begin(expected_count=memories_of(ada), actor=ada)
    steps, seen = 0, []
    real = erase_person._add

    def dying(receipt, counts):
        real(receipt, counts)
        raise SystemError

    while Receipt.objects.get(pk=receipt_id).done_at is None:
        # A process that dies before it commits, ...
        monkeypatch.setattr(erase_person, "_add", dying)
        with suppress(SystemError):
            erase_person._step(receipt_id)
        # ... and one that dies after a single step.
        monkeypatch.setattr(erase_person, "_add", real)
        erase_person._step(receipt_id)
        steps += 1
        seen.append(sum(Receipt.objects.get(pk=receipt_id).erased.values()))
    receipt = Receipt.objects.get(pk=receipt_id)
    assert steps > 30 and seen == sorted(seen)
    assert receipt.erased == receipt.counted
    assert memories_of(ben) == 4


def test_the_daily_round_goes_on_with_what_was_interrupted(ada):
    receipt_id = erase_person.begin(expected_count=memories_of(ada), actor=ada)
    erase_person._step(receipt_id)
    maintain()
    assert Receipt.objects.get(pk=receipt_id).done_at is not None
    assert not User.objects.filter(pk=ada.person_id).exists()


def test_twice_is_once(ada):
    receipt = erase(ada)
    erase_person.work_off(receipt.pk)
    again = Receipt.objects.get(pk=receipt.pk)
    assert (again.erased, again.done_at) == (receipt.erased, receipt.done_at)
    with pytest.raises(NotFound):
        erase_person.begin(expected_count=0, actor=ada)


def test_the_ledger_names_rows_and_nothing_else(ada, ledger):
    receipt = erase(ada)
    (line,) = ledger.read_text().splitlines()
    assert json.loads(line) == {
        "erased": "person", "id": str(ada.person_id), "receipt": str(receipt.pk), "at": json.loads(line)["at"],
    }  # fmt: skip
    assert ledger.stat().st_mode & 0o777 == 0o600


def test_a_line_that_a_crash_has_cut_is_left_out(ledger):
    one, two = (erase_ledger.Erased("memory", uuid4(), datetime.now(UTC)) for _ in range(2))
    erase_ledger.note(one)
    with ledger.open("ab") as file:
        file.write(b'{"erased": "mem')
    erase_ledger.note(two)
    assert list(erase_ledger.read()) == [one, two]
