"""Structures and scores: bnlearn's numbers, scores by their definition, trees, what must and must not be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen.errors import ParameterError
from acumen.networks.coded_rows import CodedRows
from acumen.networks.scoring import scoring
from acumen.networks.structure_learning import score_of
from oracles import bnlearn, pgmpy_alarm
from reference import networks as twin

TRUE_ASIA = [("A", "T"), ("S", "L"), ("S", "B"), ("T", "E"), ("L", "E"), ("E", "X"), ("E", "D"), ("B", "D")]


def read(shared: Path, name: str):
    return acumen.read(shared / "networks" / name)


@pytest.mark.parametrize(
    ("score", "alpha", "value"),
    [
        ("bic", 1, -24006.734232498),
        ("bde", 1, -24028.094778),
        ("bde", 5, -23979.809567),
        ("bde", 20, -23965.192234),
    ],
)
def test_hill_climbing_on_learning_test_is_bnlearns(shared_data: Path, score, alpha, value):
    # bnlearn 5.2.1, hc(learning.test).
    rows = read(shared_data, "learning.test.csv")
    found = acumen.BayesNetwork(structure="hill-climbing", score=score, alpha=alpha).fit(rows)
    assert found.structure_ == "[A][C][F][B|A][D|A:C][E|B:F]"
    assert found.score_ == pytest.approx(value, abs=6e-7)


def check_bnlearns(search: bnlearn.Learned, rows) -> None:
    model = acumen.BayesNetwork(
        structure="tabu" if search.tabu else "hill-climbing",
        score=search.score,
        alpha=search.alpha,
        tabu_length=max(search.tabu, 1),
        patience=max(search.tabu, 1),
        max_parents=20,
    ).fit(rows)
    assert set(model.edges_) == search.edges
    assert model.score_ == pytest.approx(sum(search.node_scores), rel=1e-13)


@pytest.mark.parametrize("data", ["learning.test", "asia"])
def test_tabu_search_on_simulated_rows_is_bnlearns(shared_data: Path, data):
    rows = read(shared_data, f"{data}.csv")
    for search in bnlearn.LEARNED:
        if search.data == data:
            check_bnlearns(search, rows)


def test_searches_on_the_coronary_table_are_bnlearns():
    rows = bnlearn.coronary()
    for search in bnlearn.LEARNED:
        if search.data == "coronary":
            check_bnlearns(search, rows)


def test_networks_of_alarm_score_no_worse_than_pgmpys():
    rows = acumen.BayesNetwork.from_bif(pgmpy_alarm.ALARM).sample(2000, random_state=0)
    theirs = acumen.BayesNetwork(structure=pgmpy_alarm.ARCS, score="bic").fit(rows)
    assert theirs.score_ == pytest.approx(pgmpy_alarm.SCORE, rel=1e-13)
    for search, score in pgmpy_alarm.SCORES_OF_ACUMEN.items():
        found = acumen.BayesNetwork(structure=search, score="bic").fit(rows)
        assert found.score_ >= pgmpy_alarm.SCORE
        assert found.score_ == pytest.approx(score, rel=1e-13)


@pytest.mark.parametrize(("alpha", "arcs"), [(1, 7), (5, 12), (20, 14)])
def test_arcs_of_asia_grow_with_the_equivalent_sample_size(shared_data: Path, alpha, arcs):
    # bnlearn 5.2.1, hc(asia, score = "bde", iss = alpha).
    found = acumen.BayesNetwork(structure="hill-climbing", score="bde", alpha=alpha).fit(
        read(shared_data, "asia.csv")
    )
    assert len(found.edges_) == arcs
    if alpha == 1:
        assert found.score_ == pytest.approx(-11095.788513, abs=6e-7)


def test_asia_by_bic_and_its_true_structure_are_bnlearns(shared_data: Path):
    rows = read(shared_data, "asia.csv")
    found = acumen.BayesNetwork(structure="hill-climbing").fit(rows)
    assert found.structure_ == "[A][S][T][L|S][B|S][E|T:L][X|E][D|B:E]"
    assert found.score_ == pytest.approx(-11107.293309, abs=6e-7)
    true = acumen.BayesNetwork(structure=TRUE_ASIA, alpha=0).fit(rows)
    assert true.n_parameters_ == 18
    assert true.score_ == pytest.approx(-11109.741872, abs=6e-7)
    assert true.log_likelihood(rows) == pytest.approx(-11033.087134, abs=6e-7)


tables = st.integers(0, 10**6)


def drawn(seed: int, gaps: bool = False):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, 4).tolist()
    codes = np.stack([rng.integers(0, size, 30) for size in sizes]).astype(np.int32)
    codes[1] = np.where(rng.random(30) < 0.6, np.minimum(codes[0], sizes[1] - 1), codes[1])
    if gaps:
        codes[rng.random(codes.shape) < 0.1] = -1
    return codes, sizes, rng


@settings(deadline=None)
@given(tables, st.sampled_from(["bic", "aic", "mdl", "k2", "bde"]), st.booleans(), st.booleans())
def test_family_scores_are_their_definition(seed, score, gaps, weighted):
    codes, sizes, rng = drawn(seed, gaps)
    weights = rng.integers(1, 4, 30).astype(np.float64) if weighted else np.empty(0)
    rows = CodedRows.of(codes, sizes, weights)
    judge = scoring(score, rows.total, 4, 2.0, "test")
    own = weights if weighted else None
    found = rows.scores(0, [1], np.ones(4, dtype=np.bool_), judge)
    for place, parents in ((0, [1]), (1, []), (2, [2, 1]), (3, [3, 1])):
        wanted = twin.family_score(codes, sizes, 0, parents, score, 2.0, own)
        assert found[place] == pytest.approx(wanted, rel=1e-10, abs=1e-9)


@settings(deadline=None)
@given(tables, st.booleans())
def test_information_is_its_definition(seed, gaps):
    codes, sizes, _ = drawn(seed, gaps)
    rows = CodedRows.of(codes, sizes, np.empty(0))
    alone, given_last = rows.information(), rows.information(3)
    assert alone[0, 1] == pytest.approx(twin.information(codes, sizes, 0, 1), abs=1e-12)
    assert given_last[0, 1] == pytest.approx(twin.information(codes, sizes, 0, 1, 3), abs=1e-12)


@settings(deadline=None, max_examples=25)
@given(tables, st.sampled_from(["bic", "bde", "aic"]))
def test_no_single_change_is_better_than_where_the_climb_ends(seed, score):
    codes, sizes, _ = drawn(seed)
    table = _table(codes, sizes)
    found = acumen.BayesNetwork(structure="hill-climbing", score=score).fit(table).network_
    rows = CodedRows.of(codes, sizes, np.empty(0))
    judge = scoring(score, rows.total, 4, 1.0, "test")
    best = score_of(rows, found.parents, judge)
    from acumen.networks import graph

    edges = {(u, v) for v, above in enumerate(found.parents) for u in above}
    for u in range(4):
        for v in range(4):
            if u == v:
                continue
            for changed in (edges ^ {(u, v)}, (edges - {(u, v)}) | {(v, u)} if (u, v) in edges else edges):
                parents = [[a for a, b in sorted(changed) if b == w] for w in range(4)]
                if graph.topological_order(parents) is not None and max(map(len, parents)) <= 3:
                    assert score_of(rows, parents, judge) <= best + 1e-7


@settings(deadline=None, max_examples=25)
@given(tables)
def test_equivalent_structures_have_one_bic_and_one_bde(seed):
    codes, sizes, _ = drawn(seed)
    rows = CodedRows.of(codes, sizes, np.empty(0))
    for score in ("bic", "bde"):
        judge = scoring(score, rows.total, 4, 3.0, "test")
        forwards = score_of(rows, [[], [0], [1], [2]], judge)
        assert forwards == pytest.approx(score_of(rows, [[1], [2], [3], []], judge), rel=1e-10)


def _table(codes, sizes):
    attributes = tuple(
        acumen.Attribute(f"n{v}", "nominal", tuple(f"l{i}" for i in range(s))) for v, s in enumerate(sizes)
    )
    return acumen.Table(acumen.Schema(attributes), codes.shape[1], nominal=list(codes))


def test_chow_liu_is_the_heaviest_of_all_trees():
    codes, sizes, _ = drawn(5)
    found = acumen.BayesNetwork(structure="chow-liu").fit(_table(codes, sizes))
    weights = CodedRows.of(codes, sizes, np.empty(0)).information()

    def weight(edges):
        return sum(weights[a, b] for a, b in edges)

    from itertools import combinations

    pairs = list(combinations(range(4), 2))
    trees = [t for t in combinations(pairs, 3) if len(set().union(*map(set, t))) == 4]
    own = [tuple(sorted(int(name[1:]) for name in edge)) for edge in found.edges_]
    assert len(own) == 3 and weight(own) == pytest.approx(max(weight(t) for t in trees), abs=1e-12)


def test_tan_hangs_all_on_the_class_and_a_tree_among_them():
    rows = acumen.datasets.load("iris")
    found = acumen.BayesNetwork().fit(rows)
    parents = {child: [a for a, b in found.edges_ if b == child] for child in rows.schema.names}
    assert all("class" in above and len(above) <= 2 for above in parents.values())
    assert sum(len(above) == 2 for above in parents.values()) == 3
    assert found.network_.parents[-1] == ()


def test_edges_that_must_and_must_not_be_are_kept(shared_data: Path):
    rows = read(shared_data, "learning.test.csv")
    found = acumen.BayesNetwork(
        structure="hill-climbing", must=[("F", "A")], must_not=[("A", "B"), ("B", "A")]
    ).fit(rows)
    assert ("F", "A") in found.edges_ and not {("A", "B"), ("B", "A")} & set(found.edges_)
    with pytest.raises(ParameterError, match="form a cycle"):
        acumen.BayesNetwork(structure="hill-climbing", must=[("A", "B"), ("B", "A")]).fit(rows)
    with pytest.raises(ParameterError, match="in must and in must_not"):
        acumen.BayesNetwork(structure="tabu", must=[("A", "B")], must_not=[("A", "B")]).fit(rows)
    with pytest.raises(ParameterError, match="pairs"):
        acumen.BayesNetwork(structure=["AB"]).fit(rows)
    tree = acumen.BayesNetwork(structure="chow-liu", must=[("F", "C")]).fit(rows)
    assert ("F", "C") in tree.edges_
    with pytest.raises(ParameterError, match="above 0"):
        acumen.BayesNetwork(score="bde", alpha=0).fit(rows)


def test_ties_go_to_the_first_in_the_order_of_the_columns():
    # Two copies of one column: every direction is as good as the other, and the first column is the parent.
    column = np.array([0, 1, 1, 0, 1, 0, 0, 1] * 5, dtype=np.int32)
    found = acumen.BayesNetwork(structure="hill-climbing").fit(_table(np.stack([column, column]), [2, 2]))
    assert found.edges_ == (("n0", "n1"),)
