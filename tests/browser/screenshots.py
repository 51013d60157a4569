"""`make screenshots`: a few pictures of the demo people's pages into docs/screenshots, for the README."""

import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

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


@contextmanager
def demo() -> Iterator[str]:
    """The demo service on a folder of its own; the value is Ada's one-time link."""
    with tempfile.TemporaryDirectory(prefix="memory-pictures-") as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        # The database's account has to reach the folder too.
        os.chmod(folder, 0o755)
        service = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--port", str(port), "--workers", "1"],
            cwd=BASE,
            env=os.environ | {"MEMORY_DATA_DIR": f"{folder}/data"},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert service.stdout is not None
        try:
            yield next(link[0] for line in service.stdout if (link := re.search(r"http://\S+/sign-in/link/\S+", line)))
        finally:
            service.terminate()
            service.wait()


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with demo() as link, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(ARGS))
        context = browser.new_context(locale="en-GB", timezone_id="Europe/Amsterdam", reduced_motion="reduce")
        page = context.new_page()
        page.goto(link)
        page.get_by_role("main").get_by_role("button").first.click()
        page.wait_for_url("**/memories/**")
        home = link.partition("/sign-in/")[0]
        for name, address, size, scheme in PICTURES:
            page.set_viewport_size(size)
            page.emulate_media(color_scheme=scheme)
            page.goto(home + address, wait_until="networkidle")
            page.screenshot(path=FOLDER / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
