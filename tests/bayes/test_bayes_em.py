"""Learning also from rows without a label: the likelihood rises, and so does what is right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acumen
from tables import table_of


def half_known(n: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two clouds of which six rows have a label: X, all labels, the labels given."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 2)) + 3.0 * y[:, None] * [1, 0.5]
    return X, y, np.where(np.arange(n) < 6, y, np.nan)


GAUSSIAN = (
    acumen.NaiveBayes(unlabelled="em", var_floor=0),
    acumen.FullBayes(unlabelled="em"),
    acumen.FullBayes(unlabelled="em", covariance="shared"),
    acumen.FullBayes(unlabelled="em", covariance="diagonal"),
)


@pytest.mark.parametrize("learner", GAUSSIAN, ids=repr)
def test_the_likelihood_never_falls(learner: Any) -> None:
    X, _, given = half_known()
    found = learner.fit(X, given).log_likelihoods_
    assert len(found) == learner.n_iter_ > 2
    assert (np.diff(found) > -1e-8 * np.abs(found[:-1])).all()


def test_the_likelihood_of_levels_never_falls() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    columns = {f"c{j}": np.where(rng.random(300) < 0.8, y, 1 - y).astype(str).tolist() for j in range(5)}
    labels = [str(v) if i < 40 else None for i, v in enumerate(y)]
    table = table_of(columns, labels, classes=("0", "1"))
    learner = acumen.NaiveBayes(estimator="mle", unlabelled="em").fit(table)
    steps = np.diff(learner.log_likelihoods_)
    assert len(steps) > 1 and (steps > -1e-8).all()


@pytest.mark.parametrize(
    "learner",
    [
        acumen.NaiveBayes(unlabelled="em"),
        acumen.FullBayes(unlabelled="em", covariance="shared"),
    ],
    ids=repr,
)
def test_unlabelled_rows_make_it_right_more_often(learner: Any) -> None:
    X, y, given = half_known()
    known = ~np.isnan(given)
    labelled_only = type(learner)(**{**learner.get_params(), "unlabelled": "ignore"}).fit(X[known], y[known])
    asked, truth, _ = half_known(2000, seed=1)
    with_all = learner.fit(X, given).score(asked, truth.astype(float))
    assert with_all > labelled_only.score(asked, truth) and with_all > 0.9


def test_w001_24_one_step_is_the_mixtures() -> None:
    """Shares move the means as the right form of the documents' EM does (divisor: the shares' sum)."""
    x = np.array([0.0, 1.0, 4.0, 5.0])
    learner = acumen.NaiveBayes(unlabelled="em", var_floor=0).fit(x[:, None], [0.0, np.nan, np.nan, 1.0])
    mean = learner.model_.numeric.mean[:, 0]
    assert mean == pytest.approx([0.5, 4.5], abs=0.2)
    weight = learner.model_.weight
    assert weight.sum() == pytest.approx(4.0)


def test_ignored_rows_change_nothing() -> None:
    X, _, given = half_known()
    known = ~np.isnan(given)
    for kind in (acumen.NaiveBayes, acumen.FullBayes, acumen.HistogramBayes, acumen.Parzen):
        one, other = kind().fit(X, given), kind().fit(X[known], given[known])
        np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
