"""`make screenshots`: a few pictures of the demo people's pages into docs/screenshots, for the README and the docs."""

import base64
import hmac
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.chromium import ARGS, chromium

BASE = Path(__file__).resolve().parents[2]
FOLDER = BASE / "docs" / "screenshots"
WIDE, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
PICTURES = [
    ("memories", "/memories/?q=atlas", WIDE, "light"),
    ("memories-dark", "/memories/?q=atlas", WIDE, "dark"),
    ("memories-phone", "/memories/", PHONE, "light"),
    ("review", "/review/", WIDE, "light"),
    ("preview", "/preview/?q=which+database+does+atlas+use&scope=atlas", WIDE, "light"),
]


DESK = {"width": 1040, "height": 680}
ANSWER = "ans_ada_004"


@dataclass
class Demo:
    """The demo service. `said` grows with what it writes, its mails among it."""

    home: str = ""
    link: str = ""
    said: list[str] = field(default_factory=list)

    def wait_for(self, pattern: str, since: int = 0) -> str:
        for _ in range(2_000):
            found = re.search(pattern, "".join(self.said[since:]), re.MULTILINE)
            if found:
                return found[1]
            time.sleep(0.1)
        raise TimeoutError(pattern)


@contextmanager
def demo() -> Iterator[Demo]:
    """The demo service on a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="memory-pictures-") as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        # The database's account has to reach the folder too.
        os.chmod(folder, 0o755)
        service = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--port", str(port), "--workers", "1"],
            cwd=BASE,
            env=os.environ | {"MEMORY_DATA_DIR": f"{folder}/data", "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            text=True,
        )
        stdout = service.stdout
        assert stdout is not None
        running = Demo()
        Thread(target=lambda: running.said.extend(stdout), daemon=True).start()
        try:
            running.link = running.wait_for(r"(http://\S+/sign-in/link/\S+)")
            running.home = running.link.partition("/sign-in/")[0]
            yield running
        finally:
            service.terminate()
            service.wait()


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with demo() as running, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(ARGS))
        hers = person(browser, running)
        page = hers.pages[0]
        for name, address, size, scheme in PICTURES:
            page.set_viewport_size(size)
            page.emulate_media(color_scheme=scheme)
            page.goto(running.home + address, wait_until="networkidle")
            page.screenshot(path=FOLDER / f"{name}.png")
        page.emulate_media(color_scheme="light")
        desk(browser, running, page)
        browser.close()


def new_context(browser: Browser) -> BrowserContext:
    return browser.new_context(locale="en-GB", timezone_id="Europe/Amsterdam", reduced_motion="reduce")


def person(browser: Browser, running: Demo) -> BrowserContext:
    """Ada, signed in by the link that the service prints."""
    context = new_context(browser)
    page = context.new_page()
    page.goto(running.link)
    page.get_by_role("main").get_by_role("button").first.click()
    page.wait_for_url("**/memories/**")
    return context


def staff(browser: Browser, running: Demo, email: str) -> Page:
    """A staff member at the desk: the code by e-mail, then an app as the second step, used once."""
    page = new_context(browser).new_page()
    page.set_viewport_size(DESK)
    since = len(running.said)
    page.goto(f"{running.home}/sign-in")
    page.locator("input[name=login]").fill(email)
    page.locator("form:has(input[name=login]) button").first.click()
    page.locator("input[name=code]").fill(running.wait_for(r"^ {4}([A-Z]{4}-[A-Z]{4})$", since))
    page.locator("form:has(input[name=code]) button").first.click()
    page.wait_for_url("**/memories/**")
    page.goto(f"{running.home}/settings/sign-in/app/add/")
    secret = page.locator(".secret").first.inner_text().strip()
    page.locator("input[name=code]").fill(_number(secret))
    page.locator("form:has(input[name=code]) button").first.click()
    page.goto(f"{running.home}/confirm/app?next=/support/")
    page.locator("input[name=code]").fill(_number(secret, ahead=1))
    page.locator("form:has(input[name=code]) button").first.click()
    page.wait_for_url("**/support/**")
    return page


def _number(secret: str, ahead: int = 0) -> str:
    """What the app shows now, or in the next half minute: each is good once (RFC 6238)."""
    counter = (int(time.time()) // 30 + ahead).to_bytes(8)
    digest = hmac.digest(base64.b32decode(secret), counter, "sha1")
    start = digest[-1] & 15
    return f"{(int.from_bytes(digest[start : start + 4]) & 0x7FFFFFFF) % 1_000_000:06}"


def desk(browser: Browser, running: Demo, hers: Page) -> None:
    """From a ticket to its cause, in the order of `docs/from-ticket-to-cause.md`."""
    hers.set_viewport_size(DESK)
    page = staff(browser, running, "sol@example.org")

    def shoot(at: Page, name: str) -> None:
        at.wait_for_load_state("networkidle")
        at.screenshot(path=FOLDER / f"desk-{name}.png")

    page.locator("#name").fill(ANSWER)
    shoot(page, "1-look-up")
    page.get_by_role("main").get_by_role("button", name="Look up").click()
    shoot(page, "2-record")
    page.locator("#ask").click()
    page.get_by_label("An answer was wrong").check()
    page.get_by_label("Ticket").fill("T-4711")
    page.get_by_label("Its conversation too").check()
    shoot(page, "3-ask")
    page.get_by_role("main").get_by_role("button", name="Ask to read").click()
    page.get_by_role("button", name="Show the request").click()
    page.get_by_role("button", name=re.compile("sent$")).click()
    row = page.locator("li", has_text="deployed").first
    row.get_by_role("button", name="Where it comes from").click()
    row.locator(".quote").scroll_into_view_if_needed()
    shoot(page, "4-shown")
    page.locator("#again").click()
    page.locator(".diff").last.scroll_into_view_if_needed()
    shoot(page, "5-then-and-now")
    page.go_back()
    page.locator("#log").click()
    shoot(page, "6-decisions")
    page.go_back()
    page.locator("li", has_text="deployed").first.get_by_role("link", name="Propose a change").click()
    page.get_by_label("Corrected").fill("Atlas is deployed on Tuesdays at ten, never before a holiday.")
    shoot(page, "7-propose")
    page.get_by_role("button", name="Go ahead").click()
    page.wait_for_url("**/traces/**")
    hers.goto(f"{running.home}/review/")
    shoot(hers, "8-review")
    hers.goto(f"{running.home}/activity/?what=views")
    shoot(hers, "9-activity")
    supervisor = staff(browser, running, "vis@example.org")
    supervisor.goto(f"{running.home}/support/audit/?check=chains")
    shoot(supervisor, "10-audit")


if __name__ == "__main__":
    main()
