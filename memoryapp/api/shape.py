"""Shapes: which fields a request may have. Fields that are not named are refused."""

from typing import Any, ClassVar

from django.http import QueryDict

from memoryapp.api.faults import Faulty
from memoryapp.api.fields import JsonSchema, RequestField

Given = dict[str, Any]
"""The values that a request gave, under the names of their fields; absent ones are absent."""


class Shape:
    """An object with exactly the fields that the class and its bases declare. Null equals absent where optional."""

    fields: ClassVar[dict[str, RequestField]] = {}

    def __init_subclass__(cls) -> None:
        declared = {name: field for name, field in vars(cls).items() if isinstance(field, RequestField)}
        cls.fields = cls.fields | declared

    def read(self, given: Any) -> Given:
        if not isinstance(given, dict):
            raise Faulty.value("Must be an object.")
        values: Given = {}
        faulty = Faulty()
        for name in given:
            if name not in self.fields:
                faulty.add_field(name, Faulty.value("There is no such field."))
        for name, field in self.fields.items():
            value = given.get(name)
            if value is None:
                if field.required:
                    message = "Must not be null." if name in given else "This field is required."
                    faulty.add_field(name, Faulty.value(message))
                continue
            try:
                values[name] = field.read(value)
            except Faulty as error:
                faulty.add_field(name, error)
        faulty.raise_if_any()
        return self.check(values)

    def check(self, values: Given) -> Given:
        """What no field can tell alone. Raises Faulty."""
        return values

    def json_schema(self) -> JsonSchema:
        return {
            "type": "object",
            "properties": {name: _property_schema(field) for name, field in self.fields.items()},
            "required": [name for name, field in self.fields.items() if field.is_described_as_required],
            "additionalProperties": False,
        }


class QueryShape(Shape):
    """The parameters of a query, each given at most once."""

    def read_query(self, query: QueryDict) -> Given:
        if not query:
            return self.read({})
        faulty = Faulty()
        for name, values in query.lists():
            if len(values) > 1:
                faulty.add_field(name, Faulty.value("Must be given once."))
        faulty.raise_if_any()
        return self.read(query.dict())


def _property_schema(field: RequestField) -> JsonSchema:
    schema = field.json_schema()
    if field.about:
        schema["description"] = field.about
    if not field.is_described_as_required:
        if "enum" in schema:
            schema["enum"] = [*schema["enum"], None]
        schema["type"] = [schema["type"], "null"]
    return schema
