"""What type checkers and editors see of the package, tried as somebody outside it would."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import acumen
from acumen.registry import entries

ROOT = Path(__file__).resolve().parents[1]

MISTAKES = """\
import acumen

acumen.NaiveBayes(alhpa=1)
acumen.DecisionTree(measure="ginni")
acumen.NaiveBayes().fitt(acumen.datasets.load("iris"))
acumen.KNN(neighbours=3)
acumen.NaiveBays()
acumen.datasets.laod("iris")
"""

RIGHT = """\
from typing import assert_type

import numpy as np

import acumen
from acumen import KNN, DecisionTree, NaiveBayes

iris = acumen.datasets.load("iris")
model = NaiveBayes(alpha=0.5, numeric="gaussian").fit(iris)
assert_type(model, NaiveBayes)
assert_type(model.score(iris), float)
print(model.predict(iris)[:3], model.predict_proba(iris).shape, model.partial_fit(iris))
tree = DecisionTree(measure="gini", stop_size=2, max_depth=None).fit(iris)
print(tree.to_svg(None, max_depth=3), tree.get_params()["measure"])
print(tree.set_params(confidence_factor=0.1).explain(iris.take([0])))
acumen.save(KNN(n_neighbors=3).fit(np.zeros((4, 2)), ["a", "a", "b", "b"]), "model.acm")
print(acumen.compare([model, tree], iris, random_state=0), acumen.assess(tree, iris))
print(acumen.RandomForest(n_estimators=5, max_features="sqrt").fit(iris).classes_)
print(acumen.KMeans(n_clusters=3, init="k-means++").fit(iris).labels_, acumen.SVM(kernel="rbf", C=1).fit(iris))
print(acumen.PrincipalComponents().fit_transform(iris), acumen.errors.DataError("x"), acumen.__version__)
"""


def _stub_tool() -> ModuleType:
    described = importlib.util.spec_from_file_location("stub_tool", ROOT / "tools" / "stub.py")
    assert described is not None and described.loader is not None
    made = importlib.util.module_from_spec(described)
    described.loader.exec_module(made)
    return made


def test_the_stub_of_the_package_is_current() -> None:
    made = _stub_tool().stub()
    assert (Path(acumen.__file__).parent / "__init__.pyi").read_text(encoding="utf-8") == made, (
        "run PYTHONPATH=src python tools/stub.py, and commit src/acumen/__init__.pyi"
    )


def test_the_stub_has_every_public_name() -> None:
    text = (Path(acumen.__file__).parent / "__init__.pyi").read_text(encoding="utf-8")
    for name in acumen.__all__[1:]:
        assert re.search(
            rf"^(from \S+ import {name} as {name}|class {name}\(_{name}\):)$", text, re.MULTILINE
        ), name


def _of_every_learner() -> str:
    """Two mistakes a learner: a parameter and a method that there are not."""
    names = [entry.name for entry in entries() if entry.name in acumen._HOMES]
    assert len(names) > 50
    wrong = [f"acumen.{name}(no_such_parameter=1)\nacumen.{name}.no_such_method" for name in names]
    return "\n".join(["import acumen", *wrong]) + "\n"


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What mypy says of three programs, line by line."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("types")
    programs = {"mistakes": MISTAKES, "right": RIGHT, "every": _of_every_learner()}
    for name, text in programs.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    home = Path(acumen.__file__).resolve().parents[1]
    # An installed package is found without being told of, and must not be.
    path = {} if home.name == "site-packages" else {"MYPYPATH": str(home)}
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", "--strict", "--cache-dir=cache"]
    command += ["--config-file=", *(f"{name}.py" for name in programs)]
    ran = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **path},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    lines = [line for line in ran.stdout.splitlines() if ": error: " in line]
    return {name: [line for line in lines if line.startswith(f"{name}.py:")] for name in programs}


@pytest.mark.slow
def test_the_three_mistakes_are_found_by_mypy(said: dict[str, list[str]]) -> None:
    found = "\n".join(said["mistakes"])
    assert [line.split(":")[1] for line in said["mistakes"]] == ["3", "4", "5", "6", "7", "8"], found
    for word in ('"alhpa"', "'ginni'", '"fitt"', '"neighbours"', '"NaiveBays"', '"laod"'):
        assert word in found, word


@pytest.mark.slow
def test_mypy_has_nothing_against_what_is_right(said: dict[str, list[str]]) -> None:
    assert said["right"] == []


@pytest.mark.slow
def test_mypy_knows_the_parameters_and_methods_of_every_learner(said: dict[str, list[str]]) -> None:
    lines = _of_every_learner().count("\n")
    assert [int(line.split(":")[1]) for line in said["every"]] == list(range(2, lines + 1))


def test_every_word_a_parameter_may_be_is_a_literal_in_its_type() -> None:
    """So that editors complete it, and checkers refuse others."""
    for entry in entries():
        for spec in entry.parameters:
            if isinstance(spec.default, str) and spec.name not in ("distance", "learner"):
                assert spec.default in spec.choices, (entry.name, spec.name)
