"""The answers: what assistants asked on the person's behalf, and whether anything of them was used."""

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from memoryapp.dashboard import wording
from memoryapp.dashboard.answers_place import AnswersPlace
from memoryapp.dashboard.facets import Choice, Facet
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.rendering import page, wants_fragment
from memoryapp.services import answer_list
from memoryapp.services.errors import Invalid


@personal
@require_safe
def answers(request: PersonRequest) -> HttpResponse:
    place = AnswersPlace.of_query(request.GET)
    try:
        found = answer_list.answers(place.filters, actor=request.actor, cursor=place.cursor)
    except Invalid:
        return redirect(place.narrowed().url)
    context = {
        "place": place,
        "found": found,
        "facets": [facet for facet in _facets(place, found) if facet.choices],
        "chosen": list(_chosen(place, found)),
        "cursor": place.cursor or "",
        "kept_months": settings.MEMORY_TRACE_MONTHS,
    }
    said = ""
    if wants_fragment(request):
        said = ngettext("%(n)s answer matches.", "%(n)s answers match.", found.count) % {"n": found.count}
    response = page(request, "dashboard/answers.html", context, partial="answers", said=said)
    if wants_fragment(request) and request.headers.get("HX-Source") == "form#search":
        response["HX-Replace-Url"] = place.url
    return response


def _outcomes() -> dict[answer_list.Outcome, str]:
    return {"used": _("Memories were used"), "nothing": _("No memory was used"), "reported": _("Reported by you")}


def _facets(place: AnswersPlace, found: answer_list.Answers) -> Iterator[Facet]:
    yield Facet(
        "outcome",
        _("What was used"),
        tuple(
            _choice(place, "outcome", outcome, label, f"f-outcome-{outcome}") for outcome, label in _outcomes().items()
        ),
    )
    agents = [(key_id, name) for key_id, name, _n in found.agents]
    if len(agents) > 1 or place.agent:
        choices = (_choice(place, "agent", key_id, name, f"f-agent-{key_id}") for key_id, name in agents)
        yield Facet("agent", _("Assistant"), tuple(choices))
    if len(found.scopes) > 1 or place.scope:
        names = [name for name, _n in found.scopes]
        choices = (_choice(place, "scope", name, wording.scope(name), f"f-scope-{name}") for name in names)
        yield Facet("scope", _("Scope"), tuple(choices))
    today = timezone.localdate()
    spans = {7: _("In the last 7 days"), 30: _("In the last 30 days"), 365: _("In the last year")}
    choices = (
        _choice(place, "since", today - timedelta(days=days), label, f"f-since-{days}") for days, label in spans.items()
    )
    yield Facet("since", _("Asked"), tuple(choices))


def _choice(place: AnswersPlace, name: str, value: object, label: str, element_id: str) -> Choice:
    """Chosen, it leads back to where it is not."""
    is_chosen = getattr(place, name) == value
    to = place.narrowed(**{name: None if is_chosen else value})
    return Choice(element_id, label, to.url, None, is_chosen)


def _chosen(place: AnswersPlace, found: answer_list.Answers) -> Iterator[str]:
    if place.outcome:
        yield _outcomes()[place.outcome]
    if place.agent:
        yield next((name for key_id, name, _n in found.agents if key_id == place.agent), _("another assistant"))
    if place.scope:
        yield wording.scope(place.scope)
    if place.since:
        yield _("since %(day)s") % {"day": place.since.isoformat()}
