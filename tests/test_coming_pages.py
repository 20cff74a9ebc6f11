"""The tables of docs/coming/: every name of ours is there and takes its parameters, and what is said to be equal is.

The names of scikit-learn are looked up in the scikit-learn that is installed; those of Weka, Orange and R are not.
"""

from __future__ import annotations

import importlib
import re
import warnings
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.utils.discovery import all_estimators

import acumen
from acumen.cli.main import COMMANDS, cli

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "coming"
PAGES = sorted(FOLDER.glob("*.md"))


def rows(page: Path) -> list[list[str]]:
    """The rows of the tables of names: theirs, ours, what differs."""
    lines = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if len(row) == 3 and row[1] != "acumen"]


def spans(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """All that is public, a table and a fitted tree."""
    iris = acumen.datasets.load("iris")
    public = {name: getattr(acumen, name) for name in acumen.__all__}
    return {**public, "table": iris, "model": acumen.DecisionTree().fit(iris)}


def test_there_is_a_page_for_each() -> None:
    assert [page.stem for page in PAGES] == ["orange", "r", "rules", "scikit-learn", "weka"]
    for page in PAGES:
        assert len(rows(page)) >= (7 if page.stem == "rules" else 40), page.stem


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_name_of_ours_is_there_and_takes_its_parameters(page: Path, names: dict[str, Any]) -> None:
    for _, ours, _ in rows(page):
        assert spans(ours) or ours == "none", ours
        for said in spans(ours):
            if said.startswith("acumen "):
                _, command, *options = said.split()
                assert command in COMMANDS
                told = cli.get_command(click.Context(cli), command)
                assert told is not None
                known = {option for parameter in told.params for option in parameter.opts}
                assert set(options) <= known, said
            else:
                eval(said, dict(names))  # a learner made, a function looked up


def test_names_of_scikit_learn_are_there() -> None:
    known = {name for name, _ in all_estimators()}
    modules = [
        importlib.import_module(f"sklearn.{name}")
        for name in ("model_selection", "metrics", "calibration", "inspection")
    ]
    for theirs, _, _ in rows(FOLDER / "scikit-learn.md"):
        for name in spans(theirs):
            # The imputer by iterations is an experiment there, and in no list.
            assert (
                name in known
                or any(hasattr(module, name) for module in modules)
                or name == "IterativeImputer"
            )


def settled(name: str) -> Any:
    """An estimator of scikit-learn as the page means it: solved to the end, and without random numbers."""
    told: dict[str, dict[str, Any]] = {
        "LogisticRegression": {"tol": 1e-8, "max_iter": 20_000},
        "GaussianNB": {"var_smoothing": 0.0},
        "DecisionTreeClassifier": {"random_state": 0},
        "Lasso": {"tol": 1e-10},
        "SVR": {"C": 10.0},
    }
    return dict(all_estimators())[name](**told.get(name, {}))


EQUAL = [
    (theirs, ours)
    for row in rows(FOLDER / "scikit-learn.md")
    if row[2].startswith("=")
    for theirs in spans(row[0])
    for ours in spans(row[1])
]


@pytest.mark.parametrize(("theirs", "ours"), EQUAL)
def test_what_is_said_to_be_equal_is(theirs: str, ours: str, names: dict[str, Any]) -> None:
    peer, mine = settled(theirs), eval(ours, dict(names))
    if theirs == "SVR":
        mine.set_params(C=10.0)
    if not is_classifier(peer):
        X, y = load_diabetes(return_X_y=True)
        np.testing.assert_allclose(mine.fit(X, y).predict(X), peer.fit(X, y).predict(X), rtol=1e-5)
        return
    for X, y in (load_iris(return_X_y=True), load_breast_cancer(return_X_y=True)):
        X = X[:, :6]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            peer.fit(X, y)
            mine.fit(X, y)
        # A row may have neighbours equally far.
        assert (peer.predict(X) == mine.predict(X)).mean() >= (0.99 if "Neighbors" in theirs else 1.0)


def test_ten_names_and_more_are_held_equal() -> None:
    assert len(EQUAL) >= 14
