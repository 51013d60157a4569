"""Who acts: a person on their own page, a program with an agent key, a staff member, or the system itself."""

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

ActorKind = Literal["person", "agent", "staff", "system"]


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does something, and for whom. `person_id` is the one person whose content is open to this actor.

    `scopes` limits a key to those scope names; None means all of the person's scopes. `namespace` is where a service
    key finds its persons. A staff member sees content under the grant `grant_id` only, and changes something only by
    the person's consent to the proposal `consent_id`.
    """

    kind: ActorKind
    person_id: UUID | None = None
    key_id: UUID | None = None
    key_name: str | None = None
    namespace: str | None = None
    can_write: bool = True
    scopes: frozenset[str] | None = None
    staff_id: UUID | None = None
    grant_id: UUID | None = None
    consent_id: UUID | None = None

    @property
    def opened(self) -> UUID:
        """The open person. LookupError when nobody is: a service was called before somebody was."""
        if self.person_id is None:
            raise LookupError("nobody is open")
        return self.person_id

    @property
    def is_agent(self) -> bool:
        return self.kind == "agent"

    @property
    def may_write(self) -> bool:
        """Whether it may change what is remembered at all."""
        return self.can_write and (self.kind != "staff" or self.consent_id is not None)

    @property
    def has_persons_word(self) -> bool:
        """Whether what it does is the person's own will: their doing, or what they agreed to."""
        return self.kind == "person" or self.consent_id is not None

    def may_use_scope(self, name: str) -> bool:
        return self.scopes is None or name in self.scopes
