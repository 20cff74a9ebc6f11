"""Predictions as a table of the database they came from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acumen.base.predictor import AnyPredictor
    from acumen.data.databases.sql import Stored
    from acumen.data.table import Table


def kinds_of(
    columns: Sequence[str], kept: Sequence[str], part: Table, predictor: AnyPredictor
) -> list[Stored]:
    """What each column of the answers holds; `part` is some of the rows that are answered."""
    made: list[Stored] = ["number" if part.column(name).dtype.kind == "f" else "text" for name in kept]
    said = predictor.headings
    if said == ("prediction",):
        one = _of_labels(predictor.schema.classes or predictor.answers(part.take(slice(0, 1))))
    else:
        one = "number"
    made += ["integer", *([one] * len(said))]  # the number of the row comes first
    return made + ["text" if name == "because" else "number" for name in columns[len(made) :]]


def _of_labels(labels: Sequence[Any]) -> Stored:
    types = {type(label) for label in labels}
    return "integer" if types == {int} else "number" if types <= {int, float} else "text"


def store_predictions(
    address: str,
    table: str,
    columns: Sequence[tuple[str, Stored]],
    rows: Iterator[Sequence[Any]],
    *,
    replace: bool,
) -> int:
    """Make the table, in one transaction; how many rows it has."""
    from acumen.data.databases.sql import store
    from acumen.data.naming import unique_names

    names = unique_names([name for name, _ in columns])[0]
    kinds = [kind for _, kind in columns]
    made = ([_value(value, kind) for value, kind in zip(row, kinds, strict=True)] for row in rows)
    return store(address, table, list(zip(names, kinds, strict=True)), made, replace=replace)


def _value(value: Any, kind: Stored) -> Any:
    """A value as its column takes it."""
    return str(value) if kind == "text" and value is not None else value
