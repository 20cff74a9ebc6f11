"""Additive models beside EBM and HistGradientBoosting, and gradient boosting beside LightGBM, in one run.

    python benchmarks/additive.py              all cases
    python benchmarks/additive.py additive     32,000 x 14 mixed, smoothing chosen, beside HistGradientBoosting and EBM
    python benchmarks/additive.py pairs        the same with pairs="auto" beside EBM with its interactions
    python benchmarks/additive.py boosting     100,000 x 20, 100 rounds, 31 leaves, beside LightGBM
    python benchmarks/additive.py growth       the cost as rows, columns and rounds double

Log loss on rows held out must be as good as the peer's before a ratio is printed. What bounds each: a Newton step of an
additive model adds each row once to the two-way table of every two columns (105 of 14) and factorises the square of all
slots; a tree of boosting adds about 3.5 cells of four columns a row, at a store each. Times under load say little: the
processor's are printed beside them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from clock import best, interleaved, line
from sklearn.datasets import make_classification

import acumen


def people(rows: int, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """Six columns of numbers, two of them spiky, and eight of levels, as a census has them; log-odds add up."""
    rng = np.random.default_rng(seed)
    age = rng.integers(17, 91, rows).astype(float)
    hours = np.where(rng.random(rows) < 0.45, 40.0, np.clip(rng.normal(40, 14, rows), 1, 99).round())
    gain = np.where(rng.random(rows) < 0.92, 0.0, rng.lognormal(8.5, 1.2, rows).round())
    loss = np.where(rng.random(rows) < 0.95, 0.0, rng.normal(1900, 350, rows).round())
    years = rng.integers(1, 17, rows).astype(float)
    weight = rng.lognormal(12, 0.5, rows).round()
    levels = {
        name: rng.integers(0, n, rows)
        for name, n in zip("abcdefgh", (8, 16, 7, 14, 6, 5, 2, 40), strict=True)
    }
    effects = np.random.default_rng(99)
    score = -2.2 - ((age - 48) / 15) ** 2 + 0.03 * (hours - 40) + 0.25 * (years - 10) + 1.5 * (gain > 5000)
    score += 0.8 * (loss > 1800)
    for name, codes in levels.items():
        score += effects.normal(0, 0.5, 40)[codes] if name != "d" else effects.normal(0, 1.0, 40)[codes]
    y = rng.random(rows) < 1 / (1 + np.exp(-score))
    frame = pd.DataFrame(
        {"age": age, "hours": hours, "gain": gain, "loss": loss, "years": years, "weight": weight}
    )
    for name, codes in levels.items():
        frame[name] = pd.Categorical.from_codes(codes, [f"{name}{i}" for i in range(codes.max() + 1)])
    return frame, np.where(y, "yes", "no")


def log_loss(model: Any, X: Any, y: Any) -> float:
    p = model.predict_proba(X)
    at = np.searchsorted(model.classes_, y)
    return float(-np.log(np.clip(p[np.arange(len(y)), at], 1e-15, 1)).mean())


def as_good(ours: float, theirs: float, slack: float = 1.02) -> None:
    """Fail where the loss is larger by more than noise."""
    print(f"    log loss of rows held out: {ours:.4f}, peer {theirs:.4f}")
    assert ours < theirs * slack, (ours, theirs)


def histogram_boosting() -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0)


def ebm(interactions: int) -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(interactions=interactions, n_jobs=2, random_state=0)


def beside(
    name: str, ours: Callable[[], Any], theirs: Callable[[], Any], wanted: float, repeats: int = 2
) -> None:
    X, y = people(32_000)
    held, truth = people(32_000, seed=1)
    as_good(log_loss(ours().fit(X, y), held, truth), log_loss(theirs().fit(X, y), held, truth))
    line(name, *interleaved(repeats, lambda: ours().fit(X, y), lambda: theirs().fit(X, y)), wanted)


def additive() -> None:
    beside("Additive, 32,000 x 14; HistGradientBoosting", acumen.Additive, histogram_boosting, 1.0)
    beside("Additive, 32,000 x 14; EBM without pairs", acumen.Additive, lambda: ebm(0), 100.0, 1)


def pairs() -> None:
    beside(
        "Additive(pairs='auto'), 32,000 x 14; EBM with 10", lambda: acumen.Additive(pairs="auto"), lambda: ebm(10),
        100.0, 1,
    )  # fmt: skip


def boosting() -> None:
    from lightgbm import LGBMClassifier

    X, y = make_classification(200_000, 20, n_informative=10, n_redundant=4, flip_y=0.01, random_state=0)
    X, y, held, truth = X[:100_000], y[:100_000], X[100_000:], y[100_000:]
    for threads in (1, 2):

        def ours(n: int = threads) -> Any:
            return acumen.Boosting(n_estimators=100, n_jobs=n).fit(X, y)

        def theirs(n: int = threads) -> Any:
            return LGBMClassifier(n_estimators=100, num_leaves=31, n_jobs=n, verbose=-1).fit(X, y)

        as_good(log_loss(ours(), held, truth), log_loss(theirs(), held, truth))
        line(
            f"Boosting, 100,000 x 20, 100 rounds, {threads} threads; LightGBM",
            *interleaved(2, ours, theirs),
            1 / 1.3,
        )
    one, two = (acumen.Boosting(n_estimators=20, n_jobs=n).fit(X, y).model_.packed for n in (1, 2))
    assert one.value.tobytes() == two.value.tobytes() and one.node.tobytes() == two.node.tobytes()
    print("    the same bytes for one thread and for two")


def growth() -> None:
    for rows in (16_000, 32_000, 64_000):
        X, y = people(rows)
        took = best(lambda: acumen.Additive().fit(X, y), 1)  # noqa: B023 - called now
        print(f"Additive, {rows:>7,} x 14: {took:.3f} s")
    for rounds in (50, 100, 200):
        X, y = make_classification(50_000, 20, n_informative=10, random_state=0)
        took = best(lambda: acumen.Boosting(n_estimators=rounds).fit(X, y), 1)  # noqa: B023 - called now
        print(f"Boosting, 50,000 x 20, {rounds} rounds: {took:.3f} s")


CASES = {each.__name__: each for each in (additive, pairs, boosting, growth)}

if __name__ == "__main__":
    for wanted in sys.argv[1:] or CASES:
        CASES[wanted]()
