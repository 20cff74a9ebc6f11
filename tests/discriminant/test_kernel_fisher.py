"""The kernel discriminant: against Fisher's among explicit features, its landmarks, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import eigh
from sklearn.model_selection import cross_val_score

import acumen
from acumen.checks import data
from acumen.errors import DataError, ParameterError
from acumen.kernels import RBF, Linear, Polynomial, Sigmoid


def rings(n: int = 150, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two classes no line can tell apart."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    radius = np.where(y == 1, 3.0, 1.0) + 0.2 * rng.normal(size=n)
    angle = rng.uniform(0, 2 * np.pi, n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.integers(2, 4))
def test_a_linear_kernel_is_fishers_discriminant(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.arange(60) % k
    X = rng.normal(size=(60, 4)) + rng.normal(size=(k, 4))[y]
    plain = acumen.Fisher().fit(X, y)
    kernel = acumen.KernelFisher(kernel="linear", alpha=0.0).fit(X, y)
    np.testing.assert_allclose(kernel.predict_proba(X), plain.predict_proba(X), atol=1e-7)
    np.testing.assert_allclose(kernel.separation_, plain.separation_, rtol=1e-7)


@pytest.mark.parametrize("ridge", [1e-3, 0.1, 3.0])
def test_directions_maximise_the_regularised_quotient(ridge: float) -> None:
    rng = np.random.default_rng(1)
    y = np.arange(50) % 3
    X = rng.normal(size=(50, 2)) + rng.normal(size=(3, 2))[y]
    model = acumen.KernelFisher(kernel=Polynomial(2), alpha=ridge, scale=False).fit(X, y)
    features = np.column_stack([*(np.sqrt(2) * X.T), *(X.T**2), np.sqrt(2) * X[:, 0] * X[:, 1]])
    centre = features.mean(axis=0)
    means = np.array([features[y == c].mean(axis=0) for c in range(3)])
    share = np.bincount(y) / 50
    B = (means - centre).T @ (share[:, None] * (means - centre))
    off = features - means[y]
    S = off.T @ off / 50 + ridge * np.eye(5)
    values, vectors = eigh(B, S)
    np.testing.assert_allclose(model.separation_, values[::-1][:2], rtol=1e-6)
    projected = (features - centre) @ vectors[:, ::-1][:, :2]
    ours = model.transform(X)
    signs = np.sign((ours * projected).sum(axis=0))
    np.testing.assert_allclose(ours, projected * signs, atol=1e-6)


def test_a_round_boundary_is_found() -> None:
    X, y = rings()
    assert acumen.Fisher().fit(X, y).score(X, y) < 0.7
    assert acumen.KernelFisher().fit(X, y).score(X, y) == 1.0
    assert cross_val_score(acumen.KernelFisher(), X, y).mean() > 0.97


def test_a_weight_is_a_repeated_row() -> None:
    X, y = rings(60)
    weights = np.random.default_rng(2).integers(0, 4, 60)
    heavy = acumen.KernelFisher().fit(X, y, sample_weight=weights)
    repeated = acumen.KernelFisher().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(heavy.predict_proba(X), repeated.predict_proba(X), atol=1e-7)


def test_landmarks_at_every_distinct_row_are_the_whole_thing() -> None:
    X, y = rings(80)
    twice, labels = np.vstack([X, X]), np.tile(y, 2)
    whole = acumen.KernelFisher(alpha=0.01).fit(twice, labels)
    # All but one of the rows: what is left out lies among the others' features almost entirely.
    some = acumen.KernelFisher(alpha=0.01, landmarks=159, random_state=0).fit(twice, labels)
    np.testing.assert_allclose(some.predict_proba(X), whole.predict_proba(X), atol=1e-5)


def test_few_landmarks_are_nearly_as_good_and_reproducible() -> None:
    X, y = rings(400)
    one, two = (acumen.KernelFisher(landmarks=30, random_state=5).fit(X, y) for _ in range(2))
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))
    assert len(one.model_.support) == 30 and one.score(X, y) > 0.97
    other = acumen.KernelFisher(landmarks=30, random_state=6).fit(X, y)
    assert not np.array_equal(one.predict_proba(X), other.predict_proba(X))


def test_many_rows_are_summed_over_landmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acumen.discriminant.kernel_fisher.MOST_ROWS", 100)
    monkeypatch.setattr("acumen.discriminant.kernel_fisher.LANDMARKS", 25)
    X, y = rings(101)
    assert len(acumen.KernelFisher(random_state=0).fit(X, y).model_.support) == 25
    assert len(acumen.KernelFisher(random_state=0).fit(X[:100], y[:100]).model_.support) == 100


@pytest.mark.parametrize("kernel", ["rbf", "polynomial", "sigmoid", "linear"])
@pytest.mark.filterwarnings("ignore:KernelFisher")
def test_a_row_is_answered_alike_alone_and_among_others(kernel: str) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 4)) + 5
    y = (X[:, 0] + X[:, 1] ** 2 / 8 > 8).astype(int)
    model = acumen.KernelFisher(kernel=kernel, alpha=0.0).fit(X, y)  # whose large coefficients cancel
    whole = model.transform(X)
    for first, many in ((0, 1), (3, 2), (17, 33), (150, 50), (199, 1)):
        part = slice(first, first + many)
        np.testing.assert_array_equal(model.transform(X[part]), whole[part])
    np.testing.assert_array_equal(model.transform(X[::-1]), whole[::-1])


def test_a_precomputed_kernel_answers_as_the_kernel_does() -> None:
    X, y = rings()
    kernel = RBF(sigma=1.0)
    direct = acumen.KernelFisher(kernel=kernel).fit(X[:100], y[:100])
    given_ = acumen.KernelFisher(kernel="precomputed").fit(kernel(X[:100]), y[:100])
    np.testing.assert_allclose(
        given_.predict_proba(kernel(X[100:], X[:100])), direct.predict_proba(X[100:]), atol=1e-8
    )
    with pytest.raises(DataError, match="square matrix"):
        acumen.KernelFisher(kernel="precomputed").fit(kernel(X)[:, :100], y)
    with pytest.raises(DataError, match="without gaps"):
        acumen.KernelFisher(kernel="precomputed").fit(np.full((4, 4), np.nan), [0, 0, 1, 1])


def test_functions_learn_and_say_that_they_cannot_be_stored(tmp_path) -> None:
    X, y = rings(60)
    mine = acumen.KernelFisher(kernel=lambda A, B: (1 + A @ B.T) ** 2).fit(X, y)
    theirs = acumen.KernelFisher(kernel=Polynomial(2)).fit(X, y)
    np.testing.assert_allclose(mine.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    with pytest.raises(ParameterError, match="function"):
        acumen.save(mine, tmp_path / "m.acm")


@pytest.mark.parametrize("kernel", ["rbf", "linear", 2.0 * RBF(sigma=1.0) + Linear() * Polynomial(2)])
def test_saved_models_answer_the_same(kernel, tmp_path) -> None:
    rows = data.table(("size", "colour", "age", "grade"))
    model = acumen.KernelFisher(kernel=kernel).fit(rows)
    acumen.save(model, tmp_path / "m.acm")
    again = acumen.load(tmp_path / "m.acm")
    assert np.array_equal(again.predict_proba(rows), model.predict_proba(rows))
    assert again.kernel_ == model.kernel_


def test_an_indefinite_kernel_is_refused_in_a_sentence() -> None:
    X = np.random.default_rng(3).normal(size=(30, 3))
    with pytest.raises(DataError, match="not positive semidefinite"):
        acumen.KernelFisher(kernel=Sigmoid(1.0, -1.0)).fit(X, np.arange(30) % 2)


def test_texts_are_objected_to() -> None:
    assert "text column" in (acumen.KernelFisher().objection(data.table(("note",)).schema) or "")
    precomputed = acumen.KernelFisher(kernel="precomputed")
    assert "'colour'" in (precomputed.objection(data.table(("size", "colour")).schema) or "")


def test_degenerate_rows_leave_a_model() -> None:
    for X, y in (([[1.0], [1.0], [1.0]], [0, 1, 1]), ([[1.0]], [0]), ([[0.0], [1.0]], [0, 1])):
        model = acumen.KernelFisher().fit(X, y)
        assert np.isfinite(model.predict_proba(X)).all()
        assert model.transform(X).shape == (len(X), 1)
