"""Sol at the desk, Kim beside him, Vis who supervises them; Ada, whose memory it is, in her own browser."""

import re
from uuid import UUID

import pytest
from django.test import Client

from accounts.models import User
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.traces import join_answer
from tests.staffing import hire, prove_second_factor

FRAGMENT = {"HX-Request": "true", "HX-Request-Type": "partial"}
CANARY = "zanzibar"
"""In every text of Ada's, and in a subject, a scope's name and a conversation's of hers: where it is not, no word of
hers is."""


class Browser(Client):
    def fragment(self, url, **query):
        return self.get(url, query, headers=FRAGMENT)

    def press(self, url, **data):
        return self.post(url, data, headers=FRAGMENT)


def browser_of(person_id, *, with_factor=True):
    user = User.objects.get(pk=person_id)
    browser = Browser(raise_request_exception=False)
    browser.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    if with_factor:
        prove_second_factor(browser.session, user)
    return browser


@pytest.fixture
def sol():
    return hire("sol")


@pytest.fixture
def sols(sol):
    return browser_of(sol.id)


@pytest.fixture
def kims():
    return browser_of(hire("kim").id)


@pytest.fixture
def vis():
    return browser_of(hire("vis", "supervisor").id)


@pytest.fixture
def hers(ada):
    return browser_of(ada.person_id, with_factor=False)


@pytest.fixture
def trace(remember, propose_one, ada):
    """An answer out of two memories in two scopes; a third was left out. Its conversation is stored."""
    turns = [Turn(n, "user", f"Turn {n} on Zanzibar.") for n in (1, 2)]
    store_turns(session="zanzibar-talk", scope="personal", turns=turns, actor=ada)
    remember("Loves Zanzibar.", subject="zanzibar", source="Turn 1 on Zanzibar.", session="zanzibar-talk", turn=1)
    remember("Flies to Zanzibar in May.", kind="fact", scope="zanzibar-trip", subject="flight")
    remember("Packs for zanzibar lightly.", kind="fact", scope="zanzibar-trip", subject="luggage")
    propose_one("Is tired of Zanzibar.", kind="mood", scope="personal", session="zanzibar-talk", turn=2)
    request = ContextRequest(
        query="When do we fly to Zanzibar", scopes=("zanzibar-trip",), session="zanzibar-talk", limit=2
    )
    found = recall(request, actor=ada)
    join_answer(UUID(found["trace_id"]), answer_id="ans-1", model="m-1", text="You fly to Zanzibar in May.", actor=ada)
    assert len(found["memories"]) == 2
    return found


@pytest.fixture
def page_of(trace):
    return f"/support/traces/{trace['trace_id']}/"


@pytest.fixture
def open_grant(sols, page_of):
    """`open_grant(reach="conversation")`: the form, sent as it is by a browser. Returns the grant's id."""

    def act(client=sols, **fields):
        form = client.get(f"{page_of}grant/").content.decode()
        data = {
            "grant": re.search(r'name="grant" value="([^"]+)"', form)[1],
            "reason": "wrong_answer",
            "ticket": "T-17",
            "minutes": "30",
            "reach": "answer",
            "scope": re.findall(r'name="scope" value="([^"]+)"', form),
        }
        response = client.post(f"{page_of}grant/", data | fields)
        assert response.status_code == 303, response.content.decode()
        return data["grant"]

    return act
