"""A double click, and Enter pressed twice, make one change."""

import pytest
from playwright.sync_api import expect

from accounts.models import AgentKey
from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory, MemoryVersion
from tests.browser.steps import LIST, row, rows

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def two(remember):
    return remember("Likes green tea.", subject="drink"), remember("Likes rye bread.", subject="bread")


def _twice(page, button, how):
    if how == "click":
        button.dblclick()
        return
    button.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")


HOW = pytest.mark.parametrize("how", ["click", "enter"])


@HOW
def test_it_adds_one(page, two, ada, how):
    page.goto("/memories/add/")
    page.get_by_label("Text").fill("Likes plums.")
    page.get_by_label("Subject").fill("plums")
    if how == "click":
        page.get_by_role("button", name="Add").dblclick()
    else:
        page.get_by_label("Subject").press("Enter")
        page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("What is remembered about you")
    expect(rows(page)).to_have_count(3)
    with acting_for(ada.person_id):
        assert MemoryVersion.objects.filter(person_id=ada.person_id, text="Likes plums.").count() == 1
        assert Memory.objects.get(person_id=ada.person_id, subject="plums").seen == 1


@HOW
def test_it_corrects_once(page, two, ada, how):
    page.goto(f"/memories/{two[0]['id']}/edit/")
    page.get_by_label("Text").fill("Likes black tea.")
    _twice(page, page.get_by_role("button", name="Save"), how)
    expect(page.locator("h1")).to_have_text("Likes black tea.")
    with acting_for(ada.person_id):
        assert Memory.objects.get(pk=two[0]["id"]).versions == 2


@HOW
def test_it_forgets_and_restores_one(page, two, events_of, how):
    page.goto(LIST)
    _twice(page, row(page, "green tea").get_by_role("button", name="Forget"), how)
    expect(rows(page)).to_have_count(1)
    page.wait_for_load_state("networkidle")
    assert events_of("forget") == 1
    _twice(page, page.locator(".bar").get_by_role("button", name="Undo"), how)
    expect(rows(page)).to_have_count(2)
    page.wait_for_load_state("networkidle")
    assert (events_of("forget"), events_of("restore")) == (1, 1)
    assert page.locator("#alert").inner_text() == ""


def test_the_second_click_does_not_meet_the_next_row(page, two, events_of):
    page.goto(LIST)
    box = rows(page).first.get_by_role("button", name="Forget").bounding_box()
    at = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.click(*at)
    expect(rows(page)).to_have_count(1)
    # The row below has moved to where the pointer is.
    page.mouse.move(*at)
    page.mouse.down(click_count=2)
    page.mouse.up(click_count=2)
    page.wait_for_load_state("networkidle")
    assert events_of("forget") == 1
    page.mouse.click(*at)
    expect(rows(page)).to_have_count(0)
    assert events_of("forget") == 2


@HOW
def test_it_switches_once(page, two, events_of, how):
    page.goto("/settings/")
    _twice(page, page.locator("#switch-learning"), how)
    expect(page.get_by_role("heading", name="Learning is off")).to_be_visible()
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("heading", name="Learning is off")).to_be_visible()
    assert (events_of("learning_off"), events_of("learning_on")) == (1, 0)


@HOW
def test_it_keeps_one(page, propose_one, events_of, how):
    for n in range(2):
        propose_one(f"Probably likes tea {n}.", subject=f"tea {n}", source=None)
    page.goto("/review/")
    _twice(page, page.get_by_role("button", name="Keep", exact=True).first, how)
    expect(page.locator("#review li[data-row]")).to_have_count(1)
    page.wait_for_load_state("networkidle")
    assert events_of("keep") == 1


@HOW
def test_it_makes_one_key(page, ada, how):
    page.goto("/settings/keys/")
    page.get_by_label("Name").fill("laptop")
    if how == "click":
        page.get_by_role("button", name="Make the key").dblclick()
    else:
        page.get_by_label("Name").press("Enter")
        page.keyboard.press("Enter")
    expect(page.locator("#secret")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert AgentKey.objects.filter(name="laptop").count() == 1
