"""Where the browser of these tests comes from: the machine, Debian's package, or Playwright's own download."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@cache
def chromium() -> str | None:
    """The program's path, installed first where there is none. None for the one that Playwright keeps itself."""
    if found := _on_the_path():
        return found
    if Path("/etc/debian_version").exists() and os.geteuid() == 0 and _is_installed_by_apt():
        return _on_the_path()
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)
    return None


def _on_the_path() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def _is_installed_by_apt() -> bool:
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    steps = (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "chromium"])
    ran = all(subprocess.run(step, env=quiet, stdout=subprocess.DEVNULL).returncode == 0 for step in steps)
    return ran and _on_the_path() is not None
