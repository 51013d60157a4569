"""Who says so is granted, not claimed."""

import pytest

from memoryapp.policy.origin import granted_origin

CASES = {
    # claimed, source, source_role, episode, episode_role, by_person → granted
    "source_and_no_claim": (None, "metric please", "user", None, None, False, "stated"),
    "source_and_stated": ("stated", "metric please", "user", None, None, False, "stated"),
    "no_source": (None, None, "user", None, None, False, "inferred"),
    "stated_without_source": ("stated", None, "user", None, None, False, "inferred"),
    "blank_source": ("stated", " \u200b", "user", None, None, False, "inferred"),
    "claims_to_infer": ("inferred", "metric please", "user", None, None, False, "inferred"),
    "assistant_said_it": ("stated", "metric please", "assistant", None, None, False, "inferred"),
    "tool_said_it": ("stated", "metric please", "tool", None, None, False, "inferred"),
    "in_the_turn": ("stated", "metric please", "user", "Give me that in metric please!", "user", False, "stated"),
    "in_the_turn_but_for_case": ("stated", "METRIC,  please.", "user", "in metric, please", "user", False, "stated"),
    "in_the_turn_full_width": ("stated", "ｍｅｔｒｉｃ", "user", "in metric please", "user", False, "stated"),
    "not_in_the_turn": ("stated", "imperial please", "user", "in metric please", "user", False, "inferred"),
    "turn_of_the_assistant": ("stated", "metric", "user", "in metric please", "assistant", False, "inferred"),
    "turn_of_nobody_known": ("stated", "metric", "user", "in metric please", None, False, "inferred"),
    "empty_turn": ("stated", "metric", "user", "", "user", False, "inferred"),
    "quotes_a_masked_turn": (
        None, "my password is hunter2", "user", "so my password is [masked].", "user", False, "stated",
    ),
    "person_on_the_page": (None, None, "user", None, None, True, "corrected"),
    "person_never_infers": ("inferred", None, "assistant", None, None, True, "corrected"),
    "claims_a_correction": ("corrected", None, "user", None, None, False, "inferred"),
    "claims_a_correction_with_source": ("corrected", "metric", "user", None, None, False, "stated"),
    "import": ("imported", None, "user", None, None, False, "imported"),
}  # fmt: skip


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES.items()])
def test_it_grants_the_origin(case):
    claimed, source, source_role, episode, episode_role, by_person, granted = case
    assert granted == granted_origin(
        claimed,
        source=source,
        source_role=source_role,
        episode=episode,
        episode_role=episode_role,
        by_person=by_person,
    )
