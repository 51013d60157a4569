"""Rows in plain SQL, for what is on the way of every write: the ORM makes its statements anew each time.

Values go to the columns as the models' fields prepare them; rows come back as the models' fields read them.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.db import connection, models

if TYPE_CHECKING:
    _Field = models.Field[Any, Any]
else:
    _Field = models.Field

type Statement = tuple[str, Sequence[Any]]
"""SQL and its parameters."""

_PLAIN = (
    models.CharField, models.TextField, models.UUIDField, models.IntegerField, models.BooleanField,
    models.DateTimeField,
)  # fmt: skip
"""Fields whose values the database's driver takes as they are. So are the keys of other rows, which are UUIDs."""


def insert(*rows: models.Model, also: Sequence[Statement] = ()) -> None:
    """Inserts new rows in one statement; foreign keys among them hold in any order.

    `also` are further statements that become part of it. None of them sees what another does.
    """
    values: list[Any] = []
    for row in rows:
        values += _values(row)
    for _, parameters in also:
        values += parameters
    with connection.cursor() as cursor:
        cursor.execute(_insert(tuple(map(type, rows)), tuple(statement for statement, _ in also)), values)
    for row in rows:
        row._state.adding, row._state.db = False, connection.alias


def rewriting(row: models.Model) -> Statement:
    """Writes all columns of a row that exists."""
    return _rewrite(type(row)), [*_values(row), row.pk]


def select[Row: models.Model](model: type[Row], after: str, parameters: Sequence[Any]) -> list[Row]:
    """The model's rows, whole, by what stands after `from {table}`."""
    names, converters = _reading(model)
    with connection.cursor() as cursor:
        cursor.execute(f"{_select(model)} {after}", parameters)
        found = cursor.fetchall()
    rows = []
    for values in found:
        if converters:
            values = list(values)
            for place, convert in converters:
                values[place] = convert(values[place], None, connection)
        rows.append(model.from_db(connection.alias, names, values))
    return rows


def _values(row: models.Model) -> list[Any]:
    return [
        getattr(row, name) if field is None else field.get_db_prep_save(getattr(row, name), connection)
        for name, field in _writing(type(row))
    ]


@lru_cache
def _writing(model: type[models.Model]) -> tuple[tuple[str, _Field | None], ...]:
    """The attributes of the written columns, each with its field where that has to prepare the value."""
    return tuple(
        (field.attname, None if field.is_relation or isinstance(field, _PLAIN) else field) for field in _columns(model)
    )


def _columns(model: type[models.Model]) -> list[_Field]:
    return [field for field in model._meta.concrete_fields if not isinstance(field, models.AutoField)]


@lru_cache
def _reading(model: type[models.Model]) -> tuple[list[str], list[tuple[int, Callable[..., Any]]]]:
    fields = model._meta.concrete_fields
    converters = [
        (place, convert)
        for place, field in enumerate(fields)
        for convert in [
            *connection.ops.get_db_converters(field.get_col(model._meta.db_table)),
            *field.get_db_converters(connection),
        ]
    ]
    return [field.attname for field in fields], converters


@lru_cache
def _insert(kinds: tuple[type[models.Model], ...], also: tuple[str, ...]) -> str:
    statements = []
    for model in kinds:
        columns = _columns(model)
        names = ", ".join(f'"{field.column}"' for field in columns)
        statements.append(f'insert into "{model._meta.db_table}" ({names}) values ({_marks(len(columns))})')
    *first, last = [*statements, *also]
    common = ", ".join(f"part_{number} as ({statement})" for number, statement in enumerate(first))
    return f"with {common} {last}" if first else last


@lru_cache
def _rewrite(model: type[models.Model]) -> str:
    written = ", ".join(f'"{field.column}" = %s' for field in _columns(model))
    return f'update "{model._meta.db_table}" set {written} where "{model._meta.pk.column}" = %s'


@lru_cache
def _select(model: type[models.Model]) -> str:
    columns = ", ".join(f'"{model._meta.db_table}"."{field.column}"' for field in model._meta.concrete_fields)
    return f'select {columns} from "{model._meta.db_table}"'


def _marks(number: int) -> str:
    return ", ".join(["%s"] * number)
