"""What learners of trees let one read, on trees they grew themselves."""

from __future__ import annotations

import sqlite3
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import acumen
from acumen.codegen import export, sql
from acumen.errors import DataError, ParameterError
from figure_cases import SVG, parsed, texts


def customers(n: int = 300, seed: int = 0) -> pd.DataFrame:
    """Numbers, levels of several types, and gaps, with a class that depends on all of them."""
    rng = np.random.default_rng(seed)
    age, size = rng.normal(40, 10, n).round(1), rng.normal(size=n)
    plan = rng.choice(["basic", 'it\'s "plus"', "größer"], n)
    calls = rng.integers(0, 4, n)
    member = rng.random(n) < 0.5
    code = (age > 45).astype(int) + ((plan == "basic") & member) + (calls * size > 1.5)
    return pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, age),
            'si"ze': size,
            "plan": np.where(rng.random(n) < 0.1, None, plan),
            "calls": pd.array(calls.astype(object), dtype=object),
            "member": member,
            "class": np.array(["low", "mid", "high", "high"])[code],
        }
    )


def table(n: int = 300, seed: int = 0) -> Any:
    return acumen.read(customers(n, seed), target="class", kinds={"calls": "nominal"})


LEARNERS = {
    "C4.5": acumen.DecisionTree(),
    "full": acumen.DecisionTree(prune="none"),
    "pairs": acumen.DecisionTree(construct="pairs", prune="none"),
    "CART": acumen.DecisionTree(measure="gini", split="binary", missing="surrogate", prune="none"),
    "branch": acumen.DecisionTree(missing="branch", prune="none"),
    "majority": acumen.DecisionTree(missing="majority", intervals=3),
    "costs": acumen.DecisionTree(costs={("low", "high"): 9.0}, prune="none"),
    "priors": acumen.DecisionTree(priors="uniform", leaf_estimate="laplace"),
    "random": acumen.RandomTree(random_state=1),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_sql_and_python_say_what_predict_says(name):
    fitted = LEARNERS[name].fit(table())
    frame = customers(400, seed=9)
    frame.loc[::17, "plan"] = "never seen"
    rows = acumen.read(frame, target="class", kinds={"calls": "nominal"})
    proba = fitted.predict_proba(rows)
    gain = proba if fitted.predictor_.costs is None else -(proba @ fitted.predictor_.costs.T)
    top = np.sort(gain, axis=1)
    clear = top[:, -1] - top[:, -2] > 1e-9
    assert clear.mean() > 0.8
    wanted = fitted.predict(rows)
    with sqlite3.connect(":memory:") as base:
        frame.to_sql("of 'us\"", base, index=False)
        in_sql = [row[-1] for row in base.execute(fitted.to_sql("of 'us\""))]
    alone: dict[str, Any] = {}
    exec(fitted.to_python(), alone)
    cells = frame.astype(object).where(frame.notna(), None).to_dict("records")
    assert (np.array([alone["predict"](row) for row in cells]) == wanted)[clear].all()
    assert (np.array(in_sql) == wanted)[clear].all()
    np.testing.assert_allclose([alone["predict_proba"](row) for row in cells], proba, atol=1e-12)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_reading_of_every_tree_is_there(name):
    rows = table()
    fitted = LEARNERS[name].fit(rows)
    assert fitted.n_leaves_ == np.count_nonzero(fitted.tree_.leaves) and fitted.n_nodes_ == len(fitted.tree_)
    lines = fitted.to_text().splitlines()
    assert sum(": " in line for line in lines) == fitted.n_leaves_
    assert max(line.count("|   ") for line in lines) == fitted.depth_ - 1
    assert len(fitted.describe().splitlines()) <= 40
    assert fitted.feature_importances_.sum() == pytest.approx(1.0)
    assert len(fitted.to_rules()) <= fitted.n_leaves_
    drawn = parsed(fitted.to_svg(data=rows, row=rows.take([3])))
    assert len(list(drawn.iter(f"{SVG}rect"))) > 5
    path = fitted.path(rows.take([3]))
    assert path.probabilities == pytest.approx(
        tuple(np.exp(fitted.model_.scores(rows.take([3]))[0])), abs=1e-12
    )
    odds = fitted.explain(rows.take([3]))
    assert odds.label == fitted.predict(rows.take([3]))[0]


def test_importances_are_scikit_learns_where_the_trees_are():
    from sklearn.datasets import make_classification
    from sklearn.tree import DecisionTreeClassifier

    X, y = make_classification(300, 6, n_informative=4, random_state=2)
    X = X.astype(np.float32).astype(np.float64)
    ours = acumen.DecisionTree(measure="gini", split="binary", prune="none", max_depth=4).fit(X, y)
    theirs = DecisionTreeClassifier(random_state=0, max_depth=4).fit(X, y)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-12)


def test_a_drawing_is_written_where_it_is_asked_for(tmp_path):
    fitted = acumen.DecisionTree().fit(table())
    made = fitted.to_svg(tmp_path / "tree.svg", max_depth=1, title="Ours")
    assert (tmp_path / "tree.svg").read_text(encoding="utf-8") == made
    said = [t for t, _, _ in texts(parsed(made))]
    assert "Ours" in said and any("leaves lie below" in t for t in said)


def test_data_may_be_rows_and_labels():
    frame = customers()
    X, y = frame.drop(columns="class"), frame["class"]
    fitted = acumen.DecisionTree().fit(X, y)
    assert any(node.histogram is not None for node in fitted.figure(data=(X, y)).nodes)
    assert len(fitted.to_decision_list(X, y)) > 0


def test_many_branches_are_drawn_as_one_card():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"town": [f"town {i % 50}" for i in range(500)]})
    frame["y"] = np.where(rng.random(500) < 0.02 * (np.arange(500) % 50), "a", "b")
    fitted = acumen.DecisionTree(measure="gain", prune="none").fit(acumen.read(frame, target="y"))
    figure = fitted.figure()
    assert len(figure.nodes) == 14 and figure.nodes[-1].branch == "38 others"
    assert np.sum([node.counts for node in figure.nodes[1:]]) == 500


def test_a_way_is_drawn_below_the_depth_of_the_drawing():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 4))
    y = (np.sin(4 * X[:, 0]) + X[:, 1] * X[:, 2] + rng.normal(size=2000) > 0).astype(int)
    fitted = acumen.DecisionTree(measure="gini", prune="none").fit(X, y)
    deepest = max(range(50), key=lambda i: len(fitted.path(X[i]).steps))
    figure = fitted.figure(row=X[deepest], max_depth=1)
    depth = len(fitted.path(X[deepest]).steps)
    assert depth > 2 and sum(node.passed == 1.0 for node in figure.nodes) == depth + 1
    assert len(fitted.figure().nodes) < 70 < fitted.n_nodes_  # big trees stay readable


def test_values_beyond_all_ranges_can_be_drawn():
    values = np.array([-1e308, -2.0, 2.0, 1e308, -np.inf, np.inf] * 10)[:, None]
    sides = values[:, 0] > 0
    drawn = acumen.DecisionTree().fit(values, sides).to_svg(data=(values, sides))
    assert drawn.startswith("<svg")


def test_cuts_beyond_all_ranges_are_kept(tmp_path):
    values = np.tile([-1.7e308, -1e308, 1e308, 1.7e308], 10)[:, None]
    ends = np.abs(values[:, 0]) > 1.2e308
    fitted = acumen.DecisionTree(measure="gain", prune="none", intervals=3).fit(values, ends)
    assert len(fitted.tree_.tests.cuts) == 2
    acumen.save(fitted, tmp_path / "ends.acm")
    assert np.array_equal(acumen.load(tmp_path / "ends.acm").predict(values), ends)


def test_wrong_wishes_end_in_sentences():
    fitted = acumen.DecisionTree().fit(table())
    with pytest.raises(ParameterError, match="max_depth"):
        fitted.figure(max_depth=-1)
    with pytest.raises(ParameterError, match="one row"):
        fitted.path(table().take([0, 1]))
    with pytest.raises(ParameterError, match="confidence_factor must be"):
        fitted.to_decision_list(table(), confidence_factor=2)
    with pytest.raises(NotFittedError):
        acumen.DecisionTree().to_sql("rows")
    assert not hasattr(acumen.DecisionTree(), "feature_importances_")
    bayes = acumen.KernelFisher().fit(table())
    with pytest.raises(DataError, match="a kernel-fisher model cannot be exported to SQL"):
        export.sql_of(bayes.predictor_, "rows")


def test_a_tree_on_words_is_python_but_not_sql():
    texts_of = ["an offer for you", "the offer ends", "see you", "dinner tonight", None] * 8
    frame = pd.DataFrame({"note": texts_of, "y": ["spam", "spam", "ham", "ham", "ham"] * 8})
    rows = acumen.read(frame, target="y", kinds={"note": "text"})
    fitted = acumen.DecisionTree().fit(rows)
    alone: dict[str, Any] = {}
    exec(fitted.to_python(), alone)
    assert [alone["predict"]({"note": t}) for t in texts_of] == fitted.predict(rows).tolist()
    with pytest.raises(DataError, match="asks for a word"):
        fitted.to_sql("mails")
    assert "note has 'offer'" in str(fitted.to_rules()) or "note has not" in str(fitted.to_rules())


def test_identifiers_are_quoted_in_the_emitted_statement():
    fitted = acumen.DecisionTree(prune="none").fit(table())
    size = sql.column('si"ze', fitted.schema_)
    assert size in fitted.to_sql("rows") and size == 't."si""ze"'


def test_a_row_alone_is_scored_as_among_others():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, 4))
    y = rng.integers(0, 3, 3000)
    fitted = acumen.DecisionTree(measure="gini", prune="none").fit(X, y)
    X[::7, 0] = np.nan
    together = fitted.predict_proba(X)
    alone = np.concatenate([fitted.predict_proba(X[i : i + 1]) for i in range(60)])
    assert np.array_equal(alone, together[:60])
