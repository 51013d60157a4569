"""The two tables: their rows, their columns, and what is honestly not so."""

from dataclasses import dataclass, field

ABOUT = [
    'Written by `make conformance` from the tests in `tests/conformance`; not by hand. Every "yes" was tried, with a',
    'control beside it: the same question finds the memory before, and finds its neighbour afterwards. "–" is where',
    "the question makes no sense.",
]


@dataclass(frozen=True)
class Table:
    title: str
    about: str
    rows: dict[str, str]
    columns: tuple[str, ...]
    no: dict[tuple[str, str], str] = field(default_factory=dict)


DELETION = Table(
    title="Deletion",
    about=(
        "Down: where a memory could be met. Across: what happened to it; \"with its message\", when another"
        " memory was\nforgotten with the message that it rested on; from \"said again\" on, after it was forgotten"
        " with \"do not learn\nagain\". The trash and the person's own export show what is forgotten until it"
        " is erased."
    ),
    rows={
        "context": "the block for the prompt",
        "explain": "all that was considered",
        "opening": "the block at the start of a conversation",
        "as_of": "the block as of a time before",
        "list": "the list, of any status",
        "search": "search",
        "changes": "the list of changes",
        "count": "counts",
        "one": "the memory by its id",
        "history": "its history",
        "subjects": "the taken subjects",
        "trace": "traces of earlier retrievals",
        "answer": "the traces behind an answer",
        "retry": "a retried call",
        "page": "the memory page",
        "page_search": "search on the page",
        "preview": "the preview page",
    },
    columns=(
        "forgotten", "with its message", "erased", "person erased", "backup restored", "forgotten since the backup",
        "said again", "imported", "new connections", "indexed anew", "background jobs", "exported",
    ),
    no={("retry", "person erased"): "–"},
)  # fmt: skip

CONTRADICTION = Table(
    title="Contradiction",
    about="Down: what the person said second. Across: what is asked afterwards.",
    rows={
        "replacement": 'another value ("I moved to Graz")',
        "polarity": 'the opposite ("I hate it" after "I love it")',
        "retraction": 'it is taken back ("I have no sister")',
        "partial": "a part of it is corrected",
        "bounded": 'it held until a day ("vegetarian until 2024")',
        "older": "an older word that arrives late",
    },
    columns=("current answer", "block that is sent", "after the jobs", "history", "as of before"),
    no={("bounded", "as of before"): "–", ("older", "as of before"): "–"},
)

WISHES = Table(
    title="Wishes",
    about=(
        "Down: what the person asked for. Across: where it has to hold. An export from before brings back what was"
        " forgotten\nor erased without \"do not learn again\", since the person brings it themselves."
    ),
    rows={
        "paused": "a memory is paused",
        "disputed": "a memory is disputed",
        "forgotten": "a memory is forgotten",
        "message": "a message is forgotten, with what rests on it alone",
        "barred": "a wording is not to be learned again",
        "closed": "a subject is closed for learning",
        "lifted": "a subject is open again",
        "use_off": "what is in a scope is not to be used",
        "learning_off": "nothing is to be learned in a scope",
    },
    columns=(
        "at once", "older backup restored", "export brought to another account", "older export brought back",
    ),
    no={
        ("forgotten", "older export brought back"): "–",
        ("message", "older export brought back"): "–",
        ("lifted", "older export brought back"): "no: a list only grows",
    },
)  # fmt: skip

TABLES = {"deletion": DELETION, "contradiction": CONTRADICTION, "wishes": WISHES}
