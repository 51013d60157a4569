"""Who acts: a person on their own page, a program with an agent key, or the system itself."""

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

ActorKind = Literal["person", "agent", "system"]


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does something, and for whom. `person_id` is the one person whose content is open to this actor.

    `scopes` limits a key to those scope names; None means all of the person's scopes. `namespace` is where a service
    key finds its persons.
    """

    kind: ActorKind
    person_id: UUID | None = None
    key_id: UUID | None = None
    key_name: str | None = None
    namespace: str | None = None
    can_write: bool = True
    scopes: frozenset[str] | None = None

    @property
    def opened(self) -> UUID:
        """The open person. LookupError when nobody is: a service was called before somebody was."""
        if self.person_id is None:
            raise LookupError("nobody is open")
        return self.person_id

    @property
    def is_agent(self) -> bool:
        return self.kind == "agent"

    def may_use_scope(self, name: str) -> bool:
        return self.scopes is None or name in self.scopes
