"""The face of the machine that classifies: parameters, documentation, and what is known of its training."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.base.classifier import Classifier
from acumen.base.scikit import ConvergenceWarning
from acumen.data.table import Table
from acumen.engines.cores import limited_to
from acumen.errors import ParameterError
from acumen.geometry.kernel import Kernel
from acumen.models.parameters import AtLeast, ClassWeight, Costs, MoreThan, Priors
from acumen.render.margin_plot import MarginFigure
from acumen.rows.class_order import class_totals
from acumen.rows.intake import training_table
from acumen.rows.training_rows import Rows
from acumen.rows.widened_schema import rename_columns
from acumen.svm import classify
from acumen.svm.cost_path import SVMPath, path_over
from acumen.svm.kernel_learner import KernelLearner
from acumen.svm.model import CalibratedSVMModel, Multiclass, SVMModel, decode
from acumen.svm.reading.report import MachineReport, margin_figure
from acumen.svm.settings import Solver
from acumen.types import Array, Floats


class SVM(KernelLearner, Classifier):
    """Classify by a support vector machine (maximum margin), with a certificate of optimality.

    Nominal attributes become one column a level, missing numbers the mean, and numbers are brought to mean 0
    and deviation 1 unless `scale` is off. A row's weight multiplies its cost.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"}, Kernel or function
        One of `acumen.kernels`, sums and products of them, a function of two matrices, or its name;
        "precomputed" takes the rows' kernel matrix in place of rows.
    gamma : {"scale", "auto"} or float
        Width of "rbf", scale of the inner product of "poly" and "sigmoid": 1 / (columns x variance of all
        numbers), 1 / columns, or a number.
    degree : int
        Of "poly".
    offset : float
        Added to the inner product of "poly" and "sigmoid".
    loss : {"hinge", "squared"}
        What slack costs: C x slack, or C x slack squared.
    C : float
        The cost of slack. Infinite for a hard margin: classes that cannot be separated are refused, naming rows.
        It is relative to a sum of losses: row weights count as given, and twice the weights are twice `C`.
    solver : {"auto", "smo", "chunking", "dual-ascent", "newton", "sgd", "adatron"}
        "smo" and "chunking" solve the dual by pairs of rows, with the whole kernel matrix or in working sets;
        "dual-ascent" row by row; "newton" the primal (squared loss) or both (hinge, by interior points); "sgd"
        descends the primal by rows drawn at random, coarsely; "adatron" solves the dual on the whole kernel matrix
        with rows taking turns, each projected into its bounds, to be followed by hand rather than for speed. "auto"
        takes the fastest for the rows given.
    tol : float
        The largest violation of the optimality conditions (smo, chunking, dual-ascent, adatron). Newton's methods end
        within a hundredth of it (a tenth on sparse rows), as a share of the objective, "sgd" within ten times.
    max_iter : int, optional
        Steps (smo), working sets (chunking), sweeps (dual-ascent, adatron), Newton steps, or passes over the rows.
        A solve that ends early warns with the gap reached.
    bias : {"free", "folded"}
        Whether the bias goes unpenalised, or counts as one more weight.
    multiclass : {"ovo", "ovr", "single", "ecoc"}
        Several classes by a machine for each pair, by one for each class against the others, by one machine
        for all (Crammer and Singer), or by an error-correcting code.
    scale : bool
        Bring numbers to mean 0 and deviation 1. Not for a precomputed kernel, which stays as it is.
    probability : {None, "platt", "isotonic"}
        Probabilities by a curve through the scores of rows left out, in five folds.
    class_weight : mapping or "balanced", optional
        Multiplies the row weights.
    n_jobs : int, optional
        Threads; None for all permitted cores.
    costs : matrix or mapping, optional
        Rows predicted, columns true, or keyed (predicted, true); with `probability` alone.
    priors : mapping, array or "uniform", optional
        Class probabilities to answer to instead of the training frequencies; with `probability` alone.

    Attributes
    ----------
    certificate_ : Certificate
        `primal`, `dual`, `gap`, `kkt`; of several machines the sums, and the largest violation.
    machines_ : tuple of MachineReport
        For each machine its sides, rows, `alpha`, `slack`, `margin` and `type` of each row, norm, certificate.
    coef_, intercept_ : arrays
        Of a linear kernel: weights and intercepts in the attributes' own units, one line a machine.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.SVM(kernel="linear").fit(iris)
    >>> model.certificate_.relative_gap < 1e-3
    True
    """

    kind: ClassVar[str] = "svm"

    def __init__(
        self,
        *,
        kernel: Literal["rbf", "linear", "poly", "sigmoid", "precomputed"]
        | Kernel
        | Callable[[Any, Any], Any] = "rbf",
        gamma: Literal["scale", "auto"] | Annotated[float, MoreThan(0)] = "scale",
        degree: Annotated[int, AtLeast(1)] = 3,
        offset: float = 1.0,
        loss: Literal["hinge", "squared"] = "hinge",
        C: Annotated[float, MoreThan(0)] = 1.0,
        solver: Solver = "auto",
        tol: Annotated[float, MoreThan(0)] = 1e-3,
        max_iter: Annotated[int, AtLeast(1)] | None = None,
        bias: Literal["free", "folded"] = "free",
        multiclass: Multiclass = "ovo",
        scale: bool = True,
        probability: Literal["platt", "isotonic"] | None = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
        costs: Costs = None,
        priors: Priors = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.offset = offset
        self.loss = loss
        self.C = C
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.bias = bias
        self.multiclass = multiclass
        self.scale = scale
        self.probability = probability
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.costs = costs
        self.priors = priors

    @property
    def model_type(self) -> type[SVMModel]:  # type: ignore[override]
        """The model class; a parameter decides whether it has probabilities."""
        return SVMModel if self.probability is None else CalibratedSVMModel

    def check_parameters(self) -> None:
        super().check_parameters()
        if self.multiclass == "single" and (
            self.loss != "hinge" or self.solver not in ("auto", "dual-ascent")
        ):
            raise ParameterError(
                "SVM: multiclass='single' has hinge loss and is solved by dual ascent; got "
                f"loss={self.loss!r}, solver={self.solver!r}."
            )

    def _wishes(self) -> classify.SVMOptions:
        return classify.SVMOptions(
            kernel=self.kernel,
            gamma=self.gamma,
            degree=self.degree,
            offset=self.offset,
            loss=self.loss,
            C=float(self.C),
            solver=self.solver,
            tol=float(self.tol),
            max_iter=self.max_iter,
            folded=self.bias == "folded",
            multiclass=self.multiclass,
            scale=bool(self.scale),
            probability=self.probability,
        )

    def learn(self, rows: Rows) -> tuple[SVMModel, Floats]:
        table = rows.require_local(self._name)
        fit = classify.fit(self._wishes(), table)
        for sentence in fit.warnings:
            warnings.warn(sentence, ConvergenceWarning, stacklevel=5)
        self.machines_: tuple[MachineReport, ...] = fit.reports
        self._certificate = fit.certificate
        return fit.model, class_totals(table)

    # -- what was learned -------------------------------------------------------------------------

    @property
    def n_iter_(self) -> int:  # type: ignore[override]
        """The number of iterations: the maximum over the machines."""
        reports: tuple[MachineReport, ...] | None = getattr(self, "machines_", None)
        if reports is None:
            raise AttributeError("n_iter_ is of the training, which a model file does not keep")
        return max(1, *(report.steps for report in reports))

    def decision_function(self, X: Any) -> Floats:
        """Decision values, one column per class; for two classes, of the second class.

        With `probability` too these are the margins, not the probabilities.
        """
        predictor, rows = self._require_fitted(), self._query(X)
        model = predictor.model
        assert isinstance(model, SVMModel)
        with limited_to(self.jobs):
            scores = decode(model.decoding, model.code, model.decisions(rows))
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def path(self, X: Any, y: Any = None, sample_weight: Any = None, *, C: Any = None) -> SVMPath:
        """Fit machines over a range of C, each starting from the previous one; this learner itself stays unfitted.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        C : sequence of float, optional
            The values. [default: 13 from 0.001 to 1000] The machines of a path have no probabilities.
        """
        self.check_parameters()
        table = training_table(X, y, sample_weight, self._name)
        self.object_to(table.schema)
        values = np.logspace(-3, 3, 13).tolist() if C is None else np.ravel(C).tolist()
        with limited_to(self.jobs):
            path, complaints = path_over(self._wishes(), self.training_rows(table), values)
        for sentence in complaints:
            warnings.warn(sentence, ConvergenceWarning, stacklevel=2)
        return path

    def figure(self, X: Any, y: Any = None, sample_weight: Any = None, *, machine: int = 0) -> MarginFigure:
        """Plot a machine of two numeric attributes: decision boundary, margins, rows and support vectors.

        `X`, `y` and `sample_weight` are what it was fitted on; of several machines `machine` says which.
        """
        predictor = self._require_fitted()
        if getattr(self, "machines_", None) is None:
            raise AttributeError("a drawing is of the training rows, which a model file does not know")
        if not 0 <= machine < len(self.machines_):
            raise ParameterError(
                f"SVM: machine must be from 0 to {len(self.machines_) - 1}; got {machine!r}."
            )
        known = None if isinstance(X, Table) else predictor.classes
        table = training_table(X, y, sample_weight, self._name, known)
        if not self._has_column_names and not isinstance(X, Table):
            table = rename_columns(table, predictor.schema.names, self._name)
        return margin_figure(predictor, self.machines_[machine], machine, self.training_rows(table))

    @property
    def coef_(self) -> Floats:
        """Weights in the attributes' own units, one line per machine and one column for each of `coef_names_`."""
        return np.ascontiguousarray(self._linear()[0].T)

    @property
    def intercept_(self) -> Floats:
        """The bias of each machine; with a linear kernel in the attributes' own units."""
        return self._intercepts()

    def _only(self, what: str) -> MachineReport:
        reports: tuple[MachineReport, ...] | None = getattr(self, "machines_", None)
        if reports is None:
            self._require_fitted()
            raise AttributeError(f"{what} is of the training rows, which a model file does not keep")
        if len(reports) > 1:
            raise AttributeError(f"there are {len(reports)} machines; see machines_[i].{what.rstrip('_')}")
        return reports[0]

    @property
    def alpha_(self) -> Floats:
        """The dual multiplier of each training row."""
        return self._only("alpha_").alpha

    @property
    def slack_(self) -> Floats:
        """The slack of each training row: how far it falls short of its margin."""
        return self._only("slack_").slack

    @property
    def margin_(self) -> Floats:
        """The margin of each training row: its side (+1 or -1) times its decision value."""
        return self._only("margin_").margin

    @property
    def type_(self) -> Array:
        """The position of each training row: outside, on the margin, inside, or on the wrong side."""
        return self._only("type_").type

    @property
    def norm_(self) -> float:
        """The norm |w| in the feature space of the kernel."""
        return self._only("norm_").norm

    @property
    def margin_width_(self) -> float:
        """The width of the margin, 2 / |w|."""
        return self._only("margin_width_").margin_width
