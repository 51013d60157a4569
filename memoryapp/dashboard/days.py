"""Days and times in the person's zone and language."""

from datetime import date, datetime, timedelta
from functools import lru_cache

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import get_language, pgettext


def day(instant: datetime | None) -> SafeString:
    """`12 March`, with the year when it is another one, in the person's zone."""
    if instant is None:
        return SafeString("")
    return _time(instant, day_in_words(instant))


def day_in_words(instant: datetime) -> str:
    """As `day`, without markup."""
    return _day_words(timezone.localtime(instant).date(), timezone.localdate().year, get_language() or "")


def last_day(end: datetime | None) -> SafeString:
    """The last day on which something holds that ends at this instant: the day before when that is midnight."""
    return day(end - timedelta(microseconds=1)) if end else SafeString("")


@lru_cache(maxsize=2048)
def _day_words(day: date, this_year: int, language: str) -> str:
    """A list has the same few days over and over, and putting one into words takes longer than all else of its row."""
    return date_format(day, pgettext("date", "j F") if day.year == this_year else pgettext("date", "j F Y"))


def moment(instant: datetime | None) -> SafeString:
    """`12 March 2026, 14:07`, in the person's zone."""
    if instant is None:
        return SafeString("")
    return _time(instant, date_format(timezone.localtime(instant), pgettext("date", "j F Y, H:i")))


def _time(instant: datetime, shown: str) -> SafeString:
    return SafeString(f'<time datetime="{instant.isoformat(timespec="seconds")}">{escape(shown)}</time>')
