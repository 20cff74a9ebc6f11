"""Text 2: measures, curves, naive Bayes, margins, kernels, neighbours and ensembles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import acumen
from acumen.kernels import Polynomial
from acumen.render.bars_plot import Bar, BarsFigure
from acumen.render.class_histogram import LevelsFigure


def W002_10(seen: Any) -> dict[str, Any]:
    rates = seen.rates
    return {
        "p": rates.precision,
        "r": rates.recall,
        "f": rates.f1,
        "acc": rates.accuracy,
        "f50": 2 * 50 / (100 + 100),
        "acc50": (50 + 950) / 1100,
        "picture": acumen.confusion(seen.rows["actual"], seen.rows["said"]).figure(),
    }


def W002_11(seen: Any) -> dict[str, Any]:
    curve = seen.curve
    return {
        "tpr": curve.tpr,
        "fpr": curve.fpr,
        "auc": curve.auc,
        "won": 6 + 6 + 4 + 2,
        "swapped": acumen.roc(list("++-+---+--"), range(10, 0, -1), "+").auc,
        "picture": curve.figure(),
    }


def W002_12(seen: Any) -> dict[str, Any]:
    found = seen.found
    return {
        "share": found.shares,
        "cum": found.cumulative_shares,
        "lift": found.lift[0],
        "half": 0.5,
        "picture": found.figure(),
    }


def W002_13(seen: Any) -> dict[str, Any]:
    hand = 5 * seen.bins - 500.0
    scores = -np.repeat(np.arange(10), 1000)
    cheap = acumen.lift(seen.truth, scores, "buys").profit(cost_per_contact=0.2, gain_per_hit=5)
    return {
        "bin": seen.found.per_bin,
        "cum": seen.found.cumulative,
        "best": seen.found.best_bins,
        "h0": hand[0],
        "h1": hand[1],
        "h2": hand[2],
        "cheap": cheap.best_bins,
        "cheap_profit": cheap.best,
        "picture": seen.found.figure(),
    }


def W002_14(seen: Any) -> dict[str, Any]:
    frame = seen.rows.to_pandas().astype(str)

    def share(name: str, level: str, label: str) -> float:
        mine = frame[frame["C"] == label]
        return float((mine[name] == level).mean())

    of_a = np.exp(seen.model.model_.nominal.log_level[0])
    t, f = (seen.rows.schema.classes.index(c) for c in "tf")
    m = list(seen.rows.schema["A"].levels).index("m")
    of_b = np.exp(seen.model.model_.nominal.log_level[1])
    q = list(seen.rows.schema["B"].levels).index("q")
    pmt, pqt, pmf, pqf = of_a[t, m], of_b[t, q], of_a[f, m], of_b[f, q]
    table = [[float(((frame["A"] == a) & (frame["C"] == c)).sum()) for a in "mgh"] for c in "tf"]
    return {
        "mt": 5 * pmt,
        "qt": 5 * pqt,
        "mf": 5 * pmf,
        "qf": 5 * pqf,
        "pmt": pmt,
        "pqt": pqt,
        "pmf": pmf,
        "pqf": pqf,
        "jt": pmt * pqt / 2,
        "jf": pmf * pqf / 2,
        "p": seen.model.predict_proba(seen.asked)[0, t],
        "jtb": share("A", "h", "t") * share("B", "b", "t") / 2,
        "jfb": share("A", "h", "f") * share("B", "b", "f") / 2,
        "picture": LevelsFigure(["m", "g", "h"], table, ["t", "f"], "Attribute A by class"),
    }


def W002_15(seen: Any) -> dict[str, Any]:
    levels = list(seen.rows.schema["A"].levels)
    t = seen.rows.schema.classes.index("t")
    shares = np.exp(seen.model.model_.nominal.log_level[0])[t]
    tenth = np.exp(acumen.NaiveBayes(alpha=0.1).fit(seen.rows).model_.nominal.log_level[0])[t]
    m, g, h = (levels.index(level) for level in "mgh")
    return {
        "p": shares[m],
        "g": shares[g],
        "h": shares[h],
        "sum": shares.sum(),
        "hand": (2 + 1) / (5 + 3),
        "tenth": tenth[m],
    }


def W002_16(seen: Any) -> dict[str, Any]:
    p = np.exp(seen.model.model_.bags[0].log_present)
    X = seen.rows.numeric.matrix()
    n1 = X[:2].sum(axis=0)
    one, two = 2 / 3 * 4 / 8 * 2 / 8, 1 / 3 * 1 / 6 * 2 / 6
    return {
        "n1": n1,
        "p1": p[:, 0],
        "p2": p[:, 1],
        "h1": (n1[0] + 1) / (n1.sum() + 3),
        "h2": 1 / 6,
        "hp": one / (one + two),
        "p": seen.model.predict_proba([[1, 1, 0]])[0, 0],
        "long": seen.model.predict_proba([[1, 4, 0]])[0, 0],
    }


def W002_20(seen: Any) -> dict[str, Any]:
    X = seen.points.numeric.matrix()
    sides = np.array([float(str(v)) for v in seen.points.label_values()])
    w = np.array([1.0, 0.2])
    values = X @ w / np.linalg.norm(w)
    return {
        "norm": seen.line.norm_,
        "width": seen.line.margin_width_,
        "hand": 2 / math.sqrt(25 / 36 + 1 / 9),
        "other": values[sides > 0].min() - values[sides < 0].max(),
        "picture": seen.line.figure(seen.points),
    }


def homogeneous(x: Any) -> Any:
    """The features of (x.z)^2."""
    return np.array([x[0] ** 2, x[1] ** 2, math.sqrt(2) * x[0] * x[1]])


def W002_21(seen: Any) -> dict[str, Any]:
    return {
        "f": homogeneous(seen.row[0]),
        "g": homogeneous([3, 2]),
        "length": Polynomial(2, offset=0)(seen.row)[0, 0],
    }


def W002_22(seen: Any) -> dict[str, Any]:
    x, z = seen.rows
    one, two = homogeneous(x), homogeneous(z)
    return {
        "dot": x @ z,
        "k": Polynomial(2, offset=0)(seen.rows)[0, 1],
        "phi": one @ two,
        "a": one[2],
        "b": two[2],
        "one": Polynomial(2, offset=1)(seen.rows)[0, 1],
    }


def W002_23(seen: Any) -> dict[str, Any]:
    left = [sorted(set(range(1, 9)) - set(bag.astype(int).tolist())) for bag in seen.bags]
    drawn = acumen.Bootstrap(1000, "out-of-bag").splits(8, None, 0)
    return {
        "missing": "; ".join(", ".join(map(str, each)) for each in left),
        "total": sum(map(len, left)),
        "mean": sum(map(len, left)) / 32,
        "expected": (7 / 8) ** 8,
        "limit": math.exp(-1),
        "four": (7 / 8) ** 4,
        "simulated": float(np.mean([len(split.test) / 8 for split in drawn])),
    }


def W002_24(seen: Any) -> dict[str, Any]:
    from acumen.ensembles.adaboost_rounds import AdaBoostOptions

    w, wrong = seen.w, seen.wrong
    e = float(w[wrong].sum())
    beta = e / (1 - e)
    new = np.where(wrong, w / (2 * e), w / (2 * (1 - e)))  # what the kernel does
    hand = np.where(wrong, w, w * beta)
    hand = hand / hand.sum()  # what the text says
    vote = AdaBoostOptions(1, "reweight", "m1", 0).vote
    return {
        "e": e,
        "beta": beta,
        "hbeta": 0.35 / 0.65,
        "vote": vote(e, 2),
        "hvote": math.log(1 / beta),
        "w2": new,
        "h0": hand[0],
        "h1": hand[1],
        "h4": hand[4],
        "new": ", ".join(f"{x:.4f}" for x in new),
        "half": new[wrong].sum(),
        "tenth": vote(0.1, 2),
        "picture": BarsFigure(
            [
                Bar(f"row {i + 1}{' (wrong)' * bool(b)}", float(x), not b, float(o))
                for i, (x, b, o) in enumerate(zip(new, wrong, w, strict=True))
            ],
            "weight",
            "Weights after the round",
            "right",
            "wrong",
            "before",
        ),
    }


def W002_25(seen: Any) -> dict[str, Any]:
    columns = {name: seen.results.column(name) for name in seen.names}
    c45, bagged, boosted = columns["c45"], columns["bagged"], columns["boosted"]
    tables = seen.results.column("table")
    order = np.argsort(columns["boost_ratio"])
    return {
        "m": [columns[name].mean() for name in seen.names],
        "of_means": boosted.mean() / c45.mean(),
        "better": [int((bagged < c45).sum()), int((boosted < c45).sum()), int((boosted < bagged).sum())],
        "picture": BarsFigure(
            [
                Bar(str(tables[i]), float(columns["boost_ratio"][i]), columns["boost_ratio"][i] < 1)
                for i in order
            ],
            "boosted error over C4.5's",
            "Twenty-seven tables",
            "better",
            "worse",
        ),
    }


def W002_26(seen: Any) -> dict[str, Any]:
    found = seen.found
    truth = ["intrusion"] + ["nothing"] * 99
    other = acumen.confusion(truth, ["intrusion"] * 10 + ["nothing"] * 90)
    return {
        "acc": found.accuracy,
        "recall": found.recall[list(found.labels).index("intrusion")],
        "balanced": found.balanced_accuracy,
        "kappa": found.kappa,
        "other": other.accuracy,
        "other_balanced": other.balanced_accuracy,
        "picture": found.figure(),
    }


def W002_27(seen: Any) -> dict[str, Any]:
    p = seen.model.predict_proba([[4.87, 1.66]])[0]

    def says(k: int) -> str:
        model = acumen.KNN(k, scale=False).fit(seen.iris.numeric.matrix(), seen.iris.label_values())
        return str(model.predict([[4.87, 1.66]])[0]).removeprefix("Iris-")

    order = np.argsort(-p)
    return {
        "p": p[order],
        "names": [str(seen.model.classes_[i]).removeprefix("Iris-") for i in order],
        "k": 6 * p[order],
        "sum": p.sum(),
        "whole": np.abs(6 * p - np.round(6 * p)).max(),
        "one": says(1),
        "fifty": says(50),
        "picture": acumen.regions(acumen.KNN(6, scale=False), seen.iris),
    }
