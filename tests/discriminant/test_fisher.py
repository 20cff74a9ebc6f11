"""Fisher's discriminant and the nearest mean: against peers, under the summaries' laws, and on odd data."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import NearestCentroid

import acumen
from acumen.checks import data
from acumen.errors import AcumenWarning, DataError, ParameterError
from tables import table_of


def sample(seed: int, n: int = 120, d: int = 5, k: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    mixing = rng.normal(size=(d, d))
    return rng.normal(size=(n, d)) @ mixing + 1.5 * rng.normal(size=(k, d))[y], y


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(2, 4))
def test_fisher_is_linear_discriminant_analysis(seed: int, d: int, k: int) -> None:
    X, y = sample(seed, d=d, k=k)
    peer = LinearDiscriminantAnalysis(solver="svd").fit(X, y)
    mine = acumen.Fisher().fit(X, y)
    np.testing.assert_allclose(mine.predict_proba(X), peer.predict_proba(X), atol=1e-9)
    assert np.array_equal(mine.predict(X), peer.predict(X))
    ours, theirs = mine.transform(X), peer.transform(X)
    assert ours.shape == theirs.shape
    signs = np.sign((ours * theirs).sum(axis=0))
    np.testing.assert_allclose(ours, theirs * signs, atol=1e-7 * np.abs(theirs).max())


def test_given_priors_are_answered_to_as_by_the_peer() -> None:
    X, y = sample(1)
    for priors in ([0.2, 0.3, 0.5], "uniform"):
        peer = LinearDiscriminantAnalysis(priors=[1 / 3] * 3 if priors == "uniform" else priors)
        mine = acumen.Fisher(priors=priors).fit(X, y)
        # The peer centres at its priors' mean, which moves no decision.
        np.testing.assert_allclose(mine.predict_proba(X), _proba(peer.fit(X, y), X, y, mine), atol=1e-9)


def _proba(peer: LinearDiscriminantAnalysis, X: np.ndarray, y: np.ndarray, mine: acumen.Fisher) -> np.ndarray:
    """The peer's rule with the covariance of the training shares, which are not its priors."""
    shares = np.bincount(y) / len(y)
    plain = LinearDiscriminantAnalysis().fit(X, y)
    logs = plain.decision_function(X) + np.log(peer.priors_) - np.log(shares)
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def test_equal_shares_put_the_threshold_halfway_between_the_means() -> None:
    X, y = sample(2, k=2)
    model = acumen.Fisher(priors="uniform").fit(X, y)
    means = np.array([model.transform(X[y == c]).mean() for c in (0, 1)])
    assert np.array_equal(model.predict(X) == 1, model.transform(X)[:, 0] > means.mean())


def test_one_direction_solves_the_generalised_eigenproblem() -> None:
    X, y = sample(3, k=4)
    model = acumen.Fisher().fit(X, y)
    m = X.mean(axis=0)
    S = sum(np.cov(X[y == c].T, bias=True) * (y == c).sum() for c in range(4))
    B = sum(
        (y == c).sum() * np.outer(X[y == c].mean(axis=0) - m, X[y == c].mean(axis=0) - m) for c in range(4)
    )
    for w, value in zip(model.directions_, model.separation_, strict=True):
        np.testing.assert_allclose(B @ w, value * (S @ w), atol=1e-8 * np.abs(B).max())
        assert np.linalg.norm(w) == pytest.approx(1.0) and w[np.argmax(np.abs(w))] > 0
    assert (np.diff(model.separation_) < 0).all()
    projected = model.transform(X)
    within = sum(np.cov(projected[y == c].T, bias=True) * (y == c).sum() for c in range(4)) / len(y)
    np.testing.assert_allclose(within, np.eye(3), atol=1e-9)


def test_fewer_directions_classify_among_what_is_left() -> None:
    X, y = sample(4, k=4)
    few = acumen.Fisher(n_directions=2).fit(X, y)
    every = acumen.Fisher().fit(X, y)
    np.testing.assert_allclose(few.transform(X), every.transform(X)[:, :2], atol=1e-9)
    again = acumen.Fisher().fit(few.transform(X), y)
    np.testing.assert_allclose(few.predict_proba(X), again.predict_proba(few.transform(X)), atol=1e-9)
    with pytest.raises(ParameterError, match="at most 3"):
        acumen.Fisher(n_directions=4).fit(X, y)


def test_units_do_not_count() -> None:
    X, y = sample(5)
    scale = np.array([1e8, 1e-8, 1.0, 1e3, 1e-3])
    one, two = acumen.Fisher().fit(X, y), acumen.Fisher().fit(X * scale + 7 * scale, y)
    np.testing.assert_allclose(two.predict_proba(X * scale + 7 * scale), one.predict_proba(X), atol=1e-6)


def test_shrinkage_is_that_of_full_bayes() -> None:
    X, y = sample(6)
    for s in (0.0, 0.3, 1.0):
        peer = acumen.FullBayes(covariance="shared", shrinkage=s).fit(X, y)
        np.testing.assert_allclose(
            acumen.Fisher(shrinkage=s).fit(X, y).predict_proba(X), peer.predict_proba(X), atol=1e-9
        )


@pytest.mark.parametrize("learner", [acumen.Fisher(), acumen.NearestMean()], ids=repr)
def test_kfold_models_equal_refits(learner: object) -> None:
    rows = data.table(("size", "colour", "age", "grade"))
    measures = ("error", "log_loss") if isinstance(learner, acumen.Fisher) else ("error",)
    once, anew = (
        acumen.assess(learner, rows, acumen.KFold(5), measures, random_state=0, refit=refit)
        for refit in (False, True)
    )
    for measure in measures:
        np.testing.assert_allclose(once.table[measure], anew.table[measure], rtol=1e-9)


def test_missing_numbers_are_the_class_mean_in_learning_and_the_mean_afterwards() -> None:
    X, y = sample(7)
    gaps = X.copy()
    gaps[::7, 1] = np.nan
    gaps[3, 2] = np.inf  # as good as missing
    filled = gaps.copy()
    for c in range(3):
        mine = y == c
        for j in range(5):
            column = gaps[mine, j]
            known = np.isfinite(column)
            filled[mine, j] = np.where(known, column, column[known].mean())
    one, two = acumen.Fisher().fit(gaps, y), acumen.Fisher().fit(filled, y)
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), atol=1e-7)
    known, centre = np.isfinite(gaps), filled.mean(axis=0)
    np.testing.assert_allclose(one.transform(gaps), one.transform(np.where(known, gaps, centre)), atol=1e-9)


def test_a_direction_without_spread_that_separates_decides_with_a_warning() -> None:
    X, y = sample(8)
    X = np.column_stack([X, 1.0 * y])
    with pytest.warns(AcumenWarning, match="separate the training classes"):
        model = acumen.Fisher().fit(X, y)
    assert model.score(X, y) == 1.0


def test_redundant_and_constant_columns_change_nothing_and_warn_of_nothing() -> None:
    X, y = sample(9)
    wider = np.column_stack([X, X[:, 0] - 2 * X[:, 1], np.full(len(X), 3.0), X[:, 2]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", acumen.errors.TableWarning)  # of the table, not of the fit
        one, two = acumen.Fisher().fit(X, y), acumen.Fisher().fit(wider, y)
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(wider), atol=1e-6)


def test_rows_without_any_difference_leave_the_class_shares() -> None:
    model = acumen.Fisher().fit(np.ones((4, 2)), ["a", "b", "a", "a"])
    np.testing.assert_allclose(model.predict_proba(np.ones((1, 2))), [[0.75, 0.25]])
    assert model.transform(np.ones((2, 2))).tolist() == [[0.0], [0.0]]
    assert "F1" in model.describe()


def test_one_class_is_always_the_answer() -> None:
    X, _ = sample(10)
    for learner in (acumen.Fisher(), acumen.NearestMean()):
        assert set(learner.fit(X, ["only"] * len(X)).predict(X)) == {"only"}


def test_a_class_without_rows_is_never_the_answer() -> None:
    rows = table_of({"x": [0.0, 0.1, 5.0, 5.1]}, ["a", "a", "b", "b"], classes=("none", "a", "b"))
    assert acumen.Fisher().fit(rows).predict_proba(rows)[:, 0].tolist() == [0.0] * 4
    assert acumen.NearestMean().fit(rows).predict(rows).tolist() == ["a", "a", "b", "b"]


def test_transform_keeps_table_and_names() -> None:
    iris = acumen.datasets.load("iris")
    model = acumen.Fisher().fit(iris)
    turned = model.transform(iris)
    assert turned.schema.names == ("F1", "F2") and turned.schema.target == iris.schema.target
    assert model.get_feature_names_out().tolist() == ["F1", "F2"]
    frame = acumen.Fisher().set_output(transform="pandas").fit(iris).transform(iris)
    assert list(frame.columns) == ["F1", "F2"]
    np.testing.assert_allclose(frame.to_numpy(), turned.numeric.matrix())
    assert acumen.Fisher().fit(turned).score(turned) == pytest.approx(model.score(iris))


def test_texts_and_too_many_columns_are_objected_to() -> None:
    text = data.table(("note",)).schema
    assert "text column 'note'" in (acumen.Fisher().objection(text) or "")
    assert "text column 'note'" in (acumen.NearestMean().objection(text) or "")
    levels = tuple(f"l{i}" for i in range(40_000))
    wide = acumen.Schema((acumen.Attribute("city", "nominal", levels),))
    assert "GB" in (acumen.Fisher().objection(wide) or "")
    assert acumen.NearestMean().objection(wide) is None


def test_numbers_that_spread_too_far_are_refused() -> None:
    for learner in (acumen.Fisher(), acumen.NearestMean()):
        with pytest.raises(DataError, match="rescale"):
            learner.fit([[1e200], [-1e200], [1e200], [3e200]], [0, 0, 1, 1])


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(2, 4))
def test_nearest_mean_is_the_nearest_centroid(seed: int, k: int) -> None:
    X, y = sample(seed, k=k)
    mine, peer = acumen.NearestMean(scale=False).fit(X, y), NearestCentroid().fit(X, y)
    assert np.array_equal(mine.predict(X), peer.predict(X))
    np.testing.assert_allclose(mine.model_.mean, peer.centroids_, atol=1e-12)


def test_the_plane_of_the_nearest_mean_halves_the_line_between_the_means() -> None:
    X, y = sample(11, k=2)
    model = acumen.NearestMean(scale=False).fit(X, y)
    middle = model.model_.mean.mean(axis=0)
    assert model.decision_function(middle[None])[0] == pytest.approx(0.0, abs=1e-12)
    assert "The plane between them" in model.describe()


def test_evidence_adds_up_and_names_the_attributes() -> None:
    rows = data.table(("size", "colour", "age", "grade"))
    for learner in (acumen.Fisher(), acumen.NearestMean()):
        model = learner.fit(rows)
        scores = np.sort(model.predictor_.scores(rows.take(slice(0, 1)))[0])
        told = model.explain(rows.take(slice(0, 1)))
        assert told.log_odds == pytest.approx(scores[-1] - scores[-2])
        assert {reason.attribute for reason in told.evidence} == {None, "size", "colour", "age", "grade"}
