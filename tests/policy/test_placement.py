"""Which slot a subject and a scope name."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryapp.policy.normal import normal_form
from memoryapp.policy.placement import is_scope_name, place
from memoryapp.policy.types import Placement

KNOWN = frozenset({"personal", "atlas", "beacon"})

PLACED = {
    # kind, subject, scope → scope, subject as shown, subject's normal form
    "head_names_the_scope": ("fact", "atlas.db", None, "atlas", "db", "db"),
    "head_names_a_new_scope": ("fact", "comet.db", None, "comet", "db", "db"),
    "head_is_folded": ("fact", "Atlas.DB", None, "atlas", "DB", "db"),
    "only_the_first_dot_parts": ("fact", "atlas.db.main", None, "atlas", "db.main", "db.main"),
    "preference_with_a_head": ("preference", "atlas.units", None, "atlas", "units", "units"),
    "preference_without_scope": ("preference", "units", None, "personal", "units", "units"),
    "preference_with_an_empty_rest": ("preference", "atlas.", None, "personal", "atlas.", "atlas"),
    "personal_head": ("fact", "personal.diet", None, "personal", "diet", "diet"),
    "personal_given": ("fact", "diet", "personal", "personal", "diet", "diet"),
    "personal_given_and_head": ("fact", "personal.diet", "personal", "personal", "diet", "diet"),
    "scope_given": ("fact", "db", "atlas", "atlas", "db", "db"),
    "scope_given_and_its_own_head": ("fact", "atlas.db", "atlas", "atlas", "db", "db"),
    "scope_given_in_capitals": ("fact", "atlas.db", "ATLAS", "atlas", "db", "db"),
    "own_head_in_capitals": ("fact", "ATLAS.db", "atlas", "atlas", "db", "db"),
    "own_head_twice": ("fact", "atlas.atlas.db", "atlas", "atlas", "atlas.db", "atlas.db"),
    "own_head_full_width": ("fact", "Ａｔｌａｓ．ＤＢ", "atlas", "atlas", "ＤＢ", "db"),
    "own_head_with_zero_width": ("fact", "at\u200blas.db", "atlas", "atlas", "db", "db"),
    "own_head_with_nothing_after": ("fact", "atlas.", "atlas", "atlas", "atlas.", "atlas"),
    "new_scope_given": ("fact", "db", "comet", "comet", "db", "db"),
    "head_is_no_scope_of_theirs": ("fact", "node.js", "atlas", "atlas", "node.js", "node.js"),
    "head_is_no_scope_of_theirs_personal": ("fact", "node.js", "personal", "personal", "node.js", "node.js"),
    "head_fits_no_grammar": ("fact", "the db.main", "atlas", "atlas", "the db.main", "the db.main"),
    "shown_as_written": ("preference", "  Units! ", None, "personal", "  Units! ", "units"),
    "other_script": ("preference", "单位。", None, "personal", "单位。", "单位"),
    "ellipsis_is_three_dots": ("preference", "wait…more", None, "wait", "..more", "..more"),
}

REFUSED = {
    "fact_without_scope": ("fact", "db", None, "no_scope"),
    "decision_without_scope": ("decision", "auth", None, "no_scope"),
    "identifier_without_scope": ("identifier", "ticket", None, "no_scope"),
    "empty_rest": ("fact", "atlas.", None, "no_scope"),
    "blank_rest": ("fact", "atlas. ", None, "no_scope"),
    "rest_of_marks": ("fact", "atlas.!?", None, "no_scope"),
    "empty_head": ("fact", ".db", None, "no_scope"),
    "head_with_a_space": ("fact", "the atlas.db", None, "no_scope"),
    "head_of_another_script": ("fact", "атлас.db", None, "no_scope"),
    "head_starts_with_a_dash": ("fact", "-atlas.db", None, "no_scope"),
    "scope_outside_the_grammar": ("fact", "db", "at las", "no_scope"),
    "another_scope": ("fact", "beacon.db", "atlas", "wrong_scope"),
    "another_scope_in_capitals": ("fact", "Beacon.db", "atlas", "wrong_scope"),
    "another_scope_of_a_preference": ("preference", "beacon.units", "atlas", "wrong_scope"),
    "a_scope_in_personal": ("fact", "atlas.db", "personal", "wrong_scope"),
    "personal_in_a_scope": ("fact", "personal.diet", "atlas", "wrong_scope"),
}


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in PLACED.items()])
def test_it_names_the_slot(case):
    kind, subject, given, scope, shown, key = case
    assert place(kind, subject, given, KNOWN) == Placement(scope, kind, shown, key)


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in REFUSED.items()])
def test_it_names_no_slot(case):
    kind, subject, given, refusal = case
    assert place(kind, subject, given, KNOWN) == refusal


@pytest.mark.parametrize(
    ("kind", "subject", "key"),
    [
        pytest.param("preference", "units", "preference|units", id="personal"),
        pytest.param("fact", "Atlas.db", "fact|atlas.db", id="scope"),
    ],
)
def test_it_shows_the_key(kind, subject, key):
    assert place(kind, subject, None, KNOWN).key == key


def test_it_needs_no_list_of_scopes_to_know_personal():
    assert place("fact", "personal.diet", "atlas", frozenset()) == "wrong_scope"
    assert place("fact", "node.js", "atlas", frozenset()).scope == "atlas"


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        pytest.param("atlas", True, id="letters"),
        pytest.param("Atlas", True, id="capital"),
        pytest.param("3d_print-2", True, id="digits_and_dashes"),
        pytest.param("a" * 128, True, id="longest"),
        pytest.param("a" * 129, False, id="too_long"),
        pytest.param("", False, id="empty"),
        pytest.param("_atlas", False, id="starts_with_underscore"),
        pytest.param("at.las", False, id="dot"),
        pytest.param("at las", False, id="space"),
        pytest.param("atlas\n", False, id="line_break"),
        pytest.param("атлас", False, id="other_script"),
    ],
)
def test_it_knows_a_scope_name(name, fits):
    assert is_scope_name(name) is fits


SUBJECTS = st.one_of(st.text(max_size=12), st.text("aAｂ.．…⒈ \u200b!atls", max_size=10))


@settings(deadline=None)
@given(SUBJECTS, st.sampled_from(["preference", "fact"]), st.sampled_from([None, "atlas", "a", "personal"]))
def test_it_places_subjects_of_one_normal_form_alike(subject, kind, scope):
    placed = place(kind, subject, scope, KNOWN)
    other = place(kind, normal_form(subject), scope, KNOWN)
    if isinstance(placed, str):
        assert other == placed
    else:
        assert (other.scope, other.subject_key) == (placed.scope, placed.subject_key)
        assert normal_form(placed.subject) == placed.subject_key
        assert subject.endswith(placed.subject) or placed.subject.startswith(".")
