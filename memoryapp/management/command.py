"""What the project's own commands have in common."""

from django.core.checks import Tags
from django.core.management.base import BaseCommand


class OwnCommand(BaseCommand):
    """Begins with the checks of the settings. Pages and templates, which it serves none of, `manage.py check` loads;
    to do so would take a third of a short command's time."""

    requires_system_checks = (Tags.security,)
