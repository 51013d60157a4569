"""What a person does and sees in the list."""

from typing import Any

from playwright.sync_api import Locator, Page, expect

LIST = "/memories/"


def row(page: Page, text: str) -> Locator:
    """The row that states it. What it was said with, below, may be other words."""
    return rows(page).filter(has=page.locator(".statement", has_text=text))


def rows(page: Page) -> Locator:
    return page.locator("#memories li[data-row]")


def forget(page: Page, text: str) -> None:
    """Presses Forget beside it and waits until the row has gone."""
    row(page, text).get_by_role("button", name="Forget").click()
    expect(row(page, text)).to_have_count(0)


def count(page: Page) -> Locator:
    return page.locator(".countline b").first


def facet(page: Page, name: str) -> Locator:
    return page.locator(f"#f-{name} .n")


def search(page: Page, text: str) -> None:
    """Types it as a person does and waits until the list is about it."""
    field = page.locator("#q")
    field.fill("")
    field.press_sequentially(text)
    expect(page.locator(".countline")).to_contain_text(text)


def focused(page: Page) -> dict[str, Any]:
    """The element that has the focus: its name, id and text."""
    return page.evaluate(
        """() => {
            const at = document.activeElement;
            return {tag: at.tagName, id: at.id, text: (at.innerText || at.value || "").trim()};
        }"""
    )  # type: ignore[no-any-return]
