"""The kernel grows the tree of its slow twin."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from acumen.trees.grow import grow
from acumen.trees.options import GrowOptions
from acumen.trees.tree import Tree
from reference.tree_same import same
from trees.grown import Case, cases


def by_kernel(case: Case) -> Tree:
    how = case.how
    options = GrowOptions(
        measure=how.measure,  # type: ignore[arg-type]
        split=how.split,  # type: ignore[arg-type]
        missing=how.missing,  # type: ignore[arg-type]
        stop_size=how.leaf_size,
        min_samples_leaf=how.min_branch,
        purity=how.purity,
        min_gain=how.min_gain,
        max_depth=how.max_depth,
        max_leaf_nodes=how.max_leaves,
        max_subset=how.max_subset,
        threshold_penalty=how.penalty,
        require_average_gain=how.guard,
        factors=how.class_factors,
        attribute_costs=how.attribute_costs,
    )
    sample = case.sample
    return grow(
        list(sample.columns), case.inputs, case.schema, sample.labels, sample.weights, options=options
    )


PLAIN = st.sampled_from(["fractional", "branch", "majority"])


@given(cases(max_rows=60), PLAIN)
def test_the_kernel_grows_the_twins_tree(case: Case, missing: str) -> None:
    case = replace(case, how=replace(case.how, missing=missing))
    assert same(by_kernel(case), case.tree()) is None


@given(
    cases(max_rows=50),
    PLAIN,
    st.fixed_dictionaries(
        {},
        optional={
            "leaf_size": st.sampled_from([2.0, 7.5]),
            "purity": st.sampled_from([0.6, 0.9]),
            "min_gain": st.sampled_from([0.01, 0.1]),
            "max_depth": st.integers(1, 3),
            "max_leaves": st.integers(2, 7),
            "max_subset": st.just(1),
            "penalty": st.just(False),
            "guard": st.just(False),
            "class_factors": st.just((3.0, 1.0, 0.5, 2.0)),
            "attribute_costs": st.just((1.0, 5.0, 2.0, 0.5)),
        },
    ),
)
def test_the_kernel_stops_where_its_twin_does(case: Case, missing: str, rules: dict[str, Any]) -> None:
    if "class_factors" in rules:
        rules["class_factors"] = rules["class_factors"][: case.schema.n_classes]
    case = replace(case, how=replace(case.how, missing=missing, **rules))
    assert same(by_kernel(case), case.tree()) is None


@given(cases(max_rows=60, missing="surrogate"))
def test_the_kernel_finds_the_twins_surrogates(case: Case) -> None:
    tree = by_kernel(case)
    assert same(tree, case.tree()) is None
    assert same(Tree.from_arrays(tree.to_arrays(), case.schema), tree) is None
