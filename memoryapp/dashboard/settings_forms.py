"""What a person may set: checked for form here, decided by the services."""

from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from functools import cache
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.forms.utils import flatatt
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from memoryapp.dashboard import wording
from memoryapp.dashboard.forms import SUBJECT_LENGTH, Visible

SCOPE_LENGTH, NAME_LENGTH = 128, 128


@cache
def zones() -> list[tuple[str, str]]:
    """The time zones by place, without the abbreviations and the tables of operating systems."""
    places = sorted(name for name in available_timezones() if "/" in name and not name.startswith(("Etc/", "SystemV/")))
    return [("UTC", "UTC"), *((name, name.replace("_", " ")) for name in places)]


_UNSET = "auto"


def _chosen(value: str) -> str:
    return "" if value == _UNSET else value


class LongSelect(forms.Select):
    """Hundreds of options, written without a template for each: those would take most of the page's time."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        chosen = self.format_value(value)
        options = format_html_join(
            "\n",
            '<option value="{}"{}>{}</option>',
            ((key, flatatt({"selected": str(key) in chosen}), label) for key, label in self.choices),
        )
        around = self.build_attrs(self.attrs, {"name": name, **(attrs or {})})
        return format_html("<select{}>\n{}\n</select>", flatatt(around), options)


class PreferencesForm(forms.Form):
    """Language, time zone and colours; `auto` is nothing of one's own."""

    language = forms.TypedChoiceField(label=_("Language"), coerce=_chosen, empty_value="")
    time_zone = forms.TypedChoiceField(label=_("Time zone"), coerce=_chosen, empty_value="", widget=LongSelect)
    theme = forms.ChoiceField(label=_("Colours"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["language"]
        field.choices = [(_UNSET, _("As in the browser")), *settings.LANGUAGES]
        field = self.fields["time_zone"]
        field.choices = [(_UNSET, _("As in the browser")), *zones()]
        field = self.fields["theme"]
        field.choices = [
            (User.Theme.SYSTEM, _("As the device")),
            (User.Theme.LIGHT, _("Light")),
            (User.Theme.DARK, _("Dark")),
        ]


class SubjectForm(forms.Form):
    """A subject that is not to be learned about."""

    subject = Visible(label=_("Subject"), max_length=SUBJECT_LENGTH)
    scope = forms.ChoiceField(label=_("Scope"))

    def __init__(self, *args: Any, scopes: Iterable[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["scope"]
        field.choices = [(name, wording.scope(name)) for name in scopes]


class ScopeNameForm(forms.Form):
    name = forms.CharField(label=_("New name"), max_length=SCOPE_LENGTH)


class KeyForm(forms.Form):
    """A personal key. No scope chosen means all of them, also those to come."""

    name = Visible(label=_("Name"), max_length=NAME_LENGTH)
    access = forms.ChoiceField(label=_("What it may do"), choices=[("write", ""), ("read", "")], initial="write")
    scopes = forms.MultipleChoiceField(label=_("Scopes"), required=False)
    expires_on = forms.DateField(label=_("Good until"), required=False, widget=forms.DateInput(attrs={"type": "date"}))

    def __init__(self, *args: Any, scopes: Iterable[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["scopes"]
        field.choices = [(name, wording.scope(name)) for name in scopes]

    def clean_expires_on(self) -> Any:
        day = self.cleaned_data["expires_on"]
        if day is not None and not timezone.localdate() <= day <= timezone.localdate() + timedelta(days=36_500):
            raise ValidationError(_("Choose a day that is still to come."))
        return day

    @property
    def expires_at(self) -> datetime | None:
        """The end of the chosen day in the person's zone."""
        day = self.cleaned_data["expires_on"]
        if day is None:
            return None
        return timezone.make_aware(datetime.combine(day + timedelta(days=1), time.min)).astimezone(UTC)
