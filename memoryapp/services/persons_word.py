"""What a person decided themselves, and whether what an agent names was said later."""

from datetime import datetime
from itertools import chain

from accounts.actors import Actor
from memoryapp.models import Confirmation, Episode, Memory
from memoryapp.policy.normal import normal_form
from memoryapp.policy.secrets import mask_secrets
from memoryapp.services.disputes import disputed_at


def decided_at(memory: Memory) -> datetime | None:
    """When the person last wrote or disputed it; None when they did neither. While they are open."""
    written = memory.occurred_at if memory.is_persons_word else None
    return max((at for at in (written, disputed_at(memory)) if at), default=None)


def is_said_after(source: str, at: datetime, memory: Memory, actor: Actor) -> bool:
    """Whether the person may have said this after that instant: so it counts, unless every message that is known to say
    it is older. Those are their stored messages of the scopes that the actor may use, or the answer would tell it what
    was said in others; and what the memory was said in. While they are open.
    """
    said = normal_form(mask_secrets(source))
    if not said:
        return False
    theirs = Episode.objects.visible_to(actor).filter(role=Episode.Role.USER)
    quoted = Confirmation.objects.filter(version__memory=memory, source__isnull=False)
    known = chain(
        theirs.values_list("content", "occurred_at").iterator(), quoted.values_list("source", "said_at").iterator()
    )
    times = [when for text, when in known if said in normal_form(text or "")]
    return not times or max(times) > at
