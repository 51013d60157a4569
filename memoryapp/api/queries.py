"""What may stand in the query of a GET or DELETE."""

from typing import Any

from memoryapp.api.fields import Choice, Instant, ScopeName, Text, WholeInQuery
from memoryapp.api.requests import User
from memoryapp.api.shape import Given, QueryShape

DEFAULT_PAGE = 50
_LARGEST_PAGE = 200


def _cursor() -> Text:
    return Text(512, pattern="[A-Za-z0-9_-]+", required=False)


def _limit() -> WholeInQuery:
    return WholeInQuery(1, _LARGEST_PAGE, required=False, about=f"Default {DEFAULT_PAGE}.")


class NoQuery(QueryShape):
    pass


class PersonQuery(QueryShape):
    user = User()


class PageQuery(QueryShape):
    cursor = _cursor()
    limit = _limit()


class PersonPageQuery(PageQuery):
    user = User()


class ListQuery(PersonPageQuery):
    scope = ScopeName(required=False)
    kind = Text(64, required=False)
    origin = Choice(("stated", "inferred", "corrected", "imported"), required=False)
    q = Text(2_000, shortest=0, required=False, about="Only memories in which this occurs.")
    status = Choice(
        ("current", "pending", "paused", "stale", "expired", "closed", "forgotten", "any"),
        required=False,
        about="Default `current`; with `changed_since`, `any`.",
    )
    changed_since = Instant(required=False)

    def check(self, values: Given) -> Given:
        if not values.get("q"):
            values.pop("q", None)
        return values


class ForgetQuery(QueryShape):
    relearn = Choice(("allow", "block"), required=False, about="`block`: not to be learned again.")
    source = Choice(("keep", "erase"), required=False)


class FlagInQuery(Choice):
    """True or false, written out."""

    def __init__(self, **options: Any) -> None:
        super().__init__(("true", "false"), **options)

    def read(self, given: Any) -> Any:
        return super().read(given) == "true"


class ImportQuery(PersonQuery):
    dry_run = FlagInQuery(required=False, about="Count only.")


class EraseQuery(PersonQuery):
    expected_count = WholeInQuery(
        0,
        2_147_483_647,
        about="The person's memories of every status, forgotten ones included.",
    )
