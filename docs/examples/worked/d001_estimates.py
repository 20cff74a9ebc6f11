"""Text 1, lines 600 to 2070: estimates, priors, tests of splits, counts of parameters, the shell of a ball."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
from scipy import stats

import acumen
from acumen.render.bars_plot import Bar, BarsFigure
from acumen.render.learning_plot import Band, LearningFigure
from acumen.trees import split_worth as worth


def W001_14(seen: Any) -> dict[str, Any]:
    q = seen.coin.ml[0]
    chances = [math.comb(7, k) * q**k * (1 - q) ** (7 - k) for k in range(8)]
    return {
        "q": q,
        "one": q * (1 - q),
        "mean": seen.mean[0],
        "var": seen.variance[0],
        "mean_hand": sum(k * p for k, p in enumerate(chances)),
        "var_hand": sum((k - 7 * q) ** 2 * p for k, p in enumerate(chances)),
        "fair": acumen.estimate([1, 1]).moments(7)[1][0],
        "picture": BarsFigure(
            [Bar(f"{k} heads", p) for k, p in enumerate(chances)], "probability", "Seven tosses"
        ),
    }


def W001_15(seen: Any) -> dict[str, Any]:
    frame = seen.loan.to_pandas()
    table = frame.groupby(["Own_house", "Class"], observed=False).size().unstack()
    seen_counts = table.loc["true", ["Yes", "No"]].to_numpy(dtype=float)
    other = table.loc["false", ["Yes", "No"]].to_numpy(dtype=float)
    share = np.array([0.6, 0.4])
    t1, t2 = (float(((c - c.sum() * share) ** 2 / (c.sum() * share)).sum()) for c in (seen_counts, other))
    n1 = float(seen_counts.sum() - 1)
    return {
        "e1": 6 * 0.6,
        "e2": 6 * 0.4,
        "t1": t1,
        "t2": t2,
        "both": t1 + t2,
        "c": worth.critical_values(0.05, 1)[1],
        "c_wrong": stats.chi2.ppf(0.95, n1),
        "n1": n1,
        "p1": stats.chi2.sf(t1, 1),
        "p": stats.chi2.sf(t1 + t2, 1),
        "strict": worth.critical_values(0.001, 1)[1],
        "picture": seen.tree.figure(),
    }


def W001_16(seen: Any) -> dict[str, Any]:
    found = seen.found
    x = np.linspace(0.1, 0.8, 141)
    curve = 10 * np.log(x) + 15 * np.log(1 - x)
    g = found.counts / found.ml
    LL5 = 25 * math.log(0.5)
    return {
        "mu": found.ml,
        "mu_hand": 10 / 25,
        "LL": found.log_likelihood,
        "g": g,
        "lam": 25.0,
        "along": float(g @ np.array([1, 1]) / math.sqrt(2)),
        "LL5": LL5,
        "less": found.log_likelihood - LL5,
        "picture": LearningFigure(
            x,
            [Band("log-likelihood", curve)],
            "μ₁",
            "log-likelihood",
            chosen=int(curve.argmax()),
            title="25 rows",
        ),
    }


def W001_17(seen: Any) -> dict[str, Any]:
    sizes = (3, 2, 2, 3)
    logs = seen.naive.model_.nominal.log_level
    cells = round(float(np.exp(seen.joint.model_.joint.log_size.sum())))
    return {
        "cells": cells,
        "joint": 2 * cells,
        "joint_hand": 2 * math.prod(sizes),
        "levels": sum(sizes),
        "naive": sum(each.size for each in logs),
        "naive_hand": 2 * sum(sizes),
        "free_joint": seen.joint.n_parameters_,
        "free_naive": seen.naive.n_parameters_,
        "ten_joint": 2 * 3**10,
        "ten_naive": 2 * 30,
    }


def W001_18(seen: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"ml_hand": 3 / 5}
    x = np.linspace(0.01, 0.99, 99)
    bands = []
    for a, b in ((1, 1), (2, 2), (3, 1)):
        found = acumen.estimate(seen.tosses, (a, b))
        made |= {"ml": found.ml[0], f"map{a}{b}": found.map[0], f"bayes{a}{b}": found.bayes[0]}
        made |= {f"map{a}{b}_hand": (3 + a - 1) / (5 + a + b - 2), f"bayes{a}{b}_hand": (3 + a) / (5 + a + b)}
        bands.append(Band(f"Beta({a}, {b})", stats.beta.pdf(x, 3 + a, 2 + b)))
    return made | {
        "many": acumen.estimate([30, 20], (3, 1)).bayes[0],
        "picture": LearningFigure(
            x, bands, "probability of heads", "density", title="After 3 heads and 2 tails"
        ),
    }


def W001_19(seen: Any) -> dict[str, Any]:
    a, b = acumen.estimate([2, 3], "laplace").posterior
    right = math.gamma(a + b) / (math.gamma(a) * math.gamma(b))
    wrong = math.gamma(a + b + 1) / (math.gamma(a) * math.gamma(b))
    x = np.linspace(0, 1, 101)
    return {
        "ml": seen.found.ml,
        "lap": seen.found.bayes,
        "right": right,
        "wrong": wrong,
        "area": wrong / right,
        "fifty": acumen.estimate([50, 0], "laplace").bayes[1],
        "picture": LearningFigure(
            x, [Band("density", 6 * x**5)], "probability of heads", "density", title="Five heads"
        ),
    }


def W001_20(seen: Any) -> dict[str, Any]:
    grid = np.linspace(-3, 8, 221)
    likely = np.exp(-0.5 * ((seen.x[:, None] - grid) ** 2).sum(axis=0))
    posterior = np.exp(-0.5 * grid**2) * likely
    posterior /= posterior.sum() * (grid[1] - grid[0])
    step = grid[1] - grid[0]
    bands = [
        Band("before", stats.norm.pdf(grid)),
        Band("the data alone", stats.norm.pdf(grid, seen.x.mean(), 1 / math.sqrt(3))),
        Band("after", posterior),
    ]
    return {
        "mean": seen.found.mean,
        "var": seen.found.variance,
        "ml": seen.found.ml,
        "mean_hand": 3 * seen.x.mean() / 4,
        "var_hand": float((posterior * (grid - (posterior * grid).sum() * step) ** 2).sum() * step),
        "loose": acumen.estimate_normal_mean(seen.x, 1.0, prior_mean=0.0, prior_variance=100.0).mean,
        "picture": LearningFigure(grid, bands, "mean", "density", title="Belief about a mean"),
    }


def W001_21(seen: Any) -> dict[str, Any]:
    return {
        "each": ", ".join(f"{v:.2f}" for v in seen.variances),
        "mean": np.mean(seen.variances),
        "hand": np.mean([np.var(s) for s in product([0, 1], repeat=2)]),
        "true": np.var([0, 1]),
        "unbiased": np.mean([np.var(s, ddof=1) for s in product([0, 1], repeat=2)]),
    }


def W001_22(seen: Any) -> dict[str, Any]:
    def found(kind: str, m: int, k: int) -> int:
        X, y = seen.rng.normal(size=(30 * k, m)), np.arange(30 * k) % k
        return int(acumen.FullBayes(covariance=kind).fit(X, y).n_parameters_)

    def own(m: Any, k: int) -> Any:
        return k * (m + m * (m + 1) // 2)

    def shared(m: Any, k: int) -> Any:
        return k * m + m * (m + 1) // 2

    cases = ((2, 2), (4, 3), (10, 3))
    m = np.arange(1, 16)
    bands = [Band("a covariance for each class", own(m, 3)), Band("one for all", shared(m, 3))]
    return {
        "a": [found("full", *case) for case in cases],
        "b": [found("shared", *case) for case in cases],
        "ha": own(2, 2),
        "hb": shared(2, 2),
        "a100": own(100, 3),
        "b100": shared(100, 3),
        "picture": LearningFigure(m, bands, "attributes", "parameters", title="What a Gaussian needs"),
    }


def W001_23(seen: Any) -> dict[str, Any]:
    m = np.arange(1, 51)

    def shell(dimensions: int) -> float:
        return 1 - 0.9**dimensions

    return {
        "inner2": 0.9**2,
        "s2": shell(2),
        "s10": shell(10),
        "s20": shell(20),
        "h2": 1 - 0.81,
        "h10": 1 - 0.81**5,
        "h20": 1 - 0.81**10,
        "drawn": float(np.mean(np.linalg.norm(seen.points, axis=1) > 0.9)),
        "thin": 1 - 0.99**100,
        "picture": LearningFigure(
            m, [Band("in the shell", 1 - 0.9**m)], "dimensions", "share of the volume", title="The shell"
        ),
    }
