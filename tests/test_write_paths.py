"""Every way in which a memory can come to say something goes through the write policy.

The ways are read from the code: whatever of the deliveries and commands leads to a new version of a memory. Each is
tried with words that the policy refuses and with words that it accepts, or says here why it brings no words.
"""

import ast
import json
import re
from io import StringIO
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory, StaffProposal
from memoryapp.services.forget import forget
from memoryapp.services.reveal import Item, reveal
from tests.api.conftest import Api
from tests.dashboard.conftest import signed_in
from tests.staffing import grant_on, hire, prove_second_factor

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parents[1]
ENTRANCES = ("memoryapp.api", "memoryapp.dashboard", "memoryapp.support", "memoryapp.mcp", "memoryapp.management")
MAKES_A_VERSION = "MemoryVersion"

WITHOUT_WORDS = {
    "api.verbs.VERBS": "pause, resume, confirm, pin, unpin, restore: of what stands",
    "api.verbs.verb_view": "the same",
    "dashboard.bulk.bulk": "forget, pause, resume, move: of what stands",
    "dashboard.bulk.bulk_run": "the same",
    "dashboard.bulk.bulk_undo": "the same, taken back",
    "dashboard.forget.memory_forget": "takes away",
    "dashboard.forget_message.message_forget": "takes away",
    "dashboard.merge.merge_two": "keeps one of two that stand",
    "dashboard.review.forget": "takes away",
    "dashboard.review.keep": "the person accepts a guess that was let in as one",
    "dashboard.review.reject": "takes away",
    "dashboard.review.undo": "a guess that was let in waits again",
    "dashboard.scopes.forget": "takes away",
    "dashboard.scopes.merge": "moves what stands",
    "dashboard.settings.retain": "lets go of what has had its time",
    "dashboard.trash.restore": "brings back what stood",
    "dashboard.verbs.confirm": "of what stands",
    "dashboard.verbs.pause": "of what stands",
    "dashboard.verbs.pin": "of what stands",
    "dashboard.verbs.restore": "brings back what stood",
    "dashboard.verbs.resume": "of what stands",
    "dashboard.verbs.unpin": "of what stands",
    "management.commands.restore.Command": "forgets again what was forgotten",
    "management.commands.maintain.Command": "marks what stands as stale, and erases",
    "management.commands.up.Command": "the same, at each start",
}


def ways_in():
    """Public names of the entrances from which a new version can be reached, by the names that the code uses."""
    trees, known, names = {}, {}, {}
    for path in (ROOT / "memoryapp").rglob("*.py"):
        if "migrations" not in path.parts:
            trees[".".join(path.relative_to(ROOT).with_suffix("").parts)] = ast.parse(path.read_text())
    for module, tree in trees.items():
        names[module] = {
            alias.asname or alias.name: (node.module, alias.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                known[module, node.name] = node
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                if isinstance(target, ast.Name):
                    known[module, target.id] = node

    def used(module, node):
        for one in ast.walk(node):
            if isinstance(one, ast.Name):
                yield names[module].get(one.id, (module, one.id))
            elif isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id in names[module]:
                base, name = names[module][one.value.id]
                yield f"{base}.{name}", one.attr

    uses = {key: set(used(key[0], node)) for key, node in known.items()}
    leading, before = {key for key, node in known.items() if makes_a_version(node)}, 0
    assert {module.rpartition(".")[2] for module, _ in leading} >= {"writing", "import_rows"}
    while len(leading) > before:
        before = len(leading)
        leading |= {key for key, of in uses.items() if of & leading}
    return {
        f"{module}.{name}".removeprefix("memoryapp.")
        for module, name in leading
        if module.startswith(ENTRANCES) and not name.startswith("_") and name != "urlpatterns"
    }


def makes_a_version(node):
    calls = (one.func for one in ast.walk(node) if isinstance(one, ast.Call))
    return any(isinstance(called, ast.Name) and called.id == MAKES_A_VERSION for called in calls)


SECRET = "The password is hunter2-zanzibar."
FORGOTTEN = "Likes tea."
ACCEPTED = "Likes coffee."


@pytest.fixture
def api(bot_key):
    return Api(bot_key[1])


@pytest.fixture
def page(ada):
    return signed_in(ada)


@pytest.fixture
def standing(remember, herself):
    """Tea is not to be learned again; chess stands, and a guess about jazz waits."""
    forget(UUID(remember(FORGOTTEN)["id"]), relearn="block", source="keep", actor=herself)
    return remember("Likes chess.", subject="game")


def texts(actor):
    with acting_for(actor.person_id):
        return set(Memory.objects.exclude(state="forgotten").values_list("text", flat=True))


def candidate(text):
    return {"kind": "preference", "subject": "drink", "text": text, "source": text}


def one(api, page, standing, text, propose_one):
    return api.post("/memories", {"user": "ada", **candidate(text)}).json()["rule"]


def batch(api, page, standing, text, propose_one):
    return api.post("/memories/batch", {"user": "ada", "candidates": [candidate(text)]}).json()["results"][0]["rule"]


def patch(api, page, standing, text, propose_one):
    return api.patch(f"/memories/{standing['id']}", {"text": text}, {"If-Match": '"1"'}).json()["rule"]


def form(page, address, text):
    fields = {"kind": "preference", "subject": "drink", "scope": "personal", "text": text, "version": "1"}
    return page.post(address, fields).status_code


def add(api, page, standing, text, propose_one):
    return form(page, "/memories/add/", text)


def edit(api, page, standing, text, propose_one):
    return form(page, f"/memories/{standing['id']}/edit/", text)


def review(api, page, standing, text, propose_one):
    guess = propose_one("Likes jazz.", subject="music", source=None).memory
    once = f"{guess['id']}.{guess['version']}"
    return page.post(f"/review/{guess['id']}/correct/", {"text": text, "once": once}).status_code


def shown_at_desk(api, standing):
    """A staff member's browser, their grant, and the address of the form beside chess, which they were shown."""
    trace_id = api.post("/context", {"user": "ada", "query": "chess"}).json()["trace_id"]
    sol = hire("sol")
    grant = grant_on(trace_id, sol)
    reveal(grant.id, [Item("memory", UUID(standing["id"]), standing["version"])], staff=sol)
    browser, user = Client(), User.objects.get(pk=sol.id)
    browser.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    prove_second_factor(browser.session, user)
    return browser, f"/support/traces/{trace_id}/memories/{standing['id']}/propose/"


def desk(api, page, standing, text, propose_one, how="consent"):
    browser, address = shown_at_desk(api, standing)
    fields = {"verb": "correct", "text": text, "version": "1", "consent": "ticket", "how": how, "once": str(uuid4())}
    return browser.post(address, fields).status_code


def accepted(api, page, standing, text, propose_one, ada):
    """The person accepts what staff proposed before the rules had anything against it."""
    assert desk(api, page, standing, ACCEPTED, propose_one, how="propose") == 303
    with acting_for(ada.person_id):
        row = StaffProposal.objects.get()
        row.text = text
        row.save(update_fields=["text"])
    return page.post(f"/review/proposals/{row.pk}/accept/").status_code


def demo(api, page, standing, text, propose_one, monkeypatch, tmp_path):
    """The demo's own files, with one of another person who has the words barred or not."""
    turn = {"turn": 1, "role": "user", "content": text, "proposals": [candidate(text)]}
    session = {"session": "s", "scope": None, "days_ago": 1, "turns": [turn]}
    (tmp_path / "zoe.json").write_text(json.dumps({"user": "zoe", "sessions": [session]}))
    monkeypatch.setattr("memoryapp.management.commands.load_demo.FOLDER", tmp_path)
    call_command("load_demo")


def carried(text):
    return json.dumps([{"memory": text, "user_id": "ada"}]).encode()


def imported(api, page, standing, text, propose_one):
    answer = api.post("/import", carried(text), user="ada").json()
    return next(iter(answer["refused"]), "inferred")


def uploaded(api, page, standing, text, propose_one):
    shown = page.post("/privacy/import/", {"file": SimpleUploadedFile("memories.json", carried(text))})
    return page.post(shown["Location"], {"once": str(uuid4())}).status_code


def command(api, page, standing, text, propose_one, tmp_path):
    (tmp_path / "memories.json").write_bytes(carried(text))
    call_command("import_memories", "ada", str(tmp_path / "memories.json"), verbosity=0, stdout=StringIO())


TRIED = {
    "api.carrying.Import": imported,
    "dashboard.bring.upload": uploaded,
    "dashboard.bring.waiting": uploaded,
    "management.commands.import_memories.Command": command,
    "api.memories.Memories": one,
    "api.memories.Batch": batch,
    "api.memories.OneMemory": patch,
    "dashboard.add.add": add,
    "dashboard.edit.memory_edit": edit,
    "dashboard.review.correct": review,
    "dashboard.proposals.answer": accepted,
    "support.proposing.propose": desk,
    "management.commands.load_demo.Command": demo,
}
OF_AGENTS = ("api.memories.Memories", "api.memories.Batch", "api.memories.OneMemory", "api.carrying.Import")
ON_PAGES = ("dashboard.add.add", "dashboard.edit.memory_edit", "dashboard.review.correct", "support.proposing.propose")


def test_every_way_in_is_known():
    found = ways_in()
    assert {"api.memories.Batch", "dashboard.review.correct"} <= found
    assert found - TRIED.keys() - WITHOUT_WORDS.keys() == set(), "a way in that nobody has tried"
    assert (TRIED.keys() | WITHOUT_WORDS.keys()) - found == set()


@pytest.mark.parametrize("way", OF_AGENTS)
@pytest.mark.parametrize(("text", "rule"), [(SECRET, "secret"), (FORGOTTEN, "forgotten")], ids=["secret", "forgotten"])
def test_an_agent_is_refused(way, text, rule, api, page, standing, propose_one, ada):
    before = texts(ada)
    assert TRIED[way](api, page, standing, text, propose_one) == rule
    assert texts(ada) == before
    TRIED[way](api, page, standing, ACCEPTED, propose_one)
    assert ACCEPTED in texts(ada)


@pytest.mark.parametrize("way", ON_PAGES)
def test_a_person_is_refused_a_secret(way, api, page, standing, propose_one, ada):
    """What is not to be learned again the person alone may write themselves."""
    assert TRIED[way](api, page, standing, SECRET, propose_one) == 422
    assert not any(re.search("hunter2", text) for text in texts(ada))


@pytest.mark.parametrize("way", ON_PAGES)
def test_a_person_is_not_refused_what_is_none(way, api, page, standing, propose_one, ada):
    assert TRIED[way](api, page, standing, ACCEPTED, propose_one) == 303
    assert ACCEPTED in texts(ada)


@pytest.mark.parametrize(("text", "is_kept"), [(SECRET, False), (ACCEPTED, True)], ids=["secret", "accepted"])
def test_a_person_is_refused_a_secret_that_others_proposed(text, is_kept, api, page, standing, propose_one, ada):
    before = texts(ada)
    assert accepted(api, page, standing, text, propose_one, ada) == (303 if is_kept else 422)
    assert (text in texts(ada), texts(ada) == before) == (is_kept, not is_kept)


def test_nobody_proposes_a_secret(api, page, standing, propose_one, ada):
    assert desk(api, page, standing, SECRET, propose_one, how="propose") == 422
    with acting_for(ada.person_id):
        assert not StaffProposal.objects.exists()


@pytest.mark.parametrize("way", ["upload", "command"])
@pytest.mark.parametrize("text", [SECRET, FORGOTTEN], ids=["secret", "forgotten"])
def test_a_file_is_refused(way, text, api, page, standing, propose_one, ada, tmp_path):
    """What is not to be learned again does not come with a file either, whoever brings it."""

    def bring(words):
        if way == "upload":
            return uploaded(api, page, standing, words, propose_one)
        return command(api, page, standing, words, propose_one, tmp_path)

    before = texts(ada)
    bring(text)
    assert texts(ada) == before
    bring(ACCEPTED)
    assert texts(ada) == before | {ACCEPTED}


@pytest.mark.parametrize(("text", "kept"), [(SECRET, 0), (ACCEPTED, 1)], ids=["secret", "accepted"])
def test_a_command_is_refused(text, kept, api, page, standing, propose_one, monkeypatch, tmp_path):
    demo(api, page, standing, text, propose_one, monkeypatch, tmp_path)
    zoe = User.objects.get(external_id="zoe")
    with acting_for(zoe.pk):
        assert Memory.objects.count() == kept
