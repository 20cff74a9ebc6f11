"""The learners of basis functions and of polynomial regression: parameters, and how a degree is chosen."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, cast

import numpy as np

from acumen import messages
from acumen.base.regressor import Regressor
from acumen.base.transformer import Transformer
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.linear import basis, model_columns, polynomial
from acumen.linear.basis import Basis, Kind, n_functions, usual_degree
from acumen.linear.model_columns import MAX_COLUMNS
from acumen.linear.regressors import too_wide
from acumen.models.model import RegressionModel
from acumen.models.parameters import AtLeast, MoreThan
from acumen.preprocessing.columns import remade
from acumen.resampling import KFold
from acumen.rows.training_rows import Rows
from acumen.types import Floats


class BasisExpansion(Transformer):
    """Replace numeric attributes by basis functions of them, so that a linear learner can fit curves.

    The functions are placed by the range of each attribute in the training rows. A missing value is missing in all
    functions of its attribute, and the learner behind it decides what that means; an infinite one is missing. Nominal
    and text attributes of a Table stay as they are; so do its target and weights. A Table is turned into a Table,
    anything else into an array (or what `set_output` asks for), for which all columns must be numbers. How much a row
    weighs has no effect, unless it is nothing: ranges add, so `partial_fit` and `fit_stream` give what `fit` does.

    Parameters
    ----------
    kind : {"polynomial", "gaussian", "spline"}
        Powers and products about the middle of the range, in halves of it; bumps exp(-z^2 / 2) at even distances;
        or B-splines over pieces of even length, which go on as they end beyond the range (without the first of each
        attribute: all of them sum to 1, as an intercept does).
    degree : int, optional
        The highest power; of splines the degree of the pieces (3: smooth to the second derivative). [default: 2 for
        polynomials, 3 for splines]
    functions : int
        How many bumps, or how many knots between the pieces with both ends; not used for polynomials.
    width : float
        The standard deviation of a bump, in distances between bumps.
    products : bool
        Whether polynomials have products of different attributes.

    Attributes
    ----------
    basis_ : Basis
    n_features_in_ : int

    Examples
    --------
    >>> import acumen
    >>> import numpy as np
    >>> made = acumen.BasisExpansion("polynomial", degree=2).fit(np.array([[-1.0, 0.0], [1.0, 4.0]]))
    >>> made.get_feature_names_out().tolist()
    ['x0', 'x1', 'x0^2', 'x0 * x1', 'x1^2']
    """

    #: The learner's word. An instance's `kind` is its parameter; `acumen.models.kinds` asks the class.
    kind: ClassVar[str] = "basis-expansion"
    model_type = basis.BasisModel
    summarise = staticmethod(basis.summarise)
    solve = staticmethod(basis.solve)
    restore_summary = staticmethod(basis.restore_summary)

    def __init__(
        self,
        kind: Literal["polynomial", "gaussian", "spline"] = "polynomial",
        *,
        degree: Annotated[int, AtLeast(1)] | None = None,
        functions: Annotated[int, AtLeast(2)] = 6,
        width: Annotated[float, MoreThan(0)] = 1.0,
        products: bool = True,
    ) -> None:
        self.kind = kind  # type: ignore[misc]  # the parameter, which hides the word
        self.degree = degree
        self.functions = functions
        self.width = width
        self.products = products

    @property
    def constant_sensitive(self) -> bool:
        """Whether a constant column may change predictions: it has functions of its own."""
        return True

    def objection(self, schema: Schema) -> str | None:
        d = len(schema.numeric)
        if not d:
            return "the table has 0 feature(s) that are numeric; there is nothing to do."
        kind = cast("Kind", self.kind)
        degree = usual_degree(kind) if self.degree is None else self.degree
        width = n_functions(d, kind, degree, self.functions, self.products)
        if width > MAX_COLUMNS:
            width_text = f"{width:,}" if width < 10**15 else "more than 10^15"
            return (
                f"these would be {width_text} functions, and {MAX_COLUMNS:,} are the most; take a lower degree, or "
                "products=False."
            )
        return None

    def _remember_names(self, X: Any, schema: Schema) -> None:
        odd = next((a for a in schema if not a.is_numeric), None)
        if not isinstance(X, Table) and schema.numeric and odd is not None:
            raise DataError(
                f"BasisExpansion: column {odd.name!r} is {odd.kind}; arrays hold only numbers, so give a Table."
            )
        super()._remember_names(X, schema)

    @property
    def basis_(self) -> Basis:
        """The functions."""
        functions: Basis = self.model_.basis
        return functions

    def as_table(self, rows: Table, made: Floats) -> Table:
        kept = [a for a in rows.schema.attributes if not a.is_numeric]
        attributes = [Attribute(name) for name in self.get_feature_names_out().tolist()]
        return remade(rows, [*attributes, *kept], numeric=list(made.T.copy()), nominal=rows.nominal)


# -- polynomial regression ------------------------------------------------------------------------


class PolynomialRegression(Regressor):
    """Predict a number by a polynomial in each numeric attribute, of a given or a cross-validated degree.

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
        """Whether it uses `random_state`: for the folds that choose the degree."""
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
