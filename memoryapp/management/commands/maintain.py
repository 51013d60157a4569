"""`maintain`: what has to happen once a day. `up` runs it; behind a scheduler of your own, run it yourself."""

from typing import Any

from memoryapp.management.command import OwnCommand
from memoryapp.services.maintain import maintain
from memoryapp.services.reindexing import reindex


class Command(OwnCommand):
    help = (
        "Marks memories that nobody spoke of as stale, lets go of what has had its time, adds partitions for"
        " traces, drops kept responses, looks for leaks, makes anew what an earlier version read in another way."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        maintain()
        # Last: of a large store it takes long, and nothing else is to wait for it.
        reindex()
