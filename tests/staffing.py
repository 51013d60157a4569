"""Staff for the tests: people with a role at the desk."""

from datetime import timedelta
from uuid import UUID, uuid4

from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.models import Authenticator
from django.http import HttpRequest

from accounts.actors import Actor
from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import Grant
from memoryapp.services.grants import Wanted, ask_grant, own_grant
from memoryapp.services.reveal import Item, reveal
from memoryapp.services.staff import Staff, staff_of
from memoryapp.services.staff import hire as give_role


def hire(name: str, role: str = "support") -> Staff:
    user = give_role(f"{name}@example.org", role, actor=Actor("system"))
    found = staff_of(User.objects.get(pk=user.pk))
    assert found is not None
    return found


def wanted(**fields) -> Wanted:
    defaults = {"reason": "wrong_answer", "ticket": "T-17", "reach": "answer", "scopes": ("personal",), "minutes": 30}
    return Wanted(**(defaults | fields))


def grant_on(trace_id, staff: Staff, **fields):
    return ask_grant(uuid4(), UUID(str(trace_id)), wanted(**fields), staff=staff)


def run_out(grant, staff: Staff) -> None:
    """The grant's minutes are over."""
    row, owner = own_grant(grant.id, staff=staff)
    with acting_for(owner):
        start = row.starts_at - timedelta(minutes=row.minutes)
        Grant.objects.filter(pk=row.pk).update(starts_at=start, ends_at=row.starts_at)


def shown(trace, grant, staff: Staff, *whats: str) -> list[Item]:
    """Reveals these of the trace: `request`, `answer`, `block`, or `memory` and `source` for each that was sent."""
    items = []
    for what in whats:
        if what in ("memory", "source"):
            items += [Item(what, UUID(one["id"]), one["version"]) for one in trace["memories"]]
        else:
            items.append(Item(what, UUID(trace["trace_id"])))
    reveal(grant.id, items, staff=staff)
    return items


def prove_second_factor(session, user: User) -> None:
    """As after a code from the app in this session."""
    factor, _ = Authenticator.objects.get_or_create(user=user, type=Authenticator.Type.TOTP, defaults={"data": {}})
    request = HttpRequest()
    request.session = session
    record_authentication(request, user, "mfa", id=factor.pk, type=factor.type)
    session.save()
