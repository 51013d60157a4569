"""What the small pictures are drawn from, and the words that changed."""

from datetime import UTC, datetime, timedelta

import pytest

from memoryapp.dashboard.pictures import sparkline, timeline
from memoryapp.dashboard.word_diff import word_diff

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def _days(back: float) -> datetime:
    return NOW - timedelta(days=back)


def test_it_draws_one_value_after_the_other() -> None:
    shown = timeline([(_days(100), _days(25)), (_days(25), None)], [_days(100), _days(25)], now=NOW)
    assert shown is not None
    assert [(span.start, span.length, span.is_now) for span in shown.spans] == [(0, 75, False), (75, 25, True)]
    assert shown.said == (0, 75)
    assert shown.now == 100


def test_it_draws_what_is_still_to_end() -> None:
    shown = timeline([(_days(50), _days(-50))], [], now=NOW)
    assert shown is not None
    assert shown.now == 50
    assert shown.spans[0].is_now


def test_it_draws_what_lasted_a_moment_where_it_can_be_seen() -> None:
    shown = timeline([(_days(100), None), (NOW, NOW)], [], now=NOW)
    assert shown is not None
    assert all(span.length >= 0.6 and span.start + span.length <= 100 for span in shown.spans)


def test_it_draws_nothing_of_nothing() -> None:
    assert timeline([], [NOW], now=NOW) is None
    assert sparkline([], now=NOW) == ""
    assert sparkline([_days(1000)], now=NOW) == ""


def test_it_draws_uses_by_week() -> None:
    points = sparkline([_days(1), _days(2), _days(8)], now=NOW).split()
    assert len(points) == 12
    assert points[-1] == "100.0,2.0"
    assert points[-2].endswith(",12.0")
    assert points[0] == "0.0,22.0"


@pytest.mark.parametrize(
    ("before", "after", "out", "in_"),
    [
        ("Likes green tea.", "Likes black tea.", ["green"], ["black"]),
        ("喜欢喝茶", "喜欢喝咖啡", ["茶"], ["咖啡"]),
        (
            "Is deployed on Tuesdays at ten.",
            "Is built on Fridays.",
            ["deployed", "Tuesdays at ten"],
            ["built", "Fridays"],
        ),
        ("ชอบชา", "ชอบกาแฟ", None, None),
        ("", "New.", [], ["New."]),
        ("Same.", "Same.", [], []),
        ("a\nb", "a b", ["\n"], [" "]),
    ],
    ids=["word", "chinese", "words in a row", "thai", "from nothing", "same", "line"],
)
def test_it_tells_the_words_that_changed(before: str, after: str, out: list[str] | None, in_: list[str] | None) -> None:
    pieces = word_diff(before, after)
    assert "".join(piece.text for piece in pieces if piece.change != "in") == before
    assert "".join(piece.text for piece in pieces if piece.change != "out") == after
    if out is not None:
        assert [piece.text for piece in pieces if piece.change == "out"] == out
        assert [piece.text for piece in pieces if piece.change == "in"] == in_
