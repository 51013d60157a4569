"""The service's settings with a data folder that lasts as long as the test run, so that runs do not meet.

DATABASE_URL may name a server instead, whose role may create databases.
"""

import atexit
import os
import shutil
import sys
import tempfile
import uuid
from pathlib import Path

# Where this is set, each worker and each service that is started compiles the whole project anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

_IN_MEMORY = Path("/dev/shm")
_ENOUGH = 4_000_000_000
"""Bytes that hold the data folders of all workers."""

_has_room = os.access(_IN_MEMORY, os.W_OK) and shutil.disk_usage(_IN_MEMORY).free > _ENOUGH
TEMPORARY = _IN_MEMORY if _has_room else Path(tempfile.gettempdir())
"""Where data folders lie, which make and remove files by the hundred: in memory, if there is enough of it."""

DATA = TEMPORARY / f"memory-test-{uuid.uuid4().hex[:12]}"
os.environ["MEMORY_DATA_DIR"] = str(DATA)
# A provider that nothing answers for: its tests answer themselves.
os.environ |= {
    "MEMORY_OIDC_SERVER_URL": "https://login.example.org",
    "MEMORY_OIDC_CLIENT_ID": "memory",
    "MEMORY_OIDC_CLIENT_SECRET": "s3cret-value",
    "MEMORY_OIDC_NAME": "Example",
    # Words alone, unless a test says otherwise: most ask about something else.
    "MEMORY_EMBEDDER": "none",
}
atexit.register(shutil.rmtree, DATA, ignore_errors=True)

from memoryapp.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
