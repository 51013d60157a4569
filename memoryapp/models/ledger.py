"""What is committed and not yet in the file beside the database."""

from django.db import models


class LedgerLine(models.Model):
    """A line of the ledger of erasures on its way there: random ids, keyed digests, instants, and nothing of content.

    Written in the transaction of what it is about, deleted once the file holds it.
    """

    row = models.JSONField()
