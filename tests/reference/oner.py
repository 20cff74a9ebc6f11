"""OneR by brute force, row by row in plain Python: the twin of `acumen.bayes.oner`."""

from __future__ import annotations

import itertools
import math
from typing import Any

from acumen.data.table import Table


def table_rows(table: Table) -> list[dict[str, Any]]:
    """Each row as a dictionary, with its label and weight."""
    columns = {name: table.column(name).tolist() for name in table.schema.names}
    labels, weights = table.label_values().tolist(), table.row_weights.tolist()
    return [
        {**{name: column[i] for name, column in columns.items()}, "label": labels[i], "weight": weights[i]}
        for i in range(len(table))
    ]


def weigh(rows: list[dict[str, Any]], classes: tuple[Any, ...]) -> list[float]:
    return [sum(row["weight"] for row in rows if row["label"] == c) for c in classes]


def is_missing(value: Any) -> bool:
    return value is None or value != value


def cuts_of(rows: list[dict[str, Any]], name: str, classes: tuple[Any, ...], least: float) -> list[float]:
    """Where Holte's buckets meet: pairs of neighbouring values, as their middle."""
    values = sorted({row[name] for row in rows if not is_missing(row[name])})
    at = {v: weigh([row for row in rows if row[name] == v], classes) for v in values}
    groups: list[list[float]] = []
    now: list[float] = []
    for value, following in itertools.pairwise([*values, None]):
        now.append(value)
        counts = [sum(at[v][c] for v in now) for c in range(len(classes))]
        best = counts.index(max(counts))
        if following is None or (max(counts) >= least and at[following][best] < max(at[following])):
            groups.append(now)
            now = []
    joined: list[tuple[int, list[float]]] = []
    for group in groups:
        counts = [sum(at[v][c] for v in group) for c in range(len(classes))]
        if joined and counts[joined[-1][0]] == max(counts):
            joined[-1][1].extend(group)
        else:
            joined.append((counts.index(max(counts)), group))
    return [(a[-1] + b[0]) / 2 for (_, a), (_, b) in itertools.pairwise(joined)]


def cell_of(value: Any, cuts: list[float] | None, word: str | None) -> Any:
    if is_missing(value):
        return "missing"
    if word is not None:
        return word in value.lower().split()
    return value if cuts is None else sum(value > cut for cut in cuts)


def errors_of(rows: list[dict[str, Any]], name: str, classes: tuple[Any, ...], **how: Any) -> float:
    cells: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        cells.setdefault(cell_of(row[name], how.get("cuts"), how.get("word")), []).append(row)
    return sum(sum(weigh(cell, classes)) - max(weigh(cell, classes)) for cell in cells.values())


def one_r(table: Table, min_bucket: float) -> tuple[str, dict[str, float]]:
    """The chosen attribute and the errors of every one."""
    rows, classes = table_rows(table), table.schema.classes
    errors: dict[str, float] = {}
    for attribute in table.schema.attributes:
        name = attribute.name
        if attribute.is_numeric:
            errors[name] = errors_of(rows, name, classes, cuts=cuts_of(rows, name, classes, min_bucket))
        elif attribute.kind == "text":
            words = {w for row in rows if row[name] for w in row[name].lower().split()} or {""}
            errors[name] = min(errors_of(rows, name, classes, word=w) for w in words)
        else:
            errors[name] = errors_of(rows, name, classes)
    least = min(errors.values())
    return next(n for n, e in errors.items() if math.isclose(e, least, abs_tol=1e-9)), errors
