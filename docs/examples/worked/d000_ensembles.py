"""Text 0, lines 2589 to 2931: ensembles. Their samples are not printed; what must hold for any sample is checked."""

from __future__ import annotations

from typing import Any

import numpy as np

import acumen
from acumen.render.bars_plot import Bar, BarsFigure
from acumen.render.learning_plot import Band, LearningFigure


def W000_46(seen: Any) -> dict[str, Any]:
    said = seen.votes.predict(seen.X)
    wrong = int((said != seen.y).sum())
    counts, losses = [3, 5, 7], []
    for n in counts:
        model = acumen.Bagging(acumen.SVM(kernel="poly", degree=2), n_estimators=n, random_state=0).fit(
            seen.X, seen.y
        )
        losses.append(float(np.mean(model.predict(seen.X) != seen.y)))
    squared = float(np.mean((said - seen.y) ** 2))
    p = {k: 150 * v for k, v in {3: 0.047, 5: 0.04, 8: 0.02, 10: 0.027}.items()}
    q = {k: 150 * v for k, v in {3: 0.187, 5: 0.16, 8: 0.10, 10: 0.113}.items()}
    ties = {k: round(q[k]) - 4 * round(p[k]) for k in p}
    return {
        "n": 3,
        "wrong": wrong,
        "zero_one": wrong / 150,
        "squared": squared,
        "four": squared / (wrong / 150),
        "p3": p[3],
        "q3": q[3],
        "p5": p[5],
        "q5": q[5],
        "p8": p[8],
        "q8": q[8],
        "t8": ties[8],
        "t10": ties[10],
        "five": round(150 * losses[1]),
        "picture": LearningFigure(
            counts, [Band("zero-one loss", losses)], "machines", "loss", title="Machines that vote"
        ),
    }


def W000_47(seen: Any) -> dict[str, Any]:
    bag = seen.forest.out_of_bag_
    train = 1 - seen.forest.score(seen.X, seen.y)
    out = (149 / 150) ** 150
    return {
        "train": 150 * train,
        "train_rate": train,
        "voted": bag.error,
        "all": bag.error_all,
        "gap": bag.error_all - train,
        "silent": 150 * (1 - out) ** 5,
        "out": out,
        "picture": bag.figure(),
    }


def W000_48(seen: Any) -> dict[str, Any]:
    every = np.mean([bag.curve_all for bag in seen.bags], axis=0)
    voted = np.mean([bag.curve for bag in seen.bags], axis=0)
    inside = 1 - (149 / 150) ** 150
    bands = [Band("all rows", every), Band("rows with a vote", voted)]
    return {
        "in1": inside,
        "wrong1": inside * 2 / 3,
        "all": every,
        "voted": voted,
        "picture": LearningFigure(
            np.arange(1, 11), bands, "trees", "out-of-bag error", title="Rows without a vote"
        ),
    }


def W000_49(seen: Any) -> dict[str, Any]:
    e = np.linspace(0.02, 0.5, 60)
    votes = np.array([seen.how.vote(float(x), 2) for x in e])
    return {
        "v": [seen.how.vote(x, 2) for x in (0.280, 0.305, 0.174, 0.282)],
        "low": seen.how.vote(0.3055, 2),
        "high": seen.how.vote(0.3045, 2),
        "half": abs(np.log(1.0)),
        "picture": LearningFigure(
            e, [Band("vote", votes)], "weighted error", "vote", title="What a vote weighs"
        ),
    }


def W000_50(seen: Any) -> dict[str, Any]:
    combined = np.asarray(seen.trace.combined)
    rounds = np.arange(1, len(combined) + 1)
    return {
        "e1": seen.trace[0].error,
        "first": seen.trace[0].combined - seen.trace[0].error,
        "rounds": len(combined),
        "last": combined[-1],
        "fall": combined[-1] / combined[0],
        "rows": [round(150 * r) for r in (0.280, 0.253, 0.073, 0.047)],
        "picture": LearningFigure(
            rounds, [Band("combined", combined)], "rounds", "training error", title="Boosting"
        ),
    }


def W000_51(seen: Any) -> dict[str, Any]:
    def halves(seed: int) -> tuple[Any, Any]:
        order = np.random.default_rng(seed).permutation(150)
        return order[:100], order[100:]

    def scores(seed: int) -> dict[str, float]:
        learn, test = halves(seed)
        return {
            n: part.fit(seen.X[learn], seen.y[learn]).score(seen.X[test], seen.y[test])
            for n, part in seen.parts.items()
        }

    _, test = halves(0)
    stack = seen.stack.score(seen.X[test], seen.y[test])
    alone = scores(0)
    bars = [*(Bar(name, score) for name, score in alone.items()), Bar("stacked", stack)]
    return {
        **alone,
        "stack": stack,
        "rows": 50 * stack,
        "whole": abs(50 * stack - round(50 * stack)),
        "edge": stack - max(alone.values()),
        "picture": BarsFigure(bars, "accuracy on 50 rows", "One split"),
    }


def W000_52(seen: Any) -> dict[str, Any]:
    grid = [0.01, 0.1, 1.0, 10.0]
    changes = [
        acumen.stability(acumen.SVM(C=C, gamma=2.0), seen.table, n_repeats=12, random_state=0).changes
        for C in grid[1:]
    ]
    every = [seen.tight, *changes, seen.free]
    return {
        "tight": seen.tight,
        "free": seen.free,
        "more": seen.free - seen.tight,
        "middle": changes[1],
        "picture": LearningFigure(
            [*grid, 100.0],
            [Band("changes", every)],
            "C",
            "answers that change",
            log=True,
            title="Freedom and wobble",
        ),
    }
