import os
import signal

from django.core.wsgi import get_wsgi_application

from memoryapp.process import END_WITH_PARENT, end_with_parent

if os.environ.get(END_WITH_PARENT):
    end_with_parent(signal.SIGKILL)

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
application = get_wsgi_application()
