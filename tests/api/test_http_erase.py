"""Erasing a person over HTTP, and the receipt."""

from uuid import uuid4

import pytest

from accounts.models import User
from memoryapp.services import erase_jobs
from memoryapp.services.erase_jobs import work_now


@pytest.fixture(autouse=True)
def at_once(monkeypatch, settings, tmp_path):
    """The work waits until a test asks for it."""
    settings.ERASURE_LEDGER = tmp_path / "erasures.jsonl"
    monkeypatch.setattr(erase_jobs, "start", lambda: None)


@pytest.fixture
def two(remembered):
    remembered()
    remembered("Ada lives in Graz.", kind="fact", scope="personal", subject="home")
    remembered("Ben likes rum.", user="ben")


def test_it_erases_a_person_and_gives_a_receipt(api, two):
    response = api.delete("/people", user="ada", expected_count=2)
    assert response.status_code == 202
    receipt_id = response.json()["receipt_id"]
    assert api.get("/memories", user="ada", status="any").json()["count"] == 0
    assert api.get("/memories", user="ben").json()["count"] == 1
    running = api.get(f"/receipts/{receipt_id}").json()
    assert (running["status"], running["counted"]["memories"], running["verified_left"]) == ("running", 2, None)
    work_now()
    done = api.get(f"/receipts/{receipt_id}").json()
    assert (done["status"], done["erased"]["memories"], done["verified_left"]["memories"]) == ("done", 2, 0)
    assert set(done) == {
        "id", "status", "requested_at", "done_at", "counted", "erased", "verified_left", "backups_until",
    }  # fmt: skip
    assert not User.objects.filter(external_id="ada").exists()


def test_forgotten_ones_count_until_they_are_erased(api, two):
    memory = api.get("/memories", user="ada").json()["results"][0]
    api.delete(f"/memories/{memory['id']}")
    assert api.delete("/people", user="ada", expected_count=1).status_code == 409
    assert api.delete("/people", user="ada", expected_count=2).status_code == 202


@pytest.mark.parametrize("count", [1, 3], ids=["fewer", "more"])
def test_another_count_is_409_and_changes_nothing(api, two, count):
    response = api.delete("/people", user="ada", expected_count=count)
    assert (response.status_code, response.json()["code"]) == (409, "count_changed")
    assert api.get("/memories", user="ada").json()["count"] == 2


@pytest.mark.parametrize(
    "query",
    [{"user": "ada"}, {"expected_count": 2}, {"user": " ", "expected_count": 2}, {"user": "ada", "expected_count": "x"},
     {"user": "ada", "expected_count": -1}, {"user": "ada", "expected_count": 2, "all": "1"}],
    ids=["no count", "nobody", "blank", "no number", "negative", "unknown"],
)  # fmt: skip
def test_it_needs_a_person_and_a_count(api, two, query):
    assert api.delete("/people", **query).status_code == 422
    assert api.get("/memories", user="ada").json()["count"] == 2


def test_a_retry_gives_the_receipt_again(api, two):
    def ask(**query):
        return api.request("DELETE", "/people", headers={"Idempotency-Key": "erase-1"}, **query)

    first = ask(user="ada", expected_count=2)
    work_now()
    again = ask(user="ada", expected_count=2)
    assert (again.status_code, again.json(), again["Idempotent-Replay"]) == (202, first.json(), "true")
    # The same key for somebody else is another call.
    assert ask(user="ben", expected_count=1).status_code == 422
    assert api.get("/memories", user="ben").json()["count"] == 1
    assert api.delete("/people", user="ada", expected_count=2).status_code == 404


def test_who_may_not(api, two, key_of, nobody):
    query = {"user": "ada", "expected_count": 2}
    assert nobody.delete("/people", **query).status_code == 401
    assert key_of("reader", can_write=False).delete("/people", **query).status_code == 403
    assert key_of("narrow", scopes=["personal"]).delete("/people", **query).status_code == 404
    assert key_of("elsewhere", namespace="other").delete("/people", **query).status_code == 404
    assert api.get("/memories", user="ada").json()["count"] == 2


def test_a_personal_key_erases_its_person_and_itself(api, two, key_of):
    own = key_of("ada's own", person=User.objects.get(external_id="ada"))
    assert own.delete("/people", user="ben", expected_count=1).status_code == 404
    response = own.delete("/people", expected_count=2)
    assert response.status_code == 202
    assert own.get("/me").status_code == 401
    work_now()
    assert api.get(f"/receipts/{response.json()['receipt_id']}").json()["status"] == "done"


def test_a_receipt_is_for_keys_of_its_namespace(api, two, key_of, personal):
    receipt_id = api.delete("/people", user="ben", expected_count=1).json()["receipt_id"]
    assert api.get(f"/receipts/{receipt_id}").status_code == 200
    for other in (key_of("elsewhere", namespace="other"), personal):
        assert other.get(f"/receipts/{receipt_id}").status_code == 404
    assert api.get(f"/receipts/{uuid4()}").status_code == 404
    assert api.get("/receipts/nonsense").status_code == 404
