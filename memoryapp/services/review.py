"""What waits for the person's review, and when it has its answer without them."""

from collections.abc import Iterable

from memoryapp.models import Dispute, Memory
from memoryapp.models.memory import State
from memoryapp.policy.normal import normal_form
from memoryapp.policy.write import PENDING_RETRACTION
from memoryapp.services.disputes import pass_on, settle
from memoryapp.services.slots import waiting_value
from memoryapp.services.writing import Writer, amend


def settle_pending(memory: Memory, slot: Iterable[Memory], writer: Writer) -> None:
    """After the slot's `memory` was stated or taken back: what asked for just that waits no longer.

    Nor does a guess that it was taken back.
    """
    settled = {PENDING_RETRACTION, *([normal_form(memory.text)] if memory.state != State.CLOSED else [])}
    for head in slot:
        if head.pk != memory.pk and head.state == State.PENDING and waiting_value(head) in settled:
            head.state = State.CLOSED
            if waiting_value(head) == PENDING_RETRACTION:
                settle(head, Dispute.Outcome.KEPT, writer)
            else:
                pass_on(head, memory, writer)
            amend(head, writer)
