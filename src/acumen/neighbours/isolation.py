"""Rows that stand apart: their neighbours are far away, or of other classes.

    isolation(table)    -> Isolation: the distance of each row to its k-th other row, and who disagrees with its label

A row is far where its distance is beyond the upper quartile by one and a half times the quartiles' difference (Tukey's
fence), both reckoned of logarithms, as distances are skewed. It is a candidate for a wrong label where at least
four fifths of its neighbours' votes go to one other class.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.data.escape import printable
from acumen.data.read import read
from acumen.data.table import Table
from acumen.engines.cores import limited_to
from acumen.errors import DataError, ParameterError
from acumen.geometry.distance import Distance, fit_rows
from acumen.geometry.distance_state import require_distance
from acumen.geometry.search import Apart, Search, Targets
from acumen.neighbours.left_out import tables_without
from acumen.rows.class_totals import class_totals
from acumen.types import Array, Floats, Indices, Label

#: Rows told in words.
_SHOWN = 10
_FENCE, _AGREED = 1.5, 0.8


@dataclass(frozen=True, slots=True, eq=False)
class Isolation:
    """Rows by how far their neighbours are, and by how many of these have another label.

    Attributes
    ----------
    distance : array
        Of each row to its k-th other row.
    fence : float
        Beyond it a row is far from all others.
    far : array of int
        Rows beyond the fence, the furthest first.
    against : array
        Of each labelled row the share of its neighbours' votes for the other class that has most; NaN without labels.
    other : array of int
        The code of that class; -1 where there is none.
    doubtful : array of int
        Rows whose neighbours agree on another class, the clearest first.
    """

    k: int
    name: str
    distance: Floats
    fence: float
    far: Indices
    against: Floats
    other: Array
    doubtful: Indices
    labels: tuple[Label | None, ...]  # of the doubtful rows
    others: tuple[Label, ...]  # what their neighbours say

    def to_dict(self) -> dict[str, Any]:
        """All that is told, ready for JSON; rows count from 0."""
        return {
            "k": self.k,
            "distance": self.name,
            "fence": self.fence if np.isfinite(self.fence) else None,
            "far": [{"row": int(i), "distance": _finite(self.distance[i])} for i in self.far],
            "doubtful": [
                {"row": int(i), "label": label, "neighbours": other, "share": float(self.against[i])}
                for i, label, other in zip(self.doubtful, self.labels, self.others, strict=True)
            ],
        }

    def __str__(self) -> str:
        rows = len(self.distance)
        lines = [f"Isolation of {rows:,} rows by their {self.k} nearest others, distance {self.name}"]
        if not len(self.far):
            lines.append("  no row is far from all others")
        else:
            lines.append(f"  {len(self.far)} far from all others (beyond {self.fence:.4g}):")
            lines += [f"    row {int(i)}  distance {self.distance[i]:.4g}" for i in self.far[:_SHOWN]]
            lines += _rest(len(self.far))
        if not np.isnan(self.against).all():
            if not len(self.doubtful):
                lines.append("  no row's neighbours agree on another label")
            else:
                lines.append(f"  {len(self.doubtful)} whose neighbours agree on another label:")
                told = zip(self.doubtful[:_SHOWN], self.labels, self.others, strict=False)
                lines += [
                    f"    row {int(i)}  {printable(label)}, but {self.against[i]:.0%} of its neighbours are "
                    f"{printable(other)}"
                    for i, label, other in told
                ]
                lines += _rest(len(self.doubtful))
        return "\n".join(lines)


def isolation(
    table: Any,
    *,
    k: int = 5,
    distance: str | Distance | Callable[[Any, Any], Any] = "auto",
    scale: bool = True,
    n_jobs: int | None = None,
) -> Isolation:
    """Find the rows whose neighbours are far away, or of other classes.

    Parameters
    ----------
    table : Table, or anything `acumen.read` reads
    k : int
        How many other rows are looked at.
    distance, scale, n_jobs
        As for KNN.

    Returns
    -------
    Isolation

    Examples
    --------
    >>> import acumen
    >>> found = acumen.isolation(acumen.datasets.load("iris"))
    >>> found.far.tolist(), found.doubtful.tolist()
    ([131, 117, 41], [83, 119, 106])
    """
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise ParameterError(f"isolation: k must be a whole number of at least 1; got {k!r}.")
    rows = table if isinstance(table, Table) else read(table)
    if len(rows) < 2:
        raise DataError("isolation: a table of two rows or more is needed; a row alone has no neighbours.")
    with limited_to(n_jobs), np.errstate(all="ignore"):
        return _isolated(rows, int(k), require_distance(distance, rows.schema, "isolation"), scale)


def _isolated(rows: Table, k: int, rule: Distance, scale: bool) -> Isolation:
    fitted, raw = fit_rows(rule, rows, scale)
    own = np.arange(len(rows), dtype=np.int64)
    # Each row is one row here, whatever it weighs: a heavy one is no neighbour of itself.
    search = Search(fitted, raw, np.ones(len(rows)), part=own.astype(np.int32))
    apart = Apart(own, own.astype(np.int32))
    reach = search.votes(
        raw, min(k, len(rows) - 1), "uniform", Targets(numbers=np.zeros(len(rows))), apart
    ).reach
    known = np.log(reach[np.isfinite(reach) & (reach > 0)])
    fence = np.inf
    if len(known) > 3:
        low, high = np.quantile(known, (0.25, 0.75))
        fence = float(np.exp(high + _FENCE * (high - low))) if high > low else np.inf
    far = np.flatnonzero(reach > fence)
    far = far[np.argsort(-reach[far], kind="stable")]
    against, other = _disagreement(rows, search, k)
    doubtful = np.flatnonzero(against >= _AGREED)
    doubtful = doubtful[np.argsort(-against[doubtful], kind="stable")]
    classes = rows.schema.classes if rows.labels is not None else ()
    labels = tuple(classes[rows.labels[i]] for i in doubtful) if rows.labels is not None else ()
    said = tuple(classes[int(other[i])] for i in doubtful)
    return Isolation(
        min(k, len(rows) - 1), rule.name, reach, fence, far, against, other, doubtful, labels, said
    )


def _disagreement(rows: Table, search: Search, k: int) -> tuple[Floats, Array]:
    """The share of votes for the strongest other class, and which it is; of rows with a label."""
    against, other = np.full(len(rows), np.nan), np.full(len(rows), -1, dtype=np.int32)
    if rows.labels is None or rows.schema.n_classes < 2:
        return against, other
    there = np.flatnonzero(rows.labels >= 0)
    if len(there) < 2:
        return against, other
    some = search.raw.take(there)
    labels = np.ascontiguousarray(rows.labels[there], dtype=np.int32)
    part = np.arange(len(there), dtype=np.int32)
    ones = np.ones(len(there))
    form, lines = tables_without(
        search.fitted, some, labels, ones, whole=False
    )  # or the label would be known already
    among = Search(search.fitted, some, ones, part=part, form=form)
    targets = Targets(labels, totals=np.ascontiguousarray(class_totals(rows.take(there))))
    apart = Apart(part.astype(np.int64), part, codes=lines)
    votes = among.votes(some, min(k, len(there) - 1), "uniform", targets, apart).votes
    votes[np.arange(len(there)), labels], total = -1.0, votes.sum(axis=1)
    other[there] = votes.argmax(axis=1)
    against[there] = np.where(total > 0, votes.max(axis=1) / np.where(total > 0, total, 1.0), 0.0)
    return against, other


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _rest(count: int) -> list[str]:
    return [f"    ... and {count - _SHOWN} more"] if count > _SHOWN else []
