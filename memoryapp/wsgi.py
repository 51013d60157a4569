import gc
import os
import signal

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from memoryapp.process import END_WITH_PARENT, end_with_parent
from memoryapp.tokens import count_tokens

if os.environ.get(END_WITH_PARENT):
    end_with_parent(signal.SIGKILL)
    # Until the worker listens to signals itself, it has its parent's answer to them, which would let it go on.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

# What is loaded from here on stays: to go through it again and again while it grows takes a tenth of the start.
gc.disable()

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
application = get_wsgi_application()

from memoryapp.services.erase_jobs import start  # noqa: E402 - it has models, which are there by now

# What an earlier process was erasing goes on.
start()

# Views and vocabularies take a second each to load: the worker waits for them, and not its first caller.
get_resolver().url_patterns  # noqa: B018 - is read when it is first asked for
count_tokens("")

from memoryapp.services import embed_later  # noqa: E402 - needs the settings

embed_later.start()

# Nor does the collector go through it in the midst of calls, which would stand still for 0.2 s.
gc.collect()
gc.freeze()
gc.enable()
