"""The faces of the linear regressors: least squares, ridge, lasso, and the mean they must beat."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from acumen.base.memory_budget import Widths, dense_bytes
from acumen.base.regressor import Regressor
from acumen.base.training import Training
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.blocks import BLOCK_ROWS
from acumen.linear import lasso, linear_systems, mean_model, model_columns, ols, ridge
from acumen.linear.model import LinearModel
from acumen.linear.model_text import interval
from acumen.linear.ols import leave_one_out_values
from acumen.models.parameters import AtLeast, Between, MoreThan
from acumen.rows.numeric_targets import known_rows, regression_table
from acumen.types import Bools, Floats


class Mean(Regressor):
    """Always predict the mean of the training rows: the baseline of regression.

    What every regressor has to beat: `compare` adds it. Takes any table with a numeric target.

    Parameters
    ----------
    n_jobs : int, optional
        Threads; None for all permitted cores. The answer does not depend on it.

    Examples
    --------
    >>> import acumen
    >>> acumen.Mean().fit([[1.0], [2.0]], [3.0, 5.0]).predict([[9.0]]).tolist()
    [4.0]
    """

    kind: ClassVar[str] = "mean"
    poor_score: ClassVar[bool] = True
    model_type = mean_model.MeanModel
    summarise = staticmethod(mean_model.summarise)
    solve = staticmethod(mean_model.solve)
    restore_summary = staticmethod(mean_model.restore_summary)

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs


class _Linear(Regressor):
    """What the regressors on a triangular factor have in common."""

    plan = staticmethod(model_columns.plan)
    summarise = staticmethod(linear_systems.summarise)
    summarise_parts = staticmethod(linear_systems.summarise_parts)
    restore_plan = staticmethod(model_columns.restore_plan)
    restore_summary = staticmethod(linear_systems.restore_summary)
    summary_gives_error: ClassVar[bool] = True

    @property
    def constant_sensitive(self) -> bool:
        """Whether a constant column may change predictions: without an intercept, it acts as one."""
        return not getattr(self, "fit_intercept", True)

    def needs_plan(self, schema: Schema) -> bool:
        return bool(schema.text)

    def objection(self, schema: Schema) -> str | None:
        return too_wide(schema)

    def memory(self, rows: int, schema: Schema) -> int | None:
        width = Widths.of(schema).coded
        return dense_bytes(min(rows, BLOCK_ROWS), width, 3) + dense_bytes(width, width, 4.5)

    def summary_memory(self, schema: Schema) -> int | None:
        width = Widths.of(schema).coded
        return dense_bytes(width, width)

    def residual_squares(self, summary: linear_systems.LinearSummary) -> float:
        """The weighted squared residuals of a part, from the part's summary alone."""
        weights = self.model_.residual_weights(summary.gaps)
        apart = summary.triangle.factor @ weights
        return float(apart @ apart)

    @property
    def coef_(self) -> Floats:
        """The coefficient of each of `columns_`, in the attributes' own units."""
        coef: Floats = self.model_.coefficient
        return coef

    @property
    def intercept_(self) -> float:
        """The value of a row of zeros; 0 without an intercept."""
        intercept: float = self.model_.constant
        return intercept

    @property
    def columns_(self) -> tuple[str, ...]:
        """The columns the coefficients belong to: numbers, ordinal codes, `name=level`, `name:word`."""
        columns: tuple[str, ...] = self.model_.columns.names
        return columns


def too_wide(schema: Schema) -> str | None:
    """A sentence where the triangular factor would take the memory."""
    width = sum(len(a.levels) if a.kind == "nominal" else 1 for a in schema if a.kind != "text")
    if width > model_columns.MAX_COLUMNS:
        return (
            f"the table has {width:,} columns, and a factor of more than {model_columns.MAX_COLUMNS:,} takes too much "
            "memory; choose some of them, or take their principal components."
        )
    return None


class LinearRegression(_Linear):
    """Predict a number by least squares, with standard errors and intervals for the coefficients.

    Nominal attributes have a 0/1 column for each level, the first level that occurs being what the others are held
    against; ordinal ones count their levels; texts have a column for each of their 1,000 most frequent words (normed
    log counts). A missing value, or a level never seen, is the mean. An infinite value is missing. Where columns
    follow from others the coefficients of least length are taken, in units of the columns' standard deviations, and
    a warning names the columns.

    The rows are kept as a triangular factor, which adds: `partial_fit` and `fit_stream` give the model of `fit`, and
    cross-validation is one pass. Leave-one-out has a closed form.

    Parameters
    ----------
    fit_intercept : bool
        Whether there is a constant; without one the fit goes through the origin.
    n_jobs : int, optional
        Threads; None for all permitted cores. The answer does not depend on it.

    Attributes
    ----------
    coef_, intercept_, columns_ : coefficients, the constant, and the names of the columns
    rms_ : float
        The root of the mean squared residual on the training rows.

    Examples
    --------
    >>> import acumen
    >>> model = acumen.LinearRegression().fit([[0.0], [1.0], [2.0], [3.0], [4.0]], [1, 3, 2, 5, 4])
    >>> round(model.intercept_, 6), model.coef_.round(6).tolist()
    (1.4, [0.8])
    """

    kind: ClassVar[str] = "linear-regression"
    model_type = LinearModel
    solve = staticmethod(ols.solve)

    def __init__(self, *, fit_intercept: bool = True, n_jobs: int | None = None) -> None:
        self.fit_intercept = fit_intercept
        self.n_jobs = n_jobs

    @property
    def rms_(self) -> float:
        """The root of the mean squared residual on the training rows."""
        rms: float = self.model_.fit.rms
        return rms

    def intervals(self, level: float = 0.95) -> dict[str, tuple[float, float]]:
        """Student's confidence interval of each coefficient, by column; `(intercept)` is the constant's.

        NaN where there is none: for what other columns are held against, and where no degree of freedom is left.
        """
        model = self.model_
        values = [model.constant, *model.coefficient.tolist()]
        intervals = {}
        for name, value, error in zip(
            ("(intercept)", *self.columns_), values, model.error.tolist(), strict=True
        ):
            intervals[name] = interval(model, value, error, level)[:2] if error == error else (error, error)
        return intervals if self.fit_intercept else {name: intervals[name] for name in self.columns_}

    def can_leave_one_out(self, rows: Table) -> bool:
        return rows.sparse is None and not self.needs_plan(rows.schema)

    def leave_one_out(self, rows: Table) -> tuple[Floats, Bools]:
        return leave_one_out_values(self.summary_, self.model_, rows, 0.0)


class Ridge(_Linear):
    """Predict a number by least squares with an l2 penalty on the coefficients (ridge regression).

    Minimises the sum of squared residuals plus `alpha` times the sum of squared coefficients (the objective of
    scikit-learn's Ridge); the intercept is free. Columns are made as for LinearRegression, but every level of a nominal
    attribute has its coefficient. All strengths come from one pass over the rows: `Tuned` and `sweep` over `alpha`
    solve only.

    Parameters
    ----------
    alpha : float
        The penalty on the coefficients; 0 is least squares. It is relative to a sum of squares: row weights count as
        given, and twice the weights are half of it.
    radius : float, optional
        Instead of `alpha`: the sum of squared coefficients may be at most this. `multiplier_` is then the alpha that
        does it, and `min_multiplier_` a number it cannot be below.
    fit_intercept : bool
        Whether there is a constant.
    scale : bool
        Hold the coefficients of columns divided by their standard deviations, so that units do not count.
    n_jobs : int, optional
        Threads; None for all permitted cores.

    Attributes
    ----------
    coef_, intercept_, columns_ : coefficients in the attributes' own units, the constant, the names of the columns
    multiplier_, min_multiplier_ : float
        The strength used; and with `radius` a lower bound of it, |X'y| / sqrt(radius) - |X'X|.

    Examples
    --------
    >>> import acumen
    >>> X = [[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0], [1.0, 4.0]]
    >>> acumen.Ridge(alpha=10, fit_intercept=False, scale=False).fit(X, [1, 3, 2, 5, 4]).coef_.round(6).tolist()
    [0.44, 0.84]
    """

    kind: ClassVar[str] = "ridge"
    model_type = ridge.RidgeModel
    solve = staticmethod(ridge.solve)

    def __init__(
        self,
        *,
        alpha: Annotated[float, AtLeast(0)] = 1.0,
        radius: Annotated[float, MoreThan(0)] | None = None,
        fit_intercept: bool = True,
        scale: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.radius = radius
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.n_jobs = n_jobs

    @property
    def scale_sensitive(self) -> bool:
        """Whether the unit of row weights matters: alpha is relative to a sum of squares."""
        return self.radius is None and self.alpha > 0

    @property
    def multiplier_(self) -> float:
        """The penalty in use: alpha, or the one that satisfies the constraint on the coefficients."""
        multiplier: float = self.model_.penalty
        return multiplier

    @property
    def min_multiplier_(self) -> float:
        """With `radius`, a lower bound of the multiplier; otherwise 0."""
        bound: float = self.model_.bound
        return bound

    def can_leave_one_out(self, rows: Table) -> bool:
        # Scales and the multiplier of a constraint change with each row that is left out.
        return (
            rows.sparse is None
            and not self.scale
            and self.radius is None
            and not self.needs_plan(rows.schema)
        )

    def leave_one_out(self, rows: Table) -> tuple[Floats, Bools]:
        return leave_one_out_values(self.summary_, self.model_, rows, float(self.alpha))


class Lasso(_Linear):
    """Predict a number by least squares with an l1 penalty, which sets some coefficients to zero (lasso).

    Minimises half the mean squared residual plus `alpha` times the sum of the coefficients' sizes (the objective of
    scikit-learn's Lasso); the intercept is free. Columns are made as for Ridge. By coordinate descent on the
    triangular factor, so that the number of rows does not matter; all strengths come from one pass.

    Parameters
    ----------
    alpha : float
        How strongly the coefficients are held.
    fit_intercept : bool
        Whether there is a constant.
    scale : bool
        Hold the coefficients of columns divided by their standard deviations, so that units do not count.
    tol : float
        The descent ends when the duality gap is this share of the target's variance.
    max_iter : int
        At most so many sweeps over the coefficients in play; a warning says when they were not enough.
    n_jobs : int, optional
        Threads; None for all permitted cores.

    Attributes
    ----------
    coef_, intercept_, columns_ : coefficients in the attributes' own units, the constant, the names of the columns

    Examples
    --------
    >>> import acumen
    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]
    >>> acumen.Lasso(alpha=0.1, scale=False).fit(X, [0.0, 1.0, 2.0, 3.0]).coef_.round(4).tolist()
    [0.92, 0.0]
    """

    kind: ClassVar[str] = "lasso"
    model_type = lasso.LassoModel
    solve = staticmethod(lasso.solve)

    def __init__(
        self,
        alpha: Annotated[float, AtLeast(0)] = 0.1,
        *,
        fit_intercept: bool = True,
        scale: bool = True,
        tol: Annotated[float, MoreThan(0)] = 1e-8,
        max_iter: Annotated[int, Between(1, 1_000_000_000)] = 10_000,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def path(self, X: Any, y: Any = None, alphas: Any = 100, sample_weight: Any = None) -> lasso.LassoPath:
        """The coefficients for many penalty strengths, each fit starting from the previous one.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`; the learner itself stays as it is, and its `alpha` is not used.
        alphas : int or sequence of float
            How many strengths, from the smallest that leaves every coefficient zero down to its thousandth; or the
            strengths themselves.
        """
        self.check_parameters()
        table = known_rows(regression_table(X, y, sample_weight, self._name))
        self.object_to(table.schema)
        parameters = self.parameters_for(lasso.path_of)
        path = lasso.direct_path(table, alphas=alphas, **parameters)
        if path is not None:
            return path
        return lasso.path_of(Training.of(self, table).summary, alphas=alphas, **parameters)
