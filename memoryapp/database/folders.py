"""Makes the folders of an installation and gives them to the right account.

PostgreSQL does not run as root, so that root lends it an unprivileged account. Only folders that were made here change
their owner or mode; what was there before is used as it is, or refused.
"""

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

from memoryapp.database.paths import Paths
from memoryapp.refusal import Refused


@dataclass(frozen=True, slots=True)
class Account:
    """The unprivileged account that the server runs as."""

    name: str
    uid: int
    gid: int


def server_account(paths: Paths) -> Account | None:
    """None when we are not root and the server runs as ourselves. Else the owner of the cluster, if there is one."""
    if os.geteuid() != 0:
        return None
    if paths.cluster.exists() and (owner := paths.cluster.stat().st_uid):
        return _account(pwd.getpwuid(owner)) if _known(owner) else Account(str(owner), owner, owner)
    for name in ("postgres", "nobody"):
        try:
            return _account(pwd.getpwnam(name))
        except KeyError:
            continue
    raise Refused("PostgreSQL does not run as root, and there is no account 'postgres' or 'nobody' to lend it.")


def make_data_folder(paths: Paths) -> None:
    """Makes the data folder, entered by us alone, or by us and the server's account. Leaves an existing one alone."""
    try:
        if not paths.data.is_dir():
            paths.data.mkdir(mode=0o700, parents=True)
            if account := server_account(paths):
                os.chown(paths.data, -1, account.gid)
                paths.data.chmod(0o710)
    except OSError as error:
        raise Refused(f"The data folder {paths.data} cannot be made: {error.strerror}.") from error


def make_private_folder(path: Path, account: Account | None) -> None:
    """Makes a folder for the server's account alone. An existing one must be just that: no link, nobody else's."""
    owner = account.uid if account else os.geteuid()
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != owner or found.st_mode & 0o077:
            raise Refused(
                f"{path} must be a folder that only {account.name if account else 'you'} may enter; it is not."
            ) from None
        return
    except OSError as error:
        raise Refused(f"{path} cannot be made: {error.strerror}.") from error
    if account:
        os.chown(path, account.uid, account.gid)


def _known(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


def _account(entry: pwd.struct_passwd) -> Account:
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)
