"""Rosenblatt's perceptron, primal and in the dual.

    learn     rows -> PerceptronModel    weights moved by every row they err on, until they err on none
    scores    rows -> w.x, for each class or for the second of two

Each row is given an extra component (1 or -1) whose weight is the threshold. For two classes a row of the
second one is positive; for more there is one vector for each class, the largest product wins, and a mistake moves
two vectors: the own class's towards the row, the winner's away from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from acumen.codegen.export import Summed
from acumen.codegen.terms import TIE, TermSum, view_sum
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.explain.explanation import Evidence
from acumen.geometry.kernel import Rows, is_sparse
from acumen.geometry.kernel_state import resolve
from acumen.geometry.kernels import Precomputed
from acumen.geometry.support import SupportRows, training_rows
from acumen.linear.perceptron_forms import KernelForm, PerceptronForm, PlaneForm
from acumen.linear.perceptron_space import DualSpace, PerceptronSpace, PrimalSpace
from acumen.linear.perceptron_trace import Watcher
from acumen.models.model import Model
from acumen.preprocessing.finite import finite_matrix, gapless_view, mean_row
from acumen.preprocessing.stored_arrays import require, stored_array, stored_floats
from acumen.render.report import ReportTable
from acumen.types import Array, Floats

#: A kernel matrix of more rows than these is not held.
MOST_ROWS = 20_000
_TINY = float(np.finfo(np.float64).smallest_subnormal)
_MOST = 1e150


def learn(
    rows: Table,
    *,
    learning_rate: float,
    init: str,
    order: str,
    tie: str,
    extra: int,
    stop: str,
    max_iter: int,
    average: bool,
    pocket: bool,
    kernel: Any,
    gamma: Any,
    degree: int,
    offset: float,
    scale: bool,
    rng: np.random.Generator,
    watcher: Watcher | None = None,
) -> PerceptronModel:
    """The model of labelled rows of weight above zero; a `watcher` sees every step."""
    k, weights = rows.schema.n_classes, rows.row_weights
    vectors = k if k > 2 else 1
    rule = (rows.class_codes, weights, learning_rate, tie == "positive", average)
    if kernel is None:
        view = gapless_view(rows, scale)
        matrix = with_extra(finite_matrix(view, rows), extra)
        space: PerceptronSpace = PrimalSpace(matrix, _start(init, (vectors, matrix.shape[1]), rng), *rule)
    else:
        support, lines = _dual_rows(rows, kernel, gamma, degree, offset, scale)
        space = DualSpace(lines, np.zeros((vectors, len(rows))), *rule)
    trained = train(space, order, stop, max_iter, pocket, rng, watcher)
    form = (
        PlaneForm(view, trained.weights, extra, mean_row(matrix, weights)[:-1])
        if kernel is None
        else KernelForm.of(support, np.ascontiguousarray(trained.weights.T))
    )
    totals = np.bincount(rows.class_codes, weights, k).astype(np.float64)
    return PerceptronModel(
        form, tie == "positive", trained.moves, trained.epochs, trained.separated, trained.bound, totals
    )


def _start(word: str, shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    if word == "random":
        return rng.uniform(-1.0, 1.0, shape)
    return np.ones(shape) if word == "ones" else np.zeros(shape)


def _dual_rows(
    rows: Table, kernel: Any, gamma: Any, degree: int, offset: float, scale: bool
) -> tuple[SupportRows, Floats]:
    """The rows under their kernel, and its matrix with the extra component's square added."""
    if len(rows) > MOST_ROWS:
        raise DataError(
            f"Perceptron: the kernel matrix of {len(rows)} rows is too large to be held; learn from at most "
            f"{MOST_ROWS}, or leave the kernel out."
        )
    is_precomputed = kernel == "precomputed" or isinstance(kernel, Precomputed)
    view, matrix = training_rows(rows, is_precomputed, "Perceptron", scale)
    weights = rows.row_weights
    chosen = resolve(
        kernel, gamma=gamma, degree=degree, offset=offset, X=matrix, weights=weights, who="Perceptron"
    )
    lines = chosen(matrix)
    if not np.isfinite(lines).all():
        raise DataError("Perceptron: the kernel of some rows is no finite number; rescale the columns.")
    lines += 1.0
    return SupportRows(
        view, chosen, np.empty((0, len(rows))) if is_precomputed else np.ascontiguousarray(matrix)
    ), lines


def with_extra(matrix: Rows, extra: float) -> Rows:
    """The rows with one more component."""
    if not is_sparse(matrix):
        return np.column_stack([matrix, np.full(matrix.shape[0], float(extra))])
    from scipy.sparse import csr_matrix, hstack

    return csr_matrix(hstack([matrix, np.full((matrix.shape[0], 1), float(extra))], format="csr"))


@dataclass(frozen=True, slots=True)
class Trained:
    """What came of the epochs."""

    weights: Floats
    moves: int
    epochs: int
    separated: bool
    bound: float | None


def train(
    space: PerceptronSpace,
    order: str,
    stop: str,
    max_epochs: int,
    pocket: bool,
    rng: np.random.Generator,
    watcher: Watcher | None = None,
) -> Trained:
    """Epochs until one moves nothing, or Error' no longer falls; of all epochs' weights the best if `pocket`."""
    n = len(space.labels)
    kept, fewest = space.final_weights(), np.inf
    moves = epochs = 0
    before = np.inf
    as_given = np.arange(n, dtype=np.int64)
    for _ in range(max_epochs):
        rows = as_given if order == "given" else rng.permutation(n)
        moved = space.epoch(rows) if watcher is None else watcher.epoch(space, rows)
        moves, epochs = moves + moved, epochs + 1
        if not np.isfinite(space.weights).all() or np.abs(space.weights).max(initial=0.0) > _MOST:
            raise DataError(
                "Perceptron: the weights grow beyond 1e150; rescale the columns, or lower learning_rate."
            )
        if pocket:
            judged = space.final_weights()
            error = space.error(space.values(judged))
            if error < fewest:
                kept, fewest = judged, error
        if stop == "errors" and not moved:
            break
        if stop == "distance":
            distance = space.distance(space.values(space.weights))
            if not distance < before:
                break
            before = distance
    kept = kept if pocket else space.final_weights()
    separated = not space.wrong(space.values(kept)).any()
    return Trained(kept, moves, epochs, separated, space.max_updates(kept) if separated else None)


@dataclass(frozen=True, slots=True)
class PerceptronModel(Summed, Model):
    """The vectors, and how they were come by."""

    kind: ClassVar[str] = "perceptron"
    probabilistic: ClassVar[bool] = False

    form: PerceptronForm
    zero_is_positive: bool  # of two classes: w.x = 0 means the second
    n_updates: int
    n_epochs: int
    separated: bool  # whether no training row is a mistake
    bound: float | None  # on the updates, where the training rows are separated
    weight: Floats  # training weight of each class

    def scores(self, rows: Table) -> Floats:
        """w.x of each class; of two classes 0 for the first and w.x for the second."""
        values = np.nan_to_num(self.form.values(rows), copy=False)
        k = len(self.weight)
        if k <= 2:
            if self.zero_is_positive:
                values[values == 0] = _TINY
            values = np.column_stack([np.zeros(len(values)), values[:, 0]])[:, :k]
        values[:, self.weight <= 0] = -np.inf
        return values

    @property
    def n_parameters(self) -> int:
        return self.form.n_parameters

    def to_sums(self, schema: Schema) -> tuple[TermSum, ...]:
        """w.x of each class; of two classes 0 for the first, or a hair less where 0 is the second."""
        form = self.form
        if not isinstance(form, PlaneForm):
            raise DataError(
                "a perceptron with a kernel is no sum of terms; learn it without one, or use to_onnx."
            )
        each = [view_sum(form.view, w[:-1], float(form.extra * w[-1])) for w in form.weights]
        if len(self.weight) <= 2:
            each = [TermSum(TIE if self.zero_is_positive else 0.0), *each][: len(self.weight)]
        seen = self.weight > 0
        return tuple(one if there else TermSum(-np.inf) for one, there in zip(each, seen, strict=True))

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        if not isinstance(self.form, PlaneForm) or not self.weight[[winner, rival]].all():
            return Model.evidence(self, row, schema, winner, rival)
        return self.form.evidence(row, schema, winner, rival)

    def to_tables(self, schema: Schema) -> tuple[ReportTable, ...]:
        """The weights of the columns; none in the dual."""
        return (self.form.table(schema),) if isinstance(self.form, PlaneForm) else ()

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "class"
        end = "no training row is a mistake" if self.separated else "some training rows are mistakes"
        at_most = f" (at most {self.bound:.4g} by the convergence bound)" if self.bound is not None else ""
        return "\n".join(
            [
                f"Perceptron for {target}: {self.n_updates} updates{at_most} in {self.n_epochs} epochs; {end}",
                *self.form.lines(schema, full),
            ]
        )

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {
            **self.form.to_arrays(),
            "flags": np.array(
                [isinstance(self.form, KernelForm), self.zero_is_positive, self.separated], dtype=np.uint8
            ),
            "counts": np.array([self.n_updates, self.n_epochs], dtype=np.int64),
            "bound": np.array([] if self.bound is None else [self.bound]),
            "weight": self.weight,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        k = schema.n_classes
        flags = stored_array(arrays, "flags", np.uint8, (3,))
        require((flags <= 1).all(), "a flag is neither 0 nor 1")
        counts = stored_array(arrays, "counts", np.int64, (2,))
        require((counts >= 0).all(), "a count is below zero")
        bound = stored_floats(arrays, "bound", (None,), low=0.0, high=1e300)
        require(len(bound) <= 1, "there is more than one bound")
        weight = stored_floats(arrays, "weight", (k,), low=0.0, high=1e300)
        require(weight.sum() > 0, "no class has any weight")
        form = (KernelForm if flags[0] else PlaneForm).from_arrays(arrays, schema, k if k > 2 else 1)
        return cls(
            form,
            bool(flags[1]),
            int(counts[0]),
            int(counts[1]),
            bool(flags[2]),
            float(bound[0]) if len(bound) else None,
            weight,
        )
