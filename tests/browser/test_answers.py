"""A person opens an answer, reads why it said that, mends the wrong memory on the spot, and gets a reference."""

import re
import uuid

import pytest
from playwright.sync_api import expect

from memoryapp.services.erase import erase_now
from memoryapp.services.switches import set_use
from memoryapp.services.traces import join_answer
from tests.browser.steps import focused

pytestmark = pytest.mark.django_db(transaction=True)

REQUEST = "Which PostgreSQL database does Atlas use?"


@pytest.fixture
def rows(remember):
    long = "Atlas does use a PostgreSQL database with a long story: " + "moved again and again, " * 30
    return {
        "db": remember("Atlas uses a PostgreSQL 15 database.", kind="fact", subject="db", scope="atlas"),
        "long": remember(long, kind="fact", subject="story", scope="atlas"),
        "whales": remember("Atlas got its name from a database of whales.", kind="fact", subject="name", scope="atlas"),
        "bikes": remember("Bicycles are kept in the cellar.", kind="fact", subject="bikes", scope="atlas"),
        "tea": remember("Likes tea.", subject="drink"),
    }


@pytest.fixture
def sent(rows, ask, ada):
    sent = ask(REQUEST, scope="atlas", budget_tokens=100, floor=0.3)
    join_answer(uuid.UUID(sent["trace_id"]), answer_id="ans 1/ä", model="m-1", text="PostgreSQL 15.", actor=ada)
    return sent


@pytest.fixture
def answer(page, sent):
    """The answer's page, reached as a person reaches it."""
    page.goto("/")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Answers").click()
    page.get_by_role("link", name=REQUEST).click()
    expect(page.locator("h1")).to_have_text(REQUEST)
    return page


def line(page, row):
    return page.locator(f"#w-{row['id']}")


def section(page, name):
    return page.locator("section", has=page.get_by_role("heading", name=name, exact=True))


def block(page):
    return page.locator("#block pre").inner_text()


def test_used_budget_and_floor_are_each_said_in_words(answer, rows, sent):
    used, left_out = section(answer, "Used in this answer"), section(answer, "Considered and left out")
    expect(used.locator(".statement")).to_have_text(["Likes tea.", "Atlas uses a PostgreSQL 15 database."])
    expect(line(answer, rows["tea"])).to_contain_text("Sent always, because it is a preference.")
    expect(line(answer, rows["db"])).to_contain_text("Sent, because it fits the request.")
    expect(left_out.locator("header .n")).to_have_text("3")
    expect(line(answer, rows["long"])).to_contain_text("There was no room left for it in the budget.")
    expect(line(answer, rows["whales"])).to_contain_text(
        re.compile(r"Not relevant enough: 0\.\d\d, and the floor is 0\.30\.")
    )
    untouched = answer.locator("#untouched")
    expect(untouched.locator("li")).to_be_hidden()
    untouched.locator("summary").click()
    expect(untouched.locator("li")).to_contain_text("Bicycles are kept in the cellar.")
    assert block(answer) == sent["context"]
    expect(answer.locator(".funnel li b")).to_have_text(["5", "3", "3", "2"])
    expect(answer.locator("main")).to_contain_text("answer ans 1/ä")
    expect(section(answer, "What the assistant answered")).to_contain_text("PostgreSQL 15.")


def test_correct_from_an_answer_and_return_to_it(answer, rows, sent):
    line(answer, rows["db"]).get_by_role("link", name="Correct").click()
    answer.get_by_label("Text").fill("Atlas uses a PostgreSQL 16 database.")
    answer.get_by_role("button", name="Save").click()
    expect(answer).to_have_url(re.compile(rf"/answers/{sent['trace_id']}/#w-{rows['db']['id']}$"))
    assert focused(answer)["id"] == f"w-{rows['db']['id']}"
    mended = line(answer, rows["db"])
    expect(mended.locator(".statement").first).to_have_text("Atlas uses a PostgreSQL 15 database.")
    expect(mended).to_contain_text("Since then corrected by you. It says now:")
    expect(mended.locator("del")).to_contain_text("15")
    expect(mended.locator("ins")).to_contain_text("16")
    expect(line(answer, rows["tea"]).locator(".since")).to_have_count(0)
    assert block(answer) == sent["context"]
    # Cancelling comes back as well.
    line(answer, rows["tea"]).get_by_role("link", name="Correct").click()
    answer.get_by_role("link", name="Cancel").click()
    expect(answer.locator("h1")).to_have_text(REQUEST)


def test_forget_from_an_answer_leaves_a_gap_and_can_be_taken_back(answer, rows, sent, ask):
    line(answer, rows["db"]).get_by_role("button", name="Forget").click()
    expect(line(answer, rows["db"])).to_contain_text("Forgotten since.")
    assert focused(answer)["id"] == f"w-{rows['db']['id']}"
    expect(answer.locator("#status")).to_have_text("Forgotten. The trash keeps it for a while.")
    assert block(answer) == sent["context"].replace("Atlas uses a PostgreSQL 15 database.", "[not shown: forgotten]")
    expect(answer.locator("#block")).to_contain_text("One line is a gap")
    assert "PostgreSQL 15" not in ask(REQUEST, scope="atlas")["context"]
    line(answer, rows["db"]).get_by_role("button", name="Restore").click()
    expect(line(answer, rows["db"])).to_contain_text("PostgreSQL 15")
    assert block(answer) == sent["context"]


def test_after_an_erasure_the_gap_stays_and_the_rest_is_unchanged(answer, rows, sent, herself):
    line(answer, rows["db"]).get_by_role("button", name="Forget").click()
    expect(line(answer, rows["db"])).to_contain_text("Forgotten since.")
    erase_now(uuid.UUID(rows["db"]["id"]), actor=herself)
    answer.reload()
    expect(line(answer, rows["db"])).to_contain_text("Erased since. Nothing is left of it.")
    expect(line(answer, rows["db"]).get_by_role("button")).to_have_count(0)
    assert "PostgreSQL 15 database" not in answer.content()
    expect(line(answer, rows["tea"])).to_contain_text("Likes tea.")
    kept = [each for each in sent["context"].splitlines() if "PostgreSQL" not in each and "Facts" not in each]
    assert [each for each in block(answer).splitlines() if each in kept] == kept


def test_asked_again_it_shows_what_is_added_gone_and_the_same(answer, rows, sent, remember):
    answer.get_by_role("link", name="Ask again now").click()
    expect(answer.locator("#difference")).to_have_text("Exactly the same would be sent")
    answer.get_by_role("link", name="The answer").click()
    line(answer, rows["tea"]).get_by_role("button", name="Forget").click()
    expect(line(answer, rows["tea"])).to_contain_text("Forgotten since.")
    remember("Atlas uses PostgreSQL database backups.", kind="fact", subject="backup", scope="atlas")
    answer.get_by_role("link", name="Ask again now").click()
    expect(answer.locator(".change-added")).to_have_count(1)
    expect(answer.locator(".change-removed")).to_have_count(1)
    expect(answer.locator("#difference-counts")).to_contain_text("1 as before")
    answer.get_by_role("link", name="As it was asked").click()
    expect(answer.locator("h1")).to_have_text("Asked again, as things stood then")
    expect(answer.locator(".change-added")).to_have_count(0)
    answer.get_by_label("As of").fill("2020-01-01T10:00")
    answer.get_by_role("button", name="Ask as of then").click()
    expect(answer.locator("#difference-counts")).to_contain_text("2 would be gone")
    expect(answer.locator(f"#g-{rows['db']['id']}")).to_contain_text("It was not known then, or did not hold.")
    # None of it is an answer of its own.
    answer.goto("/answers/")
    expect(answer.locator("#answers .ledger > li")).to_have_count(1)


@pytest.mark.parametrize("is_off", [False, True], ids=["nothing-fits", "use-off"])
def test_no_memory_used_is_a_full_answer(page, rows, ask, herself, is_off):
    if is_off:
        set_use(False, actor=herself)
    sent = ask("zebra crossings", scope="atlas", floor=0.3, kinds=["fact"])
    page.goto(f"/answers/{sent['trace_id']}/")
    expect(page.get_by_role("heading", name="No memory was used")).to_be_visible()
    expect(section(page, "No memory was used")).to_contain_text("without knowing anything about you")
    expect(page.get_by_role("button", name="Get a reference")).to_be_visible()
    assert (page.get_by_role("heading", name="Considered and left out").count() == 0) == is_off


def test_something_is_wrong_gives_a_reference_that_stays(answer, page):
    expect(answer.locator("#report")).not_to_contain_text("Your reference")
    answer.get_by_label("What is wrong").select_option("untrue")
    answer.get_by_role("button", name="Get a reference").dblclick()
    reference = answer.locator(".reference")
    expect(reference).to_have_text(re.compile(r"^R-[0-9A-Z]{4}-[0-9A-Z]{4}$"))
    assert focused(answer)["id"] == "report"
    expect(answer.locator("#status")).to_have_text(f"Your reference is {reference.inner_text()}.")
    shown = reference.inner_text()
    answer.reload()
    expect(reference).to_have_text(shown)
    answer.goto("/answers/?outcome=reported")
    expect(answer.locator("#answers")).to_contain_text(shown)


def test_an_access_is_questioned_in_its_line(page, sent):
    page.goto("/activity/?what=uses")
    entry = page.locator("#activity li", has_text=REQUEST)
    entry.get_by_role("button", name="Question this access").click()
    expect(entry).to_contain_text(re.compile(r"Questioned, R-[0-9A-Z]{4}-[0-9A-Z]{4}"))
    expect(entry.get_by_role("button")).to_have_count(0)
    assert focused(page)["id"] == f"e-{sent['trace_id']}"
    expect(page.locator("#status")).to_contain_text("Your question is with the supervisors")
    page.goto("/activity/?what=changes")
    expect(page.locator("#activity")).to_contain_text("An access questioned")


def test_the_list_is_searched_and_its_filters_survive(page, sent, ask):
    for number in range(55):
        ask(f"question {number}")
    page.goto("/answers/")
    expect(page.locator("#answers .ledger > li")).to_have_count(50)
    page.get_by_role("link", name="Older", exact=True).click()
    expect(page.locator("#answers .ledger > li")).to_have_count(6)
    page.get_by_label("Search what was asked").press_sequentially("ans 1/ä")
    expect(page.locator("#answers .ledger > li")).to_have_count(1)
    assert focused(page)["id"] == "q" and "q=ans+1" in page.url
    page.get_by_role("link", name=REQUEST).click()
    page.get_by_role("link", name="Answers").last.click()
    expect(page.locator("#q")).to_have_value("ans 1/ä")
    page.reload()
    expect(page.locator("#answers .ledger > li")).to_have_count(1)
    page.locator("#q").fill("nothing like it")
    expect(page.get_by_role("heading", name="Nothing matches")).to_be_visible()
    page.get_by_role("link", name="Clear search and filters").click()
    expect(page.locator("#answers .ledger > li")).to_have_count(50)


def test_it_works_by_keyboard_alone(answer, rows):
    def tab_to(element_id, limit=80):
        for _ in range(limit):
            answer.keyboard.press("Tab")
            if focused(answer)["id"] == element_id:
                return
        raise AssertionError(element_id)

    tab_to(f"forget-{rows['db']['id']}")
    answer.keyboard.press("Enter")
    expect(line(answer, rows["db"])).to_contain_text("Forgotten since.")
    assert focused(answer)["id"] == f"w-{rows['db']['id']}"
    tab_to(f"back-{rows['db']['id']}")
    answer.keyboard.press("Enter")
    expect(line(answer, rows["db"])).to_contain_text("PostgreSQL 15")
    tab_to("ask-again")
    tab_to("get-reference")
    answer.keyboard.press("Enter")
    expect(answer.locator(".reference")).to_be_visible()


def test_it_works_without_scripts(new_context, rows, sent):
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"/answers/{sent['trace_id']}/")
    line(page, rows["tea"]).get_by_role("button", name="Forget").click()
    expect(page).to_have_url(re.compile(rf"/answers/{sent['trace_id']}/#w-"))
    expect(line(page, rows["tea"])).to_contain_text("Forgotten since.")
    line(page, rows["tea"]).get_by_role("button", name="Restore").click()
    expect(line(page, rows["tea"])).to_contain_text("Likes tea.")
    page.get_by_role("button", name="Get a reference").click()
    expect(page.locator(".reference")).to_be_visible()
    page.goto("/activity/?what=uses")
    page.get_by_role("button", name="Question this access").click()
    expect(page.locator("#activity")).to_contain_text("Questioned, R-")


def test_on_paper_it_is_what_was_used_and_nothing_to_press(answer, rows):
    expect(answer.get_by_role("button", name="Forget").first).to_be_visible()
    answer.emulate_media(media="print")
    for gone in (".actions", ".top", "#report form", "#ask-again", ".crumb"):
        expect(answer.locator(gone).first).to_be_hidden()
    expect(line(answer, rows["db"]).locator(".statement")).to_be_visible()
    expect(answer.locator("#block pre")).to_be_visible()
