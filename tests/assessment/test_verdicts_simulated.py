"""Learners that are equally good: at most 5 % of raw p-values, and 5 % of headlines, find a difference."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.resampling import Bootstrap, Holdout, KFold
from simulated_tables import assessments, compared, gaussian, majority, nearest_mean, nearest_row, stump
from tables import table_of

PLANS = [
    KFold(2),
    KFold(5),
    KFold(10),
    KFold(10, n_repeats=10),
    Holdout(),
    Bootstrap(25, "out-of-bag"),
]

#: Labels that were tossed: whatever is learned errs in half of all cases.
TOSSED = {"majority": majority, "bayes": gaussian(0, 1), "mean": nearest_mean(0, 1), "stump": stump(0)}

#: Pairs of one learner on columns of the same distribution: equal in expectation, not in the model that comes of it.
TWINS = {"bayes": gaussian, "stump": stump, "row": nearest_row}


def labels(rng, n):
    while True:
        y = rng.integers(0, 2, n)
        if 5 <= y.sum() <= n - 5:
            return y


def allowed(tables):
    return 0.05 + 2 * np.sqrt(0.05 * 0.95 / tables)


def test_the_rules_of_the_simulation_are_judged_as_learners_are():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(40, 2)), labels(rng, 40)
    table = table_of({"u": x[:, 0].tolist()}, np.array(["a", "b"])[y].tolist())
    for method in (*PLANS, Bootstrap(25)):
        simulated = assessments({"majority": majority}, x, y, method, 3)["majority"]
        real = acumen.assess(acumen.Majority(), table, method, random_state=3)
        np.testing.assert_allclose(simulated.values, real.values)
        assert simulated.mean == pytest.approx(real.mean)
        assert tuple(simulated.interval()) == pytest.approx(tuple(real.interval()))


@pytest.mark.slow
@pytest.mark.parametrize("n", [30, 100, 1000])
@pytest.mark.parametrize("method", PLANS, ids=str)
def test_tossed_labels_tell_no_learners_apart(method, n):
    tables = 300 if n < 1000 else 100
    rng = np.random.default_rng(n)
    rules = TOSSED | ({"row": nearest_row(0, 1)} if n <= 30 else {})
    wrong, headlines = np.zeros(len(rules) * (len(rules) - 1) // 2), 0
    for seed in range(tables):
        x, y = rng.normal(size=(n, 2)), labels(rng, n)
        found = compared(rules, x, y, method, seed)
        told = {tuple(sorted((p.a, p.b))): p.p < 0.05 for p in found.pairs}
        wrong += [told[pair] for pair in sorted(told)]
        headlines += len(found.headline.group) < len(rules)
    assert wrong.mean() / tables <= allowed(tables)
    assert wrong.max() / tables <= 0.05 + 3 * np.sqrt(
        0.05 * 0.95 / tables
    )  # of no pair, whichever is the worst
    assert headlines / tables <= allowed(tables)


@pytest.mark.slow
@pytest.mark.parametrize("n", [30, 100, 1000])
@pytest.mark.parametrize("method", PLANS, ids=str)
def test_learners_of_equal_expected_error_are_not_told_apart(method, n):
    tables = 300 if n < 1000 else 100
    rng = np.random.default_rng(n + 1)
    twins = {name: make for name, make in TWINS.items() if name != "row" or n <= 30}
    rules = {f"{name} {c}": make(c) for name, make in twins.items() for c in (0, 1)}
    wrong = dict.fromkeys(twins, 0)
    for seed in range(tables):
        y = labels(rng, n)
        x = rng.normal(size=(n, 2)) + 1.2 * y[:, None]
        found = compared(rules, x, y, method, seed)
        for pair in found.pairs:
            if pair.a.split()[0] == pair.b.split()[0]:
                wrong[pair.a.split()[0]] += pair.p < 0.05
    assert sum(wrong.values()) / len(wrong) / tables <= allowed(tables)


@pytest.mark.slow
@pytest.mark.parametrize("method", [KFold(2), KFold(10), Holdout()], ids=str)
@pytest.mark.parametrize("measure", ["auc", "kappa", "balanced_accuracy"])
def test_measures_that_are_no_means_over_rows_are_as_careful(method, measure):
    tables, wrong = 60, []
    for seed in range(tables):
        rng = np.random.default_rng([seed, 5])
        y = labels(rng, 40)
        table = table_of(
            {"u": rng.normal(size=40).tolist(), "v": rng.normal(size=40).tolist()},
            np.array(["a", "b"])[y].tolist(),
        )
        found = acumen.compare([acumen.NaiveBayes()], table, method, measure, random_state=seed)
        wrong += [pair.p < 0.05 for pair in found.pairs]
    assert np.mean(wrong) <= allowed(tables)
