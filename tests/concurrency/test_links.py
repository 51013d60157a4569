"""A one-time link under many hands at the same moment."""

from django.test import Client

from accounts.actors import Actor
from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent
from memoryapp.services.links import make_link


def test_it_lets_exactly_one_in_of_many(at_once, ada):
    person = User.objects.get(pk=ada.person_id)
    path = make_link(person, actor=Actor("system")).path
    browsers = [Client() for _ in range(8)]
    statuses = at_once(*(lambda browser=browser: browser.post(path).status_code for browser in browsers))
    assert sorted(statuses) == [302] + [404] * 7
    assert [browser.session.get("_auth_user_id") for browser in browsers].count(str(person.pk)) == 1
    with acting_for(person.pk):
        assert AuditEvent.objects.filter(verb="sign_in").count() == 1
