"""Exact answers of Bayesian networks: against every row that there could be, every path, and published numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen.errors import DataError, ParameterError
from acumen.networks import graph
from acumen.networks.junction_tree import JunctionTree
from acumen.networks.potentials import at_values, elimination
from networks.network_cases import ASIA, random_network
from reference import networks as twin

ASIA_NET = acumen.BayesNetwork.from_bif(ASIA)


def test_asia_with_the_published_probabilities_answers_as_published():
    # bnlearn 5.2.1's exact queries of the network of Lauritzen and Spiegelhalter.
    assert [round(ASIA_NET.query(v)["yes"], 8) for v in "DXE"] == [0.4359706, 0.11029004, 0.064828]
    given_d = [round(ASIA_NET.query(v, given={"D": "yes"})["yes"], 8) for v in "TLB"]
    assert given_d == [0.01884531, 0.10275922, 0.83396734]
    both = {"A": "yes", "D": "yes"}
    assert [round(ASIA_NET.query(v, given=both)["yes"], 8) for v in "TLB"] == [
        0.08775096,
        0.09952515,
        0.81140207,
    ]


@settings(deadline=None)
@given(st.integers(0, 10**6), st.data())
def test_queries_are_those_of_the_table_of_everything(seed, data):
    net = random_network(seed)
    whole = twin.joint(net)
    known_nodes = data.draw(st.sets(st.integers(0, 4), max_size=3))
    keep = [v for v in data.draw(st.permutations(range(5))) if v not in known_nodes][:2]
    known = {v: data.draw(st.integers(0, net.sizes[v] - 1)) for v in known_nodes}
    given_values = {net.names[v]: net.nodes[v].levels[code] for v, code in known.items()}
    names = [net.names[v] for v in keep]
    part = whole[tuple(known.get(v, slice(None)) for v in range(5))]
    if not part.sum() > 0:
        with pytest.raises(DataError, match="never occur together"):
            net.query(names, given_values)
        return
    assert net.query(names, given_values).table == pytest.approx(
        twin.conditional(whole, keep, known), abs=1e-12
    )
    best = net.most_likely(given_values)
    assert best.probability == pytest.approx(float(np.max(part)), rel=1e-9)
    codes = tuple(node.levels.index(best[node.name]) for node in net.nodes)
    assert whole[codes] == pytest.approx(best.probability, rel=1e-9)


@settings(deadline=None)
@given(st.integers(0, 10**6))
def test_rows_with_gaps_are_summed_out(seed):
    net = random_network(seed)
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(-1, size, 12) for size in net.sizes]).astype(np.int32)
    whole = twin.joint(net)
    for keep in (None, 2):
        with np.errstate(divide="ignore"):
            found = np.exp(net.logs(codes, keep))
        for i in range(12):
            at = [slice(None) if c < 0 or v == keep else slice(c, c + 1) for v, c in enumerate(codes[:, i])]
            axes = tuple(v for v in range(5) if v != keep)
            assert found[i] == pytest.approx(whole[tuple(at)].sum(axis=axes), abs=1e-12)


@settings(deadline=None)
@given(st.integers(0, 10**6))
def test_the_junction_tree_has_every_marginal_and_the_running_intersection(seed):
    net = random_network(seed, 6)
    potentials = [at_values((*net.parents[v], v), net.tables[v], {}) for v in range(6)]
    tree = JunctionTree.of((p.scope for p in potentials), net.sizes)
    beliefs, log = tree.beliefs(potentials, net.sizes)
    assert log == pytest.approx(0.0, abs=1e-9)
    whole = twin.joint(net)
    for clique, belief in zip(tree.cliques, beliefs, strict=True):
        wanted = whole.sum(axis=tuple(v for v in range(6) if v not in clique))
        assert belief == pytest.approx(wanted, abs=1e-12)
    for v in range(
        6
    ):  # the cliques of a node hang together: all but one have it in common with the one above
        holders = [i for i, clique in enumerate(tree.cliques) if v in clique]
        assert sum(v not in tree.separator(i) for i in holders) == 1


@settings(deadline=None)
@given(st.integers(0, 10**6), st.sets(st.integers(0, 5), max_size=3))
def test_separation_is_that_of_all_paths_and_the_path_told_is_open(seed, given_nodes):
    net = random_network(seed, 6)
    a, b = [v for v in range(6) if v not in given_nodes][:2]
    path = graph.active_path(net.parents, a, b, given_nodes)
    assert (path is None) == twin.separated(net.parents, a, b, given_nodes)
    if path is not None:
        assert len(set(path)) == len(path) and twin.is_active(net.parents, path, given_nodes)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6))
def test_what_is_separated_is_independent_and_the_blanket_is_enough(seed):
    net = random_network(seed, 5, zeros=False)
    whole = twin.joint(net)
    blanket = graph.blanket(net.parents, 0)
    rest = [v for v in range(1, 5) if v not in blanket]
    for v in rest:
        assert net.independent("n0", f"n{v}", [f"n{u}" for u in blanket])
        known = dict.fromkeys(blanket, 0)
        pair = twin.conditional(whole, [0, v], known)
        assert pair == pytest.approx(np.outer(pair.sum(axis=1), pair.sum(axis=0)), abs=1e-12)


def test_an_active_path_is_told_with_its_reasons():
    said = str(ASIA_NET.independent("A", "S", given=["D"]))
    assert (
        "A -> T -> E <- L <- S" in said and "E is a common effect and has D below it, which is given" in said
    )
    assert ASIA_NET.independent("A", "S") and not ASIA_NET.independent("X", "D")
    assert "E is a common cause and is not given" in str(ASIA_NET.independent("X", "D"))
    assert ASIA_NET.markov_blanket("E") == ("T", "L", "B", "X", "D")


def test_an_intervention_cuts_causes_and_keeps_effects():
    done = ASIA_NET.do(E="yes")
    assert done.query("L")["yes"] == pytest.approx(ASIA_NET.query("L")["yes"], abs=1e-15)
    assert done.query("X")["yes"] == pytest.approx(0.98)
    assert ASIA_NET.query("L", {"E": "yes"})["yes"] > 5 * done.query("L")["yes"]


def test_samples_have_the_shares_of_the_network():
    rows = ASIA_NET.sample(40_000, random_state=3)
    shares = {name: float(np.mean(rows.column(name) == "yes")) for name in "DXES"}
    for name, share in shares.items():
        p = ASIA_NET.query(name)["yes"]
        assert abs(share - p) < 4.5 * np.sqrt(p * (1 - p) / 40_000)
    again = ASIA_NET.sample(100, random_state=3)
    assert again.difference(ASIA_NET.sample(100, random_state=3)) is None


def test_elimination_prefers_least_fill():
    chain = [(0, 1), (1, 2), (2, 3), (3, 4)]
    found = elimination(chain, [2] * 5)
    assert found.largest == 2 and found.order[0] == 0


def test_questions_that_cannot_be_asked_end_in_sentences():
    with pytest.raises(ParameterError, match="Did you mean"):
        ASIA_NET.query("D", {"S": "yess"})
    with pytest.raises(ParameterError, match="there is no attribute 'Q'"):
        ASIA_NET.query("Q")
    with pytest.raises(ParameterError, match="both asked for and given"):
        ASIA_NET.query("D", {"D": "yes"})
    with pytest.raises(DataError, match="never occur together"):
        ASIA_NET.query("D", {"E": "no", "T": "yes"})
    with pytest.raises(DataError, match="fitted to an unlabelled table"):
        ASIA_NET.predict([["yes"] * 8])
    with pytest.raises(DataError, match="has no posterior"):
        ASIA_NET.posterior("D")


@pytest.mark.parametrize("unknown", [None, float("nan"), np.float64("nan")])
def test_what_is_given_as_missing_is_not_known(unknown):
    found = ASIA_NET.query("D", {"S": "yes", "T": unknown})
    assert found.table == pytest.approx(ASIA_NET.query("D", {"S": "yes"}).table)
    assert found.given == {"S": "yes"}
