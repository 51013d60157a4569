"""Where in the list a person is: filters, sort and page, all of it in the address, so that it survives everything."""

from dataclasses import dataclass, replace
from datetime import date, datetime, time
from functools import cached_property
from typing import Any, Literal, cast, get_args
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils import timezone

from memoryapp.dashboard.answers_place import AnswersPlace, day_of
from memoryapp.services.finding import Direction
from memoryapp.services.matching import ORIGINS, STATUSES, PageFilters, Sort

AT = "at"
_LONGEST_PLACE = 8_000
_LONGEST_QUERY = 400
_LONGEST_VALUE = 128
_ALL_ANSWERS = AnswersPlace()
_NAMES = ("scope", "kind", "origin", "status")
_KNOWN = {"origin": ORIGINS, "status": STATUSES}


@dataclass(frozen=True)
class Place:
    """`since` is a day in the person's zone. What an address holds that means nothing is left out.

    From an `answer` it is that answer instead, with the place in the list of answers that it was opened from.
    """

    filters: PageFilters
    since: date | None = None
    cursor: str | None = None
    direction: Direction = "older"
    answer: UUID | None = None
    answers: AnswersPlace = _ALL_ANSWERS

    @classmethod
    def of(cls, request: HttpRequest) -> "Place":
        """Of the address, or where a form brings it along as `at`, so that it comes back to the same place."""
        at = request.POST.get(AT) if request.method == "POST" else None
        return cls.of_query(request.GET if at is None else QueryDict(at.removeprefix("?")[:_LONGEST_PLACE]))

    @classmethod
    def of_query(cls, query: QueryDict) -> "Place":
        if answer := _id(query.get("answer", "")):
            return cls.at_answer(answer, AnswersPlace.of_query(QueryDict(query.get("list", "")[:_LONGEST_PLACE])))
        since = day_of(query.get("since", ""))
        sort, use = query.get("sort"), query.get("use")
        named: dict[str, Any] = {name: _named(name, query.get(name, "")) for name in _NAMES}
        filters = PageFilters(
            q=query.get("q", "").strip()[:_LONGEST_QUERY],
            **named,
            use=cast(Literal["used", "never"], use) if use in ("used", "never") else None,
            since=timezone.make_aware(datetime.combine(since, time.min)) if since else None,
            new=query.get("new") == "1",
            sort=cast(Sort, sort) if sort in get_args(Sort) else "said",
        )
        newer = query.get("newer")
        return cls(filters, since, newer or query.get("older") or None, "newer" if newer else "older")

    @classmethod
    def at_answer(cls, answer: UUID, answers: AnswersPlace) -> "Place":
        return cls(PageFilters(), answer=answer, answers=answers)

    @cached_property
    def query(self) -> str:
        """`?q=tea&scope=atlas&older=…`, or empty: the one spelling of this place."""
        if self.answer:
            kept = self.answers.query.removeprefix("?")
            return f"?{urlencode({'answer': self.answer, **({'list': kept} if kept else {})})}"
        pairs = [("q", self.filters.q), *self.hidden]
        pairs += [("sort", self.filters.sort if self.filters.sort != "said" else "")]
        pairs += [(self.direction, self.cursor or "")]
        given = urlencode([(name, value) for name, value in pairs if value])
        return f"?{given}" if given else ""

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """The filters that the search form carries along unseen."""
        pairs: list[tuple[str, str]] = [(name, getattr(self.filters, name) or "") for name in (*_NAMES, "use")]
        pairs += [("since", self.since.isoformat() if self.since else ""), ("new", "1" if self.filters.new else "")]
        return [(name, value) for name, value in pairs if value]

    @property
    def url(self) -> str:
        if self.answer:
            return reverse("dashboard:answer", args=[self.answer]) + self.answers.query
        return reverse("dashboard:memories") + self.query

    def narrowed(self, **changes: Any) -> "Place":
        """The first page with these filters instead."""
        return Place(replace(self.filters, **changes), self.since)

    def from_day(self, since: date | None) -> "Place":
        return Place(replace(self.filters, since=None), since)

    def turned(self, cursor: str | None, direction: Direction) -> "Place":
        return replace(self, cursor=cursor, direction=direction)

    def cleared(self) -> "Place":
        """Everything, in the same order."""
        return Place(PageFilters(sort=self.filters.sort))


def _named(name: str, value: str) -> str | None:
    """Scopes and kinds are whatever agents call them; of origins and statuses there are only so many."""
    return value[:_LONGEST_VALUE] or None if value in _KNOWN.get(name, (value,)) else None


def _id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
