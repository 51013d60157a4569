"""`list_keys`: the agent keys, without their secrets."""

from datetime import UTC, datetime
from typing import Any

from accounts.models import AgentKey
from memoryapp.management.command import OwnCommand


class Command(OwnCommand):
    help = "Lists the agent keys: prefix, name, what it may do, when it was last used."

    def handle(self, *args: Any, **options: Any) -> None:
        now = datetime.now(UTC)
        for key in AgentKey.objects.order_by("created_at", "id"):
            used = f"{key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never used"
            facts = (
                key.prefix,
                key.name,
                f"{'personal' if key.person_id else 'service'} in {key.namespace}",
                "read and write" if key.can_write else "read only",
                "all scopes" if key.scopes is None else " ".join(key.scopes),
                _validity(key, now),
                used,
            )
            self.stdout.write("\t".join(facts))


def _validity(key: AgentKey, now: datetime) -> str:
    if key.revoked_at:
        return "revoked"
    if not key.expires_at:
        return "valid"
    return f"{'valid until' if now < key.expires_at else 'expired on'} {key.expires_at:%Y-%m-%d}"
