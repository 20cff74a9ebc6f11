"""The face of polynomial regression: parameters, documentation, and how a degree is chosen."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np

from acumen import messages
from acumen.base.regressor import Regressor
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.linear import model_columns, polynomial
from acumen.linear.regressors import too_wide
from acumen.models.model import RegressionModel
from acumen.models.parameters import AtLeast
from acumen.resampling import KFold
from acumen.rows.training_rows import Rows
from acumen.types import Floats


class PolynomialRegression(Regressor):
    """Predict a number by a polynomial in each numeric attribute, of a given degree or of the one that does best.

    Least squares on the powers up to the degree of every numeric attribute (no products of different attributes:
    for these see BasisExpansion); attributes of other kinds have the columns of LinearRegression. The best degree is
    the one of least mean squared error on rows left out, by cross-validation within the training rows; of degrees
    as good the lower.

    Parameters
    ----------
    degree : "validation" or int
        The highest power, or "validation": from 1 to `max_degree`.
    max_degree : int
        The highest power tried.
    folds : int
        Folds of the cross-validation (fewer where there are fewer rows).
    random_state : int, Generator or None
        Seeds the folds.
    n_jobs : int, optional
        Threads; None for all permitted cores.

    Attributes
    ----------
    degree_ : int
    validation_ : array of (degrees, folds), or None
        The mean squared error on each fold, for the degrees 1, 2, ...; infinite where a training set was too small.

    Examples
    --------
    >>> import acumen
    >>> import numpy as np
    >>> x = np.linspace(-1, 1, 30)
    >>> model = acumen.PolynomialRegression(random_state=0).fit(x[:, None], x**3 - x + 0.1 * np.cos(40 * x))
    >>> model.degree_
    3
    """

    kind: ClassVar[str] = "polynomial-regression"
    model_type = polynomial.PolynomialModel

    def __init__(
        self,
        *,
        degree: Literal["validation"] | Annotated[int, AtLeast(1)] = "validation",
        max_degree: Annotated[int, AtLeast(1)] = 8,
        folds: Annotated[int, AtLeast(2)] = 10,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.degree = degree
        self.max_degree = max_degree
        self.folds = folds
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def draws_numbers(self) -> bool:
        """Whether it uses `random_state`: to deal out folds, where the degree is to be found."""
        return self.degree == "validation"

    def objection(self, schema: Schema) -> str | None:
        highest = self.max_degree if self.degree == "validation" else self.degree
        if isinstance(highest, int) and highest > 30:
            return f"powers beyond 30 are lost in rounding; got degree {highest}."
        sentence = too_wide(schema)
        if (
            sentence is None
            and isinstance(highest, int)
            and highest * len(schema.numeric) > model_columns.MAX_COLUMNS
        ):
            return f"{highest} powers of {len(schema.numeric)} attributes are too many columns; lower the degree."
        return sentence

    def learn(self, rows: Rows) -> tuple[RegressionModel, Floats]:
        table = rows.require_local(self._name)
        degree = self.degree
        self.validation_: Floats | None = None
        if degree == "validation":
            degree = self._best_degree(table)
        model, summary = polynomial.learn(table, int(degree))
        self.degree_ = int(degree)
        return model, summary.weight

    def _best_degree(self, table: Table) -> int:
        if len(table) < 4:
            raise DataError(
                f"{self._name}: {len(table)} samples are too few to choose a degree on; give "
                f"{messages.setting('degree', 1)}, or more rows."
            )
        k = min(self.folds, len(table))
        parts = next(iter(KFold(k, stratified=False).part_codes(len(table), None, self.random_state)))
        self.validation_ = polynomial.cross_validate(table, self.max_degree, parts, k)
        weight = np.bincount(parts, weights=table.row_weights, minlength=k)
        error = self.validation_ @ (weight / weight.sum())
        return int(np.argmin(error)) + 1
