"""What was proposed about the person and refused, with the rule that said no."""

from collections.abc import Mapping
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memoryapp.dashboard import wording
from memoryapp.dashboard.facets import Choice, Facet
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.rendering import page
from memoryapp.services import refused
from memoryapp.services.errors import Invalid


@personal
@require_safe
def not_remembered(request: PersonRequest) -> HttpResponse:
    rule, cursor = request.GET.get("rule") or None, request.GET.get("older") or None
    if rule not in (None, *wording.RULES):
        return redirect("dashboard:not_remembered")
    try:
        found = refused.not_remembered(actor=request.actor, rule=rule, cursor=cursor)
    except Invalid:
        return redirect("dashboard:not_remembered")
    context = {
        "found": found,
        "cursor": cursor or "",
        "kept": urlencode({"rule": rule}) if rule else "",
        "facets": [_facet(found.rules, rule)] if len(found.rules) > 1 or rule else [],
        "chosen": [wording.RULES_SHORT.get(rule, rule)] if rule else [],
    }
    return page(request, "dashboard/not_remembered.html", context, partial="refused")


def _facet(rules: Mapping[str, int], chosen: str | None) -> Facet:
    to = reverse("dashboard:not_remembered")
    choices = [Choice("f-rule", _("All"), to, sum(rules.values()), chosen is None)]
    # The chosen one stays, also when its last refusal is gone.
    for rule in dict.fromkeys([*rules, *([chosen] if chosen else [])]):
        label = str(wording.RULES_SHORT.get(rule, rule))
        choices.append(
            Choice(f"f-rule-{rule}", label, f"{to}?{urlencode({'rule': rule})}", rules.get(rule, 0), rule == chosen)
        )
    return Facet("rule", _("Why not"), tuple(choices))
