"""How the person likes the page, and when they last came."""

from datetime import UTC, datetime, timedelta
from zoneinfo import available_timezones

from django.conf import settings
from django.db.models import Q
from django.db.models.functions import Coalesce

from accounts.actors import Actor
from accounts.models import User
from memoryapp.services.errors import Invalid

VISIT_ENDS_AFTER = timedelta(minutes=30)
_SEEN_EVERY = timedelta(minutes=1)


def set_preferences(
    *, actor: Actor, language: str | None = None, time_zone: str | None = None, theme: str | None = None
) -> None:
    """Sets what is given; an empty language or time zone is the browser's. Invalid for what there is not."""
    if language and language not in dict(settings.LANGUAGES):
        raise Invalid("language", "The page does not speak this language.")
    if time_zone and time_zone not in available_timezones():
        raise Invalid("time_zone", "There is no such time zone.")
    if theme is not None and theme not in User.Theme:
        raise Invalid("theme", "Choose light, dark or as the system.")
    given = {"language": language, "time_zone": time_zone, "theme": theme}
    User.objects.filter(pk=actor.opened).update(**{name: value for name, value in given.items() if value is not None})


def note_visit(person: User, now: datetime | None = None) -> None:
    """Notes that the person opened a page. After half an hour without one a new visit begins, and the one before it
    ended when they were last seen. Written at most once a minute; `person` shows it.
    """
    now = now or datetime.now(UTC)
    if person.seen_at is not None and now - person.seen_at < _SEEN_EVERY:
        return
    # Decided in the database: of two pages that open at once, one begins the visit.
    begins = Q(seen_at__isnull=True) | Q(seen_at__lte=now - VISIT_ENDS_AFTER)
    visitor = User.objects.filter(pk=person.pk)
    if not visitor.filter(begins).update(last_visit_at=Coalesce("seen_at", "last_visit_at"), seen_at=now):
        visitor.filter(seen_at__lt=now).update(seen_at=now)
    person.refresh_from_db(fields=["last_visit_at", "seen_at"])
