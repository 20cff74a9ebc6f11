"""Bayesian networks as learners: gaps, weights, folds, posteriors, files."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest

import acumen
from acumen.base.scikit import ConvergenceWarning
from acumen.errors import AcumenError, DataError, ModelFileError, ParameterError
from acumen.networks.bif import read_bif, write_bif
from acumen.networks.structure_learning import LearnedNetwork, LearningOptions, learn_network
from networks.network_cases import ASIA

IRIS = acumen.datasets.load("iris")


def asia_rows(n: int, seed: int = 0, gaps: float = 0.0):
    rows = acumen.BayesNetwork.from_bif(ASIA).sample(n, random_state=seed)
    if not gaps:
        return rows
    rng = np.random.default_rng(seed)
    columns = [np.where(rng.random(n) < gaps, -1, codes).astype(np.int32) for codes in rows.nominal.columns]
    return acumen.Table(rows.schema, n, nominal=columns)


def test_naive_structure_is_naive_bayes():
    rows = acumen.datasets.load("iris")
    network = acumen.BayesNetwork(structure="naive").fit(rows)
    other = acumen.NaiveBayes(numeric="discretise").fit(rows)
    # The network's class shares are smoothed by alpha, as every table is.
    assert network.predict_proba(rows) == pytest.approx(other.predict_proba(rows), abs=1e-9)


def test_the_posterior_is_the_query():
    model = acumen.BayesNetwork(structure="hill-climbing").fit(IRIS)
    row = {"sepal_length": 5.0, "petal_width": 0.3}
    asked = model.query("class", row)
    rows = acumen.Table(
        acumen.Schema(IRIS.schema.attributes), 1,
        numeric=[np.array([row.get(name, np.nan)]) for name in IRIS.schema.names],
    )  # fmt: skip
    assert model.predict_proba(rows)[0].tolist() == pytest.approx(list(asked.values()), abs=1e-12)
    assert model.score_samples(IRIS).sum() < 0


def test_evidence_adds_up_to_the_log_odds():
    model = acumen.BayesNetwork().fit(IRIS)
    for at in (0, 60, 140):
        why = model.explain(IRIS.take([at]))
        proba = np.sort(model.predict_proba(IRIS.take([at]))[0])
        assert sum(e.log_odds for e in why.evidence) == pytest.approx(np.log(proba[-1] / proba[-2]), abs=1e-9)


def test_without_a_target_all_attributes_are_modelled():
    rows = asia_rows(500)
    model = acumen.BayesNetwork().fit(rows)
    assert len(model.edges_) == 7  # the tree of Chow and Liu
    assert model.log_likelihood(rows) == pytest.approx(model.score_samples(rows).sum())
    assert model.score(rows) == pytest.approx(model.log_likelihood(rows) / 500)
    why = model.explain(rows.take([3]))
    assert sum(c.amount for c in why.contributions) == pytest.approx(model.score_samples(rows.take([3]))[0])
    assert acumen.BayesNetwork(structure="naive").fit(rows).edges_ == ()
    with pytest.raises(ParameterError, match="needs classes"):
        acumen.BayesNetwork(priors="uniform").fit(rows)
    # The same object learns classes again afterwards.
    assert model.fit(IRIS).score(IRIS) > 0.9


def test_score_is_a_parameter_and_a_method():
    model = acumen.BayesNetwork(score="aic").fit(IRIS)
    assert model.score == "aic" and model.get_params()["score"] == "aic"
    assert model.score(IRIS) == pytest.approx(np.mean(model.predict(IRIS) == IRIS.label_values()))
    assert model.set_params(score="k2").score == "k2"


def test_available_counts_use_every_family_that_a_row_knows():
    rows = acumen.Table(
        acumen.Schema((acumen.Attribute("a", "nominal", ("x", "y")), acumen.Attribute("b", "nominal", ("u", "v")))),
        6, nominal=[np.array([0, 0, 0, 1, 1, -1], np.int32), np.array([0, 0, -1, 1, 1, 1], np.int32)],
    )  # fmt: skip
    model = acumen.BayesNetwork(structure=[("a", "b")], alpha=0).fit(rows)
    assert model.query("a")["x"] == pytest.approx(3 / 5)
    assert model.query("b", {"a": "x"})["u"] == 1.0


def test_em_raises_the_likelihood_at_every_step_and_ends_at_a_fixed_point():
    rows = asia_rows(400, 1, gaps=0.1)
    model = acumen.BayesNetwork(
        structure=[("S", "L"), ("S", "B"), ("L", "E"), ("E", "X")], missing="em", alpha=0
    ).fit(rows)
    steps = np.array(model.log_likelihoods_)
    assert len(steps) > 3 and (np.diff(steps[1:]) > -1e-7).all() and steps[-1] > steps[0] - 1e-9
    # At its end the tables are the expected counts of their own completions.
    from acumen.networks.nodes import codes_of
    from acumen.networks.structural_em import complete_rows

    net = model.network_
    codes, weights = complete_rows(net, codes_of(rows, net.nodes), np.ones(400), "test")
    at = net.names.index("S")
    share = np.bincount(codes[at], weights=weights, minlength=2) / weights.sum()
    assert share == pytest.approx(net.tables[at], abs=1e-5)


def three_attributes_with_missing_values():
    """120 rows of a -> b and (a, b) -> c, a fifth of the values missing."""
    rng = np.random.default_rng(4)
    n = 120
    a = rng.integers(0, 2, n)
    b = np.where(rng.random(n) < 0.75, a, rng.integers(0, 3, n))
    c = np.where(rng.random(n) < 0.7, (a + b) % 2, 1)
    codes = np.array([a, b, c], dtype=np.int32)
    codes[rng.random(codes.shape) < 0.2] = -1
    levels = {"a": ("x", "y"), "b": ("x", "y", "z"), "c": ("x", "y")}
    schema = acumen.Schema(tuple(acumen.Attribute(name, "nominal", names) for name, names in levels.items()))
    return acumen.Table(schema, n, nominal=list(codes)), codes


ALL_EDGES = [("a", "b"), ("a", "c"), ("b", "c")]


@pytest.mark.parametrize("alpha", [0.5, 2.0])
def test_em_ends_at_the_posterior_mode_of_the_tables(alpha):
    # The penalised likelihood of what is known, maximised without EM: every row that there could be, L-BFGS on logits.
    from scipy.optimize import minimize
    from scipy.special import log_softmax

    rows, codes = three_attributes_with_missing_values()
    cells = np.array(list(np.ndindex(2, 3, 2)))
    fits = ((codes.T[:, None] == cells) | (codes.T[:, None] < 0)).all(axis=2).astype(float)

    def logs(logits):
        shapes = logits[:2], logits[2:8].reshape(2, 3), logits[8:].reshape(2, 3, 2)
        return [log_softmax(table, axis=-1) for table in shapes]

    def loss(logits):
        p, q, r = logs(logits)
        joint = np.exp(p[:, None, None] + q[:, :, None] + r).ravel()
        prior = sum(table.sum() for table in (p, q, r))
        return -np.log(fits @ joint).sum() - alpha * prior

    best = minimize(loss, np.zeros(20), method="L-BFGS-B", options={"ftol": 1e-13, "gtol": 1e-7})
    model = acumen.BayesNetwork(
        structure=[("a", "b"), ("a", "c"), ("b", "c")], missing="em", alpha=alpha
    ).fit(rows)
    tables = dict(zip(model.network_.names, model.network_.tables, strict=True))
    assert loss(np.log(np.concatenate([tables[name].ravel() for name in "abc"]))) <= best.fun + 1e-6
    for name, expected in zip("abc", logs(best.x), strict=True):
        assert tables[name] == pytest.approx(np.exp(expected), abs=1e-4)


def test_em_warns_when_its_steps_are_not_enough():
    rows, _ = three_attributes_with_missing_values()
    with pytest.warns(ConvergenceWarning, match="did not converge in 100 steps") as caught:
        acumen.BayesNetwork(structure=ALL_EDGES, missing="em", alpha=0).fit(rows)
    assert caught[0].filename == __file__


def test_structural_em_finds_edges_through_gaps():
    rows = asia_rows(1500, 2, gaps=0.08)
    model = acumen.BayesNetwork(structure="hill-climbing", missing="em").fit(rows)
    joined = {frozenset(edge) for edge in model.edges_}
    assert frozenset("SB") in joined and frozenset("EX") in joined and frozenset("BD") in joined


def test_structural_em_that_comes_back_to_a_structure_keeps_it_and_ends():
    from acumen.networks.nodes import codes_of
    from acumen.networks.structural_em import structural_em

    rows = asia_rows(200, 3, gaps=0.05).select(["S", "B"])
    net = acumen.BayesNetwork(structure=[("S", "B")], alpha=0).fit(rows).network_
    asked = []

    def restless(codes, weights, kept):  # left alone it would change its mind for ever
        asked.append(kept)
        edges = kept if kept is not None else [("B", "S")] if len(asked) % 2 else [("S", "B")]
        wish = LearningOptions(edges, "bic", 3, 0.0, (), (), None, 10, 10, "test")
        return learn_network(codes, net.nodes, weights, wish)

    start = LearnedNetwork(net, 0.0, 0)
    found, logs, settled = structural_em(start, codes_of(rows, net.nodes), np.empty(0), restless, "test")
    assert settled and len(logs) < 60 and asked[:2] == [None, None] and asked[-1] == (("S", "B"),)
    assert found.network.edges == (("S", "B"),) and abs(logs[-1] - logs[-2]) < 1e-6


@pytest.mark.parametrize("structure", ["hill-climbing", "tabu", "chow-liu", "tan"])
@pytest.mark.parametrize("target", [False, True])
def test_rows_without_attributes_are_learned_from(structure, target):
    y = acumen.Attribute("y", "nominal", ("p", "q")) if target else None
    rows = acumen.Table(
        acumen.Schema((), y), 3, **({"labels": np.array([0, 1, 1], np.int32)} if target else {})
    )
    model = acumen.BayesNetwork(structure=structure).fit(rows)
    assert model.edges_ == ()
    if target:
        assert model.predict_proba(rows)[0] == pytest.approx([2 / 5, 3 / 5])
    else:
        assert model.score_samples(rows) == pytest.approx(np.zeros(3))


def test_gaps_that_are_too_many_to_complete_are_refused():
    rows = asia_rows(30, 0, gaps=0.0)
    wide = acumen.Table(
        acumen.Schema(tuple(acumen.Attribute(f"a{j}", "nominal", ("x", "y", "z")) for j in range(9))), 30,
        nominal=[np.r_[-1, np.arange(29) % 3].astype(np.int32) for _ in range(9)],
    )  # fmt: skip
    with pytest.raises(DataError, match="missing='available'"):
        acumen.BayesNetwork(structure="chow-liu", missing="em").fit(wide)
    assert len(rows) == 30


def test_a_weight_is_a_repeated_row_in_scores_and_tables():
    rows = asia_rows(200)
    weights = np.random.default_rng(0).integers(1, 4, 200)
    one = acumen.BayesNetwork(structure="hill-climbing").fit(rows, sample_weight=weights.astype(float))
    other = acumen.BayesNetwork(structure="hill-climbing").fit(rows.take(np.repeat(np.arange(200), weights)))
    assert one.edges_ == other.edges_ and one.score_ == pytest.approx(other.score_, rel=1e-12)


def test_posteriors_are_dirichlets_of_counts_and_prior():
    rows = acumen.Table(
        acumen.Schema((acumen.Attribute("a", "nominal", ("x", "y", "z")),)), 10,
        nominal=[np.array([0] * 6 + [1] * 4, np.int32)],
    )  # fmt: skip
    found = acumen.BayesNetwork(alpha=2.0).fit(rows).posterior("a")
    assert found.alpha.tolist() == [8.0, 6.0, 2.0]
    assert found.mean.tolist() == [0.5, 0.375, 0.125]
    assert found.sd[0] == pytest.approx(np.sqrt(0.25 / 17))
    low, high = found.interval(0.9)
    from scipy.stats import beta

    assert low[0] == pytest.approx(beta(8, 8).ppf(0.05)) and high[2] == pytest.approx(beta(2, 14).ppf(0.95))
    assert "0.5000 +- 0.1213" in str(found)


def test_intervals_are_cut_inside_each_fold():
    # Numbers that say nothing of the class: cut on all rows the cuts would leak, and none must be made of noise.
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 6)), rng.integers(0, 2, 120)
    schema = acumen.Schema(
        tuple(acumen.Attribute(f"x{j}") for j in range(6)), acumen.Attribute("y", "nominal", ("a", "b"))
    )
    rows = acumen.Table(schema, 120, numeric=[*X.T.copy()], labels=y.astype(np.int32))
    found = acumen.assess(acumen.BayesNetwork(), rows, acumen.KFold(4))
    assert found.mean > 0.35
    refits = acumen.BayesNetwork().fit(X[30:], y[30:])
    assert all(len(node.levels) == 1 for node in refits.network_.nodes[:-1])


def test_levels_beyond_counting_are_refused():
    schema = acumen.Schema((acumen.Attribute("id", "nominal", tuple(f"l{i}" for i in range(1001))),))
    assert "1,001 levels" in acumen.BayesNetwork().objection(schema)
    assert "1,001 levels" in acumen.MarkovNetwork().objection(schema)


def test_tables_beyond_room_are_refused():
    levels = tuple(f"l{i}" for i in range(300))
    schema = acumen.Schema(tuple(acumen.Attribute(n, "nominal", levels) for n in "abcd"))
    codes = [np.arange(300, dtype=np.int32)] * 4
    rows = acumen.Table(schema, 300, nominal=codes)
    with pytest.raises(DataError, match="cells"):
        acumen.BayesNetwork(structure=[("a", "d"), ("b", "d"), ("c", "d")]).fit(rows)


# -- files -----------------------------------------------------------------------------------------


def test_a_network_is_kept_in_a_file_with_and_without_target(tmp_path: Path):
    for rows in (IRIS, asia_rows(300)):
        model = acumen.BayesNetwork(structure="hill-climbing").fit(rows)
        acumen.save(model, tmp_path / "n.acm")
        again = acumen.load(tmp_path / "n.acm")
        assert again.edges_ == model.edges_ and again.score_ == model.score_
        assert again.score(rows) == model.score(rows)


def test_a_forged_file_ends_in_a_sentence(tmp_path: Path):
    from acumen.networks.model import BayesNetworkModel

    model = acumen.BayesNetwork().fit(IRIS)
    arrays = model.model_.to_arrays()
    forged = [
        {"tables": arrays["tables"] * 2},
        {"tables": arrays["tables"][:-1]},
        {"parents": np.full_like(arrays["parents"], 99)},
        {"parents": np.zeros_like(arrays["parents"])},
        {"starts": arrays["starts"][::-1].copy()},
        {"strengths": -arrays["strengths"] - 1},
        {"score": np.array([np.nan])},
    ]
    for change in forged:
        with pytest.raises(ModelFileError):
            BayesNetworkModel.from_arrays({**arrays, **change}, model.schema_)


def test_bif_comes_back_as_it_was(tmp_path: Path, shared_data: Path):
    net = read_bif(shared_data / "networks" / "asia.bif")
    again = read_bif(write_bif(net))
    assert again.names == net.names and again.parents == net.parents
    for one, other in zip(net.tables, again.tables, strict=True):
        assert np.abs(one - other).max() < 1e-15
    model = acumen.BayesNetwork.from_bif(shared_data / "networks" / "asia.bif", target="D")
    model.to_bif(tmp_path / "again.bif")
    assert acumen.BayesNetwork.from_bif(tmp_path / "again.bif").query("E").table == pytest.approx(
        model.query("E").table
    )
    rows = acumen.read(shared_data / "networks" / "asia.csv", target="D")
    assert 0.8 < model.score(rows) < 0.9


def test_names_that_are_no_words_are_quoted():
    model = acumen.BayesNetwork(structure="chow-liu").fit(IRIS)
    text = model.to_bif()
    assert '"(-inf, 0.8]"' in text
    assert read_bif(text).names == model.network_.names


def test_tables_in_bif_have_the_child_slowest():
    text = """network n { } variable a { type discrete [2] { x, y }; } variable b { type discrete [2] { u, v }; }
    probability ( a ) { table 0.5 0.5; } probability ( b | a ) { table 0.9 0.2 0.1 0.8; }"""
    assert read_bif(text).query("b", {"a": "x"})["u"] == pytest.approx(0.9)


HOSTILE = (
    "network n {",
    "network n { } variable a { type discrete [ 99999999999 ] { x }; }",
    "network n { } variable a { type discrete [ 2 ] { x, x }; } probability ( a ) { table 0.5, 0.5; }",
    "network n { } variable a { type discrete [ 2 ] { x, y }; } probability ( a ) { table 0.5, 0.6; }",
    "network n { } variable a { type discrete [ 2 ] { x, y }; } probability ( a ) { table nan, 0.5; }",
    "network n { } variable a { type discrete [ 2 ] { x, y }; } probability ( a ) { table 1e999, 0.5; }",
    "network n { } variable a { type discrete [ 2 ] { x, y }; } probability ( b ) { table 0.5, 0.5; }",
    "network n { } variable a { type discrete [ 2 ] { x, y }; } probability ( a | a ) { }",
    "network n { } variable a { type discrete [ 2 ] { x, y }; }",
    "network n { } variable a { type discrete [ 1 ] { x }; } variable b { type discrete [ 1 ] { x }; }"
    "probability ( a | b ) { (x) 1.0; } probability ( b | a ) { (x) 1.0; }",
    "network n { } __import__('os').system('true')",
    'network n { } variable "',
    "network n { } variable a { type discrete [ 2 ] { x, y }; } probability ( a ) { (q) 0.5, 0.5; }",
    "network n { } " + "variable " * 50,
    "network n { " + "/* " * 300_000,  # comments never closed: each is not looked for to the end anew
)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_bif_ends_in_a_sentence(text):
    with pytest.raises(DataError, match="this BIF file cannot be read"):
        acumen.BayesNetwork.from_bif(text)


def test_a_bif_of_huge_tables_is_refused_before_they_are_made():
    names = [f"v{i}" for i in range(9)]
    levels = ", ".join(f"l{i}" for i in range(100))
    text = "network n { } " + "".join(
        f"variable {n} {{ type discrete [ 100 ] {{ {levels} }}; }}" for n in names
    )
    text += f"probability ( v0 | {', '.join(names[1:])} ) {{ }}"
    with pytest.raises(DataError, match="cells"):
        read_bif(text)


def test_a_byte_order_mark_before_a_bif_is_no_word(tmp_path):
    path = tmp_path / "asia.bif"
    path.write_text("\ufeff" + write_bif(acumen.BayesNetwork.from_bif(ASIA).network_), encoding="utf-8")
    assert acumen.BayesNetwork.from_bif(path).edges_ == acumen.BayesNetwork.from_bif(ASIA).edges_


def test_a_line_of_a_bif_that_does_not_sum_to_1_is_named_by_its_sum():
    text = """network n { }
    variable a { type discrete [ 2 ] { x, y }; }
    variable b { type discrete [ 2 ] { x, y }; }
    probability ( a ) { table 0.5, 0.5; }
    probability ( b | a ) { (x) 0.5, 0.5; (y) 0.5, 0.75; }
    """
    with pytest.raises(DataError, match=r"sum to 1\.25 and not to 1"):
        read_bif(text)


def test_a_description_begins_with_two_lines_of_its_own():
    first, second, *_ = acumen.BayesNetwork().fit(IRIS).describe().splitlines()
    assert first == "Bayesian network for class: 5 nodes, 7 edges"
    assert second.startswith("class depends on nothing; on it depends sepal_length")


@pytest.mark.parametrize("ask", [
    lambda m: m.query(5), lambda m: m.query(None), lambda m: m.independent("S", "L", None), lambda m: m.do("S"),
    lambda m: m.sample(3, random_state="x"), lambda m: m.score(asia_rows(5), sample_weight=np.ones(3)),
    lambda m: m.log_likelihood(asia_rows(5), sample_weight=-np.ones(5)),
])  # fmt: skip
def test_odd_questions_are_answered_by_sentences(ask):
    with pytest.raises(AcumenError):
        ask(acumen.BayesNetwork().fit(asia_rows(50)))


def test_bits_of_a_bif_never_crash():
    rng = np.random.default_rng(0)
    source = ASIA
    for _ in range(300):
        a, b = sorted(rng.integers(0, len(source), 2).tolist())
        piece = (
            source[:a] + source[b:]
            if rng.random() < 0.5
            else source[:a] + '{}[]();,|"0x'[a % 12] + source[a:]
        )
        with contextlib.suppress(AcumenError):
            read_bif("network " + piece)


def test_a_file_that_is_not_there_is_said_so(tmp_path: Path):
    with pytest.raises(DataError, match="cannot be read"):
        acumen.BayesNetwork.from_bif(tmp_path / "none.bif")
