"""Models as SQL and as Python: run, they say what the models say; `show` knows no family."""

from __future__ import annotations

import math
import sqlite3
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import acumen
from acumen.codegen import export, sql, sql_select
from acumen.codegen.python_module import Writer
from acumen.codegen.python_source import helpers
from acumen.codegen.terms import Count, Slope, TermSum
from acumen.conditions.condition import Condition
from acumen.conditions.pair import CombinedAttributes
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.models.predictor import Predictor
from acumen.rulelist.rule_list import Rule, RuleList

SCHEMA = Schema(
    (
        Attribute("x"),
        Attribute('y "y"\n'),
        Attribute("colour", "nominal", ("red", "it's", "blue\nish")),
        Attribute("grade", "ordinal", ("low", "middle", "high")),
        Attribute("flag", "nominal", (True, False)),
        Attribute("note", "text"),
    ),
    Attribute("class", "nominal", ("a", "b's", "c\nd")),
)
CONDITIONS = [
    Condition("x", "<=", 0.5), Condition("x", ">", -1.25), Condition("x", "between", (-1.0, 0.1 + 0.2)),
    Condition("x", "=", 1), Condition("x", "!=", 1), Condition("x", "in", (1, 2.5)), Condition("x", "not in", (1, 2.5)),
    Condition("x", "missing"), Condition("x", "known"), Condition("x", "<=", math.inf), Condition("x", ">", -math.inf),
    Condition('y "y"\n', "<=", 1e-300), Condition("colour", "=", "it's"), Condition("colour", "!=", "red"),
    Condition("colour", "in", ("red", "blue\nish")), Condition("colour", "not in", ("red",)),
    Condition("colour", "missing"), Condition("colour", "known"), Condition("grade", "<=", "low"),
    Condition("grade", ">", "low"), Condition("grade", "between", ("low", "middle")), Condition("flag", "=", True),
    Condition(CombinedAttributes("product", "x", 'y "y"\n'), ">", 0.5),
    Condition(CombinedAttributes("ratio", "x", 'y "y"\n'), "<=", 2.0),
    Condition(CombinedAttributes("difference", "x", 'y "y"\n'), "missing"),
    Condition(CombinedAttributes("both", "colour", "grade"), "=", ("red", "low")),
    Condition(CombinedAttributes("both", "colour", "grade"), "not in", (("red", "low"), ("it's", "high"))),
    Condition(CombinedAttributes("both", "colour", "grade"), "known"),
]  # fmt: skip
OF_TEXT = [
    Condition("note", "has", "offer"),
    Condition("note", "has not", "offer"),
    Condition("note", "missing"),
]


def rows_of(n: int, seed: int = 0) -> Table:
    """Values at and around every cut, gaps and levels nobody knows."""
    rng = np.random.default_rng(seed)
    numbers = [
        rng.choice([-2.0, -1.25, -1.0, 0.3, 0.1 + 0.2, 0.5, 1.0, 2.5, np.nan, 0.0], n) for _ in range(2)
    ]
    codes = [rng.integers(-2, len(a.levels), n).astype(np.int32) for a in SCHEMA.nominal]
    codes[2] = np.maximum(codes[2], -1)
    notes = np.array([None, "an offer", "nothing", ""], dtype=object)[rng.integers(0, 4, n)]
    return Table(SCHEMA.without_target(), n, numeric=numbers, nominal=codes, text=[notes])


def dicts_of(rows: Table) -> list[dict[str, Any]]:
    made: dict[str, list[Any]] = {}
    for a, values in rows.numeric_columns():
        made[a.name] = [None if v != v else v for v in values.tolist()]
    for a, codes in rows.nominal_columns():
        made[a.name] = [None if c == -1 else "?" if c < 0 else a.levels[c] for c in codes.tolist()]
    for a, texts in rows.text_columns():
        made[a.name] = texts.tolist()
    return [dict(zip(made, values, strict=True)) for values in zip(*made.values(), strict=True)]


def run_sql(statement: str, rows: Table, name: str = "rows") -> list[Any]:
    names, found = rows.schema.names, dicts_of(rows)
    types = {"numeric": "REAL", "text": "TEXT"}
    with sqlite3.connect(":memory:") as base:
        columns = ", ".join(
            f"{sql.identifier(a.name)} {types.get(a.kind, '')}" for a in rows.schema.attributes
        )
        base.execute(f"CREATE TABLE {sql.identifier(name)} ({columns})")
        marks = ", ".join("?" * len(names))
        base.executemany(
            f"INSERT INTO {sql.identifier(name)} VALUES ({marks})", [tuple(r.values()) for r in found]
        )
        return [row[-1] for row in base.execute(statement).fetchall()]


def run_python(source: str, rows: Table, function: str = "predict") -> list[Any]:
    space: dict[str, Any] = {}
    exec(source, space)
    return [space[function](row) for row in dicts_of(rows)]


@pytest.mark.parametrize("condition", CONDITIONS, ids=str)
def test_a_condition_holds_in_sql_and_python_where_it_holds(condition: Condition) -> None:
    rows = rows_of(300)
    wanted = condition.holds(rows).tolist()
    text = f"CASE WHEN {sql_select.body((condition,), SCHEMA)} THEN 1 ELSE 0 END"
    assert [bool(v) for v in run_sql(sql_select.select(SCHEMA, "rows", None, text), rows)] == wanted
    writer = Writer(SCHEMA)
    made = writer.condition(condition)
    space: dict[str, Any] = {"LEVELS": writer.levels}
    exec(helpers(writer.used), space)
    assert [bool(eval(made, {**space, "row": row})) for row in dicts_of(rows)] == wanted


@pytest.mark.parametrize("condition", OF_TEXT, ids=str)
def test_words_are_asked_for_in_python_only(condition: Condition) -> None:
    rows, writer = rows_of(60), Writer(SCHEMA)
    made = writer.condition(condition)
    space: dict[str, Any] = {}
    exec("import unicodedata\n" + helpers(writer.used), space)
    assert [eval(made, {**space, "row": r}) for r in dicts_of(rows)] == condition.holds(rows).tolist()
    if condition.op != "missing":
        with pytest.raises(DataError, match="asks for a word"):
            sql_select.body((condition,), SCHEMA)


@st.composite
def predictors(draw: st.DrawFn) -> Predictor:
    """Lists of rules of every form, under costs and priors of every form."""
    classes = SCHEMA.classes
    bodies = draw(st.lists(st.lists(st.sampled_from(CONDITIONS), max_size=3), max_size=6))
    weights = st.sampled_from([0.0, 1.0, 2.0, 5.0])
    rules = []
    for body in bodies:
        counts = {c: draw(weights) for c in classes} if draw(st.booleans()) else {}
        rules.append(Rule(tuple(body), draw(st.sampled_from(classes)), counts, 30))
    smoothing = draw(st.sampled_from([1.0, 0.5]))
    default = {c: draw(weights) for c in classes}
    model = RuleList(
        tuple(rules), draw(st.sampled_from(classes)), classes, draw(st.booleans()), default, smoothing
    )
    costs = draw(st.sampled_from([None, np.array([[0.0, 9.0, 1.0], [1.0, 0.0, 4.0], [2.5, 1.0, 0.0]])]))
    shift = draw(st.sampled_from([None, np.array([0.0, 1.5, -2.0]), np.array([0.7, -np.inf, 0.0])]))
    return Predictor(SCHEMA, model, costs, shift)


@given(predictors(), st.integers(0, 99))
@settings(suppress_health_check=list(HealthCheck), deadline=None)
def test_lists_say_in_sql_and_python_what_they_predict(predictor: Predictor, seed: int) -> None:
    rows = rows_of(40, seed)
    wanted = predictor.labels(predictor.predict(rows)).tolist()
    source = export.python_of(predictor)
    shares = np.array(run_python(source, rows, "predict_proba"))
    assert np.allclose(shares, predictor.proba(rows))
    clear = _clear(predictor, rows)
    for got in (run_python(source, rows), run_sql(export.sql_of(predictor, "rows"), rows)):
        assert [g for g, c in zip(got, clear, strict=True) if c] == [
            w for w, c in zip(wanted, clear, strict=True) if c
        ]


def _clear(predictor: Predictor, rows: Table) -> list[bool]:
    """Rows that no rounding decides."""
    shares = predictor.proba(rows)
    worth = shares if predictor.costs is None else -(shares @ predictor.costs.T)
    two = np.sort(worth, axis=1)[:, -2:]
    return (two[:, 1] - two[:, 0] > 1e-9).tolist()


def test_a_term_adds_in_sql_and_python_what_it_adds() -> None:
    rows = rows_of(100)
    whole = TermSum(
        0.25,
        (
            Count(-2.0, (Condition("colour", "=", "red"), Condition("x", ">", 0.0))),
            Slope(-0.5, "x", centre=-1.5, absent=-7.0),
            Slope(3.0, CombinedAttributes("product", "x", 'y "y"\n')),
            *(Slope(1e-3, "x") for _ in range(300)),  # deeper than a parser would nest
        ),
    )
    wanted = whole.of(rows)
    got = run_sql(sql_select.select(SCHEMA, "rows", "value", sql_select.weighted_sum(whole, SCHEMA)), rows)
    assert np.allclose(got, wanted)
    writer = Writer(SCHEMA)
    text = writer.sum(whole)
    space: dict[str, Any] = {}
    exec(helpers(writer.used), space)
    assert np.allclose([eval(text, {**space, "row": row}) for row in dicts_of(rows)], wanted)
    assert Slope(2.0, "x", 0.0, 5.0) == Slope(2.0, "x", 0.0, 5.0)
    odd = Table(Schema((Attribute("x"),)), 3, numeric=[np.array([np.inf, -np.inf, np.nan])])
    assert TermSum(0.0, (Slope(2.0, "x", 0.0, 5.0),)).of(odd).tolist() == [5.0, 5.0, 5.0]


# -- learners -------------------------------------------------------------------------------------


def people(n: int = 200, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age, plan = rng.normal(40, 10, n).round(1), rng.choice(["basic", "plus", "pro"], n)
    size = rng.choice(["s", "m", "l"], n)
    cls = np.where(
        age + 8 * (plan == "pro") + rng.normal(0, 4, n) > 42, "high", np.where(size == "s", "mid", "low")
    )
    return pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, age),
            "height": rng.normal(170, 10, n),
            "plan": np.where(rng.random(n) < 0.1, None, plan),
            "size": pd.Categorical(size, ["s", "m", "l"], ordered=True),
            "class": cls,
        }
    )


CLASSIFIERS = {
    "majority": acumen.Majority(),
    "majority, costs": acumen.Majority(costs={("low", "high"): 0.1, ("high", "low"): 5.0}),
    "one-r": acumen.OneR(),
    "one-r, priors": acumen.OneR(priors="uniform", costs={("low", "high"): 9.0}),
    "logistic": acumen.Logistic(),
    "logistic, priors": acumen.Logistic(priors="uniform"),
    "fisher": acumen.Fisher(),
    "nearest mean": acumen.NearestMean(),
    "tree": acumen.DecisionTree(),
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers_say_in_sql_and_python_what_they_predict(name: str) -> None:
    learner = CLASSIFIERS[name].fit(acumen.read(people(), target="class"))
    frame = people(300, 7).drop(columns="class")
    frame.loc[5:9, "plan"] = "unheard of"
    wanted = learner.predict(frame).tolist()
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    space: dict[str, Any] = {}
    exec(learner.to_python(), space)
    assert [space["predict"](row) for row in rows] == wanted
    if learner.model_type.probabilistic:
        assert np.allclose([space["predict_proba"](row) for row in rows], learner.predict_proba(frame))
    with sqlite3.connect(":memory:") as base:
        frame.astype({"size": str}).to_sql("people", base, index=False)
        assert [row[-1] for row in base.execute(learner.to_sql("people"))] == wanted


@pytest.mark.parametrize(
    "learner", [acumen.LinearRegression(), acumen.Ridge(), acumen.Lasso(), acumen.Mean()], ids=repr
)
def test_regressors_give_the_same_numbers_in_sql_and_python(learner: Any) -> None:
    frame = people().drop(columns="class")
    truth = frame["height"] + 2 * frame["age"].fillna(40)
    learner.fit(acumen.read(frame.assign(height=truth).rename(columns={"height": "y"}), target="y"))
    fresh = people(200, 5).drop(columns=["class", "height"])
    fresh.loc[3, "plan"] = "unheard of"
    wanted = learner.predict(fresh)
    space: dict[str, Any] = {}
    exec(learner.to_python(), space)
    rows = fresh.astype(object).where(fresh.notna(), None).to_dict("records")
    assert np.allclose([space["predict"](row) for row in rows], wanted)
    with sqlite3.connect(":memory:") as base:
        fresh.astype({"size": str}).to_sql("people", base, index=False)
        assert np.allclose([row[-1] for row in base.execute(learner.to_sql("people"))], wanted)


def test_two_classes_of_a_logistic_model_have_one_line() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    learner = acumen.Logistic().fit(X, X[:, 0] > X[:, 1])
    space: dict[str, Any] = {}
    exec(learner.to_python(), space)
    rows = [{"x0": a, "x1": b} for a, b in X.tolist()]
    assert [space["predict"](row) for row in rows] == learner.predict(X).tolist()
    assert np.allclose([space["predict_proba"](row) for row in rows], learner.predict_proba(X))


def test_what_a_model_is_not_is_said_in_a_sentence() -> None:
    near = acumen.KernelFisher().fit(acumen.datasets.load("loan"))
    for form, sentence in (
        ("rules_of", "is not"),
        ("python_of", "cannot be exported"),
        ("figure_of", "cannot be drawn"),
    ):
        with pytest.raises(DataError, match=f"a kernel-fisher model {sentence}"):
            getattr(export, form)(near.predictor_)
    assert export.forms_of(near.model_) == () and not hasattr(near, "to_sql")
    oner = acumen.OneR().fit(acumen.datasets.load("loan"))
    assert export.forms_of(oner.model_) == ("to_rules", "to_sql", "to_python")
    with pytest.raises(DataError, match="It has to_rules and to_sql and to_python"):
        export.figure_of(oner.predictor_)
    tree = acumen.DecisionTree().fit(acumen.datasets.load("loan"))
    assert export.forms_of(tree.model_) == ("to_rules", "to_sql", "to_python", "to_figure")
    with pytest.raises(ParameterError, match="has no colour"):
        tree.to_figure(colour="red")
    assert tree.to_svg(max_depth=1) == tree.to_figure(max_depth=1)._repr_svg_()


def test_costs_of_sums_and_words_are_for_python() -> None:
    frame = people()
    learner = acumen.Logistic(costs={("low", "high"): 9.0, ("high", "low"): 3.0}).fit(
        acumen.read(frame, target="class")
    )
    with pytest.raises(DataError, match="decides by costs"):
        learner.to_sql("people")
    space: dict[str, Any] = {}
    exec(learner.to_python(), space)
    inputs = frame.drop(columns="class")
    rows = inputs.astype(object).where(inputs.notna(), None).to_dict("records")
    assert [space["predict"](row) for row in rows] == learner.predict(inputs).tolist()
    texts = acumen.read(frame.assign(note="some words"), target="class", kinds={"note": "text"})
    with pytest.raises(DataError, match="words of the text 'note'"):
        acumen.Logistic().fit(texts).to_python()
