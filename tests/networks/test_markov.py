"""Markov networks: exact answers against every row that there could be, sampling, learning, moralising."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen.errors import DataError, ParameterError
from acumen.networks import potentials
from acumen.networks.markov_field import MarkovFactor, MarkovField
from acumen.networks.markov_learners import moralise
from acumen.networks.nodes import Node
from acumen.networks.pseudo_likelihood import _DistinctRows, learn_pairs
from networks.network_cases import ASIA, random_field, random_network
from reference import networks as twin


@settings(deadline=None)
@given(st.integers(0, 10**6), st.data())
def test_queries_are_those_of_the_product_of_all_factors(seed, data):
    net = random_field(seed)
    whole = twin.product_of(net)
    known_nodes = data.draw(st.sets(st.integers(0, 3), max_size=2))
    keep = [v for v in data.draw(st.permutations(range(4))) if v not in known_nodes][:2]
    known = {v: data.draw(st.integers(0, net.sizes[v] - 1)) for v in known_nodes}
    values = {net.names[v]: net.nodes[v].levels[code] for v, code in known.items()}
    found = net.query([net.names[v] for v in keep], values)
    assert found.table == pytest.approx(twin.conditional(whole, keep, known), abs=1e-12)
    for name, one in net.marginals(values).items():
        assert one.table == pytest.approx(twin.conditional(whole, [net.names.index(name)], known), abs=1e-12)
    part = whole[tuple(known.get(v, slice(None)) for v in range(4))]
    assert net.most_likely(values).probability == pytest.approx(float(part.max()), rel=1e-9)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6))
def test_rows_with_gaps_are_summed_out(seed):
    net = random_field(seed)
    whole = twin.product_of(net)
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(-1, size, 8) for size in net.sizes]).astype(np.int32)
    found = np.exp(net.logs(codes))
    for i in range(8):
        at = tuple(slice(None) if c < 0 else c for c in codes[:, i])
        assert found[i] == pytest.approx(whole[at].sum(), abs=1e-12)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6))
def test_an_absent_edge_is_an_independence(seed):
    net = random_field(seed)
    whole = twin.product_of(net)
    near = net.neighbours
    absent = [(u, v) for u in range(4) for v in range(u + 1, 4) if v not in near[u]]
    assert len(net.independences()) == len(absent)
    for u, v in absent:
        wall = min((near[u], near[v]), key=len)
        assert net.independent(net.names[u], net.names[v], [net.names[w] for w in wall])
        pair = twin.conditional(whole, [u, v], dict.fromkeys(wall, 0))
        assert pair == pytest.approx(np.outer(pair.sum(axis=1), pair.sum(axis=0)), abs=1e-12)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6))
def test_moralising_keeps_the_distribution(seed):
    net = random_network(seed)
    found = moralise(net).field
    assert twin.product_of(found) == pytest.approx(twin.joint(net), abs=1e-12)
    assert found.log_z == pytest.approx(0.0, abs=1e-9)


def test_moralising_is_told_step_by_step():
    asia = acumen.BayesNetwork.from_bif(ASIA)
    made = acumen.MarkovNetwork.from_bayes(asia)
    assert made.steps_[1] == "2. Parents of one child are joined: T - L, B - E"
    assert made.steps_[4].endswith("joins its causes: T and L; B and E given S, T, L")
    assert made.query("D", {"S": "yes"})["yes"] == pytest.approx(
        asia.query("D", {"S": "yes"})["yes"], abs=1e-12
    )
    assert made.factorisation().startswith("P(A, S, T, L, B, E, X, D) = 1/Z f1(A) f2(S) f3(A, T)")


def test_factors_may_be_written_as_mappings():
    net = acumen.MarkovNetwork(
        {("a", "b"): {("x", "y"): 3.0, ("x", "z"): 1.0, ("w", "z"): 4.0}, "a": {"x": 1, "w": 2}}
    )
    assert net.query("a")["w"] == pytest.approx(8 / 12)
    assert net.query("b", {"a": "w"})["z"] == 1.0


@pytest.mark.parametrize(
    ("factors", "said"),
    [
        ([(("a", "b"), [[1, 2]]), (("b",), [1, 2, 3])], "shape"),
        ([(("a",), [-1, 2])], "at least 0"),
        ([(("a",), [0, 0])], "not all of them 0"),
        ([(("a", "a"), [[1, 2], [1, 2]])], "named once"),
        ("ab", "pairs"),
        ([], "at least one attribute"),
        ([(("a",), [[1, 2]])], "1 axes"),
    ],
)
def test_factors_that_are_none_end_in_sentences(factors, said):
    with pytest.raises(ParameterError, match=said):
        acumen.MarkovNetwork(factors).query("a")


def test_exact_inference_is_refused_by_the_sum_of_table_sizes(monkeypatch):
    n = 9
    nodes = tuple(Node(f"n{v}", ("0", "1")) for v in range(n))
    pairs = [
        MarkovFactor((u, v), np.array([[1.2, 1.0], [1.0, 1.2]])) for u in range(n) for v in range(u + 1, n)
    ]
    net = MarkovField(nodes, tuple(pairs))
    exact = net.query("n0", {"n1": "1"})
    monkeypatch.setattr(potentials, "MOST_CELLS", 100)
    with pytest.raises(
        DataError, match="256 cells in total, and at most 100 are allowed; use method='gibbs'"
    ):
        net.query("n0", {"n1": "1"})
    found = net.query("n0", {"n1": "1"}, method="gibbs", sweeps=400, random_state=1)
    assert abs(found["1"] - exact["1"]) < 4 * float(found.errors.max()) and "they agree" in found.note


def test_chains_that_cannot_meet_are_said_not_to_agree():
    net = acumen.MarkovNetwork([(("a", "b"), [[1, 0], [0, 1]])])
    found = net.query("a", method="gibbs", sweeps=100, random_state=0)
    assert "do not agree" in found.note and "zeros" in found.note


def test_pseudo_likelihood_has_the_slope_of_its_loss():
    rng = np.random.default_rng(0)
    codes = rng.integers(-1, 2, (3, 20)).astype(np.int32)
    rows = _DistinctRows(codes, [2, 2, 2], np.empty(0))
    b, t = rng.normal(size=6), rng.normal(size=(6, 6))
    t = t + t.T
    for v in range(3):
        t[2 * v : 2 * v + 2, 2 * v : 2 * v + 2] = 0.0
    from acumen.networks.pseudo_likelihood import _slope

    slope_b, slope_t = _slope(rows, b, t)
    step = 1e-6
    for i in range(6):
        moved = b.copy()
        moved[i] += step
        assert (rows.loss(moved, t)[0] - rows.loss(b, t)[0]) / step == pytest.approx(slope_b[i], abs=1e-5)
    moved_t = t.copy()
    moved_t[0, 3] += step
    moved_t[3, 0] += step
    assert (rows.loss(b, moved_t)[0] - rows.loss(b, t)[0]) / step == pytest.approx(slope_t[0, 3], abs=1e-5)


def test_a_pair_is_learned_as_its_logarithmic_odds():
    # Of two attributes the pseudo-likelihood has the parameters of the likelihood: the log odds ratio of the counts.
    codes = np.repeat(np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.int32), [40, 10, 20, 30], axis=1)
    found = learn_pairs(codes, [2, 2], np.empty(0), np.array([[0, 1], [1, 0]], dtype=bool), None, 1e-6)
    t = found.double[0]
    assert t[0, 0] + t[1, 1] - t[0, 1] - t[1, 0] == pytest.approx(np.log(40 * 30 / (10 * 20)), abs=1e-3)


@pytest.mark.parametrize("ridge", [0.1, 5.0])
def test_learned_factors_are_the_maximum_of_the_penalised_pseudo_likelihood(ridge):
    # The pseudo-likelihood from the table of every row that there could be, maximised by BFGS without its gradient.
    from scipy.optimize import minimize
    from scipy.special import logsumexp

    rng = np.random.default_rng(2)
    n, sizes = 200, (2, 3, 2)
    a = rng.integers(0, 2, n)
    b = np.where(rng.random(n) < 0.6, a, rng.integers(0, 3, n))
    c = np.where(rng.random(n) < 0.6, b % 2, rng.integers(0, 2, n))
    schema = acumen.Schema(
        tuple(
            acumen.Attribute(name, "nominal", tuple("xyz"[:k])) for name, k in zip("abc", sizes, strict=True)
        )
    )
    rows = acumen.Table(schema, n, nominal=[column.astype(np.int32) for column in (a, b, c)])

    def energies(x):
        single = x[:2, None, None] + x[2:5][None, :, None] + x[5:7]
        return single + x[7:13].reshape(2, 3, 1) + x[13:].reshape(1, 3, 2)

    def loss(x):
        logs = energies(x)
        pseudo = sum((logs - logsumexp(logs, axis=v, keepdims=True))[a, b, c].sum() for v in range(3))
        return ridge / 2 * (x @ x) - pseudo

    joint = energies(minimize(loss, np.zeros(19), method="BFGS", options={"gtol": 1e-4}).x)
    every = np.indices(sizes).reshape(3, -1).astype(np.int32)
    model = acumen.MarkovNetwork(structure=[("a", "b"), ("b", "c")], alpha=ridge).fit(rows)
    learned = model.score_samples(acumen.Table(schema, 12, nominal=list(every)))
    assert learned == pytest.approx((joint - logsumexp(joint)).ravel(), abs=1e-4)


def test_a_penalty_keeps_the_pairs_of_its_twin():
    rng = np.random.default_rng(1)
    n, sizes = 150, (2, 3, 2, 2)
    a = rng.integers(0, 2, n)
    b = np.where(rng.random(n) < 0.6, a, rng.integers(0, 3, n))
    c = np.where(rng.random(n) < 0.5, b % 2, rng.integers(0, 2, n))
    codes = np.array([a, b, c, np.where(rng.random(n) < 0.4, a, rng.integers(0, 2, n))], dtype=np.int32)
    schema = acumen.Schema(
        tuple(
            acumen.Attribute(name, "nominal", tuple("xyz"[:k])) for name, k in zip("abcd", sizes, strict=True)
        )
    )
    rows = acumen.Table(schema, n, nominal=list(codes))
    kept = []
    for penalty in (0.7, 0.5, 0.3, 0.1):
        pairs = twin.penalised_pairs(codes, sizes, penalty)
        kept.append(len(pairs))
        model = acumen.MarkovNetwork(score_penalty=penalty).fit(rows)
        assert set(model.edges_) == {("abcd"[u], "abcd"[v]) for u, v in pairs}
    assert kept == [0, 2, 3, 4]


def test_edges_of_a_chain_are_found_and_no_others():
    pair = [[3.0, 1.0], [1.0, 3.0]]
    chain = acumen.MarkovNetwork([(("a", "b"), pair), (("b", "c"), pair), (("c", "d"), pair)])
    rows = chain.sample(3000, random_state=2)
    found = acumen.MarkovNetwork().fit(rows)
    assert found.edges_ == (("a", "b"), ("b", "c"), ("c", "d"))
    assert found.query("d", {"a": "0"})["0"] == pytest.approx(chain.query("d", {"a": "0"})["0"], abs=0.03)
    assert found.log_likelihood(rows) > chain.log_likelihood(rows) - 1
    given_edges = acumen.MarkovNetwork(structure=[("a", "b")]).fit(rows)
    assert given_edges.edges_ == (("a", "b"),)


def test_samples_are_of_the_network():
    net = acumen.MarkovNetwork([(("a", "b"), [[4, 1], [2, 3]])])
    rows = net.sample(20_000, random_state=0)
    both = np.mean((rows.column("a") == "0") & (rows.column("b") == "0"))
    assert abs(both - 0.4) < 4 * np.sqrt(0.24 / 20_000)


def test_a_network_is_kept_in_a_file(tmp_path: Path):
    net = acumen.MarkovNetwork([(("a", "b"), [[4, 1], [2, 3]])], levels={"a": ["x", "y"]}).fit()
    acumen.save(net, tmp_path / "m.acm")
    again = acumen.load(tmp_path / "m.acm")
    assert again.query("a").table == pytest.approx(net.query("a").table)
    assert "f1(a, b)" in again.describe()


@pytest.mark.slow
def test_gibbs_is_within_three_standard_errors_of_exact_answers_on_fifty_networks():
    beyond = checked = 0
    for seed in range(50):
        net = random_field(seed)
        exact = net.marginals()
        for name in net.names:
            found = net.query(name, method="gibbs", sweeps=300, chains=64, random_state=seed)
            assert "they agree" in found.note
            away = np.abs(found.table - exact[name].table) / found.errors
            assert away.max() < 4.5, (seed, name)
            beyond += int((away > 3).any())
            checked += 1
    # About 1 in 300 by chance for 64 chains.
    assert beyond <= 4, (beyond, checked)


def test_rows_without_attributes_are_certain():
    rows = acumen.Table(acumen.Schema(()), 3)
    model = acumen.MarkovNetwork().fit(rows)
    assert model.edges_ == () and model.score_samples(rows) == pytest.approx(np.zeros(3))
    assert "0 nodes" in model.describe()


def test_factors_of_any_size_give_the_same_answers():
    small = [("a", [3, 1]), (("a", "b"), [[2, 1], [1, 2]]), ("b", [1, 4])]
    large = [(names, (1e300 * np.array(table) / 4).tolist()) for names, table in small]
    one, other = acumen.MarkovNetwork(small), acumen.MarkovNetwork(large)
    assert other.query("a").table == pytest.approx(one.query("a").table, rel=1e-12)
    assert other.most_likely().probability == pytest.approx(one.most_likely().probability, rel=1e-12)
    assert one.network_.log_z == pytest.approx(np.log(3 * (2 * 1 + 1 * 4) + 1 * (1 * 1 + 2 * 4)))
    assert other.network_.log_z == pytest.approx(one.network_.log_z + 3 * np.log(1e300 / 4))


def test_factors_that_rule_out_every_row_are_said():
    model = acumen.MarkovNetwork([("a", [1, 0]), (("a",), [0, 1])])
    for ask in (lambda: model.sample(2), model.most_likely, lambda: model.query("a")):
        with pytest.raises(DataError):
            ask()


@pytest.mark.parametrize("how", [{"sweep": 10}, {"burn_in": "x"}, {"random_state": "x"}])
def test_odd_options_of_sampling_are_refused(how):
    model = acumen.MarkovNetwork([("a", [1, 2])])
    with pytest.raises(ParameterError, match="query"):
        model.query("a", method="gibbs", **how)


def test_levels_must_be_a_sequence_of_them():
    with pytest.raises(ParameterError, match="sequence"):
        acumen.MarkovNetwork([("a", [1, 2])], levels={"a": 3}).query("a")


def test_what_would_be_learned_for_hours_is_refused_in_a_sentence():
    codes = np.random.default_rng(0).integers(400, size=(6, 3000)).astype(np.int32)
    said = "3,000 distinct rows with 2,400 levels in total .400 in the largest"
    with pytest.raises(DataError, match=said):
        learn_pairs(codes, [400] * 6, np.empty(0), None, None, 1.0)
    same = np.repeat(codes[:, :2], 1500, axis=1)
    assert len(_DistinctRows(same, [400] * 6, np.empty(0)).weight) == 2  # rows that are repeated cost nothing
