"""`stability`: how much a learner's predictions depend on its training rows, and whether an ensemble would help.

stability             fit a learner on many draws of the rows, and predict the rows of each draw that were left out
PredictionStability   how often predictions change, bias and variance, and advice on bagging and boosting
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.base.estimator import LearnerLike
from acumen.base.foreign_estimators import adapt
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.profiling.fit_warnings import data_warnings_off
from acumen.resampling.plan import streams
from acumen.rows.intake import training_table

#: A change of the error below this share of it is none.
_MATTERS = 0.02
#: Predictions that change less often than this are stable.
_STABLE = 0.02
#: Errors that models agree on, as a share of those of always saying the commonest class: from here on they are noise.
_NOISY = 0.65


@dataclass(frozen=True, slots=True)
class PredictionStability:
    """How a learner's predictions vary when it is trained on different draws of the same rows.

    All of it is about draws of this one table, as bagging makes them. Two draws share rows, so models of new tables
    differ more: simulated, `changes` is 0.8 to 1.2 times what it is between models of independent tables, but 0.6
    times for the nearest neighbour, and `variance` is 0.1 to 0.8 times, as votes of draws of one table still err with
    that table.

    Attributes
    ----------
    error : float
        Of one model on rows it did not learn from, on average.
    changes : float
        How often two models trained on different draws disagree on a row that neither draw has.
    bias : float
        The error of what most models predict, each row by the models that did not see it: that of bagging.
    variance : float
        What their disagreement adds: error less bias, below 0 where wavering helps.
    training_error : float
        Of one model on rows it did learn from.
    chance : float
        Of always saying the commonest class.
    """

    learner: str
    rounds: int
    rows: int
    error: float
    changes: float
    bias: float
    variance: float
    training_error: float
    chance: float

    @property
    def stable(self) -> bool:
        """Whether predictions hardly change."""
        return self.changes < _STABLE

    @property
    def bagging_helps(self) -> bool:
        """Whether the vote of models trained on different draws errs less than a single model."""
        return self.error - self.bias > _MATTERS * self.error

    @property
    def boosting_helps(self) -> bool:
        """Whether predictions vary with the rows, and the majority is clearly better than chance.

        Boosting minds the rows that are wrong more and more. Where models of other rows agree on errors nearly as often
        as always saying the commonest class would err, these are mostly noise, and minding them does harm.
        """
        return self.variance > 0 and self.training_error < 0.5 and self.bias < _NOISY * self.chance

    @property
    def advice(self) -> str:
        """A sentence on whether bagging or boosting can help."""
        if self.error <= 0:
            return "It makes no errors on held-out rows: there is nothing to improve."
        if self.stable and not (self.bagging_helps or self.boosting_helps):
            return (
                f"It is stable: models from different draws disagree on only {100 * self.changes:.1f} % of rows. "
                "Neither bagging nor boosting should help much; its errors are the same whatever it is trained on."
            )
        both = self.bagging_helps, self.boosting_helps
        how = "fairly stable" if self.stable else "unstable"
        wavers = f"It is {how}: models from different draws disagree on {100 * self.changes:.1f} % of rows"
        if both == (True, True):
            return f"{wavers}, and their vote errs less than a single model. Bagging should help, and boosting too."
        if both == (True, False):
            return (
                f"{wavers}, and their vote errs less than a single model. Bagging should help. Boosting should not: "
                "the errors they agree on look like noise."
            )
        if both == (False, True):
            return f"{wavers}, but their vote is no better than a single model. Boosting may help; bagging should not."
        return f"{wavers}, but their vote is no better than a single model. Neither bagging nor boosting should help."

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        more = {
            "stable": self.stable,
            "bagging_helps": self.bagging_helps,
            "boosting_helps": self.boosting_helps,
        }
        return {**{name: getattr(self, name) for name in self.__slots__}, **more, "advice": self.advice}

    def __str__(self) -> str:
        return (
            f"{self.learner}: error {self.error:.4f} = bias {self.bias:.4f} + variance {self.variance:.4f}; "
            f"{self.rounds} models of drawn rows, {self.rows} rows predicted.\n{self.advice}"
        )


def stability(
    learner: LearnerLike, table: Table, *, n_repeats: int = 25, random_state: Any = None
) -> PredictionStability:
    """Measure how much predictions depend on the training rows, and whether bagging or boosting can help.

    acumen fits a copy of the learner to each of `n_repeats` bootstrap samples (n of n rows, with replacement), and each
    copy predicts the rows that were not drawn. The vote for a row is the majority of these predictions.

    Parameters
    ----------
    learner : classifier of acumen or of scikit-learn
        Not changed.
    table : Table
        With a nominal target.
    n_repeats : int
        How many models; 2 or more.
    random_state : int, Generator or None

    Returns
    -------
    PredictionStability

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> found = acumen.stability(acumen.RandomTree(), iris, n_repeats=10, random_state=0)
    >>> found.changes > acumen.stability(acumen.Fisher(), iris, n_repeats=10, random_state=0).changes
    True
    """
    from acumen.base.scikit import clone

    who = "stability"
    if isinstance(n_repeats, bool) or not isinstance(n_repeats, (int, np.integer)) or n_repeats < 2:
        raise ParameterError(f"{who}: n_repeats must be a whole number of at least 2; got {n_repeats!r}.")
    if not isinstance(table, Table):
        raise DataError(
            f"{who}: the rows must be a Table, as acumen.read(data, target=...) gives; got {type(table).__name__}."
        )
    model = adapt(learner, who, classifies=True)
    rows = training_table(table, None, None, who)
    rows = rows.take(np.flatnonzero((rows.class_codes >= 0) & (rows.row_weights > 0)))
    if len(rows) < 2:
        raise DataError(f"{who}: {len(rows)} rows are too few to draw from.")
    n, k, weights, labels = len(rows), rows.schema.n_classes, rows.row_weights, rows.class_codes
    votes = np.zeros((n, k))
    seen, wrong_seen = 0.0, 0.0
    for _, rng in zip(range(n_repeats), streams(random_state, who), strict=False):
        drawn = np.sort(rng.integers(n, size=n))
        copy = clone(model)
        if "random_state" in copy.get_params(deep=False) and copy.random_state is None:
            copy.set_params(random_state=int(rng.integers(2**31)))
        with data_warnings_off():
            copy.fit(rows.take(drawn))
        predictions = copy.predictor_.predict(rows)
        out = np.ones(n, dtype=np.bool_)
        out[drawn] = False
        votes[np.flatnonzero(out), predictions[out]] += 1
        seen += float(weights[~out].sum())
        wrong_seen += float(weights[~out] @ (predictions[~out] != labels[~out]))
    n_votes = votes.sum(axis=1)
    voted = n_votes > 0
    mass = weights[voted] / weights[voted].sum()
    shares = votes[voted] / n_votes[voted, None]
    main = shares.argmax(axis=1)
    error = float(mass @ (1.0 - shares[np.arange(len(shares)), labels[voted]]))
    bias = float(mass @ (main != labels[voted]))
    # Two different models of the row's: without replacement, or a row asked once would seem to agree with itself.
    pairs = np.maximum(n_votes[voted] * (n_votes[voted] - 1), 1)
    agree = (votes[voted] * (votes[voted] - 1)).sum(axis=1) / pairs
    several = n_votes[voted] > 1
    changes = float(np.average(1.0 - agree[several], weights=mass[several])) if several.any() else 0.0
    return PredictionStability(
        type(learner).__name__, int(n_repeats), int(voted.sum()), error, changes, bias, error - bias,
        wrong_seen / seen if seen else 0.0, 1.0 - float(np.bincount(labels, weights, k).max() / weights.sum()),
    )  # fmt: skip
