"""Every place that holds something of a person, and how it is emptied: in the order in which it has to be.

A test walks the foreign keys of the database: a table that leads to a person and that neither `STORES` nor `KEPT` names
fails it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.contrib.sessions.models import Session
from django.db import connection

PIECE = 1_000
"""So many rows of a store are deleted in one transaction, at most; of memories half as many, with all their parts."""

_OWN = "person_id = %(person)s"
_OWN_KEYS = "agent_key_id in (select id from accounts_agentkey where person_id = %(person)s)"
_OF_ACCOUNT = "user_id = %(person)s"

KEPT: Mapping[str, str] = {
    "memoryapp_auditevent": "the log outlives the person: random ids, no content, no direct identifier",
    "memoryapp_audithead": "the end of that log's chain",
    "memoryapp_auditcheckpoint": "where that chain goes on after its oldest events",
    "memoryapp_receipt": "counts and dates, for whoever asked",
}
"""Tables that name a person's random row id and stay, each with its reason."""


@dataclass(frozen=True, slots=True)
class Store:
    """Rows of one table that belong to a person. `name` is what receipts call them.

    `at_once`: emptied when the erasing begins, since it could answer for the person or let somebody in.
    """

    name: str
    table: str
    where: str = _OWN
    at_once: bool = False

    def count(self, person_id: UUID) -> int:
        return _value(f"select count(*) from {self.table} where {self.where}", person_id)

    def delete(self, person_id: UUID, limit: int) -> Counter[str]:
        """Deletes so many rows at most and counts them."""
        first = f"array(select ctid from {self.table} where {self.where} limit {limit:d})"
        return Counter({self.name: _changed(f"delete from {self.table} where ctid = any({first})", person_id)})


class Partitioned(Store):
    """A table in partitions, in which a row's place alone says nothing: its oldest rows go first."""

    def delete(self, person_id: UUID, limit: int) -> Counter[str]:
        some = f"select created_at from {self.table} where {self.where} order by created_at limit {limit:d}"
        until = f"(select max(created_at) from ({some}) as oldest)"
        return Counter(
            {self.name: _changed(f"delete from {self.table} where {self.where} and created_at <= {until}", person_id)}
        )


class Memories(Store):
    """Heads go together with their versions and confirmations: each refers to the other."""

    def delete(self, person_id: UUID, limit: int) -> Counter[str]:
        with connection.cursor() as cursor:
            cursor.execute(
                "select id from memoryapp_memory where person_id = %s limit %s", [person_id, max(1, limit // 2)]
            )
            ids = [row[0] for row in cursor.fetchall()]
            counts = Counter[str]()
            if not ids:
                return counts
            for name, statement in _PARTS:
                cursor.execute(statement, [ids])
                counts[name] += cursor.rowcount
            return counts


class Sessions(Store):
    """Django's sessions name their person inside: each is opened."""

    def count(self, person_id: UUID) -> int:
        return len(self._keys(person_id))

    def delete(self, person_id: UUID, limit: int) -> Counter[str]:
        keys = self._keys(person_id)[:limit]
        return Counter({self.name: Session.objects.filter(pk__in=keys).delete()[0]})

    def _keys(self, person_id: UUID) -> list[str]:
        rows = Session.objects.iterator(chunk_size=1000)
        return [row.session_key for row in rows if row.get_decoded().get("_auth_user_id") == str(person_id)]


_PARTS = (
    (
        "confirmations",
        "delete from memoryapp_confirmation where version_id in"
        " (select id from memoryapp_memoryversion where memory_id = any(%s))",
    ),
    ("versions", "delete from memoryapp_memoryversion where memory_id = any(%s)"),
    ("memories", "delete from memoryapp_memory where id = any(%s)"),
)

STORES: Sequence[Store] = (
    Sessions("browser_sessions", "django_session", at_once=True),
    Store("sessions", "usersessions_usersession", _OF_ACCOUNT, at_once=True),
    Store("sign_in_links", "accounts_signinlink", at_once=True),
    Store("kept_responses", "memoryapp_idempotencyrecord", f"({_OWN} or {_OWN_KEYS})", at_once=True),
    Store("staff_proposals", "memoryapp_staffproposal", at_once=True),
    Store("shown_to_staff", "memoryapp_reveal", at_once=True),
    Store("support_grants", "memoryapp_grant", at_once=True),
    Store("reports", "memoryapp_report", at_once=True),
    Store("uploads", "memoryapp_upload", at_once=True),
    Store("answers", "memoryapp_answer"),
    Partitioned("retrievals", "memoryapp_retrievaltrace"),
    Store("search_entries", "memoryapp_searchentry"),
    Store("vectors", "memoryapp_textvector"),
    Store("words", "memoryapp_scopeword"),
    Store("decisions", "memoryapp_decision"),
    Store("do_not_learn", "memoryapp_tombstone"),
    Store("disputes", "memoryapp_dispute"),
    Store("bulk_runs", "memoryapp_bulkrun"),
    Store("retention_choices", "memoryapp_retention"),
    Memories("memories", "memoryapp_memory"),
    Store("versions", "memoryapp_memoryversion"),
    Store("confirmations", "memoryapp_confirmation"),
    Store("messages", "memoryapp_episode"),
    Store("scopes", "accounts_scope"),
    Store("key_counts", "accounts_ratewindow", _OWN_KEYS),
    Store("keys", "accounts_agentkey"),
    Store(
        "address_confirmations",
        "account_emailconfirmation",
        "email_address_id in (select id from account_emailaddress where user_id = %(person)s)",
    ),
    Store("addresses", "account_emailaddress", _OF_ACCOUNT),
    Store("second_factors", "mfa_authenticator", _OF_ACCOUNT),
    Store(
        "provider_tokens",
        "socialaccount_socialtoken",
        "account_id in (select id from socialaccount_socialaccount where user_id = %(person)s)",
    ),
    Store("provider_accounts", "socialaccount_socialaccount", _OF_ACCOUNT),
    Store("groups", "accounts_user_groups", _OF_ACCOUNT),
    Store("permissions", "accounts_user_user_permissions", _OF_ACCOUNT),
)
PERSON = Store("person", "accounts_user", "id = %(person)s")
"""The row with the key of the digests. It goes last: until then the database vouches that nothing is added unseen."""


def counted(person_id: UUID) -> dict[str, int]:
    """How many rows there are, by store."""
    return {store.name: store.count(person_id) for store in (*STORES, PERSON)}


_LOOKED_AT = """
select distinct class.relname, attribute.attname
from pg_class class join pg_attribute attribute on attribute.attrelid = class.oid and attribute.attnum > 0
where class.relkind in ('r', 'p') and not class.relispartition and class.relnamespace = current_schema()::regnamespace
    and (attribute.attname = 'person_id' or (class.relname = 'accounts_user' and attribute.attname = 'id') or exists (
        select from pg_constraint key where key.contype = 'f' and key.conrelid = class.oid
            and key.confrelid = 'accounts_user'::regclass and key.conkey = array[attribute.attnum]))
order by 1, 2
"""


def left(person_id: UUID) -> dict[str, int]:
    """Looks for the person in every column of the database that can name one, whatever the list above says of it.

    By store, or by table where no store has that name. To be called while the person is open.
    """
    names = {store.table: store.name for store in (*STORES, PERSON)}
    with connection.cursor() as cursor:
        cursor.execute(_LOOKED_AT)
        columns = [(table, column) for table, column in cursor.fetchall() if table not in KEPT]
    found = Counter[str]({store.name: store.count(person_id) for store in (*STORES, PERSON)})
    for table, column in columns:
        name = names.get(table, table)
        found[name] = max(
            found[name], _value(f'select count(*) from "{table}" where "{column}" = %(person)s', person_id)
        )
    return dict(found)


def _value(statement: str, person_id: UUID) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"person": person_id})
        value: int = cursor.fetchone()[0]
        return value


def _changed(statement: str, person_id: UUID) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"person": person_id})
        changed: int = cursor.rowcount
        return changed
