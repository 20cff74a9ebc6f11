#!/usr/bin/env python3
"""A minute with an installed acumen: whether every part of it works here, with the libraries that are here.

python tools/smoke.py        says what it tried on; anything that is wrong ends it with an error

It needs nothing but the package: cibuildwheel runs it on each wheel, `tools/dist.py` with the oldest libraries allowed.
"""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import acumen


def learn_and_keep(folder: Path) -> int:
    """Every learner that takes irises without being told more: fit, predict, save, load, predict the same."""
    from acumen.registry import entries

    iris = acumen.datasets.load("iris")
    done = 0
    for entry in entries():
        if entry.task.name not in ("classification", "clustering"):
            continue
        try:
            learner = entry.make()
        except TypeError:  # it wants a learner to be named
            continue
        if learner.objection(iris.schema) is not None:
            continue
        if "random_state" in learner.get_params(deep=False):
            learner.set_params(random_state=0)
        try:
            learner.fit(iris)
        except acumen.errors.AcumenError as error:
            print(f"  {entry.kind} says: {error}")
            continue
        path = folder / f"{entry.kind}.acm"
        acumen.save(learner, path)
        again = acumen.load(path)
        assert np.array_equal(again.predict(iris), learner.predict(iris)), entry.kind
        done += 1
    assert done > 30, done
    return done


def regress(folder: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = X @ [1.0, 2.0, 0.0] + 0.01 * rng.normal(size=80)
    for learner in (
        acumen.Ridge(),
        acumen.BoostingRegressor(n_estimators=20),
        acumen.KNNRegressor(n_neighbors=3),
        acumen.SVR(),
    ):
        assert learner.fit(X, y).score(X, y) > 0.5, learner


def judge() -> None:
    iris = acumen.datasets.load("iris")
    found = acumen.compare([acumen.NaiveBayes(), acumen.Majority()], iris, random_state=0)
    assert "NaiveBayes" in str(found)
    assert acumen.assess(acumen.DecisionTree(), iris, random_state=0) is not None


def leave(folder: Path) -> None:
    """A model in the forms that need no other package says what it says itself."""
    loan = acumen.datasets.load("loan")
    tree = acumen.DecisionTree(missing="majority").fit(loan)
    space: dict[str, Any] = {}
    exec(tree.to_python(), space)
    rows = [dict(zip(loan.schema.names, line, strict=True)) for line in _lines(loan)]
    assert [space["predict"](row) for row in rows] == tree.predict(loan).tolist()
    assert tree.to_sql("loans").startswith("SELECT t.*")
    assert acumen.to_pmml(tree, folder / "loan.pmml").startswith("<?xml")


def _lines(table: acumen.Table) -> list[tuple[Any, ...]]:
    columns = [[a.levels[code] for code in codes] for a, codes in table.nominal_columns()]
    return list(zip(*columns, strict=True))


def command(folder: Path) -> None:
    """The command itself, as it is installed."""

    def ran(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "acumen", *words], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    ran("inspect", "iris")
    ran("compare", "iris", "--folds", "3", "--repeats", "1", "--suite", "quick")
    ran("learn", "iris", "--learner", "decision-tree", "-o", "tree.acm")
    assert "petal" in ran("show", "tree.acm")
    assert ran("predict", "tree.acm", "iris").count("\n") == 151
    assert "acumen" in ran("completion", "bash")


def main() -> None:
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        done = learn_and_keep(folder)
        regress(folder)
        judge()
        leave(folder)
        command(folder)
    names = ("acumen-learn", "numpy", "scipy", "scikit-learn", "narwhals", "click", "rich")
    said = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
    print(f"well: {done} learners on Python {sys.version.split()[0]} with {said}")


if __name__ == "__main__":
    main()
