"""Each way of pruning against its definition: C4.5's own recursion, or every pruned tree there is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from acumen import _native
from acumen.trees.cost_complexity import PruningPath, choose_alpha, held_out_errors, inner_alphas
from acumen.trees.prune import collapse, prune_by_reduced_error, prune_pessimistically
from acumen.trees.risk import regret, risks, risks_on
from acumen.trees.sample import counts_of
from acumen.trees.split_worth import class_bits, prune_by_message_length, prune_insignificant
from acumen.trees.subtree import cut_at, nodes_by_level, sum_upwards
from acumen.trees.tree import Tree
from reference.tree_prune import Branch, add_errs, best_pruning, estimated, prunings
from reference.tree_same import same
from reference.tree_worth import bits_of_test, is_significant
from trees.grown import Case, How, cases, sample_of, schema_of

COSTS = np.array([[0.0, 4.0, 1.0, 2.0], [1.0, 0.0, 1.0, 1.0], [2.0, 1.0, 0.0, 5.0], [1.0, 1.0, 1.0, 0.0]])


def costs_of(case: Case, wanted: bool) -> np.ndarray | None:
    k = case.schema.n_classes
    return COSTS[:k, :k].copy() if wanted else None


def leaves_of(tree: Tree) -> list[list[float]]:
    return sorted(tree.counts[tree.leaves].round(9).tolist())


@given(st.floats(0, 60), st.floats(0, 1), st.floats(0.001, 1.0))
def test_the_extra_errors_are_those_of_c45(cases_: float, share: float, cf: float) -> None:
    errors = cases_ * share
    assert _native.extra_errors(cases_, errors, cf) == pytest.approx(add_errs(cases_, errors, cf), abs=1e-9)


def test_quinlans_example_of_the_error_limit() -> None:
    # Quinlan (1993), p. 41: U25%(0, 6) = 0.206, U25%(0, 9) = 0.143, U25%(0, 1) = 0.750
    for n, limit in ((6, 0.206), (9, 0.143), (1, 0.750)):
        assert _native.extra_errors(n, 0, 0.25) / n == pytest.approx(limit, abs=5e-4)
    # p. 42: U25%(1, 16) = 0.157 by the exact limit; the approximation C4.5 computes is near it
    assert (1 + _native.extra_errors(16, 1, 0.25)) / 16 == pytest.approx(0.157, abs=5e-3)


@given(cases(max_rows=60), st.booleans(), st.sampled_from([0.05, 0.25, 0.6]))
def test_pessimistic_pruning_is_c45s_recursion(case: Case, costly: bool, cf: float) -> None:
    costs = costs_of(case, costly)
    tree = collapse(case.tree(), costs)
    pruned = prune_pessimistically(tree, case.sample, cf=cf, costs=costs)
    truth = estimated(
        tree, case.sample.columns, case.sample.labels, case.sample.weights, cf, regret=regret(costs)
    )
    assert named(Branch.of(pruned).shape(), pruned) == named(truth, tree)


def named(shape: object, tree: Tree) -> object:
    """A shape told by its tests instead of their places."""
    if isinstance(shape, tuple) and len(shape) == 2 and isinstance(shape[1], tuple):
        return str(tree.tests[shape[0]]), tuple(named(s, tree) for s in shape[1])
    return shape


@given(cases())
def test_without_rows_nothing_is_raised(case: Case) -> None:
    tree = case.tree()
    pruned = prune_pessimistically(tree, None)
    assert len(pruned) <= len(tree)
    assert np.isclose(pruned.counts[pruned.leaves].sum(), tree.weight[0])


@given(cases())
def test_collapsing_changes_no_training_error(case: Case) -> None:
    tree = case.tree()
    small = collapse(tree)
    assert risks(small.counts, None)[small.leaves].sum() <= risks(tree.counts, None)[
        tree.leaves
    ].sum() + 2e-3 * len(tree)


@given(cases())
def test_rows_fall_on_the_nodes_they_were_grown_at(case: Case) -> None:
    tree = case.tree()
    assert np.allclose(counts_of(tree, case.sample), tree.counts)


@given(cases(max_rows=14), st.booleans())
def test_reduced_error_is_the_best_of_all_prunings(case: Case, costly: bool) -> None:
    tree, costs = case.tree(), costs_of(case, costly)
    assume(len(tree) < 16)
    held = replace(case.sample, labels=np.roll(case.sample.labels, 1))
    counts = counts_of(tree, held)
    said = tree.counts.argmax(axis=1) if costs is None else np.argmin(tree.counts @ costs.T, axis=1)
    wrong = risks_on(counts, said.astype(np.int32), costs)
    sums = [(sum(wrong[list(leaves)]), len(leaves), leaves) for leaves in prunings(tree)]
    least = min(s[0] for s in sums)
    fewest = min(s[1] for s in sums if s[0] <= least + 1e-9)
    pruned = prune_by_reduced_error(tree, held, costs=costs)
    assert pruned.leaves.sum() == fewest
    assert np.isclose(pruned.weight[0], tree.weight[0] + case.sample.weights.sum())


@given(cases(max_rows=14), st.booleans(), st.lists(st.floats(0, 0.3), min_size=1, max_size=5))
def test_cost_complexity_is_the_best_of_all_prunings(case: Case, costly: bool, alphas: list[float]) -> None:
    tree, costs = case.tree(), costs_of(case, costly)
    assume(len(tree) < 16)
    risk = risks(tree.counts, costs) / tree.weight[0]
    path = PruningPath.of(tree, costs=costs)
    for alpha in [*alphas, *inner_alphas(path.alphas)[:-1]]:
        pruned = path.tree_at(alpha)
        best = best_pruning(tree, risk, alpha)
        price = (
            risks(pruned.counts, costs)[pruned.leaves].sum() / tree.weight[0] + alpha * pruned.leaves.sum()
        )
        assert price == pytest.approx(sum(risk[list(best)]) + alpha * len(best), abs=1e-9)
    for alpha, leaves, error in zip(path.alphas, path.leaves, path.errors, strict=True):
        pruned = path.tree_at(alpha)
        assert pruned.leaves.sum() == leaves
        assert error == pytest.approx(risks(pruned.counts, costs)[pruned.leaves].sum() / tree.weight[0])
        best = best_pruning(tree, risk, alpha)
        assert len(best) == leaves
    assert path.leaves[-1] == 1 and np.all(np.diff(path.alphas) > 0) and np.all(np.diff(path.leaves) < 0)


@given(cases())
def test_held_out_errors_are_those_of_the_pruned_trees(case: Case) -> None:
    tree = case.tree()
    held = replace(case.sample, labels=np.roll(case.sample.labels, 1))
    path = PruningPath.of(tree)
    inside = inner_alphas(path.alphas)
    errors = held_out_errors(path, held, inside, None)
    for alpha, error in zip(inside, errors, strict=True):
        pruned = path.tree_at(alpha)
        wrong = risks_on(counts_of(pruned, held), pruned.counts.argmax(axis=1).astype(np.int32), None)
        assert error == pytest.approx(wrong[pruned.leaves].sum(), abs=1e-9)
    chosen = choose_alpha(path, errors, held.weight, one_se=False)
    modest = choose_alpha(path, errors, held.weight, one_se=True)
    assert modest >= chosen
    assert errors[np.searchsorted(path.alphas, chosen)] == pytest.approx(errors.min())


@given(cases(max_rows=14))
def test_the_shortest_message_is_the_best_of_all_prunings(case: Case) -> None:
    tree, multiway = case.tree(), case.how.split == "multiway"
    assume(len(tree) < 16)

    def bits(leaves: tuple[int, ...]) -> float:
        parents = {p for leaf in leaves for p in ancestors(tree, leaf)}
        made = sum(1.0 + float(class_bits(tree.counts[leaf])) for leaf in leaves)
        for node in parents:
            test = tree.tests[node]
            assert test is not None
            made += bits_of_test(
                float(tree.weight[node]),
                inputs=len(tree.inputs),
                cuts=len(test.cuts),
                levels=sum(b >= 0 for b in test.branches),
                ordered=tree.inputs[test.input].is_ordered(case.schema),
                multiway=multiway,
            )
        return made

    pruned = prune_by_message_length(tree, case.schema, multiway=multiway)
    least = min(map(bits, prunings(tree)))
    truth = min((p for p in prunings(tree) if bits(p) <= least + 1e-9), key=len)
    assert leaves_of(pruned) == sorted(tree.counts[list(truth)].round(9).tolist())


def ancestors(tree: Tree, node: int) -> list[int]:
    made, parent = [], tree.parent
    while parent[node] >= 0:
        node = int(parent[node])
        made.append(node)
    return made


@given(cases(), st.sampled_from([0.001, 0.05, 0.5]))
def test_splits_that_chance_explains_go_from_the_bottom(case: Case, significance: float) -> None:
    tree = case.tree()

    def leaf(node: int) -> bool:
        if not tree.branches[node]:
            return True
        if not all(list(map(leaf, tree.children(node)))):
            return False
        if is_significant(tree.counts[list(tree.children(node))], significance):
            return False
        gone.append(node)
        return True

    gone: list[int] = []
    leaf(0)
    marked = np.zeros(len(tree), dtype=np.bool_)
    marked[gone] = True
    assert same(prune_insignificant(tree, significance=significance), cut_at(tree, marked)) is None


@given(cases())
def test_a_cut_tree_is_a_tree(case: Case) -> None:
    tree = case.tree()
    marked = np.arange(len(tree)) % 3 == 2
    small = cut_at(tree, marked)
    again = Tree.from_arrays(small.to_arrays(), case.schema)
    assert same(again, small) is None
    assert np.allclose(sum_upwards(small, np.where(small.leaves[:, None], small.counts, 0.0)), small.counts)
    assert sum(map(len, nodes_by_level(small))) == len(small)
    assert [d for d, level in enumerate(nodes_by_level(small)) for _ in level] == sorted(small.depth.tolist())


@pytest.mark.parametrize("seed", range(0, 60, 6))
def test_branches_that_are_raised_twice_have_the_shares_of_the_grown_tree(seed: int) -> None:
    """Rows without a value, costs and a mild limit: trees of which much is raised, some of it again."""
    for each in range(seed, seed + 6):
        sample = sample_of(np.random.default_rng(each), 58, 3, 0.15, False)
        case = Case(
            schema_of(3), sample, How(measure="gain", split="binary", missing="fractional", min_branch=1.0)
        )
        costs = costs_of(case, True)
        tree = collapse(case.tree(), costs)
        pruned = prune_pessimistically(tree, sample, cf=0.6, costs=costs)
        truth = estimated(tree, sample.columns, sample.labels, sample.weights, 0.6, regret=regret(costs))
        assert named(Branch.of(pruned).shape(), pruned) == named(truth, tree)
