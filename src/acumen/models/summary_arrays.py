"""Summaries as named arrays and back, for every summary made of dataclasses, tuples and arrays.

Reading back needs a template, the summary of no rows under the same schema and plan: every array must have
the template's type and shape, but for the first axis of those a summary says grow (`grows`), such as the
distinct combinations of a joint table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.preprocessing.stored_arrays import require
from acumen.types import Array

S = TypeVar("S")

_NOT_STORED = ("schema", "plan")
_MOST = 1e300


def summary_arrays(summary: Any, prefix: str = "") -> dict[str, Array]:
    """Every array of a summary under its path."""
    arrays: dict[str, Array] = {}
    for name, value in _parts(summary):
        path = f"{prefix}{name}"
        if isinstance(value, np.ndarray):
            arrays[path] = value
        elif is_dataclass(value) or isinstance(value, tuple):
            arrays |= summary_arrays(value, f"{path}/")
    return arrays


def restored_summary(template: S, arrays: Mapping[str, Array]) -> S:
    """Restore a summary: the template with stored arrays of the same types and shapes."""
    expected = set(summary_arrays(template))
    require(set(arrays) == expected, "the summary does not have the arrays its schema asks for")
    return _fill_template(template, arrays, "")


def _parts(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, tuple):
        return [(str(j), part) for j, part in enumerate(value)]
    return [(f.name, getattr(value, f.name)) for f in fields(value) if f.name not in _NOT_STORED and f.init]


def _fill_template(value: Any, arrays: Mapping[str, Array], prefix: str) -> Any:
    filled: dict[str, Any] = {}
    grows = getattr(type(value), "grows", ())
    lengths = set()
    for name, part in _parts(value):
        path = f"{prefix}{name}"
        if isinstance(part, np.ndarray):
            filled[name] = _check_array(arrays[path], part, path, name in grows)
            if name in grows:
                lengths.add(len(filled[name]))
        elif is_dataclass(part) or isinstance(part, tuple):
            filled[name] = _fill_template(part, arrays, f"{path}/")
    require(len(lengths) <= 1, f"the arrays of {prefix!r} differ in length")
    if isinstance(value, tuple):
        return tuple(filled.get(str(j), part) for j, part in enumerate(value))
    return replace(value, **filled)


def _check_array(array: Array, like: Array, path: str, grows: bool) -> Array:
    require(
        array.dtype == like.dtype and array.ndim == like.ndim, f"the summary's {path!r} is of another type"
    )
    first = 1 if grows else 0
    require(array.shape[first:] == like.shape[first:], f"the summary's {path!r} has shape {array.shape}")
    if array.dtype.kind == "f":
        # Not only finite: sums over classes and values must be so too.
        require((np.abs(array) <= _MOST).all(), f"the summary's {path!r} holds a value beyond {_MOST:g}")
    return array


def empty_table(schema: Schema) -> Table:
    """A table without rows, with a schema."""
    target = schema.target
    return Table(
        schema,
        0,
        numeric=[np.empty(0) for _ in schema.numeric],
        nominal=[np.empty(0, dtype=np.int32) for _ in schema.nominal],
        text=[np.empty(0, dtype=object) for _ in schema.text],
        labels=np.empty(0, dtype=np.int32) if target is not None and target.is_nominal else None,
        response=np.empty(0) if target is not None and target.is_numeric else None,
    )
