"""The SECRET_KEY of an installation that was given none: made once, kept in the data folder, readable by us alone."""

import os
import secrets

from memoryapp.database.folders import make_data_folder
from memoryapp.database.paths import Paths
from memoryapp.env import WrongSetting
from memoryapp.refusal import Refused

SHORTEST = 50
"""Characters, as Django's deployment check wants them."""


def read_or_make_secret(paths: Paths) -> str:
    """The same secret for every process of this installation, also when several start at once."""
    try:
        make_data_folder(paths)
        if not paths.secret_key.exists():
            fresh = paths.data / f"secret_key.{os.getpid()}.{secrets.token_hex(4)}"
            with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(secrets.token_urlsafe(64))
            try:
                os.link(fresh, paths.secret_key)
            except FileExistsError:
                pass
            finally:
                fresh.unlink()
        return paths.secret_key.read_text().strip()
    except Refused as error:
        raise WrongSetting(f"MEMORY_DATA_DIR: {error}") from error
    except OSError as error:
        raise WrongSetting(f"MEMORY_DATA_DIR: {error.filename} cannot be used: {error.strerror}.") from error
