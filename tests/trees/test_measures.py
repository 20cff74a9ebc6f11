"""The table of split measures is one, though it stands in two languages."""

from __future__ import annotations

from typing import get_args

from acumen import RandomTree, _native
from acumen.models.parameters import specs_of
from acumen.trees.learners import DecisionTree
from acumen.trees.measures import MEASURES, MeasureName


def test_the_kernel_and_python_know_the_same_measures() -> None:
    assert tuple(_native.tree_measures()) == tuple(MEASURES) == get_args(MeasureName)


def test_random_trees_have_all_parameters_of_trees_and_one_more() -> None:
    trees, random = ({spec.name: spec for spec in specs_of(cls)} for cls in (DecisionTree, RandomTree))
    assert set(random) - set(trees) == {"max_features"} and not set(trees) - set(random)
    other = {name for name in trees if trees[name].default != random[name].default}
    assert other == {"measure", "split", "prune"}
    assert all(trees[name].options == random[name].options for name in trees)
