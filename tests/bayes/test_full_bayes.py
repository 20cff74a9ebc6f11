"""Full Bayes against scikit-learn's discriminants and scipy's normal distribution."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

import acumen
from acumen.errors import AcumenWarning, DataError
from preprocessing_tables import sparse_twin
from tables import table_of


def clouds(n: int = 200, d: int = 4, k: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    mix = rng.normal(size=(k, d, d))
    return np.einsum("nd,nde->ne", rng.normal(size=(n, d)), mix[y]) + y[:, None], y


@pytest.mark.parametrize("priors", [None, [0.2, 0.5, 0.3]])
def test_a_covariance_for_each_class_is_quadratic_discriminant_analysis(priors: list[float] | None) -> None:
    X, y = clouds()
    oracle = QuadraticDiscriminantAnalysis(priors=priors, store_covariance=True).fit(X, y)
    # scikit-learn's divisor was n - 1 once and is n since 1.8.
    unbiased = np.allclose(oracle.covariance_[0], np.cov(X[y == 0].T))
    found = acumen.FullBayes(unbiased=unbiased, priors=priors).fit(X, y)
    np.testing.assert_allclose(found.predict_log_proba(X), oracle.predict_log_proba(X), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("priors", [None, [0.2, 0.5, 0.3]])
def test_a_shared_covariance_is_linear_discriminant_analysis(priors: list[float] | None) -> None:
    X, y = clouds()
    oracle = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    found = acumen.FullBayes(covariance="shared").fit(X, y)
    np.testing.assert_allclose(found.predict_proba(X), oracle.predict_proba(X), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(found.model_.covariance[0], oracle.covariance_, rtol=1e-10)
    if priors is not None:
        # The oracle's priors weigh its covariance too; ours do not, so only the shift is compared.
        shifted = found.predict_proba(X) * priors / (np.bincount(y) / len(y))
        mine = acumen.FullBayes(covariance="shared", priors=priors).fit(X, y)
        np.testing.assert_allclose(
            mine.predict_proba(X), shifted / shifted.sum(axis=1, keepdims=True), rtol=1e-9
        )


def test_unbiased_divides_by_one_less() -> None:
    X, y = clouds()
    found = acumen.FullBayes(unbiased=True).fit(X, y).model_.covariance
    np.testing.assert_allclose(found, [np.cov(X[y == c].T) for c in range(3)], rtol=1e-10)
    shared = acumen.FullBayes(unbiased=True, covariance="shared").fit(X, y).model_.covariance[0]
    within = X - np.array([X[y == c].mean(axis=0) for c in range(3)])[y]
    np.testing.assert_allclose(shared, within.T @ within / (len(y) - 3), rtol=1e-10)


def test_planes_and_quadrics_part_the_classes_where_the_scores_do() -> None:
    X, y = clouds()
    for covariance in ("full", "shared"):
        model = acumen.FullBayes(covariance=covariance).fit(X, y).model_
        matrix, w, w0 = model.surface(0, 2)
        surface = X @ w + w0 + (0 if matrix is None else np.einsum("nd,de,ne->n", X, matrix, X))
        scores = model.scores(acumen.read(X))
        np.testing.assert_allclose(surface, scores[:, 0] - scores[:, 2], rtol=1e-9, atol=1e-9)


def test_weights_are_repeated_rows() -> None:
    X, y = clouds(60)
    w = np.arange(60) % 3 + 1
    for covariance in ("full", "shared", "diagonal"):
        one = acumen.FullBayes(covariance=covariance).fit(X, y, sample_weight=w)
        other = acumen.FullBayes(covariance=covariance).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
        np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-8, atol=1e-12)


def test_the_diagonal_is_naive_bayes() -> None:
    X, y = clouds()
    found = acumen.FullBayes(covariance="diagonal").fit(X, y).predict_proba(X)
    np.testing.assert_allclose(
        found, acumen.NaiveBayes(var_floor=0).fit(X, y).predict_proba(X), rtol=1e-9, atol=1e-14
    )


def test_full_shrinkage_leaves_the_diagonal() -> None:
    X, y = clouds()
    half, whole = (acumen.FullBayes(shrinkage=s).fit(X, y).model_.covariance for s in (0.5, 1.0))
    plain = acumen.FullBayes().fit(X, y).model_.covariance
    diagonal = np.array([np.diag(np.diag(matrix)) for matrix in plain])
    np.testing.assert_allclose(whole, diagonal, atol=1e-12)
    np.testing.assert_allclose(half, (plain + diagonal) / 2, atol=1e-12)


@pytest.mark.parametrize("covariance", ["full", "shared"])
def test_missing_values_are_integrated_out(covariance: str) -> None:
    X, y = clouds()
    learner = acumen.FullBayes(covariance=covariance).fit(X, y)
    model = learner.model_
    rng = np.random.default_rng(1)
    gaps = np.where(rng.random(X.shape) < 0.4, np.nan, X)[:40]
    expected = np.zeros((40, 3))
    for i, row in enumerate(gaps):
        known = ~np.isnan(row)
        for c in range(3):
            matrix = model.covariance[0 if covariance == "shared" else c]
            expected[i, c] = model.log_prior[c]
            if known.any():
                inner = multivariate_normal(model.mean[c, known], matrix[np.ix_(known, known)])
                expected[i, c] += inner.logpdf(row[known])
    rows = acumen.read(gaps)
    found = model.scores(rows) + np.reshape(model.common(rows), (-1, 1) if covariance == "shared" else ())
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)


def test_missing_numbers_are_filled_by_the_class_mean_in_training() -> None:
    X, y = clouds(80, d=2, k=2)
    gaps = X.copy()
    gaps[::5, 0] = np.nan
    filled = gaps.copy()
    for c in range(2):
        lost = np.isnan(gaps[:, 0]) & (y == c)
        filled[lost, 0] = np.nanmean(gaps[y == c, 0])
    mine, theirs = acumen.FullBayes().fit(gaps, y).model_, acumen.FullBayes().fit(filled, y).model_
    np.testing.assert_allclose(mine.mean, theirs.mean, rtol=1e-10)
    np.testing.assert_allclose(mine.covariance, theirs.covariance, rtol=1e-9)


def test_joint_shares_are_smoothed_over_the_product_of_domains() -> None:
    table = table_of(
        {"b": ["p", "p", "q"], "c": ["r", "s", "r"], "x": [0.0, 1.0, 3.0]},
        ["t"] * 3,
        levels={"b": ["p", "q"], "c": ["r", "s", "t"]},
    )
    learner = acumen.FullBayes(alpha=0.5).fit(table)
    levels = {"b": ["p", "q"], "c": ["r", "s", "t"]}
    asked = table_of({"b": ["p", "q", "q"], "c": ["r", "t", None], "x": [np.nan] * 3}, levels=levels)
    expected = [1.5 / 6, 0.5 / 6, (1 + 3 * 0.5) / 6]
    assert np.exp(learner.model_.scores(asked))[:, 0] == pytest.approx(expected)


def test_a_mixed_row_is_joint_times_gaussian() -> None:
    rng = np.random.default_rng(0)
    columns = {"x": rng.normal(size=40).tolist(), "z": rng.normal(size=40).tolist(), "c": ["p", "q"] * 20}
    table = table_of(columns, ["a", "a", "b", "b"] * 10)
    model = acumen.FullBayes().fit(table).model_
    row = table_of({"x": [0.3], "z": [-1.0], "c": ["q"]}, levels={"c": ["p", "q"]})
    for c in range(2):
        own = np.column_stack([columns["x"], columns["z"]])[table.labels == c]
        density = multivariate_normal(own.mean(axis=0), np.cov(own.T, bias=True)).pdf([0.3, -1.0])
        assert np.exp(model.scores(row))[0, c] == pytest.approx(0.5 * density * 11 / 22)


def test_a_singular_covariance_is_repaired_with_a_warning() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30, 1))
    X, y = np.hstack([x, 2 * x, rng.normal(size=(30, 1))]), ["left"] * 15 + ["right"] * 15
    with pytest.warns(AcumenWarning) as told:
        learner = acumen.FullBayes().fit(X, y)
    for whose, warning in zip(("left", "right"), told, strict=True):
        assert f"{whose} is singular (rank 2 of 3" in str(warning.message)
        assert "shrinkage" in str(warning.message)
    assert np.isfinite(learner.predict_log_proba(X)).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        acumen.FullBayes(shrinkage=0.1).fit(X, y)


def test_the_repair_does_not_depend_on_units() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 1))
    X, y = np.hstack([x, x + 1]), np.arange(40) % 2
    with pytest.warns(AcumenWarning):
        one = acumen.FullBayes().fit(X, y).predict_proba(X)
    with pytest.warns(AcumenWarning):
        other = acumen.FullBayes().fit(X * [1e6, 1e-6], y).predict_proba(X * [1e6, 1e-6])
    np.testing.assert_allclose(one, other, atol=1e-4)


def test_sparse_rows_are_the_same_rows() -> None:
    rng = np.random.default_rng(0)
    X = np.where(rng.random((80, 3)) < 0.6, rng.random((80, 3)), 0.0)
    dense = acumen.read((X, np.arange(80) % 2))
    one, other = (acumen.FullBayes().fit(form) for form in (dense, sparse_twin(dense)))
    np.testing.assert_allclose(one.predict_proba(dense), other.predict_proba(sparse_twin(dense)), rtol=1e-10)


def test_text_is_refused() -> None:
    with pytest.raises(DataError, match="leave out the text column 'note'"):
        acumen.FullBayes().fit(table_of({"note": ["a", "b"]}, ["a", "b"], text=["note"]))
