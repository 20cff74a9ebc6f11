"""The face of the machine that predicts numbers: parameters, documentation, and what is known of its training."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.base.regressor import Regressor
from acumen.base.scikit import ConvergenceWarning
from acumen.geometry.kernel import Kernel
from acumen.models.parameters import AtLeast, MoreThan
from acumen.rows.training_rows import Rows
from acumen.svm import classify, regress
from acumen.svm.kernel_learner import KernelLearner
from acumen.svm.settings import Solver
from acumen.types import Floats


class SVR(KernelLearner, Regressor):
    """Support vector regression: predict a number by the flattest function within `epsilon` of the targets.

    Errors up to `epsilon` cost nothing. Attributes are prepared as for `SVM`; the target is taken as it is, so
    `epsilon` and `C` are in its units.

    Parameters
    ----------
    epsilon : float
        Errors up to this are free.
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"}, Kernel or function
        As for `SVM`.
    gamma : {"scale", "auto"} or float
        As for `SVM`.
    degree : int
        Of "poly".
    offset : float
        Added to the inner product of "poly" and "sigmoid".
    loss : {"hinge", "squared"}
        What an error beyond epsilon costs: C x it, or C x its square.
    C : float
        The cost of errors; finite.
    solver : {"auto", "smo", "chunking", "dual-ascent", "newton", "sgd", "adatron"}
        As for `SVM`.
    tol : float
        As for `SVM`, in units of the target's standard deviation.
    max_iter : int, optional
        As for `SVM`.
    bias : {"free", "folded"}
        Whether the bias goes unpenalised, or counts as one more weight.
    scale : bool
        Bring numbers to mean 0 and deviation 1.
    n_jobs : int, optional
        Threads; None for all permitted cores.

    Attributes
    ----------
    certificate_ : Certificate
        `primal`, `dual`, `gap`, `kkt`.
    alpha_ : array of float64
        Each training row's alpha - alpha*: above 0 where the function is pulled up.
    slack_ : array of float64
        By how much each training row's error exceeds epsilon.

    Examples
    --------
    >>> import acumen, numpy as np
    >>> x = np.linspace(0, 6, 60)[:, None]
    >>> model = acumen.SVR(epsilon=0.05, C=10).fit(x, np.sin(x[:, 0]))
    >>> bool(np.abs(model.predict(x) - np.sin(x[:, 0])).max() < 0.06)
    True
    """

    kind: ClassVar[str] = "svr"
    model_type = regress.SVRModel

    def __init__(
        self,
        *,
        epsilon: Annotated[float, AtLeast(0)] = 0.1,
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
        scale: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.epsilon = epsilon
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
        self.scale = scale
        self.n_jobs = n_jobs

    def learn(self, rows: Rows) -> tuple[regress.SVRModel, Floats]:
        table = rows.require_local(self._name)
        wishes = classify.SVMOptions(
            self.kernel, self.gamma, self.degree, self.offset, self.loss, float(self.C), self.solver,
            float(self.tol), self.max_iter, self.bias == "folded", "ovo", bool(self.scale), None, "SVR",
        )  # fmt: skip
        fit = regress.fit(wishes, float(self.epsilon), table)
        for sentence in fit.warnings:
            warnings.warn(sentence, ConvergenceWarning, stacklevel=5)
        self._certificate = fit.machine.certificate
        self.alpha_: Floats = fit.machine.b
        self.slack_: Floats = fit.slack
        self.n_iter_: int = max(1, fit.machine.steps)
        return fit.model, np.array([table.total_weight])

    @property
    def coef_(self) -> Floats:
        """The weights of a linear kernel in the attributes' own units, one per name in `coef_names_`."""
        return self._linear()[0][:, 0]

    @property
    def intercept_(self) -> float:
        """The bias; with a linear kernel in the attributes' own units."""
        return float(self._intercepts()[0])
