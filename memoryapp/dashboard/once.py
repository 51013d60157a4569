"""A form that is sent twice makes one change: its token is taken once per session, in the change's transaction."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from memoryapp.dashboard.request import PersonRequest

FIELD = "once"
_KEPT = 50
_TAKEN = "sent_forms"


@contextmanager
def first_time(request: PersonRequest) -> Iterator[bool]:
    """True unless this form was sent before, also when both are under way; False means that it is done already.

    What happens inside stands or falls together with the token. A form without one always counts as new.
    """
    token = request.POST.get(FIELD, "")[:128]
    with transaction.atomic():
        if not token or not request.session.session_key:
            yield True
            return
        with connection.cursor() as cursor:
            cursor.execute("select pg_advisory_xact_lock(hashtextextended(%s, 2))", [request.session.session_key])
        # As it is now: the one read at the start of this request may be older than the other sending.
        session = type(request.session)(request.session.session_key)
        taken = list(session.get(_TAKEN, []))
        if token in taken:
            yield False
            return
        yield True
        session[_TAKEN] = request.session[_TAKEN] = [*taken, token][-_KEPT:]
        session.save()
