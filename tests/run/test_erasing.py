"""An erasure that a process left unfinished goes on at the next start; a backup is put back by the commands."""

import json
import urllib.request

BEGIN = """
from accounts.models import User
from accounts.actors import Actor
from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory
from memoryapp.services import erase_person
person = User.objects.get(external_id="ada")
with acting_for(person.pk):
    count = Memory.objects.count()
print("receipt", erase_person.begin(expected_count=count, actor=Actor("agent", person.pk)))
"""
KEY = """
from accounts.actors import Actor
from memoryapp.services.keys import create_key
print("key", create_key("desk", actor=Actor("system"))[1])
"""


def said(ran, word):
    assert ran.returncode == 0, ran.stderr
    return next(line.split()[1] for line in ran.stdout.splitlines() if line.startswith(f"{word} "))


def test_what_was_begun_is_done_before_anybody_is_served(services):
    service = services()
    key = said(service.manage("shell", "-v0", "-c", KEY), "key")
    receipt = said(service.manage("shell", "-v0", "-c", BEGIN), "receipt")
    service.start(MEMORY_EMBEDDER="none")
    request = urllib.request.Request(
        f"http://127.0.0.1:{service.port}/api/v1/receipts/{receipt}", headers={"Authorization": f"Bearer {key}"}
    )
    with urllib.request.urlopen(request) as response:
        shown = json.load(response)
    assert shown["status"] == "done" and shown["erased"]["memories"] == shown["counted"]["memories"] > 50
    assert not any(shown["verified_left"].values())


def test_a_backup_is_put_back_by_the_commands(services, one_sentence):
    service = services()
    file = service.data.parent / "memory.backup"
    assert service.manage("backup", str(file)).returncode == 0
    again = service.manage("backup", str(file))
    assert again.returncode == 1 and one_sentence(again.stderr)

    service.start(MEMORY_EMBEDDER="none")
    running = service.manage("restore", str(file), "--replace")
    assert running.returncode == 1 and "Stop the service first" in running.stderr
    service.end()
    held = service.manage("restore", str(file))
    assert held.returncode == 1 and "--replace" in held.stderr
    restored = service.manage("restore", str(file), "--replace")
    assert (restored.returncode, restored.stderr) == (0, "")
    assert "0 erasures" in restored.stdout
    assert "Every audit chain holds." in service.manage("verify_audit").stdout
