"""The settings: switches that are read back, the do-not-learn list, preferences."""

from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import Scope, User
from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory
from memoryapp.services import do_not_learn
from memoryapp.services.edit import move
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.switches import read_switches
from tests.alike import alike
from tests.many import grow

pytestmark = pytest.mark.django_db

HOSTILE = "<img src=x onerror=alert(1)>"


def test_it_a_switch_is_read_back_in_a_second_browser(hers, her_other, propose_one, remember, herself):
    remember("Likes tea.")
    assert "Learning is on" in hers.get("/settings/").text
    answer = hers.post("/settings/learning/off/")
    assert (answer.status_code, answer["Location"]) == (303, "/settings/")
    for browser in (hers, her_other):
        page = browser.get("/settings/").text
        assert "Every proposal is refused. What is stored stays as it is" in page
    outcome = propose_one("Likes jazz.", subject="music")
    assert (outcome.action, outcome.rule) == ("rejected", "paused")
    fragment = hers.press("/settings/learning/on/").text
    assert "Learning is on." in fragment and "<html" not in fragment
    assert propose_one("Likes jazz.", subject="music").action == "new"


def test_it_use_off_sends_nothing_and_keeps_everything(hers, remember, ada):
    remember("Likes tea.")
    assert "Likes tea." in recall(ContextRequest(), actor=ada)["context"]
    hers.post("/settings/use/off/")
    assert recall(ContextRequest(), actor=ada)["context"] == ""
    assert "Likes tea." in hers.get("/memories/").text


def test_it_each_scope_has_switches_of_its_own(hers, remember, herself, propose_one):
    remember("Atlas uses PostgreSQL.", kind="fact", scope="atlas", subject="db")
    page = hers.get("/settings/").text
    assert "/settings/scopes/atlas/learning/off/" in page and "/settings/scopes/personal/use/off/" in page
    hers.post("/settings/scopes/atlas/learning/off/")
    atlas = next(one for one in read_switches(actor=herself).scopes if one.name == "atlas")
    assert (atlas.learning, atlas.use) == (False, True)
    assert propose_one("Atlas uses Redis.", kind="fact", scope="atlas", subject="cache").rule == "paused"
    assert "/settings/scopes/atlas/learning/on/" in hers.get("/settings/").text


def test_it_a_stranger_switches_nothing(his, remember, herself):
    remember("Atlas uses PostgreSQL.", kind="fact", scope="atlas", subject="db")
    assert his.post("/settings/scopes/atlas/use/off/").status_code == 404
    his.post("/settings/use/off/")
    read = read_switches(actor=herself)
    assert read.use and all(scope.use for scope in read.scopes)
    assert his.get("/settings/scopes/atlas/use/off/").status_code == 302


def test_it_a_subject_is_closed_and_opened(hers, his, propose_one, herself):
    answer = hers.post("/settings/do-not-learn/", {"subject": "health", "scope": "personal"})
    assert answer.status_code == 303
    page = hers.get("/settings/").text
    assert "health" in page and "The whole subject" in page
    assert propose_one("Has asthma.", kind="fact", scope="personal", subject="health").rule == "forgotten"
    (entry,) = do_not_learn.barred(actor=herself)
    assert his.post(f"/settings/do-not-learn/{entry.id}/lift/").status_code == 404
    fragment = hers.press(f"/settings/do-not-learn/{entry.id}/lift/").text
    assert "Taken off the list." in fragment
    assert propose_one("Has asthma.", kind="fact", scope="personal", subject="health").action == "new"


@pytest.mark.parametrize("fields", [{"subject": " ", "scope": "personal"}, {"subject": "x", "scope": "nowhere"}])
def test_it_a_subject_that_cannot_be_closed_is_said(hers, herself, fields):
    for send in (hers.post, hers.press):
        answer = send("/settings/do-not-learn/", fields)
        assert answer.status_code == 422 and 'class="error"' in answer.text
    assert do_not_learn.barred(actor=herself) == ()


def test_it_preferences_are_kept_and_in_force(hers, ada):
    chosen = {"language": "de", "time_zone": "Pacific/Auckland", "theme": "dark"}
    assert hers.post("/settings/preferences/", chosen).status_code == 303
    person = User.objects.get(pk=ada.person_id)
    assert (person.language, person.time_zone, person.theme) == ("de", "Pacific/Auckland", "dark")
    page = hers.get("/settings/").text
    assert 'lang="de"' in page and 'data-theme="dark"' in page
    hers.post("/settings/preferences/", {"language": "auto", "time_zone": "auto", "theme": "system"})
    person.refresh_from_db()
    assert (person.language, person.time_zone, person.theme) == ("", "", "system")


@pytest.mark.parametrize(
    "wrong", [{"language": "xx"}, {"time_zone": "Mars/Base"}, {"theme": "pink"}], ids=lambda wrong: next(iter(wrong))
)
def test_it_what_there_is_not_is_not_kept(hers, ada, wrong):
    given = {"language": "en", "time_zone": "UTC", "theme": "light"} | wrong
    assert hers.post("/settings/preferences/", given).status_code == 422
    assert User.objects.get(pk=ada.person_id).language == ""


def test_it_hostile_text_is_inert(hers, herself):
    do_not_learn.bar_subject("personal", HOSTILE, actor=herself)
    page = hers.get("/settings/").text
    assert HOSTILE not in page and "&lt;img src=x" in page


def test_it_the_page_is_light_enough_with_many_scopes(hers, ada):
    with acting_for(ada.person_id):
        Scope.objects.bulk_create(Scope(person_id=ada.person_id, name=f"scope-{n}", use=False) for n in range(20))
    page = hers.get("/settings/")
    assert page.status_code == 200 and "scope-19" in page.text


def test_it_an_emptied_scope_is_not_listed_any_more(hers, remember, herself):
    memory = remember("Atlas uses PostgreSQL.", kind="fact", scope="atlas", subject="db")
    remember("Beacon uses MySQL.", kind="fact", scope="beacon", subject="db2")
    move(memory["id"], "beacon", actor=herself)
    for address in ("/settings/", "/preview/", "/memories/add/"):
        page = hers.get(address).text
        assert "beacon" in page and "atlas" not in page, address
    assert hers.get("/settings/scopes/atlas/").status_code == 404
    # Until something belongs to it again, and while it has a switch that is off.
    move(memory["id"], "atlas", actor=herself)
    assert hers.get("/settings/scopes/atlas/").status_code == 200
    hers.post("/settings/scopes/atlas/learning/off/")
    move(memory["id"], "beacon", actor=herself)
    assert "/settings/scopes/atlas/learning/on/" in hers.get("/settings/").text


@pytest.mark.parametrize(
    ("cookie", "chosen", "shown", "day"),
    [
        pytest.param(None, "", "UTC", "15 March 2025", id="told nothing"),
        pytest.param("America/Los_Angeles", "", "America/Los_Angeles", "14 March 2025", id="the browser's"),
        pytest.param("America/Los_Angeles", "Pacific/Auckland", "Pacific/Auckland", "15 March 2025", id="one's own"),
        pytest.param("../../etc/passwd", "", "UTC", "15 March 2025", id="no zone"),
        pytest.param("Mars/Base", "", "UTC", "15 March 2025", id="no such zone"),
    ],
)
def test_it_days_are_those_of_the_browser_until_a_zone_is_chosen(hers, ada, remember, cookie, chosen, shown, day):
    remember("Likes tea.", occurred_at=datetime(2025, 3, 15, 5, 30, tzinfo=UTC))
    User.objects.filter(pk=ada.person_id).update(time_zone=chosen)
    if cookie:
        hers.cookies["zone"] = cookie
    assert f"shown in {shown} now" in hers.get("/settings/").text
    assert f">{day}</time>" in hers.get("/memories/").text


@pytest.fixture
def many(ada, remember):
    """1,234 memories."""
    remember("Likes tea.")
    grow(ada, 1_233)


@alike(("language", "thousands"), [("en", "1,234"), ("de", "1.234"), ("ar", "1.234")])
def test_it_large_numbers_are_grouped_as_the_language_does(hers, ada, many, language, thousands):
    User.objects.filter(pk=ada.person_id).update(language=language)
    assert f"<b>{thousands}</b>" in hers.get("/memories/").text
    assert thousands in hers.get("/privacy/").text
    # What programs read has no such marks.
    assert 'name="expected_count" value="1234"' in hers.get("/memories/bulk/").text
    assert 'name="expected_count" value="1234"' in hers.get("/settings/scopes/personal/forget/").text


def test_it_asks_before_a_shorter_time_takes_what_is_there(hers, his, remember, ada, herself):
    for number in (1, 2):
        remember(f"Likes {number}.", subject=f"n{number}")
    with acting_for(ada.opened):
        at = datetime.now(UTC) - timedelta(days=100)
        Memory.objects.filter(subject="n1").update(confirmed_at=at, created_at=at)
    assert "until you forget them or their day comes" in hers.get("/settings/").text
    asked = hers.post("/settings/kept/preference/", {"days": "90"}).text
    assert "1 memory is older than that and goes to the trash now." in asked
    assert his.post("/settings/kept/preference/", {"days": "90"}).status_code == 303
    with acting_for(ada.opened):
        assert Memory.objects.exclude(state="forgotten").count() == 2
    again = hers.post("/settings/kept/preference/", {"days": "90", "expected_count": "7"}).text
    assert "1 memory is older" in again
    assert hers.post("/settings/kept/preference/", {"days": "90", "expected_count": "1"}).status_code == 303
    page = hers.get("/settings/").text
    assert "90 days after they were last said" in page and '<option value="90" selected>' in page
    with acting_for(ada.opened):
        assert list(Memory.objects.filter(state="forgotten").values_list("subject", flat=True)) == ["n1"]
    assert "Forgotten on" in hers.get("/trash/").text
    assert hers.post("/settings/kept/preference/", {"days": "91"}).status_code == 422
    fragment = hers.press("/settings/kept/preference/", {"days": ""}).text
    assert "until you forget them" in fragment and "<html" not in fragment


def test_it_a_scope_counts_what_its_list_shows_and_what_is_history_apart(hers, remember, propose_one):
    db = {"kind": "fact", "subject": "db", "scope": "atlas"}
    remember("Atlas uses PostgreSQL.", **db)
    remember("Atlas is deployed on Tuesdays.", kind="fact", subject="day", scope="atlas")
    assert (
        "2 memories" in hers.get("/settings/").text
        and "kept as history" not in hers.get("/settings/scopes/atlas/").text
    )
    propose_one(None, retract=True, source="no longer", **db)
    listed = len(hers.get("/memories/?scope=atlas").context["found"].rows)
    assert listed == 1 and ">1 memory<" in hers.get("/settings/").text
    assert "Beside that 1 is kept as history" in hers.get("/settings/scopes/atlas/").text
    assert 'name="expected_count" value="2"' in hers.get("/settings/scopes/atlas/forget/").text


def test_it_years_are_said_as_years_and_the_activity_says_what_was_chosen(hers):
    assert ">5 years<" in hers.get("/settings/").text and "1,825" not in hers.get("/settings/").text
    hers.press("/settings/kept/fact/", {"days": "730"})
    assert "2 years after they were last said" in hers.get("/settings/").text
    assert "Facts, from now on: 2 years" in hers.get("/activity/").text
    hers.press("/settings/kept/fact/", {"days": ""})
    assert "Facts, from now on: As long as this service does" in hers.get("/activity/").text


def test_it_what_is_kept_not_at_all_or_without_end_is_said(hers, settings):
    assert "30 days, then erased" in hers.get("/settings/").text
    settings.MEMORY_TRASH_DAYS, settings.MEMORY_KEPT_DAYS = 0, {**settings.MEMORY_KEPT_DAYS, "refused": 0}
    page = hers.get("/settings/").text
    assert "0 days, then erased" in page and "until you forget the message they came from" in page
