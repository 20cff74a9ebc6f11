"""Small tables made by hand, for tests of the card and of what shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from acumen.data.report import Report
from acumen.data.schema import Attribute, Schema
from acumen.data.table import NO_WEIGHTS, Table
from acumen.types import Codes


def codes_of(values: Sequence[Any], levels: Sequence[Any]) -> Codes:
    """Codes over the levels; None is missing."""
    return np.array([-1 if v is None else levels.index(v) for v in values], dtype=np.int32)


def levels_of(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(sorted({v for v in values if v is not None}))


def table_of(
    columns: Mapping[str, Sequence[Any]],
    target: Sequence[Any] | None = None,
    *,
    weights: Sequence[float] | None = None,
    text: Sequence[str] = (),
    report: Report | None = None,
) -> Table:
    """A table of columns by name: numbers (NaN missing) are numeric, strings (None missing) nominal."""
    attributes, numeric, nominal, texts = [], [], [], []
    for name, values in columns.items():
        if name in text:
            attributes.append(Attribute(name, "text"))
            texts.append(np.array(values, dtype=object))
        elif any(isinstance(v, str) for v in values):
            levels = levels_of(values)
            attributes.append(Attribute(name, "nominal", levels))
            nominal.append(codes_of(values, levels))
        else:
            attributes.append(Attribute(name, "numeric"))
            numeric.append(np.array(values, dtype=np.float64))
    n_rows = len(next(iter(columns.values())))
    answer = Attribute("class", "nominal", levels_of(target)) if target is not None else None
    return Table(
        Schema(tuple(attributes), answer, "w" if weights is not None else None),
        n_rows,
        numeric=numeric,
        nominal=nominal,
        text=texts,
        labels=codes_of(target, answer.levels) if target is not None and answer is not None else None,
        weights=np.array(weights, dtype=np.float64) if weights is not None else NO_WEIGHTS,
        report=report,
    )
