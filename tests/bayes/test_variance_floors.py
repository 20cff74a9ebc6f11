"""No class wins by having had constant: floors from the data's precision and from the number of rows."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import acumen
from acumen.errors import AcumenWarning, DataError
from acumen.summaries import ClassMoments, DistinctValues, add_up, leave_each_out

LEARNERS = (
    acumen.NaiveBayes(),
    acumen.NaiveBayes(numeric="kernel"),
    acumen.FullBayes(),
    acumen.FullBayes(covariance="diagonal"),
)


def counted(n: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A rare class whose count is always 0; the common one has 0 in half of its rows."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 20 == 0).astype(int)
    count = np.where((y == 1) | (rng.random(n) < 0.5), 0, rng.integers(1, 9, n))
    return np.column_stack([count, rng.normal(size=n) + 0.5 * y]), y


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.filterwarnings("ignore::acumen.errors.AcumenWarning")
def test_a_class_with_one_value_does_not_win_wherever_it_occurs(learner) -> None:
    X, y = counted()
    more, truth = counted(seed=1)
    assert learner.fit(X, y).score(more, truth) > 0.9  # the common class is 95 %


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_the_warning_names_class_and_attribute(learner) -> None:
    X, y = counted()
    rows = acumen.read((X, np.array(["common", "rare"])[y]))
    with pytest.warns(AcumenWarning, match=f"{rows.schema.names[0]!r} in class 'rare'"):
        learner.fit(rows)


def test_a_number_as_floor_is_a_share_of_the_variance_and_warns_of_nothing() -> None:
    X, y = counted()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = acumen.NaiveBayes(var_floor=0.01).fit(X, y).model_
    assert model.numeric.variance[1, 0] == pytest.approx(0.01 * X[:, 0].var())


@pytest.mark.filterwarnings("ignore::acumen.errors.AcumenWarning")
def test_a_floor_is_the_larger_of_steps_and_one_further_row() -> None:
    X = np.array([[0.0], [0.0], [0.0], [3.0], [6.0], [6.0]])
    y = [0, 0, 0, 1, 1, 1]
    variance = acumen.NaiveBayes().fit(X, y).model_.numeric.variance[:, 0]
    assert variance[0] == pytest.approx(9.0 / (2 * np.pi))  # values lie 3 apart
    many = np.column_stack([np.r_[np.zeros(50), np.linspace(-1, 1, 50)]])
    model = acumen.NaiveBayes().fit(many, np.repeat([0, 1], 50)).model_
    pooled = np.linspace(-1, 1, 50).var() / 2
    assert model.numeric.variance[0, 0] == pytest.approx(pooled / 51)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.filterwarnings("ignore::acumen.errors.AcumenWarning")
def test_kfold_models_equal_refits_where_floors_bind(learner) -> None:
    X, y = counted(120)
    rows = acumen.read((X, y))
    parts = np.arange(120) % 4
    folds = acumen.Training.of(learner, rows).parts(parts.astype(np.int32), 4)
    for p, others in enumerate(leave_each_out(folds)):
        made = others.model
        alone = type(learner)(**learner.get_params()).fit(rows.take(np.flatnonzero(parts != p))).model_
        np.testing.assert_allclose(made.scores(rows), alone.scores(rows), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("learner", [acumen.NaiveBayes(), acumen.FullBayes(covariance="shared")], ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_leaving_one_out_equals_refits_near_a_floor(learner, weighted: bool) -> None:
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.integers(0, 3, 24), np.round(rng.normal(size=24), 1)])
    y = np.arange(24) % 2
    w = rng.integers(1, 9, 24).astype(float) if weighted else np.ones(24)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AcumenWarning)
        scores, refit = learner.fit(X, y, sample_weight=w).leave_one_out(
            acumen.read((X, y)) if not weighted else _weighted(X, y, w)
        )
        for i in np.flatnonzero(~refit):
            keep = np.arange(24) != i
            alone = type(learner)(**learner.get_params()).fit(X[keep], y[keep], sample_weight=w[keep])
            found = np.exp(scores[i] - np.logaddexp.reduce(scores[i]))
            np.testing.assert_allclose(found, alone.predict_proba(X[i : i + 1])[0], atol=1e-7)


def _weighted(X, y, w):
    from acumen.data.table import Table

    rows = acumen.read((X, y))
    return Table(rows.schema, len(rows), numeric=rows.numeric, labels=rows.labels, weights=w)


def test_distinct_values_add_to_the_byte_however_rows_are_cut() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 5, 300) / 10, rng.normal(size=300), np.full(300, -0.0)])
    X[::7, 0] = np.nan
    labels = np.zeros(300, dtype=np.int32)
    whole = DistinctValues.of(X, labels, None, 1)
    for k in (2, 3, 50):
        parts = rng.integers(0, k, 300).astype(np.int32)
        summed = add_up(DistinctValues.of_parts(X, labels, None, 1, parts, k))
        assert summed.values.tobytes() == whole.values.tobytes()
        assert summed.count.tobytes() == whole.count.tobytes()
    assert whole.count.tolist() == [5, 33, 1]
    np.testing.assert_allclose(whole.gap, [0.1, 0.0, 0.0])
    assert whole.problem() is None
    light = DistinctValues.of(X[:, :1], labels, (X[:, 0] < 0.25).astype(float), 1)
    assert light.count.tolist() == [3]  # rows of weight 0 are absent


@pytest.mark.parametrize("constant", [1e6 + 0.1, 0.1, -3e-170, 7e299])
@pytest.mark.parametrize("rows", [3, 1000, 5000])
def test_moments_of_a_constant_are_the_constant(constant: float, rows: int) -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, rows).astype(np.int32)
    for weights in (None, rng.random(rows)):
        parts = ClassMoments.of_parts(
            np.full((rows, 2), constant), labels, weights, 3, rng.integers(0, 4, rows).astype(np.int32), 4
        )
        for found in (add_up(parts), *parts):
            known = found.weight > 0
            assert (found.mean[known] == constant).all()
            assert not found.rest.any() and not found.scatter.any() and not found.between().any()


@pytest.mark.parametrize(
    "learner",
    [*LEARNERS, acumen.FullBayes(covariance="shared"), acumen.Fisher(), acumen.NearestMean()],
    ids=repr,
)
def test_a_large_constant_column_changes_nothing(learner) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 2)) + y[:, None]
    wider = np.column_stack([X, np.full(90, 1e6 + 0.1)])
    one, two = (type(learner)(**learner.get_params()).fit(form, y) for form in (X, wider))
    if hasattr(one, "predict_proba"):
        np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(wider), atol=1e-9)
    assert (one.predict(X) == two.predict(wider)).all()


@pytest.mark.parametrize("covariance", ["full", "shared", "diagonal"])
@pytest.mark.parametrize("unit", [1e-162, 1e-150, 1e-100, 1e100, 1e149])
@pytest.mark.filterwarnings("ignore::acumen.errors.AcumenWarning")
def test_extreme_magnitudes_are_learned_from_or_refused_in_a_sentence(covariance: str, unit: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) * [1.0, unit, unit]
    y = np.arange(60) % 2
    X[:, 1] += y * unit
    try:
        model = acumen.FullBayes(covariance=covariance).fit(X, y)
    except DataError as error:
        assert "rescale" in str(error)
        assert not 1e-140 < unit < 1e149
    else:
        assert np.isfinite(model.predict_proba(X)).all()
        assert unit < 1e-140 or model.score(X, y) > 0.6  # squares below 1e-308 are zero: constant
