"""Days are those of the person's zone, west and east of UTC, whatever the browser's."""

from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect

from accounts.models import User
from tests.browser.steps import LIST, row

pytestmark = pytest.mark.django_db(transaction=True)

NIGHT = datetime(2025, 3, 15, 5, 30, tzinfo=UTC)
NOON = datetime(2025, 3, 15, 12, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "night", "noon"),
    [
        pytest.param("Etc/GMT+8", "14 March 2025", "15 March 2025", id="UTC-8"),
        pytest.param("Etc/GMT-13", "15 March 2025", "16 March 2025", id="UTC+13"),
        pytest.param("UTC", "15 March 2025", "15 March 2025", id="UTC"),
    ],
)
def test_it_shows_the_day_that_it_was_there(new_context, remember, ada, zone, night, noon):
    User.objects.filter(pk=ada.person_id).update(time_zone=zone)
    tea = remember("Likes green tea.", subject="drink", valid_from=NIGHT, occurred_at=NIGHT)
    bread = remember("Likes rye bread.", subject="bread", valid_from=NOON, occurred_at=NOON)
    page = new_context(timezone_id="Asia/Tokyo").new_page()
    for memory, day, instant in ((tea, night, NIGHT), (bread, noon, NOON)):
        page.goto(f"/memories/{memory['id']}/")
        since = page.locator("dl.pairs dt:text-is('Since') + dd time")
        expect(since).to_have_text(day)
        assert datetime.fromisoformat(since.get_attribute("datetime")) == instant


@pytest.mark.parametrize("zone", ["Etc/GMT+8", "Etc/GMT-13"], ids=["UTC-8", "UTC+13"])
def test_the_last_day_is_the_one_that_was_chosen(page, remember, ada, zone):
    User.objects.filter(pk=ada.person_id).update(time_zone=zone)
    memory = remember("Likes green tea.", subject="drink")
    page.goto(f"/memories/{memory['id']}/edit/")
    page.get_by_label("Good until").fill("2099-03-15")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("h1")).to_have_text("Likes green tea.")
    page.goto(f"/memories/{memory['id']}/edit/")
    expect(page.get_by_label("Good until")).to_have_value("2099-03-15")
    page.goto(LIST)
    expect(row(page, "green tea")).to_contain_text("Until 15 March 2099")
