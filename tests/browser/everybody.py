"""Everybody whom a page is made for, each in a browser of their own, and what there is for them to see."""

import re
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.conf import settings as configured
from django.contrib.auth.models import AnonymousUser
from django.core import mail
from django.core.cache import cache
from django.test import Client, RequestFactory
from django.utils import timezone, translation
from playwright.sync_api import BrowserContext, Page

from accounts.actors import Actor
from accounts.models import User
from memoryapp.dashboard.failures import failure
from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, Decision, Episode, Receipt
from memoryapp.services import bulk
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.forget import forget
from memoryapp.services.links import make_link
from memoryapp.services.reports import question_access, report_answer
from memoryapp.services.staff_proposals import Change, propose_change
from memoryapp.services.states import pause
from memoryapp.services.uploads import keep_upload
from memoryapp.signin.views import too_many
from tests.browser.conftest import session_of
from tests.browser.test_coming_in import DEVICE
from tests.staffing import grant_on, hire, prove_second_factor, shown

_CODE = re.compile(r"^ {4}([A-Z]{4}-[A-Z]{4})$", re.MULTILINE)


@dataclass
class Everybody:
    """Their contexts by name, and the ids that addresses are made with."""

    home: str
    contexts: dict[str, BrowserContext]
    people: list[UUID]
    ids: dict[str, Any]

    def speak(self, language: str) -> None:
        """All of them, and those whom nobody knows, want this language from the next page on."""
        User.objects.filter(pk__in=self.people).update(language=language)
        for context in self.contexts.values():
            context.add_cookies([{"name": configured.LANGUAGE_COOKIE_NAME, "value": language, "url": self.home}])

    def page(self, who: str) -> Page:
        context = self.contexts[who]
        return context.pages[0] if context.pages else context.new_page()


def _session(client: Client) -> str:
    return client.cookies["sessionid"].value


def _on_the_way_in() -> dict[str, str]:
    """Sessions of those who have not come in yet."""
    coming, half, new = Client(), Client(), Client()
    coming.post("/sign-in", {"login": "ada@example.org"})
    half.post("/sign-in", {"login": "ada@example.org"})
    half.post("/sign-in/code", {"code": _CODE.search(mail.outbox[-1].body)[1]})
    new.post("/sign-up", {"email": "new@example.org"})
    return {"coming in": _session(coming), "half in": _session(half), "new": _session(new)}


def _at_the_desk(person_id: UUID) -> str:
    client = Client()
    user = User.objects.get(pk=person_id)
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    prove_second_factor(client.session, user)
    return _session(client)


def _ways_in(person_id: UUID, email: str) -> None:
    """An address, an app, and codes for when it is lost."""
    user = User.objects.get(pk=person_id)
    user.email = email
    user.save(update_fields=["email"])
    EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    TOTP.activate(user, generate_totp_secret())
    RecoveryCodes.activate(user)


def _passkey(page: Page) -> Any:
    """One of a device that says yes when it is asked."""
    cdp = page.context.new_cdp_session(page)
    cdp.send("WebAuthn.enable")
    cdp.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    page.goto("/settings/sign-in/passkeys/add/")
    page.locator("input[name=name]").fill("Laptop")
    page.get_by_role("button", name="Add", exact=True).click()
    page.wait_for_url("**/settings/sign-in/**")
    page.wait_for_load_state("networkidle")
    return Authenticator.objects.get(type=Authenticator.Type.WEBAUTHN).pk


def error_page(status: int, language: str) -> str:
    """The page as the handlers make it, in a request of nobody's."""
    request = RequestFactory().get("/memories/")
    request.user, request.session = AnonymousUser(), {}
    request.META["memory.request_id"] = "0123456789abcdef"
    with translation.override(language):
        response = too_many(request) if status == 429 else failure(request, status)
    assert response.status_code == status
    return response.content.decode()


@pytest.fixture
def everybody(new_context, home, remember, propose_one, ada, ben, herself, ask, settings) -> Everybody:
    """Something of everything, so that each page has what it can show."""
    cache.clear()
    settings.MEMORY_SIGN_UP = "open"
    memory = remember("Likes green tea.", subject="drink", aliases=("cha",), session="s1", turn=1)
    remember("Atlas uses a PostgreSQL database.", kind="fact", scope="atlas", subject="db")
    remember("شاي بالنعناع", subject="شاي")
    milk = remember("Likes tea with milk.", subject="milk", expires_at=None)
    pause(remember("Likes mint tea.", subject="mint")["id"], actor=herself)
    found = ask("green tea", session="s1")
    trace = UUID(found["trace_id"])
    report_answer(trace, wrong="other", actor=herself)
    remember("Likes black tea.", subject="drink", source="No, black tea.")
    propose_one("Probably sells tea.", kind="fact", scope="atlas", subject="shop", source=None)
    propose_one("Prefers coffee.", subject="drink", source=None)
    propose_one("Is tired.", kind="mood", subject="mood", session="s1", turn=2)
    forget(remember("Likes gin.", subject="gin")["id"], relearn="block", source="keep", actor=ada)
    _ways_in(ada.person_id, "ada@example.org")
    sol, kim, vis = hire("sol"), hire("kim"), hire("vis", "supervisor")
    grant = grant_on(trace, sol, reach="conversation")
    shown(found, grant, sol, "memory", "source", "request")
    milk_now = next(one for one in found["memories"] if one["id"] == milk["id"])
    propose_change(
        uuid4(), grant.id, Change(UUID(milk["id"]), milk_now["version"], "Likes tea with oat milk."), staff=sol
    )
    run = bulk.preview_bulk("pause", ids=[UUID(milk["id"])], actor=herself)
    with acting_for(ada.person_id):
        decision = Decision.objects.filter(person_id=ada.person_id, action="rejected", turn=2).latest("id").pk
        look = AuditEvent.objects.filter(person_id=ada.person_id, actor_kind="staff").first()
    question_access(look.pk, actor=herself)
    store_turns(session="s1", scope=None, turns=[Turn(1, "user", "Likes green tea.")], actor=ada)
    with acting_for(ada.person_id):
        message = Episode.objects.get(session="s1", turn=1).pk
    now = timezone.now()
    receipt = Receipt.objects.create(
        person_id=uuid4(), namespace="default", requested_at=now, done_at=now, backups_until=now,
        counted={"memories": 3}, erased={"memories": 3}, verified_left={"memories": 0},
    )  # fmt: skip
    sessions = _on_the_way_in() | {
        "ada": session_of(ada),
        "proving": session_of(ada),
        "bare": session_of(ben),
        **{name: _at_the_desk(one.id) for name, one in (("sol", sol), ("kim", kim), ("vis", vis))},
    }
    proving = Client()
    proving.cookies["sessionid"] = sessions["proving"]
    form = proving.get("/confirm/code").content.decode()
    proving.post("/confirm/code", {"recipient": re.search(r'name="recipient" value="([^"]+)"', form)[1]})
    contexts = {"stranger": new_context(signed_in=False)}
    for who, session in sessions.items():
        contexts[who] = new_context(signed_in=False)
        contexts[who].add_cookies([{"name": "sessionid", "value": session, "url": home}])
    upload = keep_upload(b'[{"memory": "Likes hiking."}, {"memory": "The password is hunter2-zz."}]', actor=herself)
    ids = {
        "id": memory["id"], "other": milk["id"], "trace": trace, "sent": found["memories"][0]["id"], "grant": grant.id,
        "message": message, "decision": decision, "run": run.run_id, "receipt": receipt.pk, "upload": upload.id,
        "passkey": _passkey(contexts["ada"].new_page()),
        "link": make_link(User.objects.get(pk=ben.person_id), actor=Actor("system")).path.rpartition("/")[2],
    }  # fmt: skip
    return Everybody(home, contexts, [ada.person_id, ben.person_id, sol.id, kim.id, vis.id], ids)
