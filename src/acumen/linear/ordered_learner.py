"""The face of proportional odds: parameters and documentation."""

from __future__ import annotations

import warnings
from typing import Annotated, ClassVar, Literal

import numpy as np

from acumen import messages
from acumen.base.classifier import Classifier
from acumen.base.memory_budget import Widths, dense_bytes
from acumen.base.scikit import ConvergenceWarning
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.linear import ordered, ordered_fit
from acumen.models.model import Model
from acumen.models.parameters import AtLeast, ClassWeight, Costs, MoreThan, Priors
from acumen.optimise.trace import TOO_MANY, Trace
from acumen.rows.class_order import has_class_order, no_order
from acumen.rows.training_rows import Rows
from acumen.types import Floats


class OrderedLogistic(Classifier):
    """Classify ordered classes by proportional odds: one set of coefficients and a threshold between classes.

    log odds of (class k or lower) = threshold_k - coefficients x (McCullagh 1980): a unit more of a column multiplies
    the odds of a higher class by the same factor whichever class is asked of, which is what makes the model small and
    readable. The target must be ordinal; two classes are in order always (and this is `Logistic`), classes that are
    numbers are taken smallest first. Columns, missing values and the penalty are those of `Logistic`. A class without
    rows has probability 0.

    Parameters
    ----------
    penalty : {"l2"} or None
        The penalty on coefficients: |w|^2 / (2 C) added to the sum of losses; thresholds are free. Without one, the
        first level of each nominal attribute is the reference for its others, columns that follow from others are left
        at 0, and classes that are separated have no best coefficients: the last two end in a warning.
    C : float
        The inverse of the penalty's strength.
    scale : bool
        Penalise coefficients in units of the columns' standard deviations (levels and words stay as they are).
    tol : float
        Stop when no entry of the gradient of the mean loss is larger, with columns in standard units.
    max_iter : int
        The largest number of steps of Newton's method.
    costs, priors, class_weight, n_jobs
        As for NaiveBayes.

    Attributes
    ----------
    coef_ : array of (columns,)
        In the columns' own units; above 0 if higher values of a column make higher classes more likely.
    thresholds_ : array of (classes with rows - 1,)
        Of a row of zeros.
    coef_errors_, threshold_errors_ : arrays
        Standard errors, from the observed information.
    column_names_ : tuple of str
        What the coefficients belong to.
    gap_ : float
        About how far the mean loss is above the least there is, by the second derivatives at the end: half the squared
        Newton decrement. The loss is convex, so that a small one is a certificate.
    trace_ : Trace
        The loss at each step; draws itself.
    n_iter_ : int
        The number of steps.

    Examples
    --------
    >>> import acumen
    >>> rows = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0]]
    >>> model = acumen.OrderedLogistic().fit(rows, [1, 1, 2, 1, 2, 3, 2, 3])
    >>> model.predict([[0.0], [4.5], [9.0]]).tolist()
    [1, 2, 3]
    """

    kind: ClassVar[str] = "ordered-logistic"
    model_type = ordered.OrderedModel

    def __init__(
        self,
        *,
        penalty: Literal["l2"] | None = "l2",
        C: Annotated[float, MoreThan(0)] = 1.0,
        scale: bool = True,
        tol: Annotated[float, MoreThan(0)] = 1e-8,
        max_iter: Annotated[int, AtLeast(1)] = 100,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.C = C
        self.scale = scale
        self.tol = tol
        self.max_iter = max_iter
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    keeps_sparse = True
    requires_ordered_classes: ClassVar[bool] = True
    poor_score: ClassVar[bool] = True  # where classes that are numbers do not lie along a line

    def memory(self, rows: int, schema: Schema) -> int | None:
        widths = Widths.of(schema)
        return dense_bytes(rows, widths.coded, 3) + dense_bytes(widths.coded, widths.coded, 3)

    def check_parameters(self) -> None:
        super().check_parameters()
        if np.isinf(self.C) and self.penalty is not None:
            none = messages.fill_template("{penalty=None}")
            raise ParameterError(f"OrderedLogistic: C must be a finite number; for no penalty say {none}.")

    def objection(self, schema: Schema) -> str | None:
        return no_order(schema)

    def reason_to_skip(self, table: Table) -> str | None:
        if has_class_order(table.schema.target):
            return None
        return "nobody has declared an order of three classes or more, without which it is what Logistic is."

    @property
    def scale_sensitive(self) -> bool:
        """Whether the unit of row weights matters: only with a penalty."""
        return self.penalty is not None

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        table = rows.require_local(self._name)
        fit = ordered_fit.fit(
            table, self._name, penalty=self.penalty, C=float(self.C), scale=bool(self.scale), tol=float(self.tol),
            max_iter=int(self.max_iter),
        )  # fmt: skip
        self.n_iter_, self.gap_ = 1, fit.gap
        self.trace_ = Trace("nothing to learn", np.zeros(1), np.zeros(1))
        if fit.descent is not None:
            self.n_iter_, self.trace_ = max(fit.descent.steps, 1), fit.descent.trace
            if not fit.descent.converged and fit.descent.reason == TOO_MANY:
                warnings.warn(
                    f"OrderedLogistic: {self.max_iter} steps were not enough to bring the gradient below "
                    f"tol={self.tol:g}; raise max_iter or tol.",
                    ConvergenceWarning,
                    stacklevel=3,
                )
        return fit.model, fit.totals

    @property
    def coef_(self) -> Floats:
        """The coefficients in the columns' own units."""
        return self._ordered_model.coefficients

    @property
    def thresholds_(self) -> Floats:
        """Thresholds of a row of zeros, one between any two neighbouring classes that have rows."""
        return self._ordered_model.cuts

    @property
    def coef_errors_(self) -> Floats:
        """Standard errors of the coefficients; none with more than 3,000."""
        model = self._ordered_model
        return model.errors[: model.coding.width]

    @property
    def threshold_errors_(self) -> Floats:
        """Standard errors of the thresholds."""
        model = self._ordered_model
        return model.errors[model.coding.width :]

    @property
    def column_names_(self) -> tuple[str, ...]:
        """The columns of the coefficients: attributes, `colour=red`, `message:free`."""
        return self._ordered_model.coding.names(self.schema_.without_target())

    @property
    def _ordered_model(self) -> ordered.OrderedModel:
        model = self._require_fitted().model
        assert isinstance(model, ordered.OrderedModel)
        return model
