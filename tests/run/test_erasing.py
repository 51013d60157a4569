"""An erasure that a process left unfinished goes on at the next start; a backup is put back by the commands."""

import json
import urllib.request

BEGIN = """
from accounts.models import User
from accounts.actors import Actor
from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory
from memoryapp.services import erase_person
from memoryapp.services.keys import create_key
person = User.objects.get(external_id="ada")
with acting_for(person.pk):
    count = Memory.objects.count()
print("key", create_key("desk", actor=Actor("system"))[1])
print("receipt", erase_person.begin(expected_count=count, actor=Actor("agent", person.pk)))
"""


def test_what_was_begun_is_done_before_anybody_is_served(services):
    service = services()
    began = service.manage("shell", "-v0", "-c", BEGIN)
    assert began.returncode == 0, began.stderr
    said = dict(line.split() for line in began.stdout.splitlines())
    service.start()
    request = urllib.request.Request(
        f"http://127.0.0.1:{service.port}/api/v1/receipts/{said['receipt']}",
        headers={"Authorization": f"Bearer {said['key']}"},
    )
    with urllib.request.urlopen(request) as response:
        shown = json.load(response)
    assert shown["status"] == "done" and shown["erased"]["memories"] == shown["counted"]["memories"] > 50
    assert not any(shown["verified_left"].values())
    service.end()


def test_a_backup_is_put_back_by_the_commands(running, services, one_sentence):
    file = running.data.parent / "memory.backup"
    assert running.manage("backup", str(file)).returncode == 0
    refused = running.manage("restore", str(file), "--replace")
    assert refused.returncode == 1 and one_sentence(refused.stderr) and "Stop the service first" in refused.stderr

    stopped = services()
    restored = stopped.manage("restore", str(file), "--replace")
    assert (restored.returncode, restored.stderr) == (0, "")
    assert "0 erasures" in restored.stdout
    assert "Every audit chain holds." in stopped.manage("verify_audit").stdout
