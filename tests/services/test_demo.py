"""The demo people: what they said, asked and were told lies in the past, as one who used it for months would see it."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts.actors import Actor
from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, Memory, RetrievalTrace
from memoryapp.services.asking_again import ask_again

pytestmark = pytest.mark.django_db


def test_answers_and_changes_are_spread_over_the_past():
    now = timezone.now()
    call_command("load_demo")
    ada = Actor("person", User.objects.get(external_id="ada").pk)
    with acting_for(ada.person_id):
        asked = sorted(RetrievalTrace.objects.values_list("created_at", flat=True))
        changed = list(AuditEvent.objects.filter(person_id=ada.person_id).values_list("at", flat=True))
        written = list(Memory.objects.values_list("created_at", flat=True))
        traces = list(RetrievalTrace.objects.order_by("-created_at").values_list("id", flat=True))
    assert len({at.date() for at in asked}) > 5 and len(set(asked)) == len(asked)
    for instants in (asked, changed, written):
        assert min(instants) < now - timedelta(days=60) and max(instants) < now
    assert User.objects.get(pk=ada.person_id).created_at <= min(asked + changed + written), "it begins with the first"
    again = ask_again(traces[0], actor=ada, as_of=asked[-1])
    assert again.is_same and again.view.sent > 0, "it was known when it was asked"
