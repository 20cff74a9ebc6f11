"""Parzen's classifier: rules for gaps, for rows out of reach and far away, and what it says of itself."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import KernelDensity

import acumen
from acumen.bayes.parzen import ParzenModel
from acumen.errors import DataError, ModelFileError, ParameterError
from preprocessing_tables import sparse_twin
from tables import table_of


def clouds(n: int = 120, d: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return rng.normal(size=(n, d)) + 1.2 * y[:, None], y


@pytest.mark.parametrize(("window", "kernel"), [("gaussian", "gaussian"), ("box", "tophat")])
def test_a_fixed_width_agrees_with_scikit_learns_densities(window: str, kernel: str) -> None:
    X, y = clouds(d=1 if window == "box" else 3)
    width = 0.8
    model = acumen.Parzen(window=window, bandwidth=width, scale=False).fit(X, y)
    found = model.model_.densities(acumen.read(X))
    side = width / 2 if window == "box" else width
    for c in range(3):
        oracle = KernelDensity(bandwidth=side, kernel=kernel).fit(X[y == c]).score_samples(X)
        np.testing.assert_allclose(found[:, c], oracle, rtol=1e-9)


def test_weights_are_repeated_rows_and_priors_follow_them() -> None:
    X, y = clouds(30)
    w = np.arange(30) % 3 + 1.0
    heavy = acumen.Parzen().fit(X, y, sample_weight=w)
    repeated = acumen.Parzen().fit(np.repeat(X, w.astype(int), axis=0), np.repeat(y, w.astype(int)))
    np.testing.assert_allclose(heavy.predict_proba(X), repeated.predict_proba(X), rtol=1e-9)


def test_a_box_that_holds_nothing_leaves_the_prior() -> None:
    learner = acumen.Parzen(window="box", bandwidth=1.0, scale=False).fit(
        [[0.0], [0.1], [0.2], [5.0]], ["a", "a", "a", "b"]
    )
    assert learner.predict_proba([[100.0]])[0].tolist() == pytest.approx([0.75, 0.25])
    assert learner.log_likelihood([[100.0]], ["a"]) == -np.inf
    assert "No training row is within reach" in str(learner.explain([100.0]))
    # The border belongs to the box.
    assert learner.predict_proba([[5.5]])[0].tolist() == [0, 1]


def test_rows_far_away_have_finite_scores_and_go_to_the_nearest_class() -> None:
    learner = acumen.Parzen(bandwidth=1.0, scale=False).fit(
        [[0.0, 0.0], [1e290, 0.0], [-1e290, 1.0]], ["a", "b", "c"]
    )
    far = [[1e300, 0.0], [-1e300, 1.0], [2e290, 0.0], [-1.7e308, 1.7e308]]
    scores = learner.model_.scores(acumen.read(np.array(far)))
    assert np.isfinite(scores).all()
    assert learner.predict(far[2:3]).tolist() == ["b"]
    assert learner.predict([[-3e290, 1.0]]).tolist() == ["c"]
    probabilities = learner.predict_proba(far)
    assert np.isfinite(probabilities).all() and np.allclose(probabilities.sum(axis=1), 1)


def test_a_missing_value_in_the_row_is_integrated_out() -> None:
    X, y = clouds()
    both = acumen.Parzen(bandwidth=0.7).fit(X[:, :2], y)
    one = acumen.Parzen(bandwidth=0.7).fit(X[:, :1], y)
    rows = np.column_stack([X[:9, 0], np.full(9, np.nan)])
    np.testing.assert_allclose(both.predict_proba(rows), one.predict_proba(X[:9, :1]), rtol=1e-12)


def test_a_missing_training_value_is_as_wide_as_its_class() -> None:
    """A class whose attribute is always missing but for two far values loses to the class that is there."""
    x = [0.0, 0.1, 0.2, 0.3, np.nan, np.nan, np.nan, -50.0, 50.0]
    learner = acumen.Parzen(bandwidth=0.2, scale=False).fit(np.array(x)[:, None], list("aaaabbbbb"))
    assert learner.predict([[0.15]]).tolist() == ["a"]
    # A quarter as likely or less: three broad windows of height 1 / (32 sqrt(2 pi)) against four sharp ones.
    assert learner.predict_proba([[0.15]])[0, 1] < 0.01
    assert learner.predict([[20.0]]).tolist() == ["b"]


def test_levels_are_windows_too() -> None:
    """Nine rows of a class, no numeric attribute: g = 9^(-1/2) = 1/3."""
    table = table_of(
        {"colour": ["red"] * 6 + ["blue"] * 3}, ["t"] * 9, levels={"colour": ["red", "blue", "green"]}
    )
    model = acumen.Parzen().fit(table).model_
    asked = table_of({"colour": ["red", "blue", "green", None]}, levels={"colour": ["red", "blue", "green"]})
    g = 1 / 3
    expected = [(1 - g) * share + g / 3 for share in (6 / 9, 3 / 9, 0)]
    assert np.exp(model.densities(asked))[:, 0] == pytest.approx([*expected, 1.0])


def test_later_rows_may_bring_levels_and_equal_one_fit() -> None:
    first = table_of({"x": [0.0, 1.0, 2.0], "c": ["p", "q", "p"]}, ["a", "b", "a"])
    later = table_of({"x": [3.0, 4.0], "c": ["r", "p"]}, ["b", "a"], classes=("a", "b"))
    both = table_of(
        {"x": [0.0, 1.0, 2.0, 3.0, 4.0], "c": ["p", "q", "p", "r", "p"]}, ["a", "b", "a", "b", "a"]
    )
    going = acumen.Parzen(bandwidth="loo").partial_fit(first).partial_fit(later)
    whole = acumen.Parzen(bandwidth="loo").fit(both)
    for mine, theirs in zip(
        going.model_.to_arrays().values(), whole.model_.to_arrays().values(), strict=True
    ):
        assert np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f")


def test_sparse_rows_are_the_same_rows() -> None:
    X, y = clouds()
    X = np.where(X > 1, X, 0.0)
    dense = acumen.read((X, y))
    sparse = sparse_twin(dense)
    one, other = acumen.Parzen().fit(dense), acumen.Parzen().fit(sparse)
    np.testing.assert_array_equal(one.predict_proba(dense), other.predict_proba(sparse))


def test_evidence_adds_up_to_the_difference_of_scores() -> None:
    table = table_of({"x": [0.0, 1.0, 2.0, 5.0], "c": ["p", "q", "p", None]}, ["a", "b", "a", "b"])
    learner = acumen.Parzen().fit(table)
    found = learner.explain({"x": 1.4, "c": "q"})
    odds = np.log(found.probabilities[found.label] / found.probabilities[found.rival])
    assert found.log_odds == pytest.approx(odds)
    assert [e.attribute for e in found.evidence] == [None, "x", "c"]
    assert "c = q" in str(found) and "x = 1.4" in str(found)


def test_the_description_tells_widths() -> None:
    X, y = clouds()
    said = acumen.Parzen(bandwidth="loo").fit(X, y).describe()
    assert "Gaussians on 120 rows" in said and "times Scott's widths" in said and "x2" in said
    assert "boxes" in acumen.Parzen(window="box", bandwidth=2.5).fit(X, y).describe()


def test_leave_one_out_tells_noise_from_signal() -> None:
    """Fine stripes ask for narrow windows, labels at random for wide ones."""
    rng = np.random.default_rng(3)
    x = rng.random((300, 1))
    stripes = acumen.Parzen(bandwidth="loo").fit(x, (x[:, 0] * 10).astype(int) % 2)
    noise = acumen.Parzen(bandwidth="loo").fit(x, rng.integers(0, 2, 300))
    assert stripes.model_.factor < 0.5 < noise.model_.factor


@pytest.mark.parametrize("width", [0, -1.0, "silverman", float("nan")])
def test_a_wrong_width_is_refused(width: object) -> None:
    with pytest.raises(ParameterError, match="Parzen: bandwidth must be"):
        acumen.Parzen(bandwidth=width).fit([[0.0], [1.0]], [0, 1])


def test_text_is_refused() -> None:
    table = table_of({"note": ["to be", "or not"]}, ["a", "b"], text=["note"])
    with pytest.raises(DataError, match="leave out the text column 'note'"):
        acumen.Parzen().fit(table)


@pytest.mark.parametrize("name", ["starts", "width", "codes", "values", "box", "nominal/0/log", "weight"])
def test_forged_arrays_are_refused(name: str) -> None:
    table = table_of({"x": [0.0, 1.0], "c": ["p", "q"]}, ["a", "b"])
    learner = acumen.Parzen().fit(table)
    arrays = {n: np.array(a) for n, a in learner.model_.to_arrays().items()}
    arrays[name].flat[0] = {"codes": 7, "values": np.inf, "starts": 9, "box": 2}.get(name, -1.0)
    if name.startswith("nominal"):
        arrays[name].flat[0] = np.nan
    with pytest.raises(ModelFileError):
        ParzenModel.from_arrays(arrays, learner.schema_)
