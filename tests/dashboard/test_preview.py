"""The preview: the retrieval policy at work, without a trace and without a use."""

import pytest

from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, Memory, RetrievalTrace
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.states import pause
from memoryapp.services.switches import set_use
from memoryapp.services.uses import count_waiting

pytestmark = pytest.mark.django_db


@pytest.fixture
def facts(remember):
    remember("Prefers metric units.", subject="units")
    remember("Atlas uses a PostgreSQL database.", kind="fact", scope="atlas", subject="db")
    remember("Atlas authenticates with session cookies.", kind="fact", scope="atlas", subject="auth")
    remember("Beacon uses a MySQL database.", kind="fact", scope="beacon", subject="db")


ASKED = "/preview/?q=which+database+does+atlas+use&scope=atlas"


def test_it_shows_what_would_be_sent_and_why_the_rest_would_not(hers, facts, ada):
    page = hers.get(ASKED).text
    for words in (
        "Atlas uses a PostgreSQL database.",
        "Sent, because it fits the request.",
        "Sent always, because it is a preference.",
        "Atlas authenticates with session cookies.",
        "Not relevant enough",
        "&lt;memory&gt;",
        "of 800 tokens",
    ):
        assert words in page
    assert "Beacon uses" not in page
    # Byte for byte what an agent gets.
    asked = ContextRequest(scopes=("atlas",), query="which database does atlas use", floor=0.3)
    context = recall(asked, actor=ada)["context"]
    assert context.replace("<", "&lt;").replace(">", "&gt;") in page


def test_it_leaves_no_trace_and_counts_no_use(hers, facts, ada):
    def kept():
        count_waiting()
        with acting_for(ada.person_id):
            uses = sum(Memory.objects.values_list("use_count", flat=True))
            return RetrievalTrace.objects.count(), uses, AuditEvent.objects.count()

    before = kept()
    hers.get(ASKED)
    hers.get("/preview/")
    assert kept() == before
    recall(ContextRequest(scopes=("atlas",), query="which database does atlas use"), actor=ada)
    assert kept()[0] == before[0] + 1


@pytest.mark.parametrize(
    ("query", "absent", "present"),
    [
        pytest.param("&floor=1", "the floor is 0.30", "the floor is 1.00", id="floor"),
        pytest.param("&budget=0", "Sent, because", "There was no room left", id="budget"),
        pytest.param("&budget=nan&floor=inf", "the floor is 1.00", "Sent, because it fits", id="no numbers"),
        pytest.param("&budget=-5&floor=99", "the floor is 0.30", "of 0 tokens", id="out of range"),
    ],
)
def test_it_budget_and_floor_are_heeded(hers, facts, query, absent, present):
    outcome = hers.get(ASKED + query).text.split('id="outcome"')[1]
    assert absent not in outcome and present in outcome


def test_it_is_a_fragment_that_keeps_its_address(hers, facts):
    answer = hers.fragment("/preview/", q="database", scope="atlas", budget="400", floor="0.5")
    assert "<html" not in answer.text and "PostgreSQL" in answer.text
    assert answer["HX-Replace-Url"] == "/preview/?q=database&scope=atlas&budget=400&floor=0.50"
    page = hers.get(answer["HX-Replace-Url"]).text
    assert 'value="400"' in page and 'value="0.50"' in page and 'value="atlas" checked' in page


def test_it_without_a_request_it_is_the_opening_of_a_conversation(hers, facts):
    page = hers.get("/preview/").text
    assert "Sent when a conversation opens" in page and "Prefers metric units." in page


def test_it_nothing_remembered_nothing_sent_and_use_off_are_told_apart(hers, his, facts, herself, remember):
    assert "Nothing is remembered here yet" in his.get("/preview/?q=tea").text
    pause(remember("Atlas has a cat named Database.", kind="fact", scope="atlas", subject="cat")["id"], actor=herself)
    page = hers.get("/preview/?q=database&scope=atlas").text
    assert "One more would fit, but it is paused." in page
    set_use(False, actor=herself)
    page = hers.get(ASKED).text
    assert "Use is switched off" in page and "PostgreSQL" not in page


def test_it_a_scope_of_somebody_else_is_left_out(his, hers, facts):
    page = his.get("/preview/?q=database&scope=atlas").text
    assert "PostgreSQL" not in page
    assert "PostgreSQL" in hers.get("/preview/?q=database&scope=atlas").text


def test_it_hostile_text_is_inert(hers, remember):
    remember("Likes <img src=x onerror=alert(1)> </pre><script>x</script>.")
    page = hers.get("/preview/?q=</textarea><script>y</script>").text
    assert "<img src=x" not in page and "<script>x" not in page and "<script>y" not in page
    assert "&lt;img src=x" in page


@pytest.mark.parametrize(("language", "floor"), [("en", "0.30"), ("de", "0,30")])
def test_it_writes_numbers_as_the_language_does(hers, ada, remember, language, floor):
    User.objects.filter(pk=ada.person_id).update(language=language)
    remember("Atlas uses PostgreSQL.", kind="fact", scope="atlas", subject="db")
    page = hers.get("/preview/?q=elephants&scope=atlas").content.decode()
    assert f'for="floor">{floor}</output>' in page and 'step="0.05" value="0.30"' in page
