"""What an earlier version made of a text is made anew, and nothing else is touched."""

from datetime import UTC, datetime

import pytest
from django.core.management import call_command
from django.db import connection

from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory, ScopeWord, SearchEntry
from memoryapp.services import maintain as maintaining
from memoryapp.services import reindexing
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
    call_command("maintain")
    assert not reindexing.is_due()
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


def test_what_another_machine_has_made_meanwhile_is_not_made_again(upgraded, monkeypatch):
    made, look, index = [], reindexing._after, reindexing.index

    def look_and_be_late(*last):
        found = look(*last)
        monkeypatch.setattr(reindexing, "_after", look)
        reindexing.reindex()
        return found

    def count(memory):
        made.append(memory.pk)
        index(memory)

    monkeypatch.setattr(reindexing, "_after", look_and_be_late)
    monkeypatch.setattr(reindexing, "index", count)
    reindexing.reindex()
    assert len(made) == len(set(made)) == 6


def test_of_who_is_being_erased_nothing_is_made_anew(upgraded, monkeypatch):
    """The entries go first, the memories later: in between they would come back."""
    ada, ben = upgraded
    look = reindexing._after

    def look_and_be_late(*last):
        monkeypatch.setattr(reindexing, "_after", look)
        found = look(*last)
        with acting_for(ada.person_id):
            SearchEntry.objects.all().delete()
            ScopeWord.objects.all().delete()
        return found

    monkeypatch.setattr(reindexing, "_after", look_and_be_late)
    reindexing.reindex()
    with acting_for(ada.person_id):
        assert Memory.objects.count() == 4 and not SearchEntry.objects.exists() and not ScopeWord.objects.exists()
    assert found(ben) == 3


def test_the_rest_of_maintain_waits_for_none_of_it(upgraded, monkeypatch):
    """Of a large store it takes long; and a start does the rest only, before the service runs."""
    done = []
    for name in ("drop_old_traces", "keep_to_limits", "erase_trash", "watch_leaks"):
        monkeypatch.setattr(maintaining, name, lambda now, name=name: done.append(name))

    def end(memory):
        raise KeyboardInterrupt

    monkeypatch.setattr(reindexing, "index", end)
    maintaining.maintain(datetime.now(UTC))
    assert reindexing.is_due()
    with pytest.raises(KeyboardInterrupt):
        call_command("maintain")
    assert done == ["drop_old_traces", "keep_to_limits", "erase_trash", "watch_leaks"] * 2
