"""95 % intervals hold the error of the model learned from all rows in at least 92 % of tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr, ndtri

import acumen
from acumen.resampling import Bootstrap, Holdout, KFold
from simulated_tables import assessments, nearest_mean
from tables import table_of

TABLES = 2000
PLANS = [
    KFold(10),
    KFold(10, n_repeats=5),
    Holdout(),
    Bootstrap(20, "out-of-bag"),
    Bootstrap(20, "632"),
]


def drawn(rng, n, error):
    """Two classes of the same size and spread, as far apart as the best rule errs by `error`."""
    apart = -ndtri(error)
    while True:
        y = rng.integers(0, 2, n)
        if 10 <= y.sum() <= n - 10:
            return rng.normal(size=(n, 1)) + apart * (2 * y[:, None] - 1), y, apart


def errs(x, y, apart):
    """The true error of the nearest mean learned from all rows."""
    means = [x[y == k, 0].mean() for k in (0, 1)]
    return (ndtr(sum(means) / 2 - apart) + ndtr(-sum(means) / 2 - apart)) / 2


@pytest.mark.slow
@pytest.mark.parametrize("error", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("method", PLANS, ids=str)
def test_intervals_cover_what_they_say(method, error):
    rng = np.random.default_rng(1)
    sizes = (50, 100, 200)
    held, inside = np.zeros(len(sizes)), 0
    for seed in range(TABLES):
        place = seed % len(sizes)
        x, y, apart = drawn(rng, sizes[place], error)
        found = assessments({"mean": nearest_mean(0)}, x, y, method, seed)["mean"]
        around = found.interval()
        assert 0 <= around.low <= found.mean <= around.high <= 1 and around.low < around.high
        inside += errs(x, y, apart) in around
        held[place] += errs(x, y, apart) in around
    assert inside / TABLES >= 0.92
    each = TABLES / len(sizes)
    assert held.min() / each >= 0.92 - 2 * np.sqrt(0.92 * 0.08 / each)


@pytest.mark.slow
@pytest.mark.parametrize("error", [0.1, 0.3])
def test_a_learner_of_the_library_is_covered_too(error):
    tables, held = 300, 0
    rng = np.random.default_rng(2)
    for seed in range(tables):
        x, y, apart = drawn(rng, 60, error)
        names = np.array(["a", "b"])[y].tolist()
        table = table_of({"u": x[:, 0].tolist()}, names)
        found = acumen.assess(acumen.NaiveBayes(), table, KFold(10), random_state=seed)
        fresh = rng.integers(0, 2, 4000)
        rows = rng.normal(size=4000) + apart * (2 * fresh - 1)
        said = acumen.NaiveBayes().fit(table).predict(table_of({"u": rows.tolist()}, ["a", "b"] * 2000))
        held += np.mean(said != np.array(["a", "b"])[fresh]) in found.interval()
    assert held / tables >= 0.92 - 2 * np.sqrt(0.92 * 0.08 / tables)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["rmse", "mae", "r2"])
def test_numbers_are_covered_too(measure):
    tables, held = 300, 0
    rng = np.random.default_rng(3)
    fresh = rng.normal(size=(20_000, 2))
    for seed in range(tables):
        x = rng.normal(size=(60, 2))
        target = x[:, 0] + rng.normal(size=60)
        table = acumen.read(pd.DataFrame({"u": x[:, 0], "v": x[:, 1], "y": target}), target="y")
        found = acumen.assess(acumen.LinearRegression(), table, KFold(5), measure, random_state=seed)
        # Of the model of all rows: the noise of the target, and what its coefficients are off.
        design = np.column_stack([np.ones(60), x])
        fit = np.linalg.lstsq(design, target, rcond=None)[0]
        off = np.column_stack([np.ones(len(fresh)), fresh]) @ fit - fresh[:, 0]
        square = 1 + np.mean(off**2)
        true = {"rmse": np.sqrt(square), "mae": np.sqrt(2 * square / np.pi), "r2": 1 - square / 2}[measure]
        held += true in found.interval()
    # Draws of 60 squared errors know too little of the tail: some .88 for rmse, which the page says.
    assert held / tables >= 0.88 - 2 * np.sqrt(0.88 * 0.12 / tables)
