"""What would be recalled: the retrieval policy at work on a request, without asking anybody and without a trace."""

import math
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from memoryapp.dashboard import candidates
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.policy.types import PERSONAL
from memoryapp.rendering import page, wants_fragment
from memoryapp.services import switches
from memoryapp.services.meaning import model_in_use
from memoryapp.services.rehearse import rehearse
from memoryapp.services.retrieving import DEFAULT_BUDGET_TOKENS, ContextRequest

_LONGEST_REQUEST = 2_000
MOST_TOKENS, TOKENS_STEP = 4_000, 50


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked at: a request (empty: the opening of a conversation), scopes, a budget in tokens, a floor."""

    q: str
    scopes: tuple[str, ...]
    budget: int
    floor: float

    @classmethod
    def of(cls, request: HttpRequest, known: set[str]) -> "Wanted":
        """Of the address. What means nothing there is left out; numbers stay within the sliders."""
        budget = _number(request.GET.get("budget"), DEFAULT_BUDGET_TOKENS)
        floor = _number(request.GET.get("floor"), settings.MEMORY_FLOOR)
        return cls(
            q=request.GET.get("q", "").strip()[:_LONGEST_REQUEST],
            scopes=tuple(dict.fromkeys(name for name in request.GET.getlist("scope") if name in known)),
            budget=int(min(max(budget, 0), MOST_TOKENS)),
            floor=round(min(max(floor, 0), 1), 2),
        )

    @property
    def url(self) -> str:
        pairs = [("q", self.q), *(("scope", name) for name in self.scopes)]
        pairs += [("budget", str(self.budget)), ("floor", f"{self.floor:.2f}")]
        return f"{reverse('dashboard:preview')}?{urlencode(pairs)}"


def _number(text: str | None, otherwise: float) -> float:
    try:
        number = float(text or "")
    except ValueError:
        return otherwise
    return number if math.isfinite(number) else otherwise


@personal
@require_safe
def preview(request: PersonRequest) -> HttpResponse:
    scopes = [scope for scope in switches.read_switches(actor=request.actor).scopes if scope.name != PERSONAL]
    wanted = Wanted.of(request, {scope.name for scope in scopes})
    response = page(request, "dashboard/preview.html", _context(request, wanted, scopes), partial="outcome")
    if wants_fragment(request):
        response["HX-Replace-Url"] = wanted.url
    return response


def _context(request: PersonRequest, wanted: Wanted, scopes: list[switches.ScopeSwitches]) -> dict[str, Any]:
    asked = ContextRequest(
        scopes=wanted.scopes, query=wanted.q or None, budget_tokens=wanted.budget, floor=wanted.floor
    )
    outcome = rehearse(asked, actor=request.actor)
    shown = candidates.candidates(outcome.verdicts, floor=wanted.floor)
    sent = [one for one in shown if one.is_sent]
    left_out = [one for one in shown if not one.is_sent and one.is_near]
    untouched = [one for one in shown if not one.is_near]
    return {
        "wanted": wanted,
        "scopes": scopes,
        "is_off": outcome.notice == "use_off",
        # Where nobody makes vectors nothing is amiss for the moment.
        "is_by_words": outcome.notice == "lexical_only" and bool(model_in_use()),
        "sent": sent,
        "left_out": left_out[: candidates.MOST_SHOWN],
        "left_out_count": outcome.offered - len(sent),
        "untouched": untouched[: candidates.MOST_SHOWN],
        "untouched_count": outcome.offered - len(sent) - len(left_out),
        "funnel": candidates.funnel(outcome, has_request=bool(wanted.q)),
        "paused": outcome.withheld["paused"],
        "stale": outcome.withheld["stale"],
        "outcome": outcome,
        "room": min(100, round(100 * outcome.tokens / wanted.budget)) if wanted.budget else 0,
        "most_tokens": MOST_TOKENS,
        "tokens_step": TOKENS_STEP,
        "longest": _LONGEST_REQUEST,
    }
