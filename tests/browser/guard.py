"""What no test may cause unseen: an error in the console, a content policy report, a request to another host."""

import re
from dataclasses import dataclass, field

from playwright.sync_api import BrowserContext, ConsoleMessage, Dialog, Request

_REPORTS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`Content policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""
_INNER = ("data:", "blob:", "about:")


@dataclass
class Guard:
    """`expect` says beforehand which complaint a test provokes; it must then come."""

    home: str
    complaints: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)

    def watch(self, context: BrowserContext) -> None:
        context.add_init_script(_REPORTS)
        context.on("console", self._on_console)
        context.on("weberror", lambda error: self.complaints.append(f"uncaught: {error.error}"))
        context.on("dialog", self._on_dialog)
        context.on("request", self._on_request)

    def expect(self, pattern: str) -> None:
        self.expected.append(pattern)

    def require_silence(self) -> None:
        assert self.elsewhere == [], f"requests to other hosts: {self.elsewhere}"
        left = [said for said in self.complaints if not any(re.search(one, said) for one in self.expected)]
        assert left == [], f"the browser complained: {left}"
        missed = [one for one in self.expected if not any(re.search(one, said) for said in self.complaints)]
        assert missed == [], f"the browser did not complain of {missed}, but of {self.complaints}"

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _on_dialog(self, dialog: Dialog) -> None:
        if dialog.type == "beforeunload":
            dialog.accept()
            return
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _on_request(self, request: Request) -> None:
        if not request.url.startswith((f"{self.home}/", *_INNER)):
            self.elsewhere.append(request.url)
