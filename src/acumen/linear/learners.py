"""The linear classifiers' faces: parameters, documentation, and which algorithm stands behind each."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np

from acumen import messages
from acumen.base.classifier import Classifier
from acumen.base.memory_budget import Widths, dense_bytes
from acumen.base.scikit import ConvergenceWarning
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.linear import logistic, logistic_fit, maxent, maxent_fit
from acumen.linear.logistic_solve import MOST_STEPS, Solver
from acumen.linear.logistic_spread import fit_spread
from acumen.linear.maxent_fit import MANY
from acumen.linear.maxent_spread import fit_spread as fit_maxent_spread
from acumen.linear.odds_ratios import OddsRatios
from acumen.models.model import Model
from acumen.models.parameters import AtLeast, ClassWeight, Costs, Described, MoreThan, Priors
from acumen.optimise.trace import TOO_MANY, Descent, Trace
from acumen.rows.training_rows import Rows
from acumen.types import Floats, Label


class Logistic(Classifier):
    """Classify by log-odds that are linear in the attributes: logistic regression.

    Two classes have one line of coefficients, K classes K lines (softmax). The loss is
    sum(weight * -log P(class | row)) + |w|^2 / (2 C), or + |w|_1 / C; intercepts are free: `C` and the optimum are
    those of scikit-learn's LogisticRegression. Nominal attributes become a 0/1 column for each level, texts
    normed log counts of their words; a missing number is its mean, a missing level no level. Sparse tables stay
    sparse. A class without rows has probability 0.

    Parameters
    ----------
    penalty : {"l2", "l1"} or None
        What keeps coefficients small. Without one, the first level of each nominal attribute is the reference
        for its others, columns that follow from others are left at 0, and classes that are separated have no
        best coefficients: the last two end in a warning.
    C : float
        The inverse of the penalty's strength.
        It is relative to a sum of losses: row weights count as given, and twice the weights are twice `C`.
    solver : {"newton", "lbfgs", "gradient", "sgd"}
        "newton": second derivatives of all rows; if that is expensive, of a sample (then corrected as in L-BFGS), and
        beyond 3,000 coefficients only of the most frequent columns. "lbfgs": L-BFGS. "gradient": gradient descent with
        a line search. "sgd": averaged mini-batches; close to the optimum, not at it. With "l1" these are proximal
        Newton, L-BFGS-B, accelerated proximal gradient, and shrinking after each batch.
    batch_size : int, optional
        Rows per mini-batch, only for solver="sgd". [default: 32]
    scale : bool
        Penalise coefficients in units of the columns' standard deviations (levels and words stay as they are).
        Coefficients are reported in the columns' own units either way.
    tol : float
        Stop when no entry of the gradient of the mean loss is larger, with columns in standard units; "sgd" stops when
        five epochs lower the loss by less than this fraction of it.
    max_iter : int, optional
        The largest number of steps or "sgd" epochs. [default: newton 100, lbfgs 1,000, gradient 10,000, sgd 100]
    standard_errors : bool, optional
        Whether to compute standard errors for `describe`; None does where that takes little time.
    costs, priors, class_weight, n_jobs
        As for NaiveBayes.
    random_state : seed or Generator, optional
        For the order of the rows in solver="sgd".

    Attributes
    ----------
    coef_, intercept_ : arrays
        One line for two classes, else one for each of `classes_`; in the columns' own units.
    column_names_ : tuple of str
        What the coefficients belong to.
    trace_ : Trace
        The loss at each step; draws itself.
    n_iter_ : int
        The number of steps.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.Logistic().fit(iris)
    >>> round(model.score(iris), 4)
    0.9733
    """

    kind: ClassVar[str] = "logistic"
    model_type = logistic.LogisticModel

    def __init__(
        self,
        *,
        penalty: logistic_fit.Penalty | None = "l2",
        C: Annotated[float, MoreThan(0)] = 1.0,
        solver: Solver = "newton",
        batch_size: Annotated[int, AtLeast(1)] | None = None,
        scale: bool = True,
        tol: Annotated[float, MoreThan(0)] = 1e-6,
        max_iter: Annotated[int, AtLeast(1)] | None = None,
        standard_errors: bool | None = None,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        random_state: Annotated[Any, Described("a whole number, a random generator, or None")] = None,
        n_jobs: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.C = C
        self.solver = solver
        self.batch_size = batch_size
        self.scale = scale
        self.tol = tol
        self.max_iter = max_iter
        self.standard_errors = standard_errors
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    keeps_sparse = True

    def memory(self, rows: int, schema: Schema) -> int | None:
        widths = Widths.of(schema)
        rows_coded = 0 if widths.plain else dense_bytes(rows, widths.coded, 3)
        return (
            rows_coded + dense_bytes(widths.coded, widths.coded, 2.5) + dense_bytes(rows, 2 * widths.classes)
        )

    def check_parameters(self) -> None:
        super().check_parameters()
        if self.batch_size is not None and self.solver != "sgd":
            raise ParameterError(
                f"Logistic: batch_size={self.batch_size} is for solver='sgd'; solver={self.solver!r} goes "
                "through all rows at "
                "each step."
            )
        if np.isinf(self.C) and self.penalty is not None:
            none = messages.fill_template("{penalty=None}")
            raise ParameterError(f"Logistic: C must be a finite number; for no penalty say {none}.")

    @property
    def scale_sensitive(self) -> bool:
        """Whether the unit of row weights matters: only with a penalty."""
        return self.penalty is not None

    @property
    def draws_numbers(self) -> bool:
        """Whether it uses `random_state`: only for stochastic descent."""
        return self.solver == "sgd"

    @property
    def streams(self) -> bool:
        """Whether `fit_stream` trains on parts: by Newton's method only."""
        return self.solver == "newton"

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        if rows.table is None:
            return self._keep_report(self._fit_parts(rows))
        table = rows.require_local(self._name)
        fit = logistic_fit.fit(
            table,
            "Logistic",
            penalty=self.penalty,
            C=float(self.C),
            solver=self.solver,
            batch=self.batch_size,
            scale=bool(self.scale),
            tol=float(self.tol),
            max_iter=self.max_iter,
            standard_errors=self.standard_errors,
            random_state=self.random_state,
        )
        return self._keep_report(fit)

    def _fit_parts(self, rows: Rows) -> logistic_fit.LogisticFit:
        return fit_spread(
            rows,
            self._name,
            penalty=self.penalty,
            C=float(self.C),
            scale=bool(self.scale),
            tol=float(self.tol),
            max_iter=MOST_STEPS["newton"] if self.max_iter is None else self.max_iter,
            standard_errors=self.standard_errors is not False,
        )

    def _keep_report(self, found: logistic_fit.LogisticFit) -> tuple[Model, Floats]:
        """Keep what the descent has to tell."""
        self.n_iter_ = 1
        self.trace_ = Trace("nothing to learn", np.zeros(1), np.zeros(1))
        if found.descent is not None:
            self.n_iter_, self.trace_ = max(found.descent.steps, 1), found.descent.trace
            if not found.descent.converged and found.descent.reason == TOO_MANY:
                most = MOST_STEPS[self.solver] if self.max_iter is None else self.max_iter
                short = (
                    f"{most} epochs of solver='sgd' were not enough for the loss to come to rest within"
                    if self.solver == "sgd"
                    else f"{most} steps of solver={self.solver!r} were not enough to bring the gradient below"
                )
                other = "" if self.solver == "newton" else ", or try solver='newton'"
                warnings.warn(
                    f"Logistic: {short} tol={self.tol:g}; raise max_iter or tol{other}.",
                    ConvergenceWarning,
                    stacklevel=3,
                )
        return found.model, found.totals

    @property
    def coef_(self) -> Floats:
        """The coefficients in the columns' own units; zeros for a class without rows."""
        return self._by_class(self._logistic.coefficients)

    @property
    def intercept_(self) -> Floats:
        """The score of a row of zeros; minus infinity for a class without rows."""
        model = self._logistic
        return self._by_class(model.intercept[:, None], -np.inf)[:, 0]

    @property
    def column_names_(self) -> tuple[str, ...]:
        """The columns of the coefficients: attributes, `colour=red`, `message:free`."""
        return self._logistic.coding.names(self.schema_.without_target())

    def odds_ratios(
        self,
        reference_levels: Mapping[str, Label] | None = None,
        *,
        level: float = 0.95,
        reference_class: Label | None = None,
        units: Mapping[str, float] | None = None,
    ) -> OddsRatios:
        """The odds ratio of each attribute, with intervals.

        Parameters
        ----------
        reference_levels : mapping, optional
            The level of a nominal attribute with which its others are compared, for those where it is not the first.
        level : float
            The coverage of the intervals. They are Wald's, on the scale of logarithms; under a penalty they are no
            confidence intervals, which `note` says, and under "l1" there are none.
        reference_class : label, optional
            The class that the odds of the others are compared with. [default: the first]
        units : mapping, optional
            The number of units of a numeric attribute that the ratio is for. [default: 1]

        Returns
        -------
        OddsRatios
            A sequence of `OddsRatio`; `str` is a table, `figure()` a forest plot, `to_dict()` JSON-ready.

        Examples
        --------
        >>> import acumen
        >>> loan = acumen.datasets.load("loan")
        >>> model = acumen.Logistic().fit(loan)
        >>> found = model.odds_ratios({"Age": "old"}, reference_class="No")
        >>> found.of("Age", "young").reference
        'old'
        """
        predictor = self._require_fitted()
        return self._logistic.odds_ratios(
            predictor.schema,
            reference_levels=reference_levels,
            level=level,
            reference_class=reference_class,
            units=units,
        )

    @property
    def _logistic(self) -> logistic.LogisticModel:
        model = self._require_fitted().model
        assert isinstance(model, logistic.LogisticModel)
        return model

    def _by_class(self, lines: Floats, absent: float = 0.0) -> Floats:
        model = self._logistic
        if model.lines <= 1 and len(model.seen) <= 2:
            return lines if model.lines else np.zeros((1, lines.shape[1]))
        by_class = np.full((len(model.seen), lines.shape[1]), absent)
        by_class[model.places] = model._by_class(lines.T).T
        return by_class


class MaxEnt(Classifier):
    """Classify by maximum entropy: the most uniform probabilities that match the averages of chosen features.

    A feature phi(row, class) is a number. Of all P(class | row) under which every feature's expected average is
    the one observed in the training rows, the model is the one of largest entropy, found through its dual: one
    multiplier a feature, P(class | row) proportional to exp(sum of multipliers times features). With the value of
    each attribute for each class as features it is logistic regression, and `Logistic` is the faster way to it.

    Parameters
    ----------
    features : list of templates and functions, optional
        "class" (how common each class is), "age" (an attribute: its value, a 0/1 for each level, or its words),
        "colour=red" (a level), "message:free" (a word), "colour & size" (products, here of levels), each for every
        class, or as in "colour=red -> yes" for one alone. A function is called with a row (a mapping from
        attribute to value, None where missing) and a label, and returns a number. One text may hold several
        templates, commas between. None: "class" and every attribute.
    C : float, optional
        Keep multipliers small by adding |lambda|^2 / (2 C) to the loss; averages then agree only nearly. Without it
        a feature that never occurs with its class has no best multiplier; the descent ends where its expected
        average is within `tol` of 0.
    solver : {"newton", "lbfgs", "gradient"}
        How the dual is descended; beyond 2,000 features "newton" is L-BFGS too.
    tol : float
        The descent ends where no observed and expected average differ by more, features in units of their size.
    max_iter : int, optional
        The largest number of steps. [default: newton 100, lbfgs 1,000, gradient 10,000]
    costs, priors, class_weight, n_jobs
        As for NaiveBayes.

    Attributes
    ----------
    averages_ : Table
        For each feature what it looks at, its class, multiplier, observed and expected average.
    trace_ : Trace
        The loss at each step; draws itself.

    Examples
    --------
    >>> import acumen
    >>> loan = acumen.datasets.load("loan")
    >>> model = acumen.MaxEnt(["class", "Own_house=true -> Yes"]).fit(loan)
    >>> model.averages_.column("observed").round(4).tolist()
    [0.4, 0.6, 0.4]
    >>> model.averages_.column("expected").round(4).tolist()
    [0.4, 0.6, 0.4]
    """

    kind: ClassVar[str] = "max-ent"
    model_type = maxent.MaxEntModel

    def __init__(
        self,
        features: Annotated[Any, Described("a list of templates (text) and functions, or None")] = None,
        *,
        C: Annotated[float, MoreThan(0)] | None = None,
        solver: maxent_fit.Method = "newton",
        tol: Annotated[float, MoreThan(0)] = 1e-8,
        max_iter: Annotated[int, AtLeast(1)] | None = None,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.features = features
        self.C = C
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    keeps_sparse = True

    def memory(self, rows: int, schema: Schema) -> int | None:
        widths = Widths.of(schema)
        # Newton's method has a square of the multipliers, while they are few.
        many = widths.coded * widths.classes
        square = dense_bytes(many, many, 4.5) if many <= MANY else 0
        return dense_bytes(rows, widths.coded, 3) + dense_bytes(rows, widths.numeric, 4.5) + square

    @property
    def scale_sensitive(self) -> bool:
        """Whether the unit of row weights matters: only with `C`."""
        return self.C is not None

    @property
    def constant_sensitive(self) -> bool:
        """Whether a constant column may change predictions: with `C` it is a threshold with another penalty."""
        return self.C is not None

    @property
    def streams(self) -> bool:
        """Whether `fit_stream` trains on parts, without solver="gradient"."""
        return self.solver != "gradient"

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        if rows.table is None:
            return self._keep_report(*fit_maxent_spread(rows, self._name, **self._arguments()))
        return self._keep_report(*maxent_fit.fit(rows.table, self._name, **self._arguments()))

    def _arguments(self) -> dict[str, Any]:
        return {
            "features": self.features, "C": None if self.C is None else float(self.C), "solver": self.solver,
            "tol": float(self.tol), "max_iter": self.max_iter,
        }  # fmt: skip

    def _keep_report(self, model: Model, found: Descent, totals: Floats) -> tuple[Model, Floats]:
        """Keep what the descent has to tell."""
        self.n_iter_, self.trace_ = max(found.steps, 1), found.trace
        if not found.converged and found.reason == TOO_MANY:
            other = "" if self.solver == "newton" else ", or try solver='newton'"
            warnings.warn(
                f"MaxEnt: {found.steps} steps of solver={self.solver!r} were not enough to bring the averages within "
                f"tol={self.tol:g}; raise max_iter or tol, give a (smaller) C{other}.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return model, totals

    @property
    def averages_(self) -> Table:
        """A table of the features: condition, class, multiplier and averages."""
        model = self._require_fitted().model
        assert isinstance(model, maxent.MaxEntModel)
        names = np.array(model.features.names(model.view.names), dtype=object)
        levels = (*map(str, self.schema_.classes), "any")
        of = np.r_[model.features.of, np.full(len(model.features.functions), len(levels) - 1)]
        schema = Schema(
            (
                Attribute("feature", "text"),
                Attribute("class", "nominal", levels),
                Attribute("multiplier"),
                Attribute("observed"),
                Attribute("expected"),
            )
        )
        numbers = [model.multipliers, model.observed, model.expected]
        return Table(schema, len(names), numeric=numbers, nominal=[of.astype(np.int32)], text=[names])
