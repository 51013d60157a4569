"""What remains of an erased person: counts and dates."""

from django.db import models

from accounts.ids import uuid7


class Receipt(models.Model):
    """The receipt of one person's erasure, and how far it has come. It survives the person and says nothing of them.

    `person_id` is a random row id, no foreign key; `namespace` is the operator's word, by which service keys find it.
    `counted` is what was found when it was asked for, `erased` what was deleted so far, each by store; `verified_left`
    what was found when it was looked for afterwards, null until then. Done when `done_at` is set.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    person_id = models.UUIDField()
    namespace = models.CharField(max_length=128)
    requested_at = models.DateTimeField()
    counted = models.JSONField()
    erased = models.JSONField(default=dict)
    verified_left = models.JSONField(null=True)
    done_at = models.DateTimeField(null=True)
    backups_until = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index("requested_at", condition=models.Q(done_at=None), name="receipt_running")]
        constraints = [
            models.UniqueConstraint("person_id", condition=models.Q(done_at=None), name="receipt_one_running_a_person"),
        ]
