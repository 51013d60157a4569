"""`list_keys`: the agent keys, without their secrets."""

from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand

from accounts.models import AgentKey


class Command(BaseCommand):
    help = "Lists the agent keys: prefix, name, what it may do, when it was last used."

    def handle(self, *args: Any, **options: Any) -> None:
        now = datetime.now(UTC)
        for key in AgentKey.objects.order_by("created_at", "id"):
            used = f"{key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never used"
            facts = (
                key.prefix,
                key.name,
                "personal" if key.person_id else f"service in {key.namespace}",
                "read and write" if key.can_write else "read only",
                "all scopes" if key.scopes is None else " ".join(key.scopes),
                "revoked" if key.revoked_at else "valid" if key.is_valid_at(now) else "expired",
                used,
            )
            self.stdout.write("\t".join(facts))
