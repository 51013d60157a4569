"""What each call may be asked, as `Shape`s. The limits are those of the contract."""

from datetime import timedelta

from memoryapp.api.faults import Faulty
from memoryapp.api.fields import Choice, Flag, Instant, JsonObject, JsonSchema, ListOf, ScopeName, Share, Text, Whole
from memoryapp.api.shape import Given, Shape

_HIGHEST_TURN = 2_147_483_647
_CLOCKS_DIFFER_BY = timedelta(minutes=5)
_KIND_LENGTH, _SUBJECT_LENGTH, _TEXT_LENGTH = 64, 200, 2_000
_SOURCE_LENGTH, _REASON_LENGTH, _QUERY_LENGTH = 20_000, 2_000, 8_000
_METADATA_BYTES = 8 * 1024


class User(Text):
    """The person. Described as required: every service key has to name one, and only a personal key leaves it out."""

    always_described = True

    def __init__(self) -> None:
        about = "The agent's own id of the person. A personal key leaves it out."
        super().__init__(256, visible=True, required=False, about=about)


def _session() -> Text:
    return Text(256, required=False)


def _aliases() -> ListOf:
    return ListOf(Text(80), 20, required=False, about="Other names that a request may use.")


class Candidate(Shape):
    """A proposed memory, without the person."""

    scope = ScopeName(required=False)
    kind = Text(_KIND_LENGTH)
    subject = Text(_SUBJECT_LENGTH, visible=True)
    text = Text(_TEXT_LENGTH, visible=True, required=False, about="May be left out with `retract` only.")
    turn = Whole(0, _HIGHEST_TURN, required=False)
    session = _session()
    source = Text(_SOURCE_LENGTH, required=False, about="The message that it came from.")
    source_role = Choice(("user", "assistant", "tool"), required=False)
    origin = Choice(("stated", "inferred"), required=False)
    occurred_at = Instant(ahead=_CLOCKS_DIFFER_BY, required=False)
    valid_from = Instant(ahead=timedelta(0), required=False)
    valid_to = Instant(required=False)
    retract = Flag(required=False)
    importance = Whole(1, 10, required=False)
    reason = Text(_REASON_LENGTH, shortest=0, required=False)
    aliases = _aliases()
    pinned = Flag(required=False)
    expires_at = Instant(required=False)
    metadata = JsonObject(_METADATA_BYTES, required=False)

    def check(self, values: Given) -> Given:
        if "text" not in values and not values.get("retract"):
            raise Faulty.field("text", "This field is required.")
        start, end = values.get("valid_from"), values.get("valid_to")
        if start is not None and end is not None and end <= start:
            raise Faulty.field("valid_from", "Must lie before valid_to.")
        return values

    def json_schema(self) -> JsonSchema:
        text = {"properties": {"text": {"type": "string"}}, "required": ["text"]}
        retraction = {"properties": {"retract": {"const": True}}, "required": ["retract"]}
        return super().json_schema() | {"anyOf": [text, retraction]}


class ProposeRequest(Candidate):
    user = User()


class BatchRequest(Shape):
    user = User()
    scope = ScopeName(required=False, about="For the candidates that name none.")
    session = _session()
    candidates = ListOf(Candidate(), 100, shortest=1)


class CorrectRequest(Shape):
    text = Text(_TEXT_LENGTH, visible=True, required=False)
    reason = Text(_REASON_LENGTH, shortest=0, required=False)
    aliases = _aliases()
    importance = Whole(1, 10, required=False)
    expires_at = Instant(required=False)
    metadata = JsonObject(_METADATA_BYTES, required=False)
    source = Text(_SOURCE_LENGTH, required=False)

    def check(self, values: Given) -> Given:
        if not values:
            raise Faulty.value("A correction names at least one field.")
        return values

    def json_schema(self) -> JsonSchema:
        return super().json_schema() | {"minProperties": 1}


class RecallRequest(Shape):
    user = User()
    scope = ScopeName(required=False)
    scopes = ListOf(ScopeName(), 20, required=False, about="Instead of `scope`.")
    query = Text(_QUERY_LENGTH, shortest=0, required=False, about="Absent or blank: session start.")
    budget_tokens = Whole(0, 128_000, required=False)
    budget_chars = Whole(0, 512_000, required=False, about="Instead of `budget_tokens`.")
    floor = Share(required=False)
    limit = Whole(0, 100, required=False)
    kinds = ListOf(Text(_KIND_LENGTH), 20, shortest=1, required=False)
    as_of = Instant(ahead=timedelta(0), required=False)
    session = Text(256, shortest=0, required=False)
    agent_request_id = Text(256, shortest=0, required=False)
    explain = Flag(required=False)

    def check(self, values: Given) -> Given:
        for one, other in (("scopes", "scope"), ("budget_chars", "budget_tokens")):
            if one in values and other in values:
                raise Faulty.field(one, f"Not together with {other}.")
        return values

    def json_schema(self) -> JsonSchema:
        exclusive = [
            {"anyOf": [{"properties": {one: {"type": "null"}}}, {"properties": {other: {"type": "null"}}}]}
            for one, other in (("scopes", "scope"), ("budget_chars", "budget_tokens"))
        ]
        return super().json_schema() | {"allOf": exclusive}


class PersonRequest(Shape):
    user = User()


class JoinRequest(Shape):
    answer_id = Text(256, visible=True, about="The agent's own id of the answer.")
    model = Text(256, required=False)
    text = Text(100_000, shortest=0, required=False)


class TurnRequest(Shape):
    turn = Whole(0, _HIGHEST_TURN)
    role = Choice(("user", "assistant", "tool", "system"))
    content = Text(100_000, shortest=0)
    occurred_at = Instant(ahead=_CLOCKS_DIFFER_BY, required=False)


class EpisodesRequest(Shape):
    user = User()
    scope = ScopeName(required=False)
    session = Text(256)
    turns = ListOf(TurnRequest(), 10_000, shortest=1)
    extract = Flag(required=False, about="Only false so far.")

    def check(self, values: Given) -> Given:
        if values.get("extract"):
            raise Faulty.field("extract", "Extraction is not available.")
        return values

    def json_schema(self) -> JsonSchema:
        schema = super().json_schema()
        schema["properties"]["extract"] = {"enum": [False, None], "description": "Only false so far."}
        return schema


class DisputeRequest(Shape):
    text = Text(_TEXT_LENGTH, visible=True, required=False, about="What is right, in the person's own words.")
