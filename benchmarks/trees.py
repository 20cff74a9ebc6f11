"""Decision trees beside scikit-learn's and one exact tree of XGBoost, in one run, all with both cores.

    python benchmarks/trees.py               all cases but those of a million rows
    python benchmarks/trees.py numbers       100,000 x 20 numbers, two classes, fully grown
    python benchmarks/trees.py million       the same with 1,000,000 rows (scikit-learn takes some minutes)
    python benchmarks/trees.py mixed         48,000 census-like rows: numbers, 100-level attributes, 5 % missing
    python benchmarks/trees.py predict       a million rows
    python benchmarks/trees.py memory        the peak of growing, beyond the table

Learners take turns, the best time of each counts, and accuracy on rows held out must be within noise of the peer's
before a ratio (peer's time over acumen's) is printed.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_classification
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import acumen

FULL: dict[str, Any] = {"measure": "gini", "split": "binary", "prune": "none"}


def taking_turns(works: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """The shortest time of each, in seconds."""
    times: dict[str, float] = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            times[name] = min(times[name], time.perf_counter() - start)
    return times


def line(name: str, ours: float, theirs: float, wanted: float) -> None:
    verdict = "ok" if theirs / ours >= wanted else "BELOW"
    print(
        f"{name:<66} {ours:8.3f} s {theirs:8.3f} s  x{theirs / ours:6.1f}  (wanted {wanted:g}) {verdict}",
        flush=True,
    )


def as_good(ours: float, theirs: float, rows: int) -> None:
    """Fail where accuracy is lower by more than three standard errors."""
    error = (theirs * (1 - theirs) / rows) ** 0.5
    print(f"    accuracy on {rows} rows held out: {ours:.4f}, peer {theirs:.4f}")
    assert ours > theirs - 3 * error, (ours, theirs)


def classification(rows: int) -> tuple[Any, Any]:
    return make_classification(rows, 20, n_informative=10, random_state=0)


def exact_xgboost() -> Any:
    """One tree, grown to pure leaves by exact cuts."""
    from xgboost import XGBClassifier

    return XGBClassifier(
        n_estimators=1, tree_method="exact", max_depth=100, min_child_weight=0, reg_lambda=0, gamma=0,
        learning_rate=1, base_score=0.5, n_jobs=2,
    )  # fmt: skip


def grown(rows: int, wanted: float, rounds: int) -> None:
    X, y = classification(rows + rows // 5)
    X, y, held, truth = X[:rows], y[:rows], X[rows:], y[rows:]
    ours, plain = acumen.DecisionTree(**FULL), acumen.DecisionTree()
    theirs, boosted = DecisionTreeClassifier(random_state=0), exact_xgboost()
    fits = {
        "ours": lambda: ours.fit(X, y),
        "plain": lambda: plain.fit(X, y),
        "boosted": lambda: boosted.fit(X, y),
    }
    times = taking_turns(fits, max(rounds, 3))
    times |= taking_turns({"ours": fits["ours"], "theirs": lambda: theirs.fit(X, y)}, rounds)
    name = f"{rows:,} x 20 numbers, two classes"
    as_good(ours.score(held, truth), theirs.score(held, truth), len(truth))
    line(f"{name}, fully grown, scikit-learn", times["ours"], times["theirs"], wanted)
    as_good(ours.score(held, truth), boosted.score(held, truth), len(truth))
    line(f"{name}, fully grown, one exact XGBoost tree", times["ours"], times["boosted"], 1)
    as_good(plain.score(held, truth), theirs.score(held, truth), len(truth))
    line(f"{name}, DecisionTree() with its pruning, scikit-learn", times["plain"], times["theirs"], wanted)


def numbers() -> None:
    grown(100_000, 10, 3)


def million() -> None:
    grown(1_000_000, 16, 1)


def census(rows: int, seed: int = 0) -> pd.DataFrame:
    """Six numbers, eight nominal attributes of up to 100 levels, 5 % missing, a class of a quarter of the rows."""
    rng = np.random.default_rng(seed)
    frame: dict[str, Any] = {
        "age": rng.integers(17, 90, rows).astype(float),
        "weight": rng.lognormal(12, 0.5, rows).round(),
        "years": rng.integers(1, 17, rows).astype(float),
        "gain": np.where(rng.random(rows) < 0.9, 0, rng.lognormal(8, 1, rows).round()),
        "loss": np.where(rng.random(rows) < 0.95, 0, rng.lognormal(7, 0.5, rows).round()),
        "hours": rng.normal(40, 12, rows).clip(1, 99).round(),
    }
    odds = 0.04 * (frame["age"] - 40) + 0.3 * (frame["years"] - 10) + 0.03 * (frame["hours"] - 40)
    odds += 3.0 * (frame["gain"] > 5000) - 2.0
    effects = np.random.default_rng(7)
    for name, levels in {
        "occupation": 100, "place": 100, "employer": 100, "school": 50, "country": 40, "status": 7, "race": 5, "sex": 2,
    }.items():  # fmt: skip
        share = effects.dirichlet(np.full(levels, 0.7))
        codes = rng.choice(levels, rows, p=share)
        odds += (0.8 * effects.normal(size=levels))[codes]
        frame[name] = np.array([f"{name} {i}" for i in range(levels)])[codes]
    label = np.where(rng.random(rows) < 1 / (1 + np.exp(-odds)), "over", "under")
    made = pd.DataFrame(frame)
    for name in made.columns:
        made.loc[rng.random(rows) < 0.05, name] = None
    made["class"] = label
    return made


def one_hot() -> Any:
    """Imputation and one-hot columns before scikit-learn's tree; dense, which its tree takes faster."""
    frame = census(10).drop(columns="class")
    names = [c for c in frame.columns if frame[c].dtype != np.float64]
    levels = make_pipeline(
        SimpleImputer(strategy="most_frequent"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False, dtype=np.float32),
    )
    rest = [c for c in frame.columns if c not in names]
    columns = ColumnTransformer([("levels", levels, names), ("numbers", SimpleImputer(), rest)])
    return make_pipeline(columns, DecisionTreeClassifier(random_state=0))


def mixed() -> None:
    rows, held = census(48_000), census(12_000, seed=1)
    X, y, tested, truth = rows.drop(columns="class"), rows["class"], held.drop(columns="class"), held["class"]
    theirs = one_hot()
    for name, ours in {
        "fully grown": acumen.DecisionTree(**FULL),
        "fully grown, majority for missing": acumen.DecisionTree(**FULL, missing="majority"),
        "DecisionTree()": acumen.DecisionTree(),
    }.items():
        works = {"ours": partial(ours.fit, X, y), "theirs": partial(theirs.fit, X, y)}
        times = taking_turns(works, 3)
        as_good(ours.score(tested, truth), theirs.score(tested, truth), len(truth))
        line(f"48,000 mixed rows, {name}, scikit-learn with one-hot", times["ours"], times["theirs"], 10)


def predict() -> None:
    X, y = classification(1_000_000)
    some = slice(0, 100_000)
    ours = acumen.DecisionTree(**FULL).fit(X[some], y[some])
    theirs = DecisionTreeClassifier(random_state=0).fit(X[some], y[some])
    times = taking_turns({"ours": lambda: ours.predict(X), "theirs": lambda: theirs.predict(X)}, 5)
    agree = np.mean(ours.predict(X) == theirs.predict(X))
    print(f"    the two agree on {100 * agree:.1f} % of the rows")
    line("predict 1,000,000 x 20, trees of 100,000 rows", times["ours"], times["theirs"], 1)
    singles = X.astype(np.float32)
    start = min(taking_turns({"theirs": lambda: theirs.predict(singles)}, 3).values())
    line("    the same, scikit-learn given the float32 it wants", times["ours"], start, 1)


def memory() -> None:
    """The peak beyond what is there before growing, in a process of its own; at most twice the table beside it."""
    code = f"""
import numpy as np, acumen
from sklearn.datasets import make_classification
def peak():
    return next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmHWM"))
def now():
    return next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmRSS"))
X, y = make_classification(1_000_000, 20, n_informative=10, random_state=0)
acumen.DecisionTree(**{FULL!r}).fit(X[:1000], y[:1000])
before = now()
open("/proc/self/clear_refs", "w").write("5")  # the peak is counted from here
acumen.DecisionTree(**{FULL!r}).fit(X, y)
print(peak() - before, X.nbytes // 1024)
"""
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    more, table = (int(x) / 1024 for x in out)
    verdict = "ok" if more + table <= 3 * table else "ABOVE"
    print(
        f"memory: 1M x 20 is {table:.0f} MB, growing takes {more:.0f} MB more: {1 + more / table:.2f} times {verdict}"
    )


CASES = {"numbers": numbers, "mixed": mixed, "predict": predict, "memory": memory, "million": million}


def main(asked: list[str]) -> None:
    for name, case in CASES.items():
        if (not asked and name != "million") or any(name.startswith(word) for word in asked):
            case()


if __name__ == "__main__":
    main(sys.argv[1:])
