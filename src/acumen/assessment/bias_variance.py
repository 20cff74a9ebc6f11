"""`bias_variance`: find out whether a learner errs because it is too simple or because it depends on chance.

    bias_variance   learner, table -> BiasVariance, from models trained on many draws of the training rows
    BiasVariance    the terms of the loss, and advice
    advice          a sentence on what to do about them

The arithmetic is in `decompose`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.assessment.decompose import Terms, kohavi_wolpert, squared_terms, zero_one_terms
from acumen.assessment.statistics.given import between_0_and_1, one_of
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.profiling.fit_warnings import data_warnings_off
from acumen.render.views import render
from acumen.resampling.plan import require_seed
from acumen.rows.intake import training_table
from acumen.types import Array, Floats, Indices

if TYPE_CHECKING:
    from acumen.base.learner import Learner


@dataclass(frozen=True, slots=True)
class BiasVariance:
    """The mean loss of a learner on new rows, split into terms; `noise + bias + variance` is `mean_loss`.

    Attributes
    ----------
    mean_loss : float
        Over all test rows and all models.
    bias : float
        The loss of what the models agree on (squared for the squared loss and for Kohavi and Wolpert).
    variance : float
        What their disagreement adds; for Domingos' decomposition `unbiased - biased`.
    noise : float
        0: it cannot be told from bias on real data, and is part of `bias`.
    unbiased, biased : float
        Domingos' two kinds of variance: the one that does harm, and the one that helps.
    """

    learner: str
    loss: str
    decomposition: str
    rounds: int
    train_rows: int
    test_rows: int
    mean_loss: float
    bias: float
    variance: float
    noise: float
    unbiased: float
    biased: float

    @property
    def terms(self) -> dict[str, float]:
        """The terms by name; they add up to `mean_loss`."""
        return {"noise": self.noise, "bias": self.bias, "variance": self.variance}

    @property
    def advice(self) -> str:
        """A sentence on what to do."""
        return advice(self.bias, self.variance, self.mean_loss)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {**{name: getattr(self, name) for name in self.__slots__}, "advice": self.advice}

    def __str__(self) -> str:
        text = (
            f"{self.learner}: mean {self.loss} loss {self.mean_loss:.4f} = "
            f"bias {self.bias:.4f} + variance {self.variance:.4f}"
        )
        if self.decomposition == "domingos":
            text += f" ({self.unbiased:.4f} that harms, {self.biased:.4f} that helps)"
        rows = f"{self.rounds} models from {self.train_rows} rows, {self.test_rows} test rows"
        return f"{text}; {rows}.\n{self.advice}"

    def _repr_html_(self) -> str:
        return render(self, "html")


def advice(bias: float, variance: float, loss: float) -> str:
    """Suggest what would reduce a loss with these terms."""
    if loss <= 0:
        return "No errors on the test rows: there is nothing to improve here."
    if variance >= 2.0 * bias:
        return (
            "Most of the loss is variance: the models differ with the rows they happened to see. "
            "More rows, a simpler or more strongly regularised model, or bagging should help."
        )
    if bias >= 2.0 * variance:
        return (
            "Most of the loss is bias (or noise in the labels): models from other rows make the same errors. "
            "More rows alone will not help; a more flexible learner, better attributes or boosting might."
        )
    return (
        "Bias and variance both matter: more rows will help up to a point, and so may a learner of another "
        "flexibility; try both directions."
    )


def bias_variance(
    learner: Learner,
    table: Table,
    n_repeats: int = 50,
    loss: str = "zero-one",
    decomposition: str | None = None,
    random_state: Any = None,
    test_fraction: float = 1 / 3,
    *,
    draws: str = "bootstrap",
) -> BiasVariance:
    """Split a learner's loss into bias and variance.

    acumen sets some rows aside for testing and draws `n_repeats` training sets from the others. It fits a copy of
    the learner to each set, and all copies predict the test rows. This cannot separate noise in the labels from
    bias; noise counts as bias.

    Parameters
    ----------
    learner : a learner of acumen
        Not changed. For `loss="squared"` on a nominal target it must give probabilities.
    table : Table
        With a nominal target, or a numeric one for `loss="squared"`.
    n_repeats : int
        How many models; 2 or more.
    loss : {"zero-one", "squared"}
        The error rate; or the squared error of a number, or of the probabilities summed over classes.
    decomposition : {"domingos", "kohavi-wolpert"}, optional
        How to split the zero-one loss. [default: domingos] In Domingos' (2000), net variance may be negative.
        In Kohavi and Wolpert's (1996) it never is, but part of the variance counts as bias. The squared loss
        has only one decomposition.
    random_state : int, Generator or None
        Seeds the split and the draws.
    test_fraction : float
        The fraction of rows set aside.
    draws : {"bootstrap", "half"}
        Draw n of n rows with replacement, or half of the rows without replacement.

    Returns
    -------
    BiasVariance
    """
    who = "bias_variance"
    one_of(loss, ("zero-one", "squared"), "loss", who)
    one_of(draws, ("bootstrap", "half"), "draws", who)
    if loss == "squared" and decomposition is not None:
        raise ParameterError(f"{who}: decomposition is a choice for the zero-one loss only; leave it out.")
    way = "squared" if loss == "squared" else (decomposition or "domingos")
    one_of(way, ("squared",) if loss == "squared" else ("domingos", "kohavi-wolpert"), "decomposition", who)
    if isinstance(n_repeats, bool) or not isinstance(n_repeats, (int, np.integer)) or n_repeats < 2:
        raise ParameterError(f"{who}: n_repeats must be a whole number of at least 2; got {n_repeats!r}.")
    test_fraction = between_0_and_1(test_fraction, "test_fraction", who)
    require_seed(random_state, "bias_variance")
    rng = np.random.default_rng(random_state)
    rows = _judged_rows(learner, table, loss)
    training, tested = rows.split(1.0 - test_fraction, random_state=rng)
    if len(training) < 2 or not len(tested):
        raise DataError(f"{who}: {len(rows)} rows are too few to train on some and test on the others.")
    predictions = np.stack([
        _prediction(learner, training.take(_draw_rows(len(training), draws, rng)), tested, loss)
        for _ in range(n_repeats)
    ])  # fmt: skip
    terms = _terms(predictions, tested, way)
    return BiasVariance(
        learner=type(learner).__name__,
        loss=loss,
        decomposition=way,
        rounds=int(n_repeats),
        train_rows=len(training),
        test_rows=len(tested),
        mean_loss=terms.loss,
        bias=terms.bias,
        variance=terms.variance,
        noise=terms.noise,
        unbiased=terms.unbiased,
        biased=terms.biased,
    )


def _judged_rows(learner: Learner, table: Table, loss: str) -> Table:
    """Select rows of weight above zero with a known target."""
    if not isinstance(table, Table):
        raise DataError(
            "bias_variance: the rows must be a Table, as acumen.read(data, target=...) gives; got "
            f"{type(table).__name__}."
        )
    if table.response is not None and loss == "squared":
        known = np.isfinite(table.response) & (table.row_weights > 0)
        return table.take(known)
    rows = training_table(table, None, None, type(learner).__name__)
    known = rows.class_codes >= 0
    return rows if known.all() else rows.take(known)


def _draw_rows(n: int, draws: str, rng: np.random.Generator) -> Indices:
    if draws == "bootstrap":
        return np.sort(rng.integers(n, size=n))
    return np.sort(rng.choice(n, size=max(1, n // 2), replace=False))


def _prediction(learner: Learner, training: Table, tested: Table, loss: str) -> Array:
    """Predict the test rows by a copy fitted on these rows: codes, probabilities or numbers."""
    from acumen.base.scikit import clone

    with data_warnings_off():
        fitted = clone(learner).fit(training)
    if tested.response is not None:
        return np.asarray(fitted.predict(tested), dtype=np.float64)
    if loss == "zero-one":
        return fitted.predictor_.predict(tested)
    if not hasattr(fitted, "predict_proba") or not fitted.predictor_.model.probabilistic:
        raise DataError(
            f"bias_variance: {type(learner).__name__} gives no probabilities, which the squared loss needs; "
            "use loss='zero-one'."
        )
    return fitted.predictor_.proba(tested)


def _terms(said: Array, tested: Table, way: str) -> Terms:
    weights: Floats | None = tested.weights if tested.weights.size else None
    if tested.response is not None:
        return squared_terms(said, tested.response, weights=weights)
    classes = tested.schema.n_classes
    if way == "squared":
        return squared_terms(said, np.eye(classes)[tested.class_codes], weights=weights)
    terms = zero_one_terms if way == "domingos" else kohavi_wolpert
    return terms(said, tested.class_codes, weights=weights, n_classes=classes)
