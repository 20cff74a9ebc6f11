"""The model of proportional odds: one line of coefficients for all classes, and a threshold between any two.

    log odds of (class k or lower) = threshold k - coefficients (x - centre)

A positive coefficient makes higher classes likelier. A class without training rows has no threshold of its own and
probability 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.linear.design import Coding
from acumen.models.model import Model
from acumen.preprocessing.stored_arrays import require, stored, stored_floats
from acumen.types import Array, Bools, Floats

_CAP = 1e140
#: The places of what was penalised, as files have them.
PENALTIES: Final = ("none", "l2")


def log_sigmoid(x: Floats) -> Floats:
    """log(1 / (1 + exp(-x))), whatever the size of x."""
    return -np.logaddexp(0.0, -x)


def log_between(upper: Floats, lower: Floats) -> Floats:
    """log(sigmoid(upper) - sigmoid(lower)) for lower < upper, without a difference of nearly equal numbers.

    sigmoid(u) - sigmoid(l) = sigmoid(u) sigmoid(-l) (1 - exp(l - u)).
    """
    apart = upper - lower
    with np.errstate(divide="ignore"):
        return log_sigmoid(upper) + log_sigmoid(-lower) + np.log(-np.expm1(-apart))


@dataclass(frozen=True, slots=True, eq=False)
class OrderedModel(Model):
    """P(class k or lower) = 1 / (1 + exp(-(threshold k - coefficients (x - centre))))."""

    kind: ClassVar[str] = "ordered-logistic"

    coding: Coding
    seen: Bools  # which classes had training rows
    coefficients: Floats  # (columns,), in the columns' own units
    thresholds: Floats  # (classes seen - 1,), ascending: at the centre
    centre: Floats  # (columns,); zero for sparse rows
    errors: Floats  # standard errors of coefficients and thresholds (of a row of zeros), or none
    log_likelihood: float
    weight: float
    free: int
    penalty: int  # place in PENALTIES

    @property
    def places(self) -> Array:
        """The codes of the classes that had training rows."""
        return np.flatnonzero(self.seen)

    @property
    def cuts(self) -> Floats:
        """The thresholds of a row of zeros."""
        return self.thresholds + float(self.coefficients @ self.centre)

    @property
    def n_parameters(self) -> int:
        return self.free

    # -- predicting -------------------------------------------------------------------------------

    def scores(self, rows: Table) -> Floats:
        made = np.full((len(rows), len(self.seen)), -np.inf)
        made[:, self.places] = self.log_shares(self.heights(rows))
        return made

    def heights(self, rows: Table) -> Floats:
        """How far up the one line each row is: coefficients (x - centre)."""
        matrix: Any = self.coding.matrix(rows)
        if hasattr(matrix, "indptr"):
            made = np.asarray(matrix @ self.coefficients, dtype=np.float64) - float(
                self.coefficients @ self.centre
            )
        else:
            with np.errstate(over="ignore", invalid="ignore"):
                made = np.einsum("ij,j->i", matrix - self.centre, self.coefficients)
        bad = np.flatnonzero(~np.isfinite(made))
        if bad.size:  # numbers whose products are none
            some = matrix[bad]
            some = some.toarray() if hasattr(some, "indptr") else some
            with np.errstate(over="ignore", invalid="ignore"):
                away = np.clip(np.nan_to_num(some - self.centre, nan=0.0), -_CAP, _CAP)
            made[bad] = np.einsum("ij,j->i", away, np.clip(self.coefficients, -_CAP, _CAP))
        return np.asarray(made)

    def log_shares(self, heights: Floats) -> Floats:
        """log P of each class seen."""
        k = len(self.thresholds) + 1
        made = np.zeros((len(heights), k))
        if k == 1:
            return made
        # Beyond +-700 a probability is 0 or 1 to the last digit; thresholds stay apart there.
        height = np.clip(heights, self.thresholds[0] - 700.0, self.thresholds[-1] + 700.0)
        lines = self.thresholds[None, :] - height[:, None]
        made[:, 0] = log_sigmoid(lines[:, 0])
        made[:, -1] = log_sigmoid(-lines[:, -1])
        if k > 2:
            made[:, 1:-1] = log_between(lines[:, 1:], lines[:, :-1])
        return made

    # -- reading it -------------------------------------------------------------------------------

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        from acumen.linear.ordered_text import describe

        return describe(self, schema, full)

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        facts = [self.log_likelihood, self.weight, float(self.free), float(self.penalty)]
        return {
            "seen": np.asarray(self.seen, dtype=np.bool_),
            "coefficients": self.coefficients,
            "thresholds": self.thresholds,
            "centre": self.centre,
            "errors": self.errors,
            "facts": np.array(facts),
            **self.coding.to_arrays(),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        coding = Coding.from_arrays(arrays, schema)
        width = coding.width
        seen = stored(arrays, "seen", np.bool_, (schema.n_classes,))
        count = int(np.count_nonzero(seen))
        require(count > 0, "no class has training rows")
        thresholds = stored_floats(arrays, "thresholds", (count - 1,), low=-_CAP, high=_CAP)
        require(bool((np.diff(thresholds) > 0).all()), "the thresholds do not rise")
        errors = stored_floats(arrays, "errors", (None,), low=0.0)
        require(len(errors) in (0, width + count - 1), "there must be all standard errors or none")
        facts = stored_floats(arrays, "facts", (4,))
        require(0 <= facts[2] < 2**53 and facts[2] == int(facts[2]), "the number of parameters is none")
        require(facts[3] in range(len(PENALTIES)), "the penalty is none")
        require(facts[1] > 0, "no row has any weight")
        return cls(
            coding=coding,
            seen=seen,
            coefficients=stored_floats(arrays, "coefficients", (width,), low=-_CAP, high=_CAP),
            thresholds=thresholds,
            centre=stored_floats(arrays, "centre", (width,)),
            errors=errors,
            log_likelihood=float(facts[0]),
            weight=float(facts[1]),
            free=int(facts[2]),
            penalty=int(facts[3]),
        )
