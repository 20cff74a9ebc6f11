"""Predictions as a table of the database they came from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acumen.data.databases.database import Stored


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
    values = ([_value(value, kind) for value, kind in zip(row, kinds, strict=True)] for row in rows)
    return store(address, table, list(zip(names, kinds, strict=True)), values, replace=replace)


def _value(value: Any, kind: Stored) -> Any:
    """A value as its column takes it."""
    return str(value) if kind == "text" and value is not None else value
