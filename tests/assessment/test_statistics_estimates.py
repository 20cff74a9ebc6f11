"""The bootstrap's estimates, information criteria, and how many rows would detect a difference."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen import datasets
from acumen.assessment.statistics import (
    aic,
    bic,
    bootstrap_632,
    bootstrap_632_plus,
    corrected_t,
    five_by_two_f,
    mcnemar_counts,
    no_information_rate,
    overfitting_rate,
    paired_t,
    rows_to_settle,
    wilcoxon,
)
from acumen.errors import DataError, ParameterError

rates = st.floats(0, 1)


def test_w004_01_bootstrap_632():
    assert bootstrap_632(0.1, 0.3) == pytest.approx(0.2264, abs=1e-12)
    assert bootstrap_632(0.0, 0.3) == pytest.approx(0.1896, abs=1e-12)


def test_632_plus_of_one_nearest_neighbour_on_noise_is_the_truth():
    # Efron and Tibshirani's case: training error 0, labels a coin's. The .632 estimate says .316.
    assert bootstrap_632(0.0, 0.5) == pytest.approx(0.316)
    assert bootstrap_632_plus(0.0, 0.5, 0.5) == pytest.approx(0.5)


@given(rates, rates, rates)
def test_632_plus_lies_between_632_and_the_out_of_bag_error(training, out_of_bag, no_information):
    found = bootstrap_632_plus(training, out_of_bag, no_information)
    plain = bootstrap_632(training, out_of_bag)
    rate = overfitting_rate(training, out_of_bag, no_information)
    assert 0.0 <= rate <= 1.0
    if rate == 0.0:
        assert found == pytest.approx(plain)
    else:
        assert plain - 1e-12 <= found <= out_of_bag + 1e-12
    if training < out_of_bag <= no_information:  # then it is the weighted mean of equation 29
        w = 0.632 / (1 - 0.368 * rate)
        assert found == pytest.approx((1 - w) * training + w * out_of_bag)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20))
def test_no_information_rate_is_the_error_over_all_pairs(pairs):
    truth, predicted = zip(*pairs, strict=True)
    wanted = np.mean([t != p for t in truth for p in predicted])
    assert no_information_rate(truth, predicted) == pytest.approx(wanted)
    weights = np.arange(1, len(truth) + 1)
    repeated = no_information_rate(np.repeat(truth, weights), np.repeat(predicted, weights))
    assert no_information_rate(truth, predicted, weights) == pytest.approx(repeated)


def test_w004_03_information_criteria_of_setosa_sepal_width():
    iris = datasets.load("iris")
    name = next(a.name for a in iris.schema.numeric if "width" in a.name and "sepal" in a.name)
    x = iris.column(name)[:50]
    log_likelihood = -25 * (math.log(2 * math.pi * x.var()) + 1)
    assert log_likelihood == pytest.approx(-22.1972655133, abs=1e-9)
    assert aic(log_likelihood, 2) == pytest.approx(48.3945310267, abs=1e-9)
    assert bic(log_likelihood, 2, 50) == pytest.approx(52.2185770375, abs=1e-9)


# -- rows -----------------------------------------------------------------------------------------


def test_rows_to_settle_gives_the_power_it_promises():
    rng = np.random.default_rng(11)
    seen = paired_t(np.array([0.9, 1.3, -0.9, 0.1, 0.8, -1.1] * 5), np.zeros(30))
    needed = rows_to_settle(seen, 30)
    n = int(needed.rows)
    assert n > 60
    spread = seen.se * math.sqrt(30)
    found = [paired_t(rng.normal(seen.estimate, spread, n), np.zeros(n)).significant() for _ in range(1500)]
    assert np.mean(found) == pytest.approx(0.8, abs=0.04)


def test_rows_grow_with_the_square_of_the_error():
    rng = np.random.default_rng(2)
    noise = rng.normal(0, 1, 100)
    noise -= noise.mean()
    one = rows_to_settle(corrected_t(noise + 0.2, np.zeros(100), 9, 1), 500)
    other = rows_to_settle(corrected_t(2 * noise + 0.2, np.zeros(100), 9, 1), 500)
    assert other.times == pytest.approx(4 * one.times)
    assert one.rows == math.ceil(500 * one.times)
    assert (
        rows_to_settle(corrected_t(noise + 0.2, np.zeros(100), 9, 1), 500, comparisons=10).times > one.times
    )


def test_settled_pairs_need_no_more_rows_and_equal_ones_no_number():
    settled = rows_to_settle(paired_t([1.0, 1.1, 0.9, 1.05], [0, 0, 0, 0]), 40)
    assert (settled.rows, settled.times) == (40, 1.0)
    equal = rows_to_settle(paired_t([1, 2, 3], [1, 2, 3]), 40)
    assert math.isinf(equal.rows)
    assert "equally good" in str(equal)


def test_rows_needed_reads_as_a_rough_number():
    needed = rows_to_settle(mcnemar_counts(30, 22, 1000), 1000)
    assert 5_000 < needed.rows < 8_000
    assert str(needed).startswith(f"about {math.ceil(needed.rows / 100) * 100:,} rows (")


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: rows_to_settle(wilcoxon([1, 2], [2, 1]), 10), DataError, "has no standard error"),
        (
            lambda: rows_to_settle(five_by_two_f(np.arange(10), np.zeros(10)), 10),
            DataError,
            "no standard error",
        ),
        (
            lambda: rows_to_settle(paired_t([1, 2], [2, 2]), 0),
            ParameterError,
            "n_rows must be a number above 0",
        ),
        (lambda: rows_to_settle(paired_t([1, 2], [2, 2]), 9, power=1), ParameterError, "power"),
        (lambda: rows_to_settle(paired_t([1, 2], [2, 2]), 9, comparisons=0), ParameterError, "at least 1"),
        (lambda: no_information_rate([1], [1, 2]), DataError, "one label and one prediction"),
        (lambda: no_information_rate([1], [1], [0.0]), DataError, "sum above 0"),
        (lambda: bic(-1.0, 2, 0), ParameterError, "above 0; got 0"),
    ],
)
def test_objections_are_sentences(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_importing_the_statistics_imports_no_scipy():
    import subprocess
    import sys

    code = "import sys, acumen.assessment.statistics, acumen.assessment.bias_variance as b; " \
           "print(sorted(m for m in sys.modules if m.split('.')[0] in ('scipy', 'sklearn', 'pandas')))"  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
