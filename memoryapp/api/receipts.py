"""What became of an erasure."""

from uuid import UUID

from django.http import HttpResponse

from memoryapp.api import examples
from memoryapp.api.call import call
from memoryapp.api.describing import UUID_SCHEMA, Call
from memoryapp.api.reply import reply
from memoryapp.api.shape import Given
from memoryapp.api.view import AgentRequest, AgentView
from memoryapp.services.receipts import read_receipt, receipt_json


class OneReceipt(AgentView):
    @call(
        Call(
            "read_receipt",
            "How far an erasure has come: what was counted, erased, and found left by looking, by store.",
            returns={200: ("Receipt", examples.RECEIPT)},
            path={"receipt_id": UUID_SCHEMA},
        )
    )
    def get(self, request: AgentRequest, given: Given, receipt_id: UUID) -> HttpResponse:
        return reply(receipt_json(read_receipt(receipt_id, actor=request.actor)))
