"""Fisher's discriminant among the features of a kernel.

    learn      rows -> KernelFisherModel    directions as sums over training rows
    project    rows -> coordinates along the directions
    scores     rows -> log P(class | row), up to what all classes share

With w = sum_i a_i phi(x_i) the directions maximise w'Bw / w'(S + ridge I)w, B and S being the covariance
between and within the classes among the features. They are found without the n x n matrices of that quotient:
the best w lie in the span of (S + B + ridge I)^-1 (m_c - m), and these are the ridge regressions of the classes'
0/1 columns on the kernel (Hastie, Buja and Tibshirani 1995), one factorisation of K + n ridge I for all of
them. What is left is Fisher's discriminant of as many columns as there are classes. Without a ridge the
pseudo-inverse takes the place of the inverse, which is singular whenever there are fewer features than rows.

With landmarks (Nystroem) w is a sum over some of the rows only; matrices are then as large as these are many.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from acumen.base.linear_scores import shares_said
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.discriminant.class_directions import check_number, directions_of
from acumen.discriminant.kernel_regression import Regression, regress, regress_on_landmarks
from acumen.geometry.kernel import Kernel
from acumen.geometry.kernel_state import resolve
from acumen.geometry.kernels import Precomputed
from acumen.geometry.support import SupportRows, training_rows
from acumen.models.decision import log_prior
from acumen.models.model import Model
from acumen.preprocessing.sparse import row_products
from acumen.preprocessing.stored_arrays import require, stored_floats, stored_log_shares
from acumen.render.text import Heading, number, table
from acumen.resampling.plan import streams
from acumen.types import Array, Floats

#: Beyond so many rows landmarks are used, and so many of them.
MOST_ROWS, LANDMARKS = 20_000, 2_000
_FAR = 1e140
#: Means of regressions that differ by less differ by rounding.
_NOTHING = 1e-12


def learn(
    rows: Table,
    *,
    kernel: Any,
    gamma: Any,
    degree: int,
    offset: float,
    scale: bool,
    alpha: float,
    n_directions: int | None,
    landmarks: int | None,
    random_state: Any,
) -> KernelFisherModel:
    """The model of labelled rows of weight above zero."""
    who = "KernelFisher"
    check_number(n_directions, rows.schema.n_classes, who)
    is_precomputed = kernel == "precomputed" or isinstance(kernel, Precomputed)
    view, matrix = training_rows(rows, is_precomputed, who, scale)
    weights, k = rows.row_weights, rows.schema.n_classes
    chosen = resolve(kernel, gamma=gamma, degree=degree, offset=offset, X=matrix, weights=weights, who=who)
    totals = np.bincount(rows.class_codes, weights, k).astype(np.float64)
    if landmarks is None and len(rows) > MOST_ROWS:
        landmarks = LANDMARKS
    if is_precomputed or landmarks is None or landmarks >= len(rows):
        regression = regress(chosen, matrix, rows.class_codes, weights, totals, alpha)
        support = SupportRows(
            view, chosen, np.empty((0, len(rows))) if is_precomputed else np.ascontiguousarray(matrix)
        )
    else:
        rng = next(streams(random_state, who))
        kept = np.sort(rng.choice(len(rows), landmarks, replace=False))
        support = SupportRows(view, chosen, np.ascontiguousarray(matrix[kept]))
        regression = regress_on_landmarks(
            chosen, matrix, support.rows, rows.class_codes, weights, totals, alpha
        )
    return _model(support, regression, totals, n_directions, alpha)


def _model(
    support: SupportRows, regression: Regression, totals: Floats, n_directions: int | None, ridge: float
) -> KernelFisherModel:
    """Fisher's discriminant of the regressions' values."""
    share = totals / totals.sum()
    within, mean = regression.within + ridge * regression.length, regression.mean
    if np.abs(mean).max(initial=0.0) < _NOTHING:  # the columns regressed are of the order of 1
        within, mean = np.zeros_like(within), np.zeros_like(mean)
    scalings, separation = directions_of(within, mean, share, n_directions, 0.0, "KernelFisher")
    return KernelFisherModel(
        support,
        np.ascontiguousarray(regression.coefficients @ scalings.T),
        regression.intercept @ scalings.T,
        mean @ scalings.T,
        log_prior(totals),
        separation,
        totals,
    )


@dataclass(frozen=True, slots=True)
class KernelFisherModel(Model):
    """Kept rows, their coefficients in each direction, and where the classes lie."""

    kind: ClassVar[str] = "kernel-fisher"

    support: SupportRows
    coefficients: Floats  # (kept rows, directions)
    intercept: Floats  # (directions,)
    mean: Floats  # (classes, directions): each class's mean, projected
    log_prior: Floats
    separation: Floats  # (directions,): scatter between the classes over scatter within, ridge included
    weight: Floats  # training weight of each class

    @property
    def n_directions(self) -> int:
        return self.coefficients.shape[1]

    @property
    def kernel(self) -> Kernel:
        return self.support.kernel

    def project(self, rows: Table) -> Floats:
        """Coordinates along the directions, about the overall mean."""
        return self.support.sums(rows, self.coefficients) + self.intercept

    def scores(self, rows: Table) -> Floats:
        """log P(class | row) up to a constant for each row: Gaussians of variance 1 about the class means."""
        at = np.clip(np.nan_to_num(self.project(rows), copy=False), -_FAR, _FAR)
        scores = row_products(at, self.mean.T)
        scores += self.log_prior - 0.5 * np.einsum("cq,cq->c", self.mean, self.mean)
        return scores

    # -- telling ----------------------------------------------------------------------------------

    @property
    def n_parameters(self) -> int:
        """Coefficients and class means."""
        return int(self.coefficients.size + self.mean.size)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "class"
        classes = [str(c) for c in schema.classes]
        headings = [Heading("direction"), Heading("separation", "right")]
        headings += [Heading(f"mean of {c}", "right") for c in classes]
        rows = [
            (f"F{j + 1}", number(float(self.separation[j])), *(number(float(v)) for v in self.mean[:, j]))
            for j in range(self.n_directions)
        ]
        return "\n".join(
            [
                f"Kernel Fisher discriminant for {target}: {self.kernel!r} on {len(self.support)} kept rows",
                f"P({target})  {shares_said(schema.classes, self.weight)}",
                *table(headings, rows, 10_000 if full else 100),
            ]
        )

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        names = ("coefficients", "intercept", "mean", "log_prior", "separation", "weight")
        return {**self.support.to_arrays(), **{name: getattr(self, name) for name in names}}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        k = schema.n_classes
        support = SupportRows.from_arrays(arrays, schema)
        weight = stored_floats(arrays, "weight", (k,), low=0.0, high=1e300)
        require(weight.sum() > 0, "no class has any weight")
        intercept = stored_floats(arrays, "intercept", (None,), low=-_FAR, high=_FAR)
        q = len(intercept)
        require(1 <= q <= max(k, 2), "there are too few or too many directions")
        return cls(
            support,
            stored_floats(arrays, "coefficients", (len(support), q), low=-_FAR, high=_FAR),
            intercept,
            stored_floats(arrays, "mean", (k, q), low=-_FAR, high=_FAR),
            stored_log_shares(arrays, "log_prior", (k,)),
            stored_floats(arrays, "separation", (q,), low=0.0, high=1e300),
            weight,
        )
