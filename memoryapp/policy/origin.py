"""Who says so: the origin that a candidate is granted, whatever its payload claims."""

from memoryapp.policy.normal import normal_form
from memoryapp.policy.secrets import mask_secrets
from memoryapp.policy.types import Origin, SourceRole


def granted_origin(
    claimed: Origin | None,
    *,
    source: str | None,
    source_role: SourceRole,
    episode: str | None,
    episode_role: str | None,
    by_person: bool,
) -> Origin:
    """`corrected` for what the person does on their page, `stated` only with a source that the person said.

    `episode` is the stored content of the turn that the candidate names and `episode_role` who spoke it, None where
    that turn is not stored; the source then has to occur in it, and the person has to have said it. Everything else
    is `inferred`, save `imported`, which an import alone may claim and its caller answers for.
    """
    if by_person:
        return "corrected"
    if claimed in ("imported", "inferred"):
        return claimed
    if source is None or source_role != "user":
        return "inferred"
    if episode is not None and episode_role != "user":
        return "inferred"
    # Stored turns are masked, so a source that quotes one with its secret still counts as quoting it.
    said = normal_form(mask_secrets(source))
    if not said or (episode is not None and said not in normal_form(episode)):
        return "inferred"
    return "stated"
