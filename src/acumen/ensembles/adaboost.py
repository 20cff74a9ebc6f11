"""AdaBoost learner."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import numpy as np

from acumen.base.classifier import Classifier
from acumen.base.estimator import LearnerLike
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.ensembles.adaboost_model import AdaBoostModel, BoostingTrace
from acumen.ensembles.adaboost_rounds import AdaBoostOptions, Method, Variant, boost, boost_stumps
from acumen.ensembles.forest import progress_teller
from acumen.ensembles.forest_methods import Seed
from acumen.ensembles.members import OfMembers, draws, fresh, takes_weights
from acumen.errors import AcumenWarning
from acumen.models.model import Model
from acumen.models.parameters import AtLeast, Between, ClassWeight, Costs, MoreThan, OfLearner, Priors
from acumen.resampling.plan import streams
from acumen.rows.training_rows import Rows
from acumen.types import Floats

Inner = Annotated[Any, OfLearner("a classifier of acumen or of scikit-learn, or None")]


class AdaBoost(OfMembers, Classifier):
    """Classify by weighted votes of classifiers, each concentrating on the rows that earlier ones got wrong (AdaBoost).

    Parameters
    ----------
    learner : classifier, optional
        The classifier to boost, from acumen or scikit-learn. Default: a stump, which is a tree with one test; stumps
        have their own kernel.
    n_estimators : int
        The largest number of classifiers.
    method : {"reweight", "resample"}
        Train each classifier on all rows with their weights, or on n of n rows drawn by their weights. A learner
        that does not support weights gets drawn rows, with a warning; `method_` is the method used.
    variant : {"m1", "samme"}
        AdaBoost.M1 stops when a classifier's weighted error is 1/2 or more; SAMME, for several classes, at 1 - 1/K.
    retries : int
        With "resample": how often to draw again for a classifier whose error is that large, before stopping.
    validation_fraction : float, optional
        Hold out this fraction of the rows, and drop the rounds after the lowest error on them.
    progress : bool
        Whether to report the number of rounds on stderr.
    costs, priors, class_weight
        As for NaiveBayes; the learner must have no costs and priors of its own.
    random_state : seed or Generator, optional
        Seed for drawn rows, held-out rows, and learners that use random numbers.
    n_jobs : int, optional
        Threads of the kernel, or of each member.

    Attributes
    ----------
    trace_ : Trace
        For each round the weighted error, the vote, and the training error of all classifiers so far.
    method_ : str
        "reweight" or "resample".
    learners_ : list
        The fitted classifiers; empty for the kernel's stumps.

    Notes
    -----
    A classifier without an error keeps its (large) vote and ends boosting. The first classifier is kept in any case.
    Ctrl-C stops boosting; the learner is then fitted with the finished rounds, and KeyboardInterrupt is raised.

    Examples
    --------
    >>> import acumen
    >>> model = acumen.AdaBoost(n_estimators=20, variant="samme").fit(acumen.datasets.load("iris"))
    >>> model.trace_[0].combined > model.trace_[-1].combined
    True
    """

    kind: ClassVar[str] = "ada-boost"
    model_type = AdaBoostModel

    def __init__(
        self,
        learner: Inner = None,
        *,
        n_estimators: Annotated[int, AtLeast(1)] = 50,
        method: Method = "reweight",
        variant: Variant = "m1",
        retries: Annotated[int, AtLeast(0)] = 10,
        validation_fraction: Annotated[float, MoreThan(0), Between(0, 0.9)] | None = None,
        progress: bool = False,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.n_estimators = n_estimators
        self.method = method
        self.variant = variant
        self.retries = retries
        self.validation_fraction = validation_fraction
        self.progress = progress
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    def inner_learners(self) -> Sequence[LearnerLike]:
        return [] if self.learner is None else [self.learner]

    def memory(self, rows: int, schema: Schema) -> int | None:
        """For stumps: codes twice, and a few numbers per row and class; other learners check themselves."""
        if self.learner is not None:
            return None
        return rows * (3 * max(len(schema), 1) + 16 + 8 * max(schema.n_classes, 1))

    @property
    def draws_numbers(self) -> bool:
        """Whether it uses `random_state`."""
        return self.method == "resample" or self.validation_fraction is not None or draws(self.learner)

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        table = rows.require_local(self._name)
        k = table.schema.n_classes
        totals = np.bincount(table.class_codes, table.row_weights, k).astype(np.float64)
        rng = next(streams(self.random_state, self._name))
        apart = None
        trained = table
        if self.validation_fraction is not None and len(table) > 2:
            first = rng.permutation(len(table)) >= round(self.validation_fraction * len(table))
            if first.any() and not first.all():
                apart, trained = table.take(~first), table.take(first)
        method = self.method
        if self.learner is not None and not takes_weights(fresh(self.learner, None, self._name)):
            if method == "reweight":
                warnings.warn(
                    f"{self._name}: {type(self.learner).__name__} takes no weights, so rows are drawn "
                    "in proportion to their weights instead. Set method='resample' to do so without this warning.",
                    AcumenWarning,
                    stacklevel=3,
                )
            method = "resample"
        how = AdaBoostOptions(int(self.n_estimators), method, self.variant, int(self.retries))
        prior = totals / totals.sum()
        learned: list[Any] = []
        tell = progress_teller(self._name, how.rounds, "rounds") if self.progress else None
        if self.learner is None:
            model, trace, stopped = boost_stumps(trained, how, prior, int(rng.integers(2**63)), tell)
        else:

            def new(seed: int) -> Any:
                return fresh(self.learner, self.n_jobs, self._name, seed)

            model, trace, learned, stopped = boost(trained, how, prior, rng, new, tell)
        if apart is not None:
            model, trace = _best_rounds(model, trace, apart)
        self.trace_: BoostingTrace = trace
        self.method_ = method
        self.learners_ = [getattr(each, "estimator_", each) for each in learned[: len(trace)]]
        self._interrupted = stopped
        return model, totals

    def settle(self, schema: Schema, model: Any, totals: Floats, rows: int) -> None:
        """Store the fitted model; then, if Ctrl-C ended it, raise that."""
        super().settle(schema, model, totals, rows)
        interrupt = self.__dict__.pop("_interrupted", None)
        if interrupt is not None:
            raise interrupt


def _best_rounds(
    model: AdaBoostModel, trace: BoostingTrace, apart: Table
) -> tuple[AdaBoostModel, BoostingTrace]:
    """The rounds up to the lowest error on held-out rows."""
    weights = apart.row_weights
    errors = []
    for t in range(1, len(trace) + 1):
        wrong = model.first(t).scores(apart).argmax(axis=1) != apart.class_codes
        errors.append(float(np.average(wrong, weights=weights)))
    best = int(np.argmin(np.round(errors, 12))) + 1  # the first of equal ones, whatever rounding made of them
    whole = BoostingTrace(
        trace.error, trace.vote, trace.combined, trace.draws, trace.method, trace.end, np.array(errors)
    )
    return model.first(best), whole.first(best)
