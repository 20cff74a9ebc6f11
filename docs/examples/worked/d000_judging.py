"""Text 0, lines 1820 to 2519: measures, curves, resampling, intervals and tests."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats

import acumen
from acumen.assessment.statistics.intervals import interval, mean, variance
from acumen.assessment.statistics.paired import paired_t
from acumen.render.bars_plot import Bar, BarsFigure
from acumen.render.interval_plot import IntervalFigure, IntervalRow
from acumen.render.learning_plot import Band, LearningFigure


def W000_33(seen: Any) -> dict[str, Any]:
    found = seen.found
    matrix = found.matrix
    return {
        "n": matrix.sum(),
        "right": np.trace(matrix),
        "wrong": matrix.sum() - np.trace(matrix),
        "error": found.error,
        "accuracy": found.accuracy,
        "prec": found.precision,
        "rec": found.recall,
        "f": found.f1,
        "F": found.macro_f1,
        "m2": matrix[1].sum(),
        "n2": matrix[:, 1].sum(),
        "cost": 3 * matrix[1, 2] + matrix[2, 1],
        "picture": found.figure(),
    }


def W000_34(seen: Any) -> dict[str, Any]:
    model = seen.model.model_
    rest = np.delete(seen.y, seen.kept)
    mu = model.numeric.mean
    every = seen.X[seen.y == "c1", 0].mean()
    table = acumen.PrincipalComponents(2, signs=(-1, 1)).fit(seen.iris).transform(seen.iris).to_pandas()
    table["class"] = seen.y
    return {
        "n1": int((rest == "c1").sum()),
        "n2": int((rest == "c2").sum()),
        "p1": np.exp(model.log_prior[0]),
        "p2": np.exp(model.log_prior[1]),
        "mu": mu,
        "v": model.numeric.variance,
        "every": every,
        "moved": abs(every - mu[0][0]),
        "picture": acumen.regions(acumen.NaiveBayes(), acumen.read(table, target="class")),
    }


def W000_35(seen: Any) -> dict[str, Any]:
    truth = seen.y[seen.kept]
    found = acumen.confusion(truth, seen.model.predict(seen.X[seen.kept]))
    rates = found.rates("c1")
    strict = seen.model.predict_proba(seen.X[seen.kept])[:, 0] >= 0.7
    return {
        "TP": round(rates.TP),
        "FP": round(rates.FP),
        "FN": round(rates.FN),
        "TN": round(rates.TN),
        "error": rates.error,
        "precP": rates.precision,
        "precN": rates.negative_precision,
        "sens": rates.sensitivity,
        "spec": rates.specificity,
        "FNR": rates.FNR,
        "FPR": rates.FPR,
        "strict_TP": int(np.sum(strict & (truth == "c1"))),
        "strict_FP": int(np.sum(strict & (truth == "c2"))),
        "picture": found.figure(),
    }


def W000_36(seen: Any) -> dict[str, Any]:
    scores = seen.model.predict_proba(seen.X[seen.kept])[:, 0]
    order = np.argsort(-scores)
    every = acumen.NaiveBayes(var_floor=0).fit(seen.X, seen.y)
    truth = seen.y[seen.kept][order]
    bars = [
        Bar(f"row {seen.kept[at] + 1} ({label})", scores[at], label == "c1")
        for at, label in zip(order[:19], truth, strict=False)
    ]
    return {
        "s": scores[order],
        "rows": seen.kept[order] + 1,
        "every": every.predict_proba(seen.X[seen.kept])[order[-1], 0],
        "picture": BarsFigure(bars, "P(c1 | x)", "The highest scores", "versicolor", "another species"),
    }


def W000_37(seen: Any) -> dict[str, Any]:
    truth, scores = seen.y[seen.kept], seen.model.predict_proba(seen.X[seen.kept])[:, 0]
    first, second = scores[truth == "c1"], scores[truth == "c2"]
    curve = acumen.roc(truth, scores, "c1")
    return {
        "pairs": len(first) * len(second),
        "won": (first[:, None] > second).sum(),
        "auc": curve.auc,
        "tied": acumen.roc(truth, np.where(scores > 0.01, scores.round(2), scores), "c1").auc,
        "picture": curve.figure(),
    }


def W000_38(seen: Any) -> dict[str, Any]:
    curve = seen.curve
    area = np.cumsum(np.diff(curve.fpr) * (curve.tpr[1:] + curve.tpr[:-1]) / 2)
    labels = ["c1", "c1", "c1", "c2", "c2"]
    return {
        "fpr": curve.fpr,
        "tpr": curve.tpr,
        "area": area,
        "auc": curve.auc,
        "picture": curve.figure(),
        "best": acumen.roc(labels, [5, 4, 3, 2, 1], "c1").auc,
        "worst": acumen.roc(["c1", "c2", "c1", "c1", "c2"], [5, 4, 3, 2, 1], "c1").auc,
    }


def of_folds(rates: Any, title: str) -> BarsFigure:
    """A bar for each fold."""
    return BarsFigure([Bar(f"fold {i}", float(r)) for i, r in enumerate(rates, start=1)], "error", title)


def W000_39(seen: Any) -> dict[str, Any]:
    e = seen.errors
    other = np.where(np.arange(5) == 3, 7 / 30, e)
    return {
        "rates": ", ".join(f"{r:.3f}" for r in e),
        "mean": mean(e),
        "squares": ((e - e.mean()) ** 2).sum(),
        "var": variance(e),
        "var_K": e.var(),
        "mean2": mean(other),
        "var2": variance(other),
        "picture": of_folds(e, "Five folds"),
    }


def W000_40(seen: Any) -> dict[str, Any]:
    runs = seen.found.values.reshape(10, 5)
    means = runs.mean(axis=1)
    wrong = 150 * (1 - acumen.FullBayes().fit(seen.iris).score(seen.iris))
    rows = [IntervalRow(f"run {i}", float(m)) for i, m in enumerate(means, start=1)]
    return {
        "mean": means.mean(),
        "low": means.min(),
        "high": means.max(),
        "var": runs.var(axis=1, ddof=1).mean(),
        "resub": wrong,
        "resub_rate": round(wrong) / 150,
        "picture": IntervalFigure(rows, "error", "Ten runs of five folds"),
    }


def W000_41(seen: Any) -> dict[str, Any]:
    n = np.arange(2, 61)
    return {
        "p10": 0.9**10,
        "p150": (149 / 150) ** 150,
        "limit": math.exp(-1),
        "simulated": np.mean(seen.shares),
        "half": (149 / 150) ** 75,
        "picture": LearningFigure(
            n, [Band("never drawn", (1 - 1 / n) ** n)], "rows", "probability", title="Never drawn"
        ),
    }


def W000_42(seen: Any) -> dict[str, Any]:
    from acumen.render.class_histogram import HistogramFigure

    edges = np.linspace(seen.found.values.min() - 1e-9, seen.found.values.max() + 1e-9, 13)
    cv = acumen.assess(acumen.FullBayes(), seen.iris, acumen.KFold(5, n_repeats=10), random_state=0)
    counts = np.histogram(seen.found.values, edges)[0]
    return {
        "mean": seen.found.mean,
        "var": seen.found.variance,
        "cv": cv.mean,
        "picture": HistogramFigure(edges, [counts], ["samples"], "Error rates of fifty samples"),
    }


def W000_43(seen: Any) -> dict[str, Any]:
    e = seen.errors
    i95, i99 = (interval(e, level, "normal") for level in (0.95, 0.99))
    rows = [
        IntervalRow("95 %", i95.estimate, i95.low, i95.high),
        IntervalRow("99 %", i99.estimate, i99.low, i99.high),
    ]
    return {
        "sd": e.std(ddof=1),
        "se": e.std(ddof=1) / math.sqrt(5),
        "z95": stats.norm.ppf(0.975),
        "z99": stats.norm.ppf(0.995),
        "half95": i95.half,
        "low95": i95.low,
        "high95": i95.high,
        "half99": i99.half,
        "low99": i99.low,
        "high99": i99.high,
        "half_K": stats.norm.ppf(0.975) * e.std() / math.sqrt(5),
        "picture": IntervalFigure(rows, "error", "By the normal distribution"),
    }


def W000_44(seen: Any) -> dict[str, Any]:
    e = seen.errors
    i95, i99 = interval(e, 0.95), interval(e, 0.99)
    rows = [
        IntervalRow(f"{kind}, {level:.0%}", found.estimate, found.low, found.high)
        for kind in ("normal", "t")
        for level in (0.95, 0.99)
        for found in [interval(e, level, kind)]
    ]
    t50 = stats.t.ppf(0.975, 49)
    return {
        "t95": stats.t.ppf(0.975, 4),
        "t99": stats.t.ppf(0.995, 4),
        "half95": i95.half,
        "low95": i95.low,
        "high95": i95.high,
        "half99": i99.half,
        "low99": i99.low,
        "high99": i99.high,
        "t50": t50,
        "half50": t50 * e.std(ddof=1) / math.sqrt(50),
        "picture": IntervalFigure(rows, "error", "Four intervals of one mean"),
    }


def W000_45(seen: Any) -> dict[str, Any]:
    a, b = seen.folds.column("A") / 30, seen.folds.column("B") / 30
    found, d = paired_t(a, b), a - b
    other = b.copy()
    other[2] = a[2] - 2 / 30
    return {
        "delta": ", ".join(f"{x:.3f}" for x in d),
        "mean": found.estimate,
        "var": variance(d),
        "var_K": d.var(),
        "sd": math.sqrt(variance(d)),
        "Z": found.statistic,
        "chain_Z": math.sqrt(5) * 0.033 / 0.0577,
        "t": stats.t.ppf(0.975, 4),
        "p": found.p,
        "Z2": paired_t(a, other).statistic,
        "picture": BarsFigure(
            [Bar(f"fold {i}", float(x)) for i, x in enumerate(d, 1)], "A − B", "Differences of error"
        ),
    }
