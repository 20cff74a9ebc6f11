"""What the rows are coloured by: their class, or the third of a numeric target they are in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen.data.table import Table
from acumen.render.text import number
from acumen.types import Codes, Floats, Indices

#: So many groups have a colour of their own; the smaller classes share the last one.
COLOURS = 8


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Each row's group, -1 where its target is missing; the names, and what they mean."""

    codes: Codes
    names: tuple[str, ...]
    said: str


def groups_of(table: Table, rows: Indices | slice, weights: Floats) -> Groups:
    """The groups of some rows; `weights` are theirs, empty where each weighs one."""
    target = table.schema.target
    if table.labels is not None and target is not None:
        return _classes(table.labels[rows], tuple(map(str, target.levels)), weights)
    if table.response is not None and target is not None:
        return _thirds(table.response[rows], target.name)
    n = len(range(*rows.indices(len(table)))) if isinstance(rows, slice) else len(rows)
    return Groups(np.zeros(n, dtype=np.int32), ("rows",), "")


def _classes(labels: Codes, names: tuple[str, ...], weights: Floats) -> Groups:
    if len(names) <= COLOURS:
        return Groups(labels, names, "Colours are the classes.")
    known = labels >= 0
    mass = np.bincount(labels[known], weights[known] if weights.size else None, len(names))
    largest = np.sort(np.argsort(-mass, kind="stable")[: COLOURS - 1])
    place = np.full(len(names), COLOURS - 1, dtype=np.int32)
    place[largest] = np.arange(COLOURS - 1, dtype=np.int32)
    rest = len(names) - len(largest)
    return Groups(
        np.where(known, place[np.maximum(labels, 0)], -1).astype(np.int32),
        (*(names[i] for i in largest), f"{rest:,} other classes"),
        f"Colours are the {COLOURS - 1} largest classes; the others share one.",
    )


def _thirds(response: Floats, name: str) -> Groups:
    codes = np.full(len(response), -1, dtype=np.int32)
    known = np.isfinite(response)
    if not known.any():
        return Groups(codes, ("rows",), "")
    edges = np.unique(np.quantile(response[known], [1 / 3, 2 / 3], method="inverted_cdf"))
    edges = edges[edges < response[known].max()]
    codes[known] = np.searchsorted(edges, response[known], side="left")
    ends = [number(float(edge)) for edge in edges]
    names: tuple[str, ...]
    if len(ends) == 2:
        names = (f"{name} up to {ends[0]}", f"above {ends[0]}, up to {ends[1]}", f"above {ends[1]}")
    else:
        names = (f"{name} up to {ends[0]}", f"above {ends[0]}") if ends else (f"{name}",)
    return Groups(codes, names, "Colours are the lower, middle and upper third of the target.")
