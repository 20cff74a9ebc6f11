"""From rows to a model of neighbours: the distance fitted, and k chosen by leaving each row out in turn.

    learn_classes, learn_numbers     table -> model
    curve_of                         the leave-one-out error of every k up to the largest, in one search

Leaving a row out is exact but for the scaling, which still has the row in it; what looks at classes (value
differences) is made without it, or k = 1 would be favoured.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from acumen.base.attribute_weights import AttributeWeights, weights_of, without_ignored
from acumen.base.learner import Learner
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.geometry.distance import Distance, FittedDistance, fit_rows, weigh_table
from acumen.geometry.distance_state import require_distance, resolve
from acumen.geometry.raw_rows import RawRows
from acumen.geometry.search import Apart, Index, NeighbourSearch, Say, Targets
from acumen.neighbours.leave_out import tables_without, take_out_each
from acumen.neighbours.models import KNNModel, KNNRegressionModel
from acumen.neighbours.stored_rows import Choice, KCurve
from acumen.rows.class_order import class_totals
from acumen.types import Floats

#: Leave-one-out errors are measured on at most this number of rows: their standard error is then 0.1 % at most.
MOST_JUDGED = 200_000
_NO_CURVE = KCurve(np.empty(0), np.empty(0))


def learn_classes(table: Table, *, who: str, whole: bool, smoothing: float, **how: Any) -> KNNModel:
    """A model that votes for classes; `whole`: weights are counts of rows."""
    totals = np.ascontiguousarray(class_totals(table))
    labels = np.ascontiguousarray(table.class_codes, dtype=np.int32)
    kept = _stored_rows(table, Targets(labels, totals=totals), who, whole, **how)
    return KNNModel(**kept, labels=labels, totals=totals, smooth=float(smoothing))


def learn_numbers(table: Table, *, who: str, whole: bool, **how: Any) -> KNNRegressionModel:
    """A model that averages numbers."""
    numbers = np.ascontiguousarray(table.target_numbers, dtype=np.float64)
    kept = _stored_rows(table, Targets(numbers=numbers), who, whole, **how)
    return KNNRegressionModel(**kept, numbers=numbers)


def _stored_rows(
    table: Table,
    targets: Targets,
    who: str,
    whole: bool,
    *,
    n_neighbors: Any,
    distance: Any,
    weights: Say,
    scale: bool,
    index: Index,
    max_neighbors: int,
    selection_rule: Choice,
    attribute_weights: AttributeWeights,
) -> dict[str, Any]:
    rule = require_distance(distance, table.schema, who)
    counting = weights_of(attribute_weights, table.schema, who)
    fitted, raw = fit_rows(rule, _without_ignored_texts(table, counting), bool(scale))
    if counting is not None:
        fitted = weigh_table(fitted, dict(zip(table.schema.names, counting.tolist(), strict=True)))
    heavy = np.ascontiguousarray(table.row_weights, dtype=np.float64)
    curve, chosen = _NO_CURVE, n_neighbors
    if n_neighbors == "loo":
        curve = curve_of(fitted, raw, heavy, targets, weights, index, int(max_neighbors), whole)
        chosen = 1 if not len(curve.error) else curve.one_se if selection_rule == "one-se" else curve.best
    if not len(curve.error):
        NeighbourSearch(fitted, raw, heavy, index=index)  # says so now if the index cannot be used
    return {
        "fitted": fitted, "raw": raw, "weights": heavy, "k": int(chosen), "say": weights, "index": index,
        "curve": curve, "n_rows": len(raw),
    }  # fmt: skip


def _without_ignored_texts(table: Table, weights: Floats | None) -> Table:
    """Texts are compared all together, so one that is ignored must be missing; others have their own weight."""
    if weights is None or not table.schema.text:
        return table
    kinds = np.array([a.kind == "text" for a in table.schema.attributes])
    return without_ignored(table, np.where(kinds, weights, 1.0))


def curve_of(
    fitted: FittedDistance,
    raw: RawRows,
    heavy: Floats,
    targets: Targets,
    say: Say,
    index: Index,
    max_k: int,
    whole: bool,
) -> KCurve:
    """The leave-one-out error of k = 1 to `max_k`, or to as many as there are other rows; by one search.

    Beyond `MOST_JUDGED` rows, only that many are left out in turn, evenly spaced; all others are their neighbours.
    """
    most = min(max_k, int(heavy.sum() - heavy.max(initial=0.0) if not whole else heavy.sum() - 1 + 1e-9))
    if len(raw) < 2 and not (whole and heavy.sum() > 1):
        return _NO_CURVE
    most = max(most, 1)
    form, lines = tables_without(fitted, raw, targets.labels if len(targets.totals) else None, heavy, whole)
    apart = take_out_each(raw, whole)
    search = NeighbourSearch(fitted, raw, heavy, index=index, part=apart.part, form=form)
    apart = Apart(apart.own, apart.part, codes=lines)
    judged, truth = raw, targets
    if len(raw) > MOST_JUDGED:
        some = np.flatnonzero(heavy > 0)
        some = some[np.linspace(0, len(some) - 1, MOST_JUDGED).astype(np.int64)]
        judged, heavy = raw.take(some), heavy[some]
        truth = Targets(
            targets.labels[some] if len(targets.labels) else targets.labels,
            targets.numbers[some] if len(targets.numbers) else targets.numbers,
        )
        apart = Apart(
            apart.own[some],
            apart.part[some] if len(apart.part) else apart.part,
            codes=None if lines is None else lines[some],
        )
    sums, squares = search.curve(judged, most, say, targets, truth, heavy, apart)
    total = float(heavy.sum())
    error = sums / total
    spread = np.sqrt(np.maximum(squares / total - error * error, 0.0) / total)
    return KCurve(error, spread)


# -- parameters that all learners share -----------------------------------------------------------
#
# Distance, weights, scale and index, and what follows from them.
#
# NeighbourFace    distance, weights, scale, index; objections, memory, the number of neighbours
# CurveFace        the errors of each number of neighbours, where it was chosen by them


DistanceLike = str | Distance | Callable[[Any, Any], Any]


class NeighbourLearner(Learner):
    """Mixed into a learner whose model keeps rows to compare new ones with."""

    n_neighbors: Any

    def __init__(
        self,
        *,
        distance: DistanceLike = "auto",
        weights: Literal["uniform", "distance", "kernel"] = "uniform",
        scale: bool = True,
        index: Literal["auto", "kd", "blocked", "vantage", "brute"] = "auto",
        attribute_weights: AttributeWeights = None,
        n_jobs: int | None = None,
    ) -> None:
        self.distance = distance
        self.weights = weights
        self.scale = scale
        self.index = index
        self.attribute_weights = attribute_weights
        self.n_jobs = n_jobs

    @property
    def constant_sensitive(self) -> bool:
        """Whether a constant column may change predictions: missing values count less among more columns."""
        return True

    def objection(self, schema: Schema) -> str | None:
        return resolve(self.distance, schema, self._name).objection(schema)

    @property
    def interpretable(self) -> bool:
        """Whether a person can read the model: no, it consists of stored rows."""
        return False

    def memory(self, rows: int, schema: Schema) -> int | None:
        # The rows as they came, as the kernels keep them, and a single-precision copy that proposes neighbours.
        return 24 * rows * max(len(schema), 1)

    @property
    def n_neighbors_(self) -> int:
        """The number of neighbours."""
        k: int = self.model_.k
        return k

    @property
    def distance_(self) -> Distance:
        """The distance between rows."""
        distance: Distance = self.model_.fitted.distance
        return distance


class CurveLearner(NeighbourLearner):
    """Mixed into a learner that may choose the number of neighbours by leaving each row out."""

    @property
    def curve_(self) -> Floats:
        """With n_neighbors="loo", the leave-one-out error for k = 1, 2, ..."""
        error: Floats = self.model_.curve.error
        return error

    @property
    def curve_se_(self) -> Floats:
        """The standard error of each point of `curve_`."""
        deviation: Floats = self.model_.curve.deviation
        return deviation

    @property
    def one_se_n_neighbors_(self) -> int | None:
        """The largest k whose error is within one standard error of the smallest."""
        curve = self.model_.curve
        return curve.one_se if len(curve.error) else None
