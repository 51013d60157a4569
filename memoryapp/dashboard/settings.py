"""The settings: what is learned and used, what is never learned, how long things stay, how the page looks."""

from typing import Any
from uuid import UUID

from django.conf import settings as configured
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memoryapp.dashboard.once import first_time
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.dashboard.retention import Asked, rows
from memoryapp.dashboard.settings_forms import PreferencesForm, SubjectForm
from memoryapp.rendering import leave, page, wants_fragment
from memoryapp.services import do_not_learn, personal_keys, preferences, retention, switches
from memoryapp.services.errors import Invalid
from memoryapp.services.retention_rounds import keep_to_limits_of


@personal
@require_safe
def settings(request: PersonRequest) -> HttpResponse:
    return _show(request)


def _show(
    request: PersonRequest,
    *,
    said: str = "",
    focus: str = "",
    subject_form: SubjectForm | None = None,
    preferences_form: PreferencesForm | None = None,
    asked: Asked | None = None,
) -> HttpResponse:
    read = switches.read_switches(actor=request.actor)
    kept = retention.read_limits(actor=request.actor)
    person = request.user
    chosen = {"language": person.language, "time_zone": person.time_zone, "theme": person.theme}
    context: dict[str, Any] = {
        "switches": read,
        "barred": do_not_learn.barred(actor=request.actor),
        "subject_form": subject_form or SubjectForm(scopes=[scope.name for scope in read.scopes]),
        "preferences_form": preferences_form or PreferencesForm(initial=chosen),
        "keys": sum(key.is_valid_at(timezone.now()) for key in personal_keys.personal_keys(actor=request.actor)),
        "zone": timezone.get_current_timezone_name(),
        "kept": list(rows(kept, asked, trace_months=configured.MEMORY_TRACE_MONTHS)),
        "audit_months": configured.MEMORY_AUDIT_MONTHS,
        "stale_days": configured.MEMORY_STALE_AFTER_DAYS,
    }
    has_errors = any(form is not None and form.errors for form in (subject_form, preferences_form))
    status = 422 if has_errors else 200
    return page(request, "dashboard/settings.html", context, partial="settings", said=said, focus=focus, status=status)


def _again(request: PersonRequest, said: str, *, focus: str = "") -> HttpResponse:
    """The settings, read back from the store after a change."""
    if wants_fragment(request):
        return _show(request, said=said, focus=focus)
    return leave(request, _settings(), said=said)


def _settings() -> str:
    return reverse("dashboard:settings")


@personal
def switch(request: PersonRequest, what: str, to: str, scope: str | None = None) -> HttpResponse:
    """Learning or use, in all or in one scope. Switching it to what it is changes nothing."""
    if request.method != "POST":
        return redirect("dashboard:settings")
    act = switches.set_learning if what == "learning" else switches.set_use
    act(to == "on", actor=request.actor, scope=scope)
    return _again(request, _switched(what, to == "on"))


def _switched(what: str, on: bool) -> str:
    if what == "learning":
        return _("Learning is on.") if on else _("Learning is off. What is stored stays as it is.")
    return _("Use is on.") if on else _("Use is off. What is stored stays as it is.")


@personal
def bar(request: PersonRequest) -> HttpResponse:
    """Puts a subject on the do-not-learn list."""
    if request.method != "POST":
        return redirect("dashboard:settings")
    scopes = [scope.name for scope in switches.read_switches(actor=request.actor).scopes]
    form = SubjectForm(request.POST, scopes=scopes)
    if form.is_valid():
        try:
            entry = do_not_learn.bar_subject(
                form.cleaned_data["scope"], form.cleaned_data["subject"], actor=request.actor
            )
        except Invalid:
            form.add_error("subject", _("Name a subject within this scope."))
        else:
            said = _("Nothing is learned about this subject any more. What is remembered of it stays.")
            return _again(request, said, focus=f"barred-{entry.id}")
    return _show(request, subject_form=form)


@personal
def lift(request: PersonRequest, entry_id: UUID) -> HttpResponse:
    if request.method != "POST":
        return redirect("dashboard:settings")
    with first_time(request) as is_first:
        if is_first:
            do_not_learn.lift(entry_id, actor=request.actor)
    return _again(request, _("Taken off the list. It may be learned again."))


@personal
def retain(request: PersonRequest, what: str) -> HttpResponse:
    """How long things stay. Where something has had its time with that, its number is shown first."""
    if request.method != "POST":
        return redirect("dashboard:settings")
    given = request.POST.get("days", "")
    days = int(given) if given.isascii() and given.isdigit() and len(given) < 6 else None
    count = retention.count_past(what, days, actor=request.actor, now=timezone.now())
    if count and str(count) != request.POST.get("expected_count"):
        return _show(request, asked=Asked(what, days, count), focus="asked")
    retention.choose(what, days, expected_count=count, actor=request.actor)
    keep_to_limits_of(request.actor.opened, timezone.now())
    return _again(request, _("Saved."), focus=f"kept-{what}")


@personal
def prefer(request: PersonRequest) -> HttpResponse:
    """Language, time zone and colours; the whole page comes anew with them."""
    if request.method != "POST":
        return redirect("dashboard:settings")
    form = PreferencesForm(request.POST)
    if not form.is_valid():
        return _show(request, preferences_form=form)
    preferences.set_preferences(actor=request.actor, **form.cleaned_data)
    with translation.override(form.cleaned_data["language"] or translation.get_language_from_request(request)):
        return leave(request, _settings(), said=_("Saved."))
