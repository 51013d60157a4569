"""Where in the list of answers a person is: filters and page, all of it in the address."""

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any, cast, get_args
from urllib.parse import urlencode
from uuid import UUID

from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone

from memoryapp.services.answer_list import AnswerFilters, Outcome

_LONGEST_QUERY, _LONGEST_NAME, _LONGEST_CURSOR = 400, 128, 400


@dataclass(frozen=True)
class AnswersPlace:
    """`since` is a day in the person's zone. What an address holds that means nothing is left out."""

    q: str = ""
    agent: UUID | None = None
    scope: str | None = None
    outcome: Outcome | None = None
    since: date | None = None
    cursor: str | None = None

    @classmethod
    def of_query(cls, query: QueryDict) -> "AnswersPlace":
        outcome = query.get("outcome")
        try:
            agent = UUID(query.get("agent", ""))
        except ValueError:
            agent = None
        return cls(
            q=query.get("q", "").strip()[:_LONGEST_QUERY],
            agent=agent,
            scope=(query.get("scope") or "")[:_LONGEST_NAME] or None,
            outcome=cast(Outcome, outcome) if outcome in get_args(Outcome) else None,
            since=day_of(query.get("since", "")),
            cursor=(query.get("older") or "")[:_LONGEST_CURSOR] or None,
        )

    @property
    def filters(self) -> AnswerFilters:
        since = timezone.make_aware(datetime.combine(self.since, time.min)) if self.since else None
        return AnswerFilters(self.q, self.agent, self.scope, self.outcome, since)

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """The filters that the search form carries along unseen."""
        pairs = [(name, getattr(self, name)) for name in ("agent", "scope", "outcome", "since")]
        return [(name, str(value)) for name, value in pairs if value]

    @property
    def kept(self) -> str:
        """`q=tea&scope=atlas`: what stays from page to page."""
        return urlencode([*([("q", self.q)] if self.q else []), *self.hidden])

    @property
    def query(self) -> str:
        """`?q=tea&older=…`, or empty: the one spelling of this place."""
        older = urlencode({"older": self.cursor}) if self.cursor else ""
        whole = "&".join(part for part in (self.kept, older) if part)
        return f"?{whole}" if whole else ""

    @property
    def url(self) -> str:
        return reverse("dashboard:answers") + self.query

    def narrowed(self, **changes: Any) -> "AnswersPlace":
        """The first page with these filters instead."""
        return replace(self, cursor=None, **changes)


def day_of(text: str) -> date | None:
    """The day that an address names, None for none."""
    try:
        day = date.fromisoformat(text[:10])
    except ValueError:
        return None
    # The days around the ends of the calendar have no instant in every zone.
    return day if date.min + timedelta(days=2) < day < date.max - timedelta(days=2) else None
