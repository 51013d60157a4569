from django.urls import path, re_path

from memoryapp.api.carrying import Export, Import
from memoryapp.api.context import Context
from memoryapp.api.docs import Docs, Schema
from memoryapp.api.episodes import Episodes
from memoryapp.api.handlers import Nowhere
from memoryapp.api.links import Links
from memoryapp.api.memories import Batch, History, Memories, OneMemory
from memoryapp.api.people import Me, People, Scopes, Subjects
from memoryapp.api.receipts import OneReceipt
from memoryapp.api.traces import JoinAnswer, OneAnswer, OneTrace
from memoryapp.api.verbs import VERBS, Dispute, verb_view

urlpatterns = [
    path("context", Context.as_view()),
    path("memories", Memories.as_view()),
    path("memories/batch", Batch.as_view()),
    path("memories/<str:memory_id>", OneMemory.as_view()),
    path("memories/<str:memory_id>/history", History.as_view()),
    path("memories/<str:memory_id>/dispute", Dispute.as_view()),
    *(path(f"memories/<str:memory_id>/{name}", verb_view(name)) for name in VERBS),
    path("me", Me.as_view()),
    path("subjects", Subjects.as_view()),
    path("scopes", Scopes.as_view()),
    path("people", People.as_view()),
    path("export", Export.as_view()),
    path("import", Import.as_view()),
    path("receipts/<str:receipt_id>", OneReceipt.as_view()),
    path("links", Links.as_view()),
    path("episodes", Episodes.as_view()),
    path("traces/<str:trace_id>", OneTrace.as_view()),
    path("traces/<str:trace_id>/answer", JoinAnswer.as_view()),
    # Answer ids are the agent's own and may hold a slash.
    path("answers/<path:answer_id>", OneAnswer.as_view()),
    path("schema", Schema.as_view()),
    path("docs", Docs.as_view(), name="api_docs"),
    re_path("", Nowhere.as_view()),
]
