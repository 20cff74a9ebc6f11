"""Maximum entropy over rows on many machines: loss, averages of features and their covariance are sums over blocks.

    fit_spread   rows that tasks read -> what `maxent_fit.fit` gives

Each step of the descent is a pass. Sums of rows are rounded otherwise than on one machine. Newton's steps are the same
but for that: probabilities and averages agree to 1e-10, and so do multipliers where `C` leaves no choice between them.
Those of L-BFGS part, and agree as far as both are taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.data.table import Table
from acumen.linear.logistic_spread import spread_view
from acumen.linear.maxent import LocalDual, MaxEntModel, cap, regular
from acumen.linear.maxent_features import MaxEntFeatures, read_features
from acumen.linear.maxent_fit import MANY, Method, fit_dual, squares
from acumen.optimise.trace import Descent
from acumen.preprocessing.matrix import NumericMatrix
from acumen.rows.persisted import Persisted
from acumen.rows.training_rows import Rows
from acumen.summaries.algebra import Each
from acumen.types import Codes, Floats, Label

if TYPE_CHECKING:
    from acumen.engines.worker_state import PersistedOnWorkers

#: L-BFGS, whose steps part from those of one machine, may go to the end of what numbers can tell.
_EXACT = 1e-11


class SummedDual:
    """A Dual whose rows are elsewhere: `held` gives them block by block."""

    def __init__(
        self,
        held: Persisted | PersistedOnWorkers,
        features: MaxEntFeatures,
        places: Sequence[int],
        total: float,
        C: float | None,
    ) -> None:
        self._held, self._features, self._places, self._total = held, features, places, total
        self._ridge = 0.0 if C is None else 1.0 / (C * total)
        self.squares, self.observed_averages = (each / total for each in self._sum(_first).things)
        self._known: tuple[bytes, bool, Any] = (b"", False, None)

    def _sum(self, work: Any, *given: Any) -> Any:
        return self._held.sum(_pass_arguments, (self._features, self._places, work, given))

    def _at(self, multipliers: Floats, curved: bool) -> Any:
        """The means at a point; the last one is remembered."""
        key, was_curved, sums = self._known
        if key != multipliers.tobytes() or (curved and not was_curved):
            sums = [each / self._total for each in self._sum(_means, multipliers, curved).things]
            self._known = multipliers.tobytes(), curved, sums
        return sums

    def __call__(self, multipliers: Floats) -> tuple[float, Floats]:
        loss, gradient, *_ = self._at(multipliers, False)
        held = self._ridge * multipliers
        return float(loss) + 0.5 * float(held @ multipliers), gradient + held

    def second_order(self, multipliers: Floats) -> tuple[float, Floats, Floats]:
        """With the covariance of the features under the model."""
        *_, covariance = self._at(multipliers, True)
        return *self(multipliers), regular(covariance.copy(), self._ridge)

    def expected_averages(self, multipliers: Floats) -> Floats:
        """The average of each feature under the model."""
        expected: Floats = self._at(multipliers, False)[1] + self.observed_averages
        return expected


def _pass_arguments(asked: tuple[Any, ...], block: tuple[Any, ...]) -> Each[Any]:
    features, places, work, block_rows = asked
    matrix, values, labels, weights = block
    return work(LocalDual(features, matrix, values, labels, weights, places, None), *block_rows)


def _first(dual: LocalDual) -> Each[Any]:
    return Each((squares(dual) * dual.total, dual.observed_averages * dual.total))


def _means(dual: LocalDual, multipliers: Floats, curved: bool) -> Each[Any]:
    loss, gradient = dual(multipliers)
    more = (dual.covariance(multipliers) * dual.total,) if curved else ()
    return Each((loss * dual.total, gradient * dual.total, *more))


def _block(
    view: NumericMatrix,
    features: MaxEntFeatures,
    classes: Sequence[Label],
    places: Sequence[int],
    number: Codes,
    rows: Table,
) -> tuple[Any, ...]:
    """A block as a Dual takes it: columns, what functions say, classes that occur, weights."""
    values = features.values(rows, classes, places)
    return cap(view.transform(rows)), values, number[rows.class_codes], rows.row_weights


def fit_spread(
    rows: Rows,
    who: str,
    *,
    features: Any,
    C: float | None,
    solver: Method,
    tol: float,
    max_iter: int | None,
) -> tuple[MaxEntModel, Descent, Floats]:
    """The model, the descent of its dual, and the weight of each class."""
    schema, totals = rows.schema, rows.totals
    seen = totals > 0
    places = np.flatnonzero(seen).tolist()
    view, _ = spread_view(rows, who)
    parsed = read_features(features, view, schema, who)
    number = (np.cumsum(seen) - 1).astype(np.int32)
    size = 8 * (int(view.starts[-1]) + len(parsed.functions) * len(places)) + 12
    held = rows.persist(partial(_block, view, parsed, schema.classes, places, number), size)
    dual = SummedDual(held, parsed, places, float(totals.sum()), C)
    if solver != "newton" or len(parsed) > MANY:
        tol = min(tol, _EXACT)
    minimum, model = fit_dual(dual, dual.squares, view, parsed, totals, schema.classes, solver, tol, max_iter)
    return model, minimum, totals
