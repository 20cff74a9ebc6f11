"""Naive Bayes against scikit-learn's classifiers, scipy's densities and products written out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import gaussian_kde, norm
from sklearn.naive_bayes import CategoricalNB, GaussianNB

import acumen
from acumen.errors import ParameterError
from preprocessing_tables import sparse_twin
from tables import table_of


def clouds(n: int = 200, d: int = 5, k: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, d)) * (1 + y[:, None]) + y[:, None], y


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_gaussians_agree_with_scikit_learn(weighted: bool, offset: float) -> None:
    X, y = clouds()
    X = X + offset
    w = np.random.default_rng(1).random(len(y)) if weighted else None
    oracle = GaussianNB(var_smoothing=0).fit(X, y, sample_weight=w)
    learner = acumen.NaiveBayes(var_floor=0).fit(X, y, sample_weight=w)
    tolerance = 1e-9 if offset == 0 else 1e-6  # the oracle loses digits far from zero
    found, expected = learner.predict_log_proba(X), oracle.predict_log_proba(X)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(learner.model_.numeric.variance, oracle.var_, rtol=tolerance)


@pytest.mark.parametrize("alpha", [1.0, 0.2])
def test_levels_agree_with_scikit_learn(alpha: float) -> None:
    rng = np.random.default_rng(0)
    codes, y, w = rng.integers(0, 4, (150, 3)), rng.integers(0, 3, 150), rng.random(150) + 0.1
    oracle = CategoricalNB(alpha=alpha, min_categories=4).fit(codes, y, sample_weight=w / w.mean())
    columns = {f"c{j}": [f"v{v}" for v in codes[:, j]] for j in range(3)}
    levels = {name: ["v0", "v1", "v2", "v3"] for name in columns}
    table = table_of(columns, [str(v) for v in y], levels=levels, classes=("0", "1", "2"))
    learner = acumen.NaiveBayes(alpha=alpha).fit(table, sample_weight=w)
    np.testing.assert_allclose(learner.predict_proba(table), oracle.predict_proba(codes), rtol=1e-10)


def test_a_mixed_row_is_the_product_of_its_attributes() -> None:
    table = table_of(
        {
            "x": [1.0, 2.0, 4.0, 5.0, 9.0],
            "c": ["p", "q", "p", "p", "q"],
            "note": ["go", "go on", "no", "no", "on"],
        },
        ["a", "a", "b", "b", "b"],
        text=["note"],
    )
    learner = acumen.NaiveBayes(var_floor=0).fit(table)
    asked = table_of({"x": [3.0], "c": ["q"], "note": ["go no"]}, levels={"c": ["p", "q"]}, text=["note"])
    a = 2 / 5 * norm.pdf(3, 1.5, 0.5) * (2 / 4) * (3 / 6) * (1 / 6)
    b = 3 / 5 * norm.pdf(3, 6, np.std([4, 5, 9])) * (2 / 5) * (1 / 6) * (3 / 6)
    assert np.exp(learner.model_.scores(asked))[0] == pytest.approx([a, b])


def test_missing_values_are_left_out_of_their_own_attribute_only() -> None:
    X, y = clouds()
    gaps = X.copy()
    gaps[::3, 1] = np.nan
    learner = acumen.NaiveBayes(var_floor=0).fit(gaps, y)
    known = ~np.isnan(gaps[:, 1])
    for c in range(3):
        assert learner.model_.numeric.mean[c, 1] == pytest.approx(gaps[known & (y == c), 1].mean())
        assert learner.model_.numeric.mean[c, 0] == pytest.approx(X[y == c, 0].mean())
    without = acumen.NaiveBayes(var_floor=0).fit(np.delete(X, 1, axis=1), y)
    np.testing.assert_allclose(
        learner.predict_proba(gaps[::3]), without.predict_proba(np.delete(X, 1, axis=1)[::3]), rtol=1e-10
    )


def test_bumps_agree_with_scipy() -> None:
    X, y = clouds(60, d=1, k=2)
    learner = acumen.NaiveBayes(numeric="kernel").fit(X, y)
    asked = np.linspace(-4, 6, 17)
    expected = np.empty((17, 2))
    for c in range(2):
        own = X[y == c, 0]
        width = own.std() * len(own) ** -0.2 / own.std(ddof=1)
        expected[:, c] = gaussian_kde(own, bw_method=width).pdf(asked) * np.mean(y == c)
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(learner.predict_proba(asked[:, None]), expected, rtol=1e-9)


def test_histograms_are_densities() -> None:
    X, y = clouds(100, d=1, k=2)
    learner = acumen.NaiveBayes(numeric="histogram", bins=7, alpha=1).fit(X, y)
    edges = np.linspace(X.min(), X.max(), 8)
    place = np.clip(np.searchsorted(edges, X[:, 0]) - 1, 0, 6)
    expected = np.empty((100, 2))
    for c in range(2):
        counts, _ = np.histogram(X[y == c], edges)
        expected[:, c] = ((counts + 1) / (counts.sum() + 7) / np.diff(edges))[place] * np.mean(y == c)
    np.testing.assert_allclose(np.exp(learner.model_.scores(acumen.read(X))), expected, rtol=1e-10)


def test_a_prior_mean_is_weighed_by_precision() -> None:
    """The posterior of W001-20 with the class's own variance."""
    x = np.array([4.9, 5.1, 5.3])
    learner = acumen.NaiveBayes(mean_prior=(0.0, 1.0), var_floor=0).fit(x[:, None], [0, 0, 0])
    precision = 3 / x.var()
    assert learner.model_.numeric.mean[0, 0] == pytest.approx(precision * x.mean() / (precision + 1))


def test_the_posteriors_mode_and_relative_frequencies() -> None:
    table = table_of({"c": ["p", "p", "p", "q"]}, ["t"] * 4, levels={"c": ["p", "q", "r"]})
    for estimator, alpha, expected in (
        ("mle", 1.0, [3 / 4, 1 / 4, 0]),
        ("map", 2.0, [4 / 7, 2 / 7, 1 / 7]),
        ("bayes", 2.0, [5 / 10, 3 / 10, 2 / 10]),
        ("bayes", {"c": {"p": 0.5, "r": 3.0}}, [3.5 / 8.5, 2 / 8.5, 3 / 8.5]),
        ("bayes", [0.5], [3.5 / 5.5, 1.5 / 5.5, 0.5 / 5.5]),
    ):
        learner = acumen.NaiveBayes(estimator=estimator, alpha=alpha).fit(table)
        assert np.exp(learner.model_.nominal.log_level[0][0]) == pytest.approx(expected)


def test_unseen_levels_speak_for_no_class() -> None:
    table = table_of({"c": ["p", "p", "q", "q"]}, ["a", "a", "b", "a"])
    learner = acumen.NaiveBayes().fit(table)
    asked = table_of({"c": ["never", None]}, levels={"c": ["never"]})
    assert learner.predict_proba(asked) == pytest.approx(np.tile([0.75, 0.25], (2, 1)))


@pytest.mark.parametrize("numeric", ["gaussian", "histogram", "kernel", "discretise"])
def test_sparse_rows_are_the_same_rows(numeric: str) -> None:
    rng = np.random.default_rng(0)
    X = np.where(rng.random((60, 4)) < 0.4, rng.random((60, 4)), 0.0)
    dense = acumen.read((X, np.arange(60) % 2))
    one, other = (acumen.NaiveBayes(numeric=numeric).fit(form) for form in (dense, sparse_twin(dense)))
    np.testing.assert_allclose(one.predict_proba(dense), other.predict_proba(sparse_twin(dense)), rtol=1e-10)


def test_priors_and_costs_are_bayes_rule() -> None:
    X, y = clouds()
    plain = acumen.NaiveBayes().fit(X, y).predict_proba(X)
    shares = np.bincount(y) / len(y)
    shifted = plain * [0.7, 0.2, 0.1] / shares
    shifted /= shifted.sum(axis=1, keepdims=True)
    found = acumen.NaiveBayes(priors=[0.7, 0.2, 0.1]).fit(X, y)
    np.testing.assert_allclose(found.predict_proba(X), shifted, rtol=1e-9, atol=1e-12)
    costs = np.array([[0, 1, 9], [2, 0, 1], [1, 1, 0]])
    costly = acumen.NaiveBayes(costs=costs).fit(X, y)
    assert np.array_equal(costly.predict(X), np.argmin(plain @ costs.T, axis=1))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"alpha": -1}, "NaiveBayes: alpha must be a number of at least 0"),
        ({"alpha": {"z": 1}}, "alpha names 'z', which is not a nominal attribute"),
        ({"alpha": 0.5, "estimator": "map"}, "alpha must be at least 1 for estimator='map'"),
        ({"mean_prior": (0.0, -1.0)}, "mean_prior must be a pair"),
        ({"mean_prior": {"c": (0, 1)}}, "'c', which is not a numeric attribute"),
        ({"numeric": "normal"}, "numeric must be"),
    ],
)
def test_wrong_parameters_are_refused(wrong: dict[str, object], words: str) -> None:
    table = table_of({"x": [1.0, 2.0], "c": ["p", "q"]}, ["a", "b"])
    with pytest.raises(ParameterError, match=words):
        acumen.NaiveBayes(**wrong).fit(table)
