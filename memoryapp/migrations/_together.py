"""Operations on models that are there, done at once: the models are rendered for all of them, not anew for each."""

from collections.abc import Sequence
from itertools import pairwise

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class Together(Operation):
    """The operations in order, where none of them looks at what the ones before it changed in the models' fields."""

    reversible = True

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations = operations

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        # Rendered models would be rendered again after each operation, with all that are related to them.
        state.clear_delayed_apps_cache()
        state.__dict__.pop("apps", None)
        for operation in self.operations:
            operation.state_forwards(app_label, state)

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        for operation in self.operations:
            operation.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        # On the way back each one sees its own fields: what it takes away may name those that go next.
        states = [to_state]
        for operation in self.operations:
            states.append(states[-1].clone())
            operation.state_forwards(app_label, states[-1])
        for operation, (before, after) in zip(reversed(self.operations), pairwise(reversed(states)), strict=True):
            operation.database_backwards(app_label, schema_editor, before, after)

    def describe(self) -> str:
        return "; ".join(operation.describe() for operation in self.operations)
