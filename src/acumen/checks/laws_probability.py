"""Laws on probabilities and on the decisions made with them."""

from __future__ import annotations

import numpy as np

from acumen.checks import data
from acumen.checks.subject import NotApplicable, Subject, refusal, require
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.types import Floats

_FAR = (1e300, -1e300, 1e-300, 1.7e308, -1.7e308, 0.0)


def probabilities_are_finite_and_sum_to_one(subject: Subject) -> None:
    """`predict_proba` is finite, between 0 and 1 and sums to 1, even for values as large as 1e300."""
    subject.need_probabilities()
    learner, rows = subject.fitted_learner()
    _require_probabilities(learner.predict_proba(rows), "rows like the training rows")
    if not rows.schema.numeric:
        return
    n = len(_FAR)
    far = Table(
        rows.schema.without_target(),
        n,
        numeric=[np.array(_FAR) for _ in rows.schema.numeric],
        nominal=[column[:n] for column in rows.nominal.columns],
        text=[column[:n] for column in rows.text],
    )
    _require_probabilities(learner.predict_proba(far), "rows far away")


def _require_probabilities(found: Floats, what: str) -> None:
    require(np.isfinite(found).all(), f"{what}: a probability is not finite")
    require((found >= 0).all() and (found <= 1 + 1e-12).all(), f"{what}: a probability is not from 0 to 1")
    require(np.allclose(found.sum(axis=1), 1.0, atol=1e-9), f"{what}: probabilities do not sum to 1")


def the_most_probable_class_is_predicted(subject: Subject) -> None:
    """Without `costs`, the prediction is the class with the highest probability."""
    subject.need_probabilities()
    learner, rows = subject.fitted_learner()
    probabilities = learner.predict_proba(rows)
    require(probabilities.shape == (len(rows), 3), f"the shape is {probabilities.shape}")
    codes = [learner.classes_.tolist().index(label) for label in learner.predict(rows).tolist()]
    best = probabilities[np.arange(len(rows)), codes]
    require((best >= probabilities.max(axis=1) - 1e-12).all(), "a prediction is not the most probable class")
    with np.errstate(divide="ignore"):
        require(
            np.allclose(learner.predict_log_proba(rows), np.log(probabilities)),
            "predict_log_proba is no logarithm",
        )


def a_class_without_rows_has_probability_zero(subject: Subject) -> None:
    """A declared class without rows is never predicted and has probability 0."""
    subject.need_classes()
    rows = subject.table()
    assert rows.schema.target is not None
    target = Attribute("answer", rows.schema.target.kind, ("never", *data.CLASSES))
    schema = Schema(rows.schema.attributes, target)
    learner = subject.new().fit(rows.replace(schema=schema, labels=rows.class_codes + 1))
    require("never" not in set(learner.predict(rows).tolist()), "a class without rows is predicted")
    if subject.probabilistic:
        probabilities = learner.predict_proba(rows)
        require((probabilities[:, 0] == 0).all(), f"its probability is up to {probabilities[:, 0].max():g}")


def costs_choose_the_lowest_expected_cost(subject: Subject) -> None:
    """With `costs`, the prediction is the class with the lowest expected cost; a mapping and the equal matrix agree."""
    subject.need_probabilities()
    subject.need("costs")
    rng = np.random.default_rng(2)
    matrix = np.round(rng.random((3, 3)) * 5 * (1 - np.eye(3)), 2)
    learner, rows = subject.fitted_anew(costs=matrix)
    expected = learner.predict_proba(rows) @ matrix.T
    codes = [learner.classes_.tolist().index(label) for label in learner.predict(rows).tolist()]
    best = expected[np.arange(len(rows)), codes]
    require((best <= expected.min(axis=1) + 1e-9).all(), "a prediction is not of least expected cost")
    pairs = {
        (data.CLASSES[i], data.CLASSES[j]): float(matrix[i, j]) for i in range(3) for j in range(3) if i != j
    }
    mapped = subject.new(costs=pairs).fit(rows)
    require((mapped.predict(rows) == learner.predict(rows)).all(), "a mapping of costs is read differently")
    never = subject.new(costs={("no", "yes"): 1e9, ("no", "maybe"): 1e9}).fit(rows)
    sure = never.predict_proba(rows)[:, 0] > 1 - 1e-9
    require("no" not in set(never.predict(rows)[~sure].tolist()), "a ruinous class is predicted")


def priors_shift_the_probabilities(subject: Subject) -> None:
    """With `priors`, probabilities are multiplied by new prior / training prior and normalised."""
    subject.need_probabilities()
    subject.need("priors")
    rows = subject.table(60)
    plain = subject.new().fit(rows)
    new = np.array([0.7, 0.2, 0.1])
    training = np.bincount(rows.class_codes, minlength=3) / len(rows)
    expected = plain.predict_proba(rows) * (new / training)
    expected /= expected.sum(axis=1, keepdims=True)
    for priors in (new, dict(zip(data.CLASSES, new.tolist(), strict=True))):
        probabilities = subject.new(priors=priors).fit(rows).predict_proba(rows)
        require(np.allclose(probabilities, expected, atol=1e-8), "the probabilities do not follow the priors")
    uniform = subject.new(priors="uniform").fit(rows).predict_proba(rows)
    third = subject.new(priors=[1 / 3] * 3).fit(rows).predict_proba(rows)
    require(np.allclose(uniform, third, atol=1e-12), "'uniform' is not uniform")


def learners_without_probabilities_refuse_costs_and_priors(subject: Subject) -> None:
    """A learner without probabilities refuses `costs` and `priors` with a message."""
    subject.need_classes()
    if subject.probabilistic:
        raise NotApplicable("it has probabilities")
    rows = subject.table()
    for name, value in (("costs", np.ones((3, 3)) - np.eye(3)), ("priors", "uniform")):
        if subject.takes(name):
            learner = subject.new(**{name: value})
            message = refusal(DataError, lambda learner=learner: learner.fit(rows))
            require(name in message and subject.name in message, f"the sentence is: {message}")


def likelihood_and_parameters_are_counted(subject: Subject) -> None:
    """A probabilistic learner has a finite `log_likelihood` and a whole number of parameters; AIC follows."""
    subject.need_probabilities()
    learner, rows = subject.fitted_learner()
    likelihood = learner.log_likelihood(rows)
    require(np.isfinite(likelihood), f"the log-likelihood of the training rows is {likelihood}")
    k = learner.n_parameters_
    require(isinstance(k, int) and k >= 0, f"n_parameters_ is {k!r}")
    require(np.isclose(learner.aic(rows), 2 * k - 2 * likelihood), "aic is not 2 k - 2 log L")
    require(
        np.isclose(learner.bic(rows), np.log(len(rows)) * k - 2 * likelihood), "bic is not k log n - 2 log L"
    )
    twice = learner.log_likelihood(rows, sample_weight=np.full(len(rows), 2.0))
    require(np.isclose(twice, 2 * likelihood), "weights do not count in the log-likelihood")
    scored = learner.score(rows)
    right = np.mean(learner.predict(rows).astype(object) == rows.label_values())
    require(np.isclose(scored, right), f"score is {scored}, but the share of right answers {right}")


LAWS = (
    probabilities_are_finite_and_sum_to_one,
    the_most_probable_class_is_predicted,
    a_class_without_rows_has_probability_zero,
    costs_choose_the_lowest_expected_cost,
    priors_shift_the_probabilities,
    learners_without_probabilities_refuse_costs_and_priors,
    likelihood_and_parameters_are_counted,
)
