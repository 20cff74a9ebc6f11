"""Coins, dice and a normal mean: the worked examples, and laws."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen.errors import DataError, ParameterError
from acumen.summaries import ClassMoments
from tables import table_of


def fractions(found: np.ndarray) -> list[Fraction]:
    return [Fraction(v).limit_denominator(1000) for v in found.tolist()]


def test_w001_13_a_positive_test_means_disease_with_probability_two_thirds() -> None:
    sick, healthy = 0.01, 0.99
    weights = [sick * 0.99, sick * 0.01, healthy * 0.005, healthy * 0.995]
    table = table_of({"T": ["+", "-", "+", "-"]}, ["D", "D", "H", "H"], weights=weights)
    model = acumen.NaiveBayes(estimator="mle").fit(table)
    assert model.predict_proba(table.take([0]))[0, 0] == pytest.approx(2 / 3, rel=1e-12)


def test_w001_14_binomial_moments() -> None:
    mean, variance = acumen.estimate([3, 7]).moments(7)
    assert mean[0] == pytest.approx(2.1)
    assert variance[0] == pytest.approx(1.47)


def test_w001_16_multinomial_maximum_likelihood() -> None:
    found = acumen.estimate([10, 15])
    assert found.ml.tolist() == [0.4, 0.6]
    assert found.log_likelihood == pytest.approx(-16.8252916752, abs=1e-10)
    # On the constraint sum mu = 1 the gradient n / mu is the same for every face: the multiplier lambda.
    assert (found.counts / found.ml).tolist() == pytest.approx([25, 25])


@pytest.mark.parametrize(
    ("prior", "by_map", "by_bayes"),
    [
        ("uniform", Fraction(3, 5), Fraction(4, 7)),
        ((2, 2), Fraction(4, 7), Fraction(5, 9)),
        ((3, 1), Fraction(5, 7), Fraction(2, 3)),
    ],
)
def test_w001_18_a_coin_by_every_estimator(prior: object, by_map: Fraction, by_bayes: Fraction) -> None:
    tosses = [0, 1, 0, 1, 1]
    found = acumen.estimate({"heads": tosses.count(1), "tails": tosses.count(0)}, prior)  # type: ignore[arg-type]
    assert found.ml[0] == pytest.approx(3 / 5)
    assert found.map is not None and found.bayes is not None and found.predictive is not None
    assert fractions(found.map)[0] == by_map
    assert fractions(found.bayes)[0] == by_bayes
    assert fractions(found.predictive)[0] == by_bayes


def test_w001_19_five_heads() -> None:
    found = acumen.estimate([5, 0], "laplace")
    assert found.ml.tolist() == [1, 0]
    assert found.bayes is not None and found.map is not None
    assert fractions(found.bayes) == [Fraction(6, 7), Fraction(1, 7)]
    assert found.map.tolist() == [1, 0]
    # The posterior after n1 heads and n2 tails is normalised by (n1 + n2 + 1)! / (n1! n2!).
    other = acumen.estimate([2, 3], "laplace")
    assert other.posterior is not None
    a, b = other.posterior.tolist()
    constant = math.gamma(a + b) / (math.gamma(a) * math.gamma(b))
    assert constant == pytest.approx(math.factorial(6) / (math.factorial(2) * math.factorial(3)))


def test_w001_20_normal_mean_under_a_normal_prior() -> None:
    found = acumen.estimate_normal_mean([4.9, 5.1, 5.3], 1.0, prior_mean=0.0, prior_variance=1.0)
    assert found.mean == pytest.approx(3.825, rel=1e-14)
    assert found.variance == 0.25
    assert found.predictive_variance == 1.25
    assert found.ml == pytest.approx(5.1)
    assert (found.map, found.bayes) == (found.mean, found.mean)
    # Quadrature agrees.
    grid = np.linspace(-10, 15, 200_001)
    density = np.exp(-0.5 * grid**2 - 0.5 * sum((x - grid) ** 2 for x in (4.9, 5.1, 5.3)))
    density /= density.sum()
    assert density @ grid == pytest.approx(found.mean, abs=1e-8)
    assert density @ (grid - found.mean) ** 2 == pytest.approx(found.variance, abs=1e-8)
    low, high = found.interval(0.95)
    assert density[(grid > low) & (grid < high)].sum() == pytest.approx(0.95, abs=1e-3)


def test_w001_21_the_maximum_likelihood_variance_is_too_small_on_average() -> None:
    samples = np.array(list(product([0.0, 1.0], repeat=2)))
    each = [
        ClassMoments.of(sample, np.zeros(2, dtype=np.int32), None, 1).scatter[0, 0] / 2 for sample in samples
    ]
    assert np.mean(each) == 1 / 8


def test_w001_17_naive_bayes_keeps_twenty_numbers_where_the_joint_table_has_seventy_two() -> None:
    sizes = (3, 2, 2, 3)
    rows = list(product(*(range(k) for k in sizes)))
    columns = {f"a{j}": [f"v{row[j]}" for row in rows] * 2 for j in range(4)}
    table = table_of(columns, ["p"] * len(rows) + ["q"] * len(rows))
    model = acumen.NaiveBayes().fit(table)
    assert sum(logs.size for logs in model.model_.nominal.log_level) == 20  # type: ignore[attr-defined]
    assert math.prod(sizes) * 2 == len(table) == 72
    assert model.n_parameters_ == 2 * sum(k - 1 for k in sizes)  # free ones, beside the class priors


@given(st.lists(st.integers(0, 50), min_size=2, max_size=6), st.floats(0.1, 5))
def test_estimates_are_probabilities_and_the_interval_holds_the_mean(counts: list[int], prior: float) -> None:
    found = acumen.estimate(counts, prior)
    assert found.bayes is not None and found.predictive is not None and found.variance is not None
    assert found.bayes.sum() == pytest.approx(1)
    np.testing.assert_allclose(found.predictive, found.bayes, rtol=1e-9)
    assert (found.variance > 0).all()
    interval = found.interval(0.999)
    assert ((interval[:, 0] < found.bayes) & (found.bayes < interval[:, 1])).all()


def test_the_interval_is_the_beta_distributions() -> None:
    from scipy.stats import beta

    interval = acumen.estimate([3, 2, 5], (1, 2, 3)).interval(0.9)
    assert interval[0].tolist() == pytest.approx(list(beta(4, 12).interval(0.9)))
    assert acumen.estimate([3, 2], 2).variance == pytest.approx(beta(5, 4).var())


@given(
    st.lists(st.integers(0, 4), min_size=2, max_size=4), st.lists(st.integers(0, 4), min_size=4, max_size=4)
)
def test_predicting_many_tosses_is_predicting_one_after_the_other(now: list[int], then: list[int]) -> None:
    then = then[: len(now)]
    found, seen = acumen.estimate(now, "uniform"), np.array(now)
    step_by_step = 0.0
    for face, times in enumerate(then):
        for _ in range(times):
            share = acumen.estimate(seen, "uniform").bayes
            assert share is not None
            step_by_step += math.log(share[face])
            seen = seen + np.eye(len(now), dtype=int)[face]
    assert found.log_predictive(then) == pytest.approx(step_by_step, abs=1e-9)


def test_without_a_prior_there_is_only_maximum_likelihood() -> None:
    found = acumen.estimate([1, 3])
    assert found.ml.tolist() == [0.25, 0.75]
    assert (found.map, found.bayes, found.predictive, found.variance, found.posterior) == (None,) * 5
    with pytest.raises(ParameterError, match="prior"):
        found.interval()
    with pytest.raises(ParameterError, match="prior"):
        found.log_predictive([1, 0])


def test_the_mode_is_missing_where_there_is_none() -> None:
    for counts, prior in (([0, 0], "uniform"), ([0, 3], 0.5)):
        found = acumen.estimate(counts, prior)  # type: ignore[arg-type]
        assert found.map is not None and np.isnan(found.map).all()
    assert np.isnan(acumen.estimate([0, 0], 1).ml).all()


def test_an_estimate_reads_as_a_table() -> None:
    assert str(acumen.estimate({"heads": 3, "tails": 2}, {"tails": 2, "heads": 2})).splitlines() == [
        "       count       ml      map    bayes",
        "heads      3   0.6000   0.5714   0.5556",
        "tails      2   0.4000   0.4286   0.4444",
    ]


@pytest.mark.parametrize("counts", [[1], [-1, 2], [math.nan, 1], "ab", [[1, 2]], 3])
def test_counts_that_are_none_are_refused(counts: object) -> None:
    with pytest.raises(DataError, match="estimate"):
        acumen.estimate(counts)  # type: ignore[arg-type]


@pytest.mark.parametrize("prior", [0, -1, (1,), "jeffreys", {"a": 1}, math.inf])
def test_a_prior_that_is_none_is_refused(prior: object) -> None:
    with pytest.raises(ParameterError, match="estimate: prior must be"):
        acumen.estimate([1, 2], prior)  # type: ignore[arg-type]


def test_a_normal_prior_can_say_nothing_or_everything() -> None:
    flat = acumen.estimate_normal_mean([1.0, 3.0], 2.0, prior_variance=math.inf)
    assert (flat.mean, flat.variance) == (2.0, 1.0)
    none = acumen.estimate_normal_mean([], 2.0, prior_mean=7.0, prior_variance=3.0)
    assert (none.mean, none.variance) == (7.0, 3.0)
    assert math.isnan(none.ml)
    for wrong in ({"variance": 0.0}, {"prior_variance": -1.0}, {"prior_mean": math.nan}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            acumen.estimate_normal_mean([1.0], **{"variance": 1.0, "prior_variance": 1.0, **wrong})  # type: ignore[arg-type]
    with pytest.raises(DataError):
        acumen.estimate_normal_mean([], 1.0, prior_variance=math.inf)
    with pytest.raises(DataError):
        acumen.estimate_normal_mean([math.nan], 1.0, prior_variance=1.0)
