"""`import_memories`: a file of any size, counted or brought, by an operator."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, Memory
from tests.rich import file_of

pytestmark = pytest.mark.django_db


def run(*args):
    out = StringIO()
    call_command("import_memories", *map(str, args), stdout=out)
    return out.getvalue()


@pytest.fixture
def file(tmp_path):
    """A mem0 export with one memory that is refused."""
    path = tmp_path / "mem0.json"
    path.write_text(json.dumps([{"memory": "Likes hiking."}, {"memory": "The password is hunter2-zz."}]))
    return path


def held(name):
    person = User.objects.get(external_id=name)
    with acting_for(person.pk):
        event = AuditEvent.objects.filter(person_id=person.pk).order_by("seq").last()
        return [(one.text, one.state) for one in Memory.objects.all()], (event.actor_kind, event.verb)


def test_it_counts_then_brings(file):
    counted = "1  to be reviewed\n       0  here already\n       1  refused, secret\n"
    said = run("zoe", file, "--dry-run")
    assert said.startswith("Nothing was brought;") and said.endswith(counted)
    assert not User.objects.filter(external_id="zoe").exists()
    said = run("zoe", file)
    assert said.startswith("Brought:") and said.endswith(counted)
    assert held("zoe") == ([("Likes hiking.", "pending")], ("system", "import"))


def test_an_own_export_comes_back_and_may_be_large(tmp_path, herself, remember, propose_one, monkeypatch):
    """Read line by line, whatever a foreign file may have."""
    monkeypatch.setattr("memoryapp.services.import_file.LARGEST_FOREIGN", 500)
    remember("Likes tea.")
    (tmp_path / "memory.json").write_bytes(file_of(herself))
    run("zoe", tmp_path / "memory.json")
    assert held("zoe")[0] == [("Likes tea.", "current")]
    (tmp_path / "memory.json").write_bytes(file_of(herself).replace(b'"key": "', b'"key": "0'))
    with pytest.raises(CommandError, match="Without our signature"):
        run("kim", tmp_path / "memory.json")


def test_what_cannot_be_read_brings_nothing(tmp_path):
    (tmp_path / "broken.json").write_text('[{"memory": "a"},\n{"memory": 7}]')
    with pytest.raises(CommandError, match=r"Nothing was brought\. Line 2"):
        run("zoe", tmp_path / "broken.json")
    with pytest.raises(CommandError, match="No such file"):
        run("zoe", tmp_path / "missing.json")
    with pytest.raises(CommandError, match="1 to 256"):
        run(" ", tmp_path / "broken.json")
    assert not User.objects.exists()
