"""What a person may write into a memory: checked for form here, decided by the services."""

from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memoryapp.dashboard import wording
from memoryapp.policy.normal import normal_form
from memoryapp.policy.types import DURABLE_KINDS

TEXT_LENGTH, SUBJECT_LENGTH, REASON_LENGTH, ALIAS_LENGTH, MOST_ALIASES = 2_000, 200, 2_000, 80, 20


class Visible(forms.CharField):
    """Text with something to see in it, not only spaces or marks."""

    def clean(self, value: Any) -> str:
        text = str(super().clean(value))
        if text and not normal_form(text):
            raise ValidationError(self.error_messages["required"], code="required")
        return text


class MemoryForm(forms.Form):
    """A memory's own words and its slot. `kinds` and `scopes` are the names to choose from."""

    text = Visible(label=_("Text"), max_length=TEXT_LENGTH, widget=forms.Textarea)
    kind = forms.ChoiceField(label=_("Kind"))
    subject = Visible(label=_("Subject"), max_length=SUBJECT_LENGTH)
    scope = forms.ChoiceField(label=_("Scope"))
    aliases = forms.CharField(label=_("Other names"), required=False, max_length=MOST_ALIASES * (ALIAS_LENGTH + 2))
    expires_on = forms.DateField(label=_("Good until"), required=False, widget=forms.DateInput(attrs={"type": "date"}))
    reason = forms.CharField(
        label=_("Why"),
        required=False,
        max_length=REASON_LENGTH,
        widget=forms.Textarea(attrs={"class": "input input-plain", "rows": 2}),
    )

    def __init__(self, *args: Any, scopes: Iterable[str], kinds: Iterable[str] = DURABLE_KINDS, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choice: Any = self.fields["kind"]
        choice.choices = [(name, wording.kind(name)) for name in kinds]
        choice = self.fields["scope"]
        choice.choices = [(name, wording.scope(name)) for name in scopes]

    def clean_text(self) -> str:
        return str(self.cleaned_data["text"]).replace("\r\n", "\n")

    def clean_aliases(self) -> tuple[str, ...]:
        names = [name.strip() for name in self.cleaned_data["aliases"].replace("،", ",").split(",")]
        kept = tuple(dict.fromkeys(name for name in names if name))
        if len(kept) > MOST_ALIASES:
            raise ValidationError(_("At most %(n)s other names."), params={"n": MOST_ALIASES})
        if any(len(name) > ALIAS_LENGTH for name in kept):
            raise ValidationError(_("At most %(n)s characters for each name."), params={"n": ALIAS_LENGTH})
        return kept

    @property
    def expires_at(self) -> datetime | None:
        """The end of the chosen day in the person's zone."""
        day = self.cleaned_data["expires_on"]
        if day is None:
            return None
        return timezone.make_aware(datetime.combine(day + timedelta(days=1), time.min)).astimezone(UTC)

    def clean_expires_on(self) -> Any:
        day = self.cleaned_data["expires_on"]
        # A day at the end of the calendar has no end in every zone.
        if day is not None and day.year > 9000:
            raise ValidationError(_("Choose an earlier day."))
        return day


def last_day(expires_at: datetime | None) -> str:
    """The day that a field shows for it: the last one on which it holds, in the person's zone."""
    if expires_at is None:
        return ""
    return timezone.localtime(expires_at - timedelta(microseconds=1)).date().isoformat()
