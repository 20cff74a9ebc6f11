"""Every example of every docstring of the package runs, and prints what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import warnings

import pytest

import acumen

#: Not looked into: running it is what its import is for.
_PROGRAMS = {"acumen.__main__"}

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(acumen.__path__, "acumen.")
    if module.name not in _PROGRAMS and not module.name.startswith("acumen._native")
)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def examples(name: str) -> list[doctest.DocTest]:
    """The examples of the docstrings of one module."""
    module = importlib.import_module(name)
    return [test for test in doctest.DocTestFinder(exclude_empty=True).find(module) if test.examples]


def test_the_learners_have_examples():
    with_examples = {test.name.rsplit(".", 1)[-1] for name in MODULES for test in examples(name)}
    assert {"NaiveBayes", "DecisionTree", "SVM", "assess", "Ridge", "Tuned"} <= with_examples


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name, tmp_path, monkeypatch):
    found = examples(name)
    monkeypatch.chdir(tmp_path)  # an example that writes does so in a folder of its own
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for test in found:
            said: list[str] = []
            result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append)
            assert result.failed == 0, "".join(said)
