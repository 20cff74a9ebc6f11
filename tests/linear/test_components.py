"""Principal components: the documents' Iris data, scikit-learn's PCA, and laws about parts, gaps and weights."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import acumen
from acumen import PrincipalComponents
from acumen.errors import DataError, ParameterError

IRIS = acumen.datasets.load("iris")
X = np.column_stack(IRIS.numeric.columns)
#: As the documents have them (divisor n).
FIRST = (-0.3615896774, 0.0822688899, -0.8565721053, -0.3588439262)
SECOND = (0.6565398833, 0.7297123713, -0.1757674034, -0.0747064701)
VARIANCES = (4.1966751632, 0.2406286145, 0.0780004154, 0.0235251403)


def numbers(n: int, d: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d) * 100


def test_the_documents_iris_components_come_out_with_their_signs() -> None:
    made = PrincipalComponents(2, signs=(-1, 1)).fit(IRIS)
    np.testing.assert_allclose(made.components_, [FIRST, SECOND], atol=1e-10)
    np.testing.assert_allclose(PrincipalComponents().fit(IRIS).explained_variance_, VARIANCES, atol=1e-10)
    plain = PrincipalComponents(2).fit(IRIS).components_
    np.testing.assert_allclose(plain, [np.negative(FIRST), SECOND], atol=1e-10)


def test_setosa_lies_where_the_documents_have_it() -> None:
    points = PrincipalComponents(2, signs=(-1, 1)).fit(IRIS).transform(IRIS)
    first, second = points.numeric.columns
    labels = points.label_values()
    assert first[labels == "Iris-setosa"].min() > 0
    assert second[labels == "Iris-versicolor"].mean() < 0
    np.testing.assert_allclose([first.mean(), second.mean()], 0, atol=1e-12)
    np.testing.assert_allclose([first.var(), second.var()], VARIANCES[:2], atol=1e-10)


def test_w000_34_naive_bayes_on_the_documents_components() -> None:
    """Versicolor against the others; the 30 rows kept back are those recovered in the fact sheet."""
    points = PrincipalComponents(2, signs=(-1, 1)).fit(IRIS).transform(IRIS)
    kept_back = [52, 58, 65, 80, 82, 88, 89, 92, 93, 94, 3, 6, 15, 29, 31, 37, 40, 43, 47]
    kept_back += [107, 108, 109, 110, 114, 124, 127, 134, 139, 146, 147]
    training = points.take(np.setdiff1d(np.arange(150), np.array(kept_back) - 1))
    found = acumen.NaiveBayes().fit(
        np.column_stack(training.numeric.columns), training.label_values() == "Iris-versicolor"
    )
    moments = found.summary_.numeric
    np.testing.assert_allclose(found.summary_.class_totals, [80, 40])
    np.testing.assert_allclose(moments.mean[1], [-0.6405687330, -0.2035819411], atol=1e-9)
    np.testing.assert_allclose(moments.mean[0], [0.2695923235, 0.1402958549], atol=1e-9)
    np.testing.assert_allclose(moments.scatter[1] / 40, [0.2881450629, 0.1802742217], atol=1e-9)
    np.testing.assert_allclose(moments.scatter[0] / 80, [6.1402003589, 0.2058455964], atol=1e-9)


@pytest.mark.parametrize("shape", [(40, 3), (200, 12), (5, 8), (2, 2)])
def test_components_are_those_of_scikit_learn(shape: tuple[int, int]) -> None:
    rows = numbers(*shape, seed=3)
    n, k = len(rows), min(shape[0] - 1, shape[1])
    theirs = PCA(k, svd_solver="full").fit(rows)
    mine = PrincipalComponents(k).fit(rows)
    np.testing.assert_allclose(mine.explained_variance_, theirs.explained_variance_ * (n - 1) / n, rtol=1e-9)
    np.testing.assert_allclose(mine.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-9)
    signs = np.sign(np.sum(mine.components_ * theirs.components_, axis=1))
    np.testing.assert_allclose(mine.components_, theirs.components_ * signs[:, None], atol=1e-7)
    np.testing.assert_allclose(mine.transform(rows), theirs.transform(rows) * signs, atol=1e-6)


def test_scaling_is_standardising_first() -> None:
    rows = numbers(60, 4, seed=1) * [1, 10, 100, 1000]
    standard = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    scaled, plain = PrincipalComponents(scale=True).fit(rows), PrincipalComponents().fit(standard)
    np.testing.assert_allclose(scaled.components_, plain.components_, atol=1e-9)
    np.testing.assert_allclose(scaled.transform(rows), plain.transform(standard), atol=1e-9)
    assert scaled.explained_variance_.sum() == pytest.approx(4)


@given(st.integers(1, 30), st.integers(1, 5), st.integers(0, 50), st.booleans())
def test_parts_in_any_cut_give_the_components_of_all(cut: int, d: int, seed: int, holes: bool) -> None:
    rows = numbers(31, d, seed)
    if holes:
        rows[np.random.default_rng(seed).random(rows.shape) < 0.2] = np.nan
    whole = PrincipalComponents().fit(rows)
    parts = PrincipalComponents().partial_fit(rows[:cut]).partial_fit(rows[cut:])
    size = min(len(parts.explained_variance_), len(whole.explained_variance_))
    for made in (parts, whole):  # at the edge of rounding a component may be found or not
        assert made.explained_variance_[size:].sum() <= 1e-9 * made.explained_variance_[0]
    np.testing.assert_allclose(
        parts.explained_variance_[:size], whole.explained_variance_[:size], rtol=1e-7, atol=1e-9
    )
    np.testing.assert_allclose(parts.mean_, whole.mean_, rtol=1e-9)


def test_a_stream_gives_the_components_of_one_table() -> None:
    streamed = PrincipalComponents().fit_stream(IRIS.take(slice(a, a + 40)) for a in range(0, 150, 40))
    np.testing.assert_array_equal(streamed.components_, PrincipalComponents().fit(IRIS).components_)


def test_a_missing_value_counts_as_the_mean() -> None:
    rows = numbers(50, 3, seed=5)
    rows[::7, 0], rows[3, 2], rows[4, 1] = np.nan, np.inf, -np.inf
    known = np.where(np.isfinite(rows), rows, np.nan)
    filled = np.where(np.isnan(known), np.nanmean(known, axis=0), known)
    gaps, full = PrincipalComponents().fit(rows), PrincipalComponents().fit(filled)
    np.testing.assert_allclose(gaps.components_, full.components_, atol=1e-9)
    np.testing.assert_allclose(gaps.transform(rows), full.transform(filled), atol=1e-9)


def test_a_weight_of_two_is_a_row_twice() -> None:
    rows = numbers(30, 3, seed=2)
    weights = np.random.default_rng(0).integers(0, 4, 30)
    heavy = PrincipalComponents().fit(rows, sample_weight=weights)
    often = PrincipalComponents().fit(np.repeat(rows, weights, axis=0))
    np.testing.assert_allclose(heavy.transform(rows), often.transform(rows), atol=1e-8)


def test_the_entry_of_largest_magnitude_is_positive_and_the_first_of_equals() -> None:
    made = PrincipalComponents().fit(numbers(80, 6, seed=9)).components_
    assert (made[np.arange(6), np.abs(made).argmax(axis=1)] > 0).all()
    plane = np.array([[1.0, -1.0], [-1.0, 1.0], [0.1, 0.1], [-0.1, -0.1]])
    np.testing.assert_allclose(PrincipalComponents().fit(plane).components_[0], [0.5**0.5, -(0.5**0.5)])


def test_as_few_components_as_explain_a_share() -> None:
    assert PrincipalComponents(0.9).fit(X).n_components_ == 1
    assert PrincipalComponents(0.93).fit(X).n_components_ == 2
    assert PrincipalComponents(1.0).fit(X).n_components_ == 4
    assert PrincipalComponents(1).fit(X).n_components_ == 1


def test_the_inverse_gives_the_rows_back_and_else_the_nearest_in_the_plane() -> None:
    for scale in (False, True):
        whole = PrincipalComponents(scale=scale).fit(X)
        np.testing.assert_allclose(whole.inverse_transform(whole.transform(X)), X, atol=1e-10)
    some = PrincipalComponents(2).fit(X)
    left = X - some.inverse_transform(some.transform(X))
    assert (left**2).sum() / len(X) == pytest.approx(sum(VARIANCES[2:]))


def test_other_attributes_are_left_aside_and_columns_are_found_by_name() -> None:
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(word="x", c=X[:, 2])
    made = PrincipalComponents().fit(frame)
    expected = PrincipalComponents().fit(X[:, :3])
    np.testing.assert_allclose(made.components_, expected.components_, atol=1e-12)
    turned = frame[["c", "b", "a"]]
    np.testing.assert_allclose(made.transform(turned), expected.transform(X[:, :3]), atol=1e-12)
    with pytest.raises(DataError, match="'b'"):
        made.transform(frame[["a", "c"]])


def test_sparse_rows_are_as_dense_ones() -> None:
    rows = np.random.default_rng(0).poisson(0.3, size=(60, 5)).astype(float)
    dense, sparse = PrincipalComponents(3).fit(rows), PrincipalComponents(3).fit(csr_matrix(rows))
    np.testing.assert_allclose(sparse.components_, dense.components_, atol=1e-10)
    np.testing.assert_allclose(sparse.transform(csr_matrix(rows)), dense.transform(rows), atol=1e-10)


def test_a_table_stays_a_table_so_that_a_learner_may_follow() -> None:
    both = make_pipeline(PrincipalComponents(2), acumen.NaiveBayes()).fit(IRIS)
    points = PrincipalComponents(2).fit(IRIS).transform(IRIS)
    assert points.schema.names == ("PC1", "PC2")
    alone = acumen.NaiveBayes().fit(points)
    assert (both.predict(IRIS) == alone.predict(points)).all()


def test_set_output_gives_frames() -> None:
    made = PrincipalComponents(2).set_output(transform="pandas").fit(IRIS)
    for rows in (IRIS, X):
        with pytest.warns(UserWarning, match="feature names") if rows is X else _quiet():
            frame = made.transform(rows)
        assert list(frame.columns) == ["PC1", "PC2"] == made.get_feature_names_out().tolist()
        np.testing.assert_array_equal(frame, PrincipalComponents(2).fit(X).transform(X))


def _quiet() -> Any:
    import contextlib

    return contextlib.nullcontext()


def test_it_says_what_was_found() -> None:
    said = PrincipalComponents().fit(IRIS).describe()
    assert "92.5 %" in said and "+0.857 petal_length" in said and "100 %" in said
    again = pickle.loads(pickle.dumps(PrincipalComponents().fit(IRIS)))
    assert again.describe() == said
    with pytest.raises(NotFittedError):
        PrincipalComponents().describe()


def test_what_was_learned_from_extreme_numbers_can_be_kept(tmp_path: Any) -> None:
    for rows in ([[1e200, 3.0]], [[1e-160, 1.0], [0.0, 2.0], [0.0, 5.0]], [[1e140, 0.0], [-1e140, 1.0]]):
        made = PrincipalComponents(scale=True).fit(rows)
        acumen.save(made, tmp_path / "m.acm")
        again = acumen.load(tmp_path / "m.acm")
        for asked in (rows, [[1e308, -1e308], [np.inf, np.nan]]):
            found = made.transform(asked)
            assert np.isfinite(found).all()
            np.testing.assert_array_equal(again.transform(asked), found)


def test_what_does_not_vary_has_components_of_no_variance() -> None:
    made = PrincipalComponents(2, scale=True).fit(np.full((4, 2), 7.0))
    assert made.explained_variance_.tolist() == [0, 0] and np.isnan(made.explained_variance_ratio_).all()
    assert (made.transform(np.full((1, 2), 7.0)) == 0).all()
    assert PrincipalComponents(0.5).fit(np.full((4, 2), 7.0)).n_components_ == 1
    assert PrincipalComponents().fit(np.full((4, 2), 7.0)).n_components_ == 1
    assert PrincipalComponents().fit(np.column_stack([X, X[:, 0] - X[:, 1]])).n_components_ == 4
    assert len(PrincipalComponents().fit(IRIS).transform(IRIS.take(slice(0, 0)))) == 0


@pytest.mark.parametrize(
    ("made", "rows", "words"),
    [
        (PrincipalComponents(5), X, "at most the number of numeric attributes, 4; got 5"),
        (PrincipalComponents(0), X, "n_components must be"),
        (PrincipalComponents(1.5), X, "n_components must be"),
        (PrincipalComponents(2, signs=(1, 2)), X, "signs must be 2 numbers"),
        (PrincipalComponents(2, signs=(1,)), X, "signs must be 2 numbers"),
        (PrincipalComponents(), pd.DataFrame({"a": ["x", "y"]}), "0 feature"),
        (PrincipalComponents(), X[:0], "0 sample"),
        (PrincipalComponents(), np.array([[1e200], [-1e200]]), "spread too far"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(made: Any, rows: Any, words: str) -> None:
    with pytest.raises((ParameterError, DataError), match=words):
        made.fit(rows)


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([PrincipalComponents(), PrincipalComponents(1, scale=True)])
def test_scikit_learns_checks_pass(estimator: Any, check: Any) -> None:
    check(estimator)


def _factors(n: int, factors: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    loadings = np.repeat(np.eye(factors), 12 // factors, axis=1) * rng.uniform(0.7, 1.3, 12)
    return rng.normal(size=(n, factors)) @ loadings + rng.normal(size=(n, 12))


@pytest.mark.parametrize("factors", [1, 2, 4])
@pytest.mark.parametrize("scale", [False, True])
def test_parallel_analysis_finds_as_many_components_as_there_are_factors(factors, scale):
    X = _factors(400, factors, factors)
    assert PrincipalComponents(n_components="auto", scale=scale).fit(X).n_components_ == factors


def test_of_noise_one_component_is_kept():
    X = np.random.default_rng(0).normal(size=(300, 10)) * np.arange(1, 11)
    assert PrincipalComponents(n_components="auto", scale=True).fit(X).n_components_ == 1
    assert PrincipalComponents(n_components="auto").fit(X[:5]).n_components_ >= 1  # fewer rows than columns
    assert PrincipalComponents(n_components=3).fit(X).n_components_ == 3


def test_noise_by_bartletts_decomposition_varies_as_drawn_rows_do():
    from acumen.linear.components import noise_variances

    rng = np.random.default_rng(1)
    spread = np.array([1.0, 2.0, 0.5, 1.0])
    drawn = [
        np.sort(np.linalg.eigvalsh(np.cov(rng.normal(size=(50, 4)) * spread, rowvar=False, bias=True)))[::-1]
        for _ in range(400)
    ]
    np.testing.assert_allclose(noise_variances(spread**2, 50), np.quantile(drawn, 0.95, axis=0), rtol=0.12)


def test_the_scree_and_the_loadings_are_those_of_the_components():
    view = PrincipalComponents(2).fit(IRIS)
    bars = view.scree().bars
    np.testing.assert_allclose([bar.value for bar in bars], VARIANCES, atol=1e-10)
    assert [bar.sure for bar in bars] == [True, True, False, False]
    assert np.array_equal(view.loadings().values, view.components_.T)
