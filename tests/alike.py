"""Cases of a test that only reads: they share what it reads, which is made once."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any


def alike(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As `pytest.mark.parametrize`, within one test: each case is still reported by its id, whatever the others do."""
    given = (names,) if isinstance(names, str) else names

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def run(subtests: Any, **fixtures: Any) -> None:
            for name, values in _named(cases, is_single=isinstance(names, str)):
                with subtests.test(name):
                    test(**fixtures, **dict(zip(given, values, strict=True)))

        wanted = [one for one in inspect.signature(test).parameters.values() if one.name not in given]
        own = inspect.Parameter("subtests", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        run.__signature__ = inspect.Signature([own, *wanted])  # type: ignore[attr-defined]
        return run

    return decorate


def _named(cases: Iterable[Any], *, is_single: bool) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Each case's id, its own or what it holds, with its values."""
    for case in cases:
        if hasattr(case, "values") and hasattr(case, "marks"):
            yield case.id or repr(case.values), case.values
        else:
            yield repr(case), (case,) if is_single else case
