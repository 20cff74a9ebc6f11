"""SQL and Python of every readable model, run by SQLite, by PostgreSQL and by a bare Python: they say what it says."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import acumen
from acumen.codegen import sql
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from export_cases import LEARNERS, NUMBERS, SCHEMA, cuts_of, dicts_of, inputs, known_flags, training
from postgres_server import reason_against, serving

FURTHER: dict[str, Any] = {
    "logistic, two classes": acumen.Logistic(),
    "fisher, two classes": acumen.Fisher(priors="uniform"),
    "naive bayes, two classes": acumen.NaiveBayes(),
    "naive bayes, zeros": acumen.NaiveBayes(alpha=0.0, numeric="discretise"),
    "additive, two classes": acumen.Additive(),
    "naive bayes, costs": acumen.NaiveBayes(costs={("a", "b's"): 4.0}),
    "tree, shares and costs": acumen.DecisionTree(
        prune="none", max_depth=3, priors="uniform", costs={("a", "b's"): 4.0}
    ),
    "least squares": acumen.LeastSquares(alpha=0.1),
    "perceptron, two classes": acumen.Perceptron(max_iter=5, random_state=0),
    "nearest mean": acumen.NearestMean(),
    "svm, linear": acumen.SVM(kernel="linear", multiclass="ovr"),
}
EVERY = {**LEARNERS, **FURTHER}
#: One of each form a statement can have.
IN_POSTGRES = (
    "one-r", "tree", "tree, surrogates", "tree, shares", "tree, shares and costs", "cn2, voting", "logistic",
    "logistic, two classes", "naive bayes", "naive bayes, zeros", "naive bayes, costs", "additive, two classes",
    "stumps", "least squares", "perceptron, two classes",
)  # fmt: skip
TYPES = {"numeric": "DOUBLE PRECISION", "flag": "BOOLEAN", "rooms": "INTEGER"}


def fitted(name: str) -> Any:
    return clone(EVERY[name]).fit(training(classes=2 if "two classes" in name else 3))


def rows_for(model: Any, n: int = 150) -> Table:
    return known_flags(inputs(SCHEMA, n, 6, gaps=0.2, cuts=cuts_of(model.predictor_)))


def created(rows: Table) -> str:
    columns = [
        f"{sql.identifier(a.name)} {TYPES.get(a.kind, TYPES.get(a.name, 'TEXT'))}"
        for a in rows.schema.attributes
    ]
    return f"CREATE TABLE rows (id INTEGER, {', '.join(columns)})"


def in_sqlite(statement: str, rows: Table) -> list[tuple[Any, ...]]:
    base = sqlite3.connect(":memory:")
    try:
        base.execute(created(rows))
        lines = [(i, *row.values()) for i, row in enumerate(dicts_of(rows))]
        base.executemany(f"INSERT INTO rows VALUES ({', '.join('?' * (1 + len(rows.schema)))})", lines)
        return base.execute(statement).fetchall()
    finally:
        base.close()


def sure(predictor: Any, rows: Table) -> list[bool]:
    """Rows that no rounding decides."""
    worth = predictor.scores(rows)
    if predictor.model.probabilistic:
        worth = predictor.proba(rows)
        worth = worth if predictor.costs is None else -(worth @ predictor.costs.T)
    two = np.sort(worth, axis=1)[:, -2:]
    return (two[:, 1] - two[:, 0] > 1e-9).tolist()


def same(got: list[Any], wanted: list[Any], clear: list[bool]) -> bool:
    return [g for g, c in zip(got, clear, strict=True) if c] == [
        w for w, c in zip(wanted, clear, strict=True) if c
    ]


@pytest.mark.parametrize("name", EVERY)
def test_sqlite_gives_labels_and_probabilities(name: str) -> None:
    model = fitted(name)
    predictor, rows = model.predictor_, rows_for(model)
    wanted, clear = predictor.answers(rows), sure(predictor, rows)
    if "naive bayes, costs" not in name:
        assert same([row[-1] for row in in_sqlite(model.to_sql("rows"), rows)], wanted, clear)
    if not predictor.model.probabilistic:
        with pytest.raises(DataError, match="no probabilities"):
            model.to_sql("rows", probabilities=True)
        return
    found = in_sqlite(model.to_sql("rows", probabilities=True), rows)
    assert same([row[-1] for row in found], wanted, clear)
    k = len(predictor.classes)
    shares = np.array([row[-1 - k : -1] for row in found], dtype=np.float64)
    assert np.abs(shares - predictor.proba(rows)).max() < 1e-12
    assert [row[0] for row in found] == list(range(len(rows)))  # whatever else the table has is kept


def test_a_missing_number_needs_one_coalesce_and_a_model_of_two_classes_one_sum() -> None:
    model = acumen.Logistic().fit(training(NUMBERS, classes=2))
    statement = model.to_sql("rows")
    assert statement.count("COALESCE") == 2 and statement.count("SELECT") == 1 and "BETWEEN" not in statement
    assert len(statement.splitlines()) == 7 and max(map(len, statement.splitlines())) < 90
    assert "BETWEEN" in model.to_sql("rows", guard=True)
    bayes = acumen.NaiveBayes().fit(training(NUMBERS, classes=2)).to_sql("rows")
    assert bayes.count("COALESCE") == 4 and bayes.count("SELECT") == 1


def test_models_that_only_compare_numbers_object_to_a_guard() -> None:
    for learner in (acumen.DecisionTree(), acumen.OneR(), acumen.AdaBoost(n_estimators=2)):
        with pytest.raises(ParameterError, match=r"no guard in SQL\. Make NaN and infinities NULL"):
            learner.fit(training(NUMBERS, classes=2)).to_sql("rows", guard=True)


def test_infinite_numbers_are_missing_where_they_are_guarded_against() -> None:
    model = acumen.Logistic().fit(training(NUMBERS))
    rows = inputs(NUMBERS, 40, 2)
    values = [values.copy() for _, values in rows.numeric_columns()]
    values[0][:9], values[0][9:18] = np.inf, -np.inf
    rows = Table(rows.schema, 40, numeric=values)
    got = [row[-1] for row in in_sqlite(model.to_sql("rows", guard=True), rows)]
    assert got == model.predictor_.answers(rows)


def test_columns_of_probabilities_step_aside_for_columns_of_the_table() -> None:
    table = training(NUMBERS, classes=2)
    schema = Schema((Attribute("P(a)"), Attribute("prediction")), table.schema.target)
    table = Table(schema, len(table), numeric=[v for _, v in table.numeric_columns()], labels=table.labels)
    model = acumen.OneR().fit(table)
    statement = model.to_sql("rows", probabilities=True)
    assert '"P(a)_"' in statement and statement.count('AS "prediction_"') == 1
    rows = inputs(schema, 30, 0)
    found = in_sqlite(statement, rows)
    assert [row[-1] for row in found] == model.predictor_.answers(rows)
    assert 'AS "why not"' in model.to_sql("rows", "why not", probabilities=True)


@pytest.mark.skipif(reason_against() is not None, reason=str(reason_against()))
def test_postgres_gives_labels_and_probabilities() -> None:
    """Types as a database has them, NULL, levels nobody knows; and NaN, if guarded against."""
    with serving() as server:
        for name in IN_POSTGRES:
            model = fitted(name)
            predictor, rows = model.predictor_, rows_for(model, 80)
            lines = [
                f"({i}, {', '.join('NULL' if v is None else sql.literal(v) for v in row.values())})"
                for i, row in enumerate(dicts_of(rows))
            ]
            server.run(
                "DROP TABLE IF EXISTS rows", created(rows), f"INSERT INTO rows VALUES {', '.join(lines)}"
            )
            whole = predictor.model.probabilistic
            statement = model.to_sql("rows", probabilities=True) if whole else model.to_sql("rows")
            found = json.loads(server.run(f"SELECT json_agg(q ORDER BY id) FROM ({statement}) AS q"))
            got = [row["prediction"] for row in found]
            assert same(got, predictor.answers(rows), sure(predictor, rows)), name
            if whole:
                shares = np.array(
                    [[row[f"P({c})"] for c in predictor.classes] for row in found], dtype=np.float64
                )
                assert np.abs(shares - predictor.proba(rows)).max() < 1e-12, name
        model = acumen.Fisher().fit(training(NUMBERS))
        given = "VALUES (1, 'NaN'::float8, 1.0::float8), (2, NULL, 1.0), (3, 'Infinity', 1.0)"
        columns = ", ".join(["id", *(sql.identifier(a.name) for a in NUMBERS.attributes)])
        server.run("DROP TABLE rows", f"CREATE TABLE rows AS SELECT * FROM ({given}) AS v ({columns})")
        statement = model.to_sql("rows", guard=True, probabilities=True)
        found = json.loads(server.run(f"SELECT json_agg(q ORDER BY id) FROM ({statement}) AS q"))
        each = [[row[f"P({c})"] for c in model.classes_] for row in found]
        assert each[0] == each[1] == each[2]


# -- a bare Python ------------------------------------------------------------------------------------

_RUN = """
import json, sys
given = json.load(sys.stdin)
made = {}
for name, (source, rows) in given.items():
    space = {}
    exec(compile(source, name, "exec"), space)
    proba = space.get("predict_proba")
    made[name] = [[space["predict"](row), proba(row) if proba else None] for row in rows]
loaded = [one for one in ("numpy", "acumen", "pandas") if one in sys.modules]
json.dump([made, loaded], sys.stdout)
"""


def test_a_bare_python_gives_labels_and_probabilities() -> None:
    """Without site-packages; nothing but `math` is imported where there are no dates and no words."""
    models = {name: fitted(name) for name in EVERY}
    tables = {name: rows_for(model, 100) for name, model in models.items()}
    sources = {name: model.to_python() for name, model in models.items()}
    for source in sources.values():
        assert not re.search(r"^(import|from) (?!math)", source, re.MULTILINE)
    given = {name: [sources[name], dicts_of(tables[name])] for name in models}
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _RUN],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=True,
    )
    made, loaded = json.loads(done.stdout)
    assert not loaded
    for name, model in models.items():
        predictor, rows = model.predictor_, tables[name]
        assert same([label for label, _ in made[name]], predictor.answers(rows), sure(predictor, rows)), name
        if predictor.model.probabilistic:
            shares = np.array([own for _, own in made[name]])
            assert np.abs(shares - predictor.proba(rows)).max() < 1e-12, name


def test_nan_is_missing_in_python() -> None:
    space: dict[str, Any] = {}
    exec(acumen.NaiveBayes().fit(training(NUMBERS)).to_python(), space)
    first, second = NUMBERS.names
    row = {first: float("nan"), second: 1.0}
    assert space["predict_proba"](row) == space["predict_proba"]({second: 1.0})


@pytest.mark.parametrize(
    "name",
    ["logistic", "fisher", "naive bayes", "additive", "svm, linear", "least squares", "nearest mean", "tree"],
)
def test_infinite_numbers_are_in_python_what_they_are_in_predict(name: str) -> None:
    """Missing ones, where a model counts with numbers; beyond every cut where it only compares them."""
    model = clone(EVERY[name]).fit(training(NUMBERS))
    rows = inputs(NUMBERS, 30, 1)
    values = [values.copy() for _, values in rows.numeric_columns()]
    values[0][:10], values[0][10:20] = np.inf, -np.inf
    rows = Table(rows.schema, 30, numeric=values)
    space: dict[str, Any] = {}
    exec(model.to_python(), space)
    assert [space["predict"](row) for row in dicts_of(rows)] == model.predictor_.answers(rows)


@pytest.mark.parametrize(
    "levels",
    [
        ("false", "true"), ("False", "True"), (False, True), (1, 2), (0, 1), ("1", "2"), ("01", "2"), (1.5, 2.0),
        ("1.5", "true"), ("red", "blue"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("learner", [acumen.NaiveBayes(), acumen.DecisionTree(prune="none")], ids=repr)
def test_numbers_and_truth_values_mean_the_level_in_python_that_they_mean_in_explain(
    learner: Any, levels: Any
) -> None:
    """True and "true" are one level, and so are 1, 1.0 and "1"; True and 1 are not."""
    schema = Schema((Attribute("f", "nominal", levels),), Attribute("y", "nominal", ("a", "b")))
    codes = np.array([0, 0, 0, 1, 1, 1, 0], dtype=np.int32)
    labels = np.array([0, 0, 0, 1, 1, 1, 1], dtype=np.int32)
    model = clone(learner).fit(Table(schema, 7, nominal=[codes], labels=labels))
    space: dict[str, Any] = {}
    exec(model.to_python(), space)
    given = [True, False, 0, 1, 1.0, 2, 1.5, "true", "True", "FALSE", "0", "1", "01", "2", "2.0", "1.5", "red",
             "Red", None, float("nan"), np.True_, np.int64(1)]  # fmt: skip
    for value in given:
        wanted = list(model.explain({"f": value}).probabilities.values())
        assert np.allclose(space["predict_proba"]({"f": value}), wanted, atol=1e-12), value


def test_a_class_of_no_chance_anywhere_leaves_even_shares() -> None:
    """By frequencies alone every class may be impossible; then none is preferred, in any language."""
    schema = Schema((Attribute("c", "nominal", ("u", "v")), Attribute("d", "nominal", ("u", "v"))),
                    Attribute("y", "nominal", ("a", "b")))  # fmt: skip
    codes = np.array([0, 0, 1, 1], dtype=np.int32)
    table = Table(schema, 4, nominal=[codes, codes], labels=codes)
    model = acumen.NaiveBayes(alpha=0.0).fit(table)
    rows = Table(schema.without_target(), 1, nominal=[codes[:1], codes[3:]])
    assert model.predictor_.proba(rows).tolist() == [[0.5, 0.5]]
    space: dict[str, Any] = {}
    exec(model.to_python(), space)
    assert space["predict_proba"]({"c": "u", "d": "v"}) == [0.5, 0.5]
    found = in_sqlite(model.to_sql("rows", probabilities=True), rows)
    assert found[0][-3:] == (0.5, 0.5, "a")
    assert in_sqlite(model.to_sql("rows"), rows)[0][-1] == "a"
