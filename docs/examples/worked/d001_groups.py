"""Text 1, lines 2100 to 2600: mixtures, scales, distances, groups, itemsets."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from scipy import stats

import acumen
from acumen.clusters.mixture import MixtureBlock, MixtureParameters, maximise, scatter_of
from acumen.preprocessing.scale import centre_and_spread
from acumen.render.bars_plot import Bar, BarsFigure
from acumen.render.learning_plot import Band, LearningFigure


def W001_24(seen: Any) -> dict[str, Any]:
    x = np.array([0.0, 1.0, 4.0, 5.0])
    densities = 0.5 * np.array([stats.norm.pdf(x, m, 1) for m in (0, 5)])
    q = densities / densities.sum(axis=0)
    bad = (q @ x) / 4  # the printed divisor
    spread = np.array([(q[j] * (x - bad[j]) ** 2).sum() / 4 for j in (0, 1)])
    wrong = MixtureParameters.of("diagonal", np.array([0.5, 0.5]), bad[:, None], spread[:, None])
    mixture, climbed = seen.start, []
    for _ in range(8):
        sums = scatter_of(seen.points, mixture)
        climbed.append(sums.likelihood)
        mixture = maximise(sums, mixture, 0.0, np.ones(1))
    made = acumen.GaussianMixture(2, covariance="diagonal", scale=False, random_state=0).fit(x[:, None])
    assert isinstance(seen.points, MixtureBlock)
    return {
        "q": ", ".join(f"{share:.4f}" for share in q[0]),
        "mu": seen.after.means.ravel(),
        "v": seen.after.covariances.ravel()[0],
        "LL0": scatter_of(seen.points, seen.start).likelihood,
        "LL1": scatter_of(seen.points, seen.after).likelihood,
        "bad": bad,
        "bad0": bad[0],
        "bad1": bad[1],
        "LLbad": scatter_of(seen.points, wrong).likelihood,
        "top": np.sort(np.ravel(made.means_)),
        "picture": LearningFigure(
            np.arange(8),
            [Band("log-likelihood", climbed)],
            "steps",
            "log-likelihood",
            title="Uphill, step by step",
        ),
    }


def W001_25(seen: Any) -> dict[str, Any]:
    low, width = centre_and_spread("min-max", seen.v, np.empty(0))
    mean, mad = centre_and_spread("mean-deviation", seen.v, np.empty(0))
    few = seen.v[:3]
    return {
        "mm": (seen.v - low) / width,
        "h1": (2 - 1) / (10 - 1),
        "mean": mean,
        "mad": mad,
        "hmad": (3 + 2 + 1 + 6) / 4,
        "sd": centre_and_spread("z-score", seen.v, np.empty(0))[1],
        "sd3": centre_and_spread("z-score", few, np.empty(0))[1],
        "mad3": centre_and_spread("mean-deviation", few, np.empty(0))[1],
    }


def W001_26(seen: Any) -> dict[str, Any]:
    a, b = seen.rows.numeric.matrix()
    d = acumen.distances
    found = [kind.between(seen.rows)[0, 1] for kind in seen.kinds]
    sigma = np.diag([4.0, 9.0])
    assert d is seen.d
    return {
        "l1": found[0],
        "l2": found[1],
        "l3": found[2],
        "mah": found[3] ** 2,
        "cos": 1 - found[4],
        "neg": (a - b).sum(),
        "mahbad": (a - b) @ sigma @ (a - b),
        "cosbad": a @ b / ((a @ a) * (b @ b)),
        "mm": float(np.linalg.norm((a - b) * [1, 10])),
    }


def W001_27(seen: Any) -> dict[str, Any]:
    rows = seen.rows.numeric.matrix()
    a, b = rows.astype(int)
    p, q, r, s = (int(np.sum((a == i) & (b == j))) for i, j in ((1, 1), (1, 0), (0, 1), (0, 0)))
    wide = np.hstack([rows, np.zeros((2, 100))])
    return {
        "p": p,
        "q": q,
        "r": r,
        "s": s,
        "m": [kind.between(seen.rows)[0, 1] for kind in seen.kinds],
        "h0": (q + r) / 5,
        "h1": (q + r) / (p + s),
        "h4": (q + r) / (p + q + r),
        "sym100": acumen.distances.Symmetric().between(acumen.read(wide))[0, 1],
    }


def W001_28(seen: Any) -> dict[str, Any]:
    x = seen.points[:, 0]

    def squares(labels: Any) -> float:
        labels = np.array(labels)
        return float(sum(((x[labels == g] - x[labels == g].mean()) ** 2).sum() for g in set(labels.tolist())))

    ways = {
        labels: squares(labels)
        for labels in itertools.product([0, 1], repeat=4)
        if labels[0] == 0 and sum(labels)
    }
    ranked = sorted(ways.items(), key=lambda item: item[1])
    bars = [
        Bar(" | ".join(",".join(f"{v:g}" for v in x[np.array(w) == g]) for g in (0, 1)), value)
        for w, value in ranked
    ]
    return {
        "best": seen.found.objective_,
        "hand": ranked[0][1],
        "n": len(ways),
        "second": ranked[1][1],
        "three": acumen.KMeans(3, scale=False, random_state=0).fit(seen.points).objective_,
        "picture": BarsFigure(bars, "sum of squares", "Seven ways to part four points"),
    }


def W001_29(seen: Any) -> dict[str, Any]:
    found, _ = seen.join_sets(seen.pairs, 3)
    fewer = {pair: 0 for pair in seen.pairs if pair != (0, 1)}
    overlapping = [
        set(a) | set(b) for a, b in itertools.combinations(seen.pairs, 2) if len(set(a) & set(b)) == 2
    ]
    return {
        "n": len(found),
        "none": len(overlapping),
        "less": len(seen.join_sets(fewer, 3)[0]),
        "made": ", ".join("(" + ",".join(str(i + 1) for i in each) + ")" for each in found),
    }


def W001_30(seen: Any) -> dict[str, Any]:
    rules = seen.rules
    at = {rules.body(i): i for i in range(len(rules))}
    house, good = at["Own_house=true",], at["Credit_Rating=good",]
    frame = seen.loan.to_pandas()
    yes = frame["Class"] == "Yes"
    order = np.argsort(-rules["confidence"])
    return {
        "house": rules.counts[house],
        "house_body": rules.body_counts[house],
        "house_conf": rules["confidence"][house],
        "good": rules.counts[good],
        "good_body": rules.body_counts[good],
        "good_conf": rules["confidence"][good],
        "hh": yes[frame["Own_house"] == "true"].mean(),
        "hg": yes[frame["Credit_Rating"] == "good"].mean(),
        "base": yes.mean(),
        "lift": rules["lift"][good],
        "picture": BarsFigure(
            [Bar(", ".join(rules.body(i)), float(rules["confidence"][i])) for i in order],
            "confidence of Yes",
            "One condition",
        ),
    }
