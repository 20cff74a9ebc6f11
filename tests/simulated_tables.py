"""Tables by the thousand, judged as `assess` would judge them: simple rules, learned on all splits of a plan at once.

A rule takes how often each row is in each training set, (splits, rows), and says the class of every row by the model of
every split. What it gives is an Assessment like any other, so that intervals and verdicts are the library's own.
"""

from __future__ import annotations

import numpy as np

from acumen.assessment.assessment import Assessment
from acumen.assessment.comparison import Comparison
from acumen.assessment.runs import TestRun
from acumen.assessment.statistics import bootstrap_632

EMPTY = np.empty(0)


def majority(x, y, times):
    ones = times @ y
    return np.broadcast_to((2 * ones > times.sum(axis=1))[:, None], times.shape).astype(int)


def nearest_mean(*columns):
    def rule(x, y, times):
        apart = np.zeros(times.shape)
        for c in columns:
            low, high = (times @ (x[:, c] * (y == k)) / np.maximum(times @ (y == k), 1) for k in (0, 1))
            apart += np.outer(high - low, x[:, c]) - ((high**2 - low**2) / 2)[:, None]
        return (apart > 0).astype(int)

    return rule


def gaussian(*columns):
    """Naive Bayes."""

    def rule(x, y, times):
        logs = []
        for k in (0, 1):
            n = np.maximum(times @ (y == k).astype(float), 1e-3)
            each = np.tile(np.log(n)[:, None], (1, len(y)))
            for c in columns:
                mean = times @ (x[:, c] * (y == k)) / n
                variance = np.maximum(times @ (x[:, c] ** 2 * (y == k)) / n - mean**2, 0.05)
                each -= (x[:, c] - mean[:, None]) ** 2 / (2 * variance[:, None]) + np.log(variance)[
                    :, None
                ] / 2
            logs.append(each)
        return (logs[1] > logs[0]).astype(int)

    return rule


def stump(column):
    """One threshold on one column, the one with the fewest errors on the training rows."""

    def rule(x, y, times):
        order = np.argsort(x[:, column])
        below = np.cumsum(times[:, order] * np.where(y[order] == 1, -1, 1), axis=1)
        right = 2 * below - below[:, -1:]  # class 0 below, class 1 above: hits less misses
        best = np.abs(right).argmax(axis=1)
        turned = right[np.arange(len(times)), best] < 0
        return ((x[:, column] > x[order[best], column][:, None]) ^ turned[:, None]).astype(int)

    return rule


def nearest_row(*columns):
    def rule(x, y, times):
        far = ((x[:, None, columns] - x[None, :, columns]) ** 2).sum(axis=2)
        order = np.argsort(far, axis=1)
        first = (times[:, order] > 0).argmax(axis=2)
        return y[order[np.arange(len(y)), first]]

    return rule


def assessments(rules, x, y, method, seed, kept=None):
    """What `assess` makes of each rule; `kept` are splits made before, which serve labels of the same strata."""
    splits = list(method.splits(len(y), y, seed)) if kept is None else kept
    n = len(y)
    times = np.stack([np.bincount(split.train, minlength=n) for split in splits]).astype(float)
    sizes = np.count_nonzero(times, axis=1)
    found = {}
    for name, rule in rules.items():
        said = np.asarray(rule(x, y, times))
        runs = tuple(
            TestRun(
                s.repeat, s.fold, s.test, y[s.test], said[j, s.test], None, EMPTY, int(sizes[j]), 0, 0, 0, 0
            )
            for j, s in enumerate(splits)
        )
        values = np.array([np.mean(run.truth != run.predicted) for run in runs])
        estimates = {}
        if getattr(method, "kind", "") == "632":
            training = np.mean(rule(x, y, np.ones((1, n)))[0] != y)
            estimates = {"error": bootstrap_632(training, values.mean())}
        found[name] = Assessment(
            name, method, ("error",), {"error": values}, None, seed, float(sizes.mean()),
            float(np.mean([len(s.test) for s in splits])), (), estimates, EMPTY, runs,
        )  # fmt: skip
    return found


def compared(rules, x, y, method, seed):
    """A comparison of rules, the best first."""
    found = assessments(rules, x, y, method, seed)
    order = sorted(found, key=lambda name: found[name].mean)
    return Comparison({name: found[name] for name in order}, "error", method, seed)
