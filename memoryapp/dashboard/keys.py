"""The person's own agent keys: made, shown once, revoked at once."""

from uuid import UUID, uuid4

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memoryapp.dashboard.once import first_time
from memoryapp.dashboard.proof import proof_url
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.dashboard.settings_forms import KeyForm
from memoryapp.rendering import leave, page, wants_fragment
from memoryapp.services import personal_keys
from memoryapp.services.switches import scopes_to_name


@personal
@require_http_methods(["GET", "HEAD", "POST"])
def keys(request: PersonRequest) -> HttpResponse:
    """POST makes a key and shows its secret, in this answer and never again. It needs a fresh proof of who asks."""
    scopes = scopes_to_name(actor=request.actor)
    if request.method != "POST":
        return _show(request, KeyForm(scopes=scopes))
    form = KeyForm(request.POST, scopes=scopes)
    if proof_url(request, back="dashboard:keys"):
        return _show(request, form, status=403, focus="proof")
    if not form.is_valid():
        return _show(request, form, status=422)
    given = form.cleaned_data
    with first_time(request) as is_first:
        if not is_first:
            said = _("This key was made already, and shown once. Revoke it if you missed it.")
            return leave(request, reverse("dashboard:keys"), said=said)
        key, secret = personal_keys.create_personal_key(
            given["name"],
            actor=request.actor,
            can_write=given["access"] == "write",
            scopes=given["scopes"] or None,
            expires_at=form.expires_at,
        )
    return _show(request, KeyForm(scopes=scopes), secret=secret, name=key.name, said=_("The key is made. Copy it now."))


@personal
def revoke(request: PersonRequest, key_id: UUID) -> HttpResponse:
    if request.method != "POST":
        return redirect("dashboard:keys")
    personal_keys.revoke_personal_key(key_id, actor=request.actor)
    said = _("Revoked. It opens nothing any more.")
    if wants_fragment(request):
        return _show(request, KeyForm(scopes=scopes_to_name(actor=request.actor)), said=said, focus=f"key-{key_id}")
    return leave(request, reverse("dashboard:keys"), said=said)


def _show(
    request: PersonRequest,
    form: KeyForm,
    *,
    secret: str = "",
    name: str = "",
    said: str = "",
    focus: str = "",
    status: int = 200,
) -> HttpResponse:
    now = timezone.now()
    rows = [(key, key.is_valid_at(now)) for key in personal_keys.personal_keys(actor=request.actor)]
    context = {"rows": rows, "form": form, "secret": secret, "name": name, "once": str(uuid4())}
    context["proof_url"] = proof_url(request, back="dashboard:keys")
    focus = "secret" if secret else focus
    return page(request, "dashboard/keys.html", context, partial="keys", said=said, status=status, focus=focus)
