"""What an earlier version made of a text is made anew, and nothing else is touched."""

from datetime import UTC, datetime

import pytest
from django.db import connection

from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory, ScopeWord, SearchEntry
from memoryapp.services import reindexing
from memoryapp.services.maintain import maintain
from memoryapp.services.recall import ContextRequest, recall

pytestmark = pytest.mark.django_db

BY_AN_EARLIER_VERSION = """
with entry as (
    update memoryapp_searchentry set terms = '{7:1}/1000000000', words = '{formerly}', analysis = 1 returning person_id,
        scope_id
), gone as (
    delete from memoryapp_scopeword
)
insert into memoryapp_scopeword (person_id, scope_id, word, memories)
select person_id, scope_id, 'formerly', count(*) from entry group by person_id, scope_id
"""


@pytest.fixture
def upgraded(remember, ada, ben):
    """Ada and Ben have memories whose words an earlier version made; Ada has a newer one."""
    for actor in (ada, ben):
        for number in range(3):
            text, subject = f"The cello {number} has new strings.", f"cello {number}"
            remember(text, kind="fact", scope="home", subject=subject, actor=actor)
        with acting_for(actor.person_id), connection.cursor() as cursor:
            cursor.execute(BY_AN_EARLIER_VERSION)
    remember("The piano is in tune.", kind="fact", scope="home", subject="piano", actor=ada)
    return ada, ben


def found(actor, query="cello strings"):
    return len(recall(ContextRequest(query=query, scopes=("home",)), actor=actor)["memories"])


def words(actor):
    with acting_for(actor.person_id):
        return dict(ScopeWord.objects.values_list("word", "memories"))


def test_it_is_found_by_its_words_again(upgraded, monkeypatch):
    monkeypatch.setattr(reindexing, "AT_ONCE", 2)
    assert [found(actor) for actor in upgraded] == [0, 0]
    assert found(upgraded[0], "piano") == 1
    reindexing.reindex()
    assert [found(actor) for actor in upgraded] == [3, 3]
    for actor in upgraded:
        assert words(actor)["cello"] == 3 and "formerly" not in words(actor)


def test_maintain_does_it_and_says_nothing_new_about_anybody(upgraded):
    ada, _ = upgraded
    with acting_for(ada.person_id):
        before = list(Memory.objects.order_by("pk").values())
    maintain(datetime.now(UTC))
    assert found(ada) == 3
    with acting_for(ada.person_id):
        assert list(Memory.objects.order_by("pk").values()) == before
        assert set(SearchEntry.objects.values_list("analysis", flat=True)) == {reindexing.ANALYSIS}


def test_one_that_was_ended_in_the_midst_goes_on(upgraded, monkeypatch):
    monkeypatch.setattr(reindexing, "AT_ONCE", 2)
    done = []

    def end(memory):
        if len(done) == 5:
            raise KeyboardInterrupt
        done.append(memory.pk)
        index(memory)

    index = reindexing.index
    monkeypatch.setattr(reindexing, "index", end)
    with pytest.raises(KeyboardInterrupt):
        reindexing.reindex()
    monkeypatch.setattr(reindexing, "index", index)
    assert sum(found(actor) for actor in upgraded) == 4  # the fifth was undone with its transaction
    reindexing.reindex()
    assert [found(actor) for actor in upgraded] == [3, 3]
