"""A person about whom every store of the service holds something."""

import json
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import Group, Permission
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection

from accounts.models import User
from memoryapp.services.agents import ensure_person
from memoryapp.services.bulk import preview_bulk
from memoryapp.services.disputes import dispute, undispute
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.forget import forget
from memoryapp.services.idempotency import once
from memoryapp.services.links import make_link
from memoryapp.services.personal_keys import create_personal_key
from memoryapp.services.proposal import Proposal
from memoryapp.services.propose import propose
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.reports import report_answer
from memoryapp.services.retention import choose
from memoryapp.services.reveal import Item, reveal
from memoryapp.services.staff_proposals import Change, propose_change
from memoryapp.services.traces import join_answer
from memoryapp.services.uploads import keep_upload
from tests.staffing import grant_on, hire


def live(bot, name, word):
    """The agent with that person open, of whom every store has a row; each text holds `word`."""
    actor = ensure_person(bot, name)
    herself = _as_person(actor)

    def say(subject, text, **fields):
        proposal = Proposal(**{"kind": "preference", "source": text} | fields, subject=subject, text=text)
        return propose([proposal], actor=actor)[0]

    turns = [Turn(1, "user", f"I like {word} tea"), Turn(2, "assistant", f"Noted: {word}.")]
    store_turns(session=f"s-{word}", scope=None, turns=turns, actor=actor)
    tea = say("drink", f"Likes {word} tea.", source=f"I like {word} tea", session=f"s-{word}", turn=1, aliases=[word])
    say("drink", f"Likes {word} coffee.")
    say("music", f"Likes {word} jazz.", source=None)
    say("mood", f"Is {word}.", kind="mood")
    spirit = say("spirit", f"Likes {word} rum.", metadata={"note": word}, reason=f"because {word}")
    forget(UUID(spirit.memory["id"]), relearn="block", source="keep", actor=herself)
    say("db", f"The {word} project uses {word}.", kind="fact", scope=f"scope-{word}")
    sent = recall(ContextRequest(query=f"Which {word} coffee?", session=f"s-{word}"), actor=actor)
    join_answer(UUID(sent["trace_id"]), answer_id=f"a-{word}", model="m", text=f"The {word} answer", actor=actor)
    once(
        key_id=actor.key_id,
        key=f"k-{name}",
        fingerprint=b"f" * 32,
        act=lambda: (200, {"memory": tea.memory}, actor.person_id),
    )
    dispute(UUID(tea.memory["id"]), text=f"Not {word}.", actor=herself)
    undispute(UUID(tea.memory["id"]), actor=herself)
    choose("decision", 1_825, expected_count=0, actor=herself)
    keep_upload(json.dumps([{"memory": f"Likes {word} plums."}]).encode(), actor=herself)
    preview_bulk("pause", actor=herself, ids=[UUID(tea.memory["id"])])
    _at_the_desk(UUID(sent["trace_id"]), sent["memories"][0], word, herself)
    _account(User.objects.get(pk=actor.opened), herself, word, bot)
    return actor


def _at_the_desk(trace_id, memory, word, herself):
    """She reports the answer; staff look at it, and propose other words."""
    report_answer(trace_id, wrong="untrue", actor=herself)
    sol = hire("sol")
    grant = grant_on(trace_id, sol, reach="conversation")
    memory_id, version = UUID(memory["id"]), memory["version"]
    reveal(grant.id, [Item("memory", memory_id, version)], staff=sol)
    propose_change(uuid4(), grant.id, Change(memory_id, version, f"Likes {word} juice."), staff=sol)


def _as_person(actor):
    from dataclasses import replace

    return replace(actor, kind="person", key_id=None, key_name=None)


def _account(user, herself, word, bot):
    now = datetime.now(UTC)
    user.email = f"{word}@example.org"
    user.save(update_fields=["email"])
    user.groups.add(Group.objects.get_or_create(name="readers")[0])
    user.user_permissions.add(Permission.objects.first())
    address = EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    EmailConfirmation.objects.create(email_address=address, key=f"key-{word}", sent=now)
    Authenticator.objects.create(user=user, type="totp", data={"secret": word})
    account = SocialAccount.objects.create(user=user, provider="openid_connect", uid=f"uid-{word}")
    app = SocialApp.objects.get_or_create(provider="openid_connect", provider_id="example", name="Example")[0]
    SocialToken.objects.create(account=account, app=app, token=f"token-{word}")
    key, _ = create_personal_key(f"laptop {word}", actor=herself)
    make_link(user, actor=bot)
    session = SessionStore()
    session["_auth_user_id"] = str(user.pk)
    session.save()
    UserSession.objects.create(
        user=user, session_key=session.session_key, ip="127.0.0.1", user_agent=word, created_at=now - timedelta(hours=1)
    )
    with connection.cursor() as cursor:
        cursor.execute("insert into accounts_ratewindow (agent_key_id, minute, calls) values (%s, 1, 1)", [key.pk])
