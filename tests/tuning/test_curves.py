"""Learning curves and sweeps equal what fitting by hand gives."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen import FullBayes, Holdout, KFold, NaiveBayes, OneR, learning_curve, sweep
from acumen.errors import DataError, ParameterError
from acumen.tuning.curves import _spread

IRIS = acumen.datasets.load("iris")
WEATHER = acumen.datasets.load("weather")


def test_a_learning_curve_ends_where_cross_validation_is() -> None:
    curve = learning_curve(NaiveBayes(), IRIS, (20, 0.5, 1.0), KFold(5), random_state=3)
    judged = acumen.assess(NaiveBayes(), IRIS, KFold(5), random_state=3)
    assert curve.sizes.tolist() == [20, 60, 120]
    np.testing.assert_allclose(curve.test[-1], judged.values)
    assert curve.test_mean[-1] == pytest.approx(judged.mean)
    assert curve.test_error[-1] == pytest.approx(np.sqrt(judged.variance / 5))
    models = [NaiveBayes().fit(IRIS.take(s.train)) for s in KFold(5).splits(150, IRIS.labels, 3)]
    wrong = [
        1 - m.score(IRIS.take(s.train))
        for m, s in zip(models, KFold(5).splits(150, IRIS.labels, 3), strict=True)
    ]
    np.testing.assert_allclose(curve.training[-1], wrong)


@pytest.mark.parametrize(
    "learner", [NaiveBayes(), FullBayes(covariance="shared", shrinkage=0.2), OneR()], ids=str
)
@pytest.mark.parametrize("measure", ["error", "log_loss"])
def test_summaries_of_growing_training_sets_are_as_fitting_each_anew(
    learner: Any, measure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = learning_curve(learner, IRIS, (30, 60, 90), KFold(3), measure, random_state=1)
    monkeypatch.setattr(type(learner), "can_add_folds", lambda self, schema: False)
    slow = learning_curve(learner, IRIS, (30, 60, 90), KFold(3), measure, random_state=1)
    np.testing.assert_allclose(quick.training, slow.training, atol=1e-9)
    np.testing.assert_allclose(quick.test, slow.test, atol=1e-9)


def test_class_weights_count_at_every_size() -> None:
    for weights in ("balanced", {"Iris-setosa": 0.5}):
        curve = learning_curve(NaiveBayes(class_weight=weights), IRIS, (40, 1.0), KFold(3), random_state=0)
        judged = acumen.assess(NaiveBayes(class_weight=weights), IRIS, KFold(3), random_state=0)
        np.testing.assert_allclose(curve.test[-1], judged.values)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.integers(0, 99))
def test_every_beginning_of_the_order_has_the_classes_shares(labels: list[int], seed: int) -> None:
    codes = np.array(labels)
    order = _spread(codes, np.random.default_rng(seed))
    assert sorted(order) == list(range(len(codes)))
    for size in range(1, len(codes) + 1):
        for label in set(labels):
            total = (codes == label).sum()
            here = (codes[order[:size]] == label).sum()
            assert abs(here - total * size / len(codes)) <= len(set(labels)) + 1


def test_more_rows_teach_more() -> None:
    curve = learning_curve(
        FullBayes(), IRIS, (15, 135), KFold(10, n_repeats=2), random_state=0, measure="accuracy"
    )
    assert curve.larger_is_better and curve.test_mean[1] > curve.test_mean[0]
    assert curve.test.shape == (2, 20)


test_more_rows_teach_more = pytest.mark.filterwarnings("ignore:FullBayes")(test_more_rows_teach_more)


def test_a_sweep_is_what_each_value_gives_alone() -> None:
    values = [30, 10, 4, 1]
    curve = sweep(OneR(), IRIS, "min_bucket", values, KFold(4), random_state=2)
    assert curve.values == (30, 10, 4, 1) and curve.what == "min_bucket"
    for i, value in enumerate(values):
        judged = acumen.assess(OneR(min_bucket=value), IRIS, KFold(4), random_state=2)
        np.testing.assert_allclose(curve.test[i], judged.values)
        for at, split in enumerate(KFold(4).splits(150, IRIS.labels, 2)):
            part = IRIS.take(split.train)
            assert curve.training[i, at] == pytest.approx(1 - OneR(min_bucket=value).fit(part).score(part))


def test_values_that_are_no_numbers_stand_side_by_side() -> None:
    curve = sweep(FullBayes(shrinkage=0.1), IRIS, "covariance", ["shared", "full"], Holdout(), random_state=0)
    figure = curve.figure()
    assert figure.x.tolist() == [0, 1]
    assert figure.x_label == "covariance" and figure.y_label == "error"
    assert [band.name for band in figure.bands] == ["training rows", "test rows"]
    np.testing.assert_allclose(figure.bands[1].mean, curve.test_mean)
    figure = sweep(NaiveBayes(), WEATHER, "alpha", [0.5, 10.0], KFold(3), random_state=0).figure()
    assert figure.x.tolist() == [0.5, 10]
    np.testing.assert_array_less(figure.bands[1].low - 1e-12, figure.bands[1].high)


def test_a_curve_can_be_read() -> None:
    curve = learning_curve(NaiveBayes(alpha=2.0), WEATHER, method=KFold(3), random_state=0)
    said = str(curve)
    assert said.startswith("error of NaiveBayes(alpha=2.0) by 3-fold cross-validation")
    assert "training rows" in said and "95 % from" in said
    assert len(said.splitlines()) == 2 + len(curve.values)
    made = json.loads(json.dumps(curve.to_dict()))
    assert [line["training rows"] for line in made["lines"]] == list(curve.values)
    assert made["lines"][0]["test_mean"] == curve.test_mean[0]


def test_at_all_rows_the_interval_is_that_of_an_assessment() -> None:
    for measure in ("error", "log_loss", "auc"):
        for method in (Holdout(), KFold(5, n_repeats=2)):
            curve = learning_curve(NaiveBayes(), IRIS, (30, 1.0), method, measure, random_state=0)
            around = acumen.assess(NaiveBayes(), IRIS, method, measure, random_state=0).interval()
            assert curve.test_low[1] <= around.low + 1e-9 and around.high - 1e-9 <= curve.test_high[1]
            assert curve.test_high[1] - curve.test_low[1] <= 1.5 * (around.high - around.low)
            assert curve.intervals[1].estimate == pytest.approx(curve.test_mean[1])


def test_a_size_has_no_rows_and_its_interval_is_over_splits() -> None:
    curve = sweep(OneR(), IRIS, "min_bucket", [30, 1], KFold(4), "size", random_state=0)
    assert curve.to_dict()["lines"][1]["test_low"] <= curve.test_mean[1] <= curve.test_high[1]


@pytest.mark.slow
@pytest.mark.parametrize("method", [KFold(5), KFold(5, n_repeats=3), acumen.Subsample(5, 0.2)], ids=str)
def test_intervals_cover_the_error_of_models_of_that_many_rows(method: Any) -> None:
    """In 150 tables of 100 rows. Two standard errors over the splits of five repeats cover it in 60 % of tables."""
    rng = np.random.default_rng(0)

    def draw(n: int) -> Any:
        y = rng.integers(0, 2, n)
        x = rng.normal(size=(n, 2))
        x[:, 0] += 1.2 * y
        return acumen.read(
            pd.DataFrame({"u": x[:, 0], "v": x[:, 1], "y": np.array(["a", "b"])[y]}), target="y"
        )

    new, sizes = draw(20_000), (12, 30, 80)
    true = []
    for n in sizes:
        tables = [draw(n + 40) for _ in range(150)]
        models = [NaiveBayes().fit(t.take(_spread(t.labels, rng)[:n])) for t in tables]
        true.append(np.mean([1 - model.score(new) for model in models]))
    covered = np.zeros(3)
    for seed in range(150):
        curve = learning_curve(NaiveBayes(), draw(100), sizes, method, random_state=seed)
        covered += (curve.test_low <= true) & (true <= curve.test_high)
    assert covered.min() / 150 >= 0.90  # 95 % less 2.8 standard errors
    assert 0.93 <= covered.mean() / 150 <= 0.98


def test_the_same_seed_gives_the_same_curve() -> None:
    one, two = (learning_curve(NaiveBayes(), IRIS, (20, 90), KFold(3), random_state=7) for _ in range(2))
    np.testing.assert_array_equal(one.test, two.test)
    other = learning_curve(NaiveBayes(), IRIS, (20, 90), KFold(3), random_state=np.random.default_rng(7))
    assert other.test.shape == one.test.shape


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: learning_curve(NaiveBayes(), IRIS, (0,)),
            "a size must be a whole number of rows from 1 to 135",
        ),
        (lambda: learning_curve(NaiveBayes(), IRIS, (136,)), "a size must be"),
        (lambda: learning_curve(NaiveBayes(), IRIS, (1.5,)), "a size must be"),
        (lambda: learning_curve(NaiveBayes(), IRIS, ()), "at least one size"),
        (
            lambda: learning_curve(NaiveBayes(), IRIS, method=acumen.Bootstrap()),
            "learning_curve: method must be",
        ),
        (
            lambda: sweep(NaiveBayes(), IRIS, "alpha", [1.0], measure="eror"),
            "sweep: there is no measure 'eror'",
        ),
        (lambda: sweep(NaiveBayes(), IRIS, "alfa", [1.0]), "Did you mean 'alpha'"),
        (lambda: sweep(NaiveBayes(), IRIS, "alpha", []), "must list the values of alpha"),
        (lambda: sweep(NaiveBayes(), IRIS.select(["petal_width"]), "alpha", [-1.0]), "alpha must be"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(call: Any, words: str) -> None:
    with pytest.raises((ParameterError, DataError), match=words):
        call()
