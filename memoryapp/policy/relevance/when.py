"""Words of a request that only say when: months, days, years.

A statement that was said last summer speaks of "last week" and carries its date beside its text. So a date that no
memory of the scopes has is no sign that what is asked about is unknown.
"""

import re
from collections.abc import Sequence

from memoryapp.policy.relevance.words import Word

_MONTHS = """
january february march april may june july august september october november december jan feb apr jun jul aug sep sept
oct nov dec januar februar marz mai juni juli oktober dezember
"""
_DAYS_OF_THE_WEEK = """
monday tuesday wednesday thursday friday saturday sunday
montag dienstag mittwoch donnerstag freitag samstag sonntag
"""
_MONTH = frozenset(_MONTHS.split())
_WEEKDAY = frozenset(_DAYS_OF_THE_WEEK.split())
_YEAR = re.compile("19[0-9]{2}|20[0-4][0-9]")
_DAY = re.compile("[0-3]?[0-9](?:st|nd|rd|th)?")
_APART = 2
"""Words between which a day and its month may stand: `the 3rd of May`."""


def words_of_dates(words: Sequence[Word]) -> frozenset[str]:
    """The stems of those words that belong to dates. A bare number does beside a month or joined to a year."""
    found = set()
    for place, word in enumerate(words):
        if word.spelling in _MONTH or word.spelling in _WEEKDAY or _YEAR.fullmatch(word.spelling):
            found.add(word.stem)
        elif _DAY.fullmatch(word.spelling):
            beside = words[max(0, place - _APART) : place + _APART + 1]
            joined = [other for other in beside if _YEAR.fullmatch(other.spelling) and (other.glued or word.glued)]
            if joined or any(other.spelling in _MONTH for other in beside):
                found.add(word.stem)
    return frozenset(found)
