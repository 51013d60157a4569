import re

import pytest
from allauth.account.models import EmailAddress
from django.core.cache import cache
from django.test import Client

from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent

CODE = re.compile(r"^ {4}([A-Z]{4}-[A-Z]{4})$", re.MULTILINE)


class Browser(Client):
    """One browser. `whoami` is the id of the person who is signed in, or None."""

    @property
    def whoami(self):
        return self.session.get("_auth_user_id")

    def request_code(self, email, **query):
        return self.post("/sign-in", {"login": email, **query})

    def enter_code(self, code, **query):
        return self.post("/sign-in/code", {"code": code, **query})

    def sign_in(self, email, mailoutbox):
        self.request_code(email)
        return self.enter_code(code_in(mailoutbox[-1]))


def code_in(mail):
    return CODE.search(mail.body)[1]


@pytest.fixture
def code_of():
    return code_in


@pytest.fixture
def browser_of():
    return lambda **options: Browser(raise_request_exception=False, **options)


@pytest.fixture
def browser(browser_of):
    return browser_of()


@pytest.fixture
def person_of():
    """The person of an actor; with an address, one that they have confirmed."""

    def find(actor, email=None):
        person = User.objects.get(pk=actor.person_id)
        if email:
            person.email = email
            person.save(update_fields=["email"])
            EmailAddress.objects.create(user=person, email=email, verified=True, primary=True)
        return person

    return find


@pytest.fixture
def events_of():
    """Verb and reason of what the person's activity shows, oldest first, without what was there before."""

    def read(person):
        with acting_for(person.pk):
            return [
                (event.verb, event.reason) for event in AuditEvent.objects.filter(person_id=person.pk).order_by("seq")
            ]

    return read


@pytest.fixture(autouse=True)
def no_attempts_yet(db):
    cache.clear()
