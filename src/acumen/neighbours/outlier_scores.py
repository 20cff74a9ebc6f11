"""Outliers and suspect labels: rows whose neighbours are far away, or of another class.

    outlier_scores(table)    -> OutlierScores: the distance of each row to its n-th nearest row, and label disagreement

A row is an outlier if its distance exceeds the upper quartile by more than 1.5 times the interquartile range (Tukey's
fence). Both are computed from logarithms, because distances are skewed. Its label is suspect if at least four fifths
of its neighbours' votes go to one other class.
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
from acumen.geometry.search import Apart, NeighbourSearch, Targets
from acumen.neighbours.leave_out import tables_without
from acumen.rows.class_order import class_totals
from acumen.types import Array, Floats, Indices, Label

#: Rows told in words.
_SHOWN = 10
_FENCE, _AGREED = 1.5, 0.8


@dataclass(frozen=True, slots=True, eq=False)
class OutlierScores:
    """How far each row is from its neighbours, and how many of them have another label.

    Attributes
    ----------
    scores : array
        Distance of each row to its n-th nearest other row.
    fence : float
        Score above which a row is an outlier.
    outliers : array of int
        Rows above the fence, farthest first.
    disagreement : array
        For each labelled row, the fraction of its neighbours' votes for the most frequent other class; NaN without
        labels.
    other_class : array of int
        Code of that class; -1 if there is none.
    suspect_labels : array of int
        Rows whose neighbours agree on another class, clearest first.
    """

    n_neighbors: int
    name: str
    scores: Floats
    fence: float
    outliers: Indices
    disagreement: Floats
    other_class: Array
    suspect_labels: Indices
    labels: tuple[Label | None, ...]  # labels of the suspect rows
    others: tuple[Label, ...]  # classes of their neighbours

    def to_dict(self) -> dict[str, Any]:
        """Everything shown, ready for JSON; rows are numbered from 0."""
        return {
            "n_neighbors": self.n_neighbors,
            "distance": self.name,
            "fence": self.fence if np.isfinite(self.fence) else None,
            "outliers": [{"row": int(i), "distance": _finite(self.scores[i])} for i in self.outliers],
            "suspect_labels": [
                {"row": int(i), "label": label, "neighbours": other, "fraction": float(self.disagreement[i])}
                for i, label, other in zip(self.suspect_labels, self.labels, self.others, strict=True)
            ],
        }

    def __str__(self) -> str:
        rows, n = len(self.scores), self.n_neighbors
        lines = [f"Outliers among {rows:,} rows, by their {n} nearest neighbours ({self.name} distance)"]
        if not len(self.outliers):
            lines.append("  no outliers")
        else:
            lines.append(f"  {len(self.outliers)} outliers (distance above {self.fence:.4g}):")
            lines += [f"    row {int(i)}  distance {self.scores[i]:.4g}" for i in self.outliers[:_SHOWN]]
            lines += _rest(len(self.outliers))
        if not np.isnan(self.disagreement).all():
            if not len(self.suspect_labels):
                lines.append("  no suspect labels")
            else:
                lines.append(
                    f"  {len(self.suspect_labels)} suspect labels (most neighbours have another label):"
                )
                shown = zip(self.suspect_labels[:_SHOWN], self.labels, self.others, strict=False)
                lines += [
                    f"    row {int(i)}  {printable(label)}, but {self.disagreement[i]:.0%} of its neighbours are "
                    f"{printable(other)}"
                    for i, label, other in shown
                ]
                lines += _rest(len(self.suspect_labels))
        return "\n".join(lines)


def outlier_scores(
    table: Any,
    *,
    n_neighbors: int = 5,
    distance: str | Distance | Callable[[Any, Any], Any] = "auto",
    scale: bool = True,
    n_jobs: int | None = None,
) -> OutlierScores:
    """Find outliers and suspect labels: rows whose neighbours are far away, or of another class.

    Parameters
    ----------
    table : Table, or anything `acumen.read` reads
    n_neighbors : int
        Number of nearest rows to compare each row with.
    distance, scale, n_jobs
        As for KNN.

    Returns
    -------
    OutlierScores

    Examples
    --------
    >>> import acumen
    >>> found = acumen.outlier_scores(acumen.datasets.load("iris"))
    >>> found.outliers.tolist(), found.suspect_labels.tolist()
    ([131, 117, 41], [83, 119, 106])
    """
    if isinstance(n_neighbors, bool) or not isinstance(n_neighbors, (int, np.integer)) or n_neighbors < 1:
        raise ParameterError(
            f"outlier_scores: n_neighbors must be a whole number of at least 1; got {n_neighbors!r}."
        )
    rows = table if isinstance(table, Table) else read(table)
    if len(rows) < 2:
        raise DataError(
            "outlier_scores: the table needs at least two rows, because a single row has no neighbours."
        )
    with limited_to(n_jobs), np.errstate(all="ignore"):
        return _scores(
            rows, int(n_neighbors), require_distance(distance, rows.schema, "outlier_scores"), scale
        )


def _scores(rows: Table, k: int, rule: Distance, scale: bool) -> OutlierScores:
    fitted, raw = fit_rows(rule, rows, scale)
    row_numbers = np.arange(len(rows), dtype=np.int64)
    # Each row is one row here, whatever it weighs: a heavy one is no neighbour of itself.
    search = NeighbourSearch(fitted, raw, np.ones(len(rows)), part=row_numbers.astype(np.int32))
    apart = Apart(row_numbers, row_numbers.astype(np.int32))
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
    other_classes = tuple(classes[int(other[i])] for i in doubtful)
    return OutlierScores(
        n_neighbors=min(k, len(rows) - 1),
        name=rule.name,
        scores=reach,
        fence=fence,
        outliers=far,
        disagreement=against,
        other_class=other,
        suspect_labels=doubtful,
        labels=labels,
        others=other_classes,
    )


def _disagreement(rows: Table, search: NeighbourSearch, k: int) -> tuple[Floats, Array]:
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
    among = NeighbourSearch(search.fitted, some, ones, part=part, form=form)
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
