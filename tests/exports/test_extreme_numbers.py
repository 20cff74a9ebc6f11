"""Exports answer as `predict` does for numbers whose squares overflow, up to the largest doubles."""

from __future__ import annotations

import itertools
import json
import sqlite3
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.codegen import sql
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.models.predictor import Predictor
from postgres_server import reason_against, serving

GRID = [sign * size for size in (1e8, 1e40, 1e149, 1e155, 1e160, 3e200, 1.7e308) for sign in (1.0, -1.0)]
LEARNERS: dict[str, Any] = {
    "naive bayes": acumen.NaiveBayes(),
    "naive bayes, weighed": acumen.NaiveBayes(attribute_weights={"a": 0.5, "b": 2.0}),
    "full bayes, diagonal": acumen.FullBayes(covariance="diagonal"),
}
GRAPHS: dict[str, Any] = {
    **LEARNERS,
    "full bayes": acumen.FullBayes(covariance="full"),
    "full bayes, shared": acumen.FullBayes(covariance="shared"),
    "voting": acumen.Voting([acumen.NaiveBayes(), acumen.FullBayes(covariance="full")]),
}


def training(classes: int) -> Table:
    """Classes of different spreads in both columns, which cross."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(classes, dtype=np.int32), 40)
    spread_a, spread_b = np.array([1.0, 3.0, 0.2])[labels], np.array([2.0, 0.5, 1.0])[labels]
    columns = [rng.normal(labels, spread_a), rng.normal(-labels, spread_b)]
    target = Attribute("class", "nominal", tuple("pqr"[:classes]))
    return Table(
        Schema((Attribute("a"), Attribute("b")), target), len(labels), numeric=columns, labels=labels
    )


def extreme_rows() -> Table:
    """Every pair of large numbers, of ordinary ones and of missing ones."""
    values = [*GRID, 0.0, 2.5, np.nan]
    a, b = np.array(list(itertools.product(values, values))).T
    return Table(
        Schema((Attribute("a"), Attribute("b"))),
        len(a),
        numeric=[np.ascontiguousarray(a), np.ascontiguousarray(b)],
    )


def fitted(learner: Any, classes: int) -> tuple[Any, Predictor, Table, list[Any]]:
    rows = extreme_rows()
    model = learner.fit(training(classes))
    predictor = model.predictor_
    assert np.isfinite(predictor.proba(rows)).all() and len(set(predictor.answers(rows))) == classes
    return model, predictor, rows, predictor.answers(rows)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_answers_as_predict_does(name: str, classes: int) -> None:
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    model, predictor, rows, answers = fitted(GRAPHS[name], classes)
    session = runtime.InferenceSession(acumen.to_onnx(model), providers=["CPUExecutionProvider"])
    feed = {a.name: column.reshape(-1, 1) for a, column in rows.numeric_columns()}
    got = dict(zip([o.name for o in session.get_outputs()], session.run(None, feed), strict=True))
    assert got["label"].tolist() == answers
    assert np.abs(got["probabilities"] - predictor.proba(rows)).max() < 1e-9


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", LEARNERS)
def test_python_answers_as_predict_does(name: str, classes: int) -> None:
    model, predictor, rows, answers = fitted(LEARNERS[name], classes)
    program: dict[str, Any] = {}
    exec(model.to_python(), program)
    dicts = [dict(zip("ab", pair, strict=True)) for pair in zip(*rows.numeric.columns, strict=True)]
    assert [program["predict"](row) for row in dicts] == answers
    shares = np.array([program["predict_proba"](row) for row in dicts])
    assert np.abs(shares - predictor.proba(rows)).max() < 1e-9


def lines_of(rows: Table) -> list[tuple[Any, ...]]:
    columns = [[None if v != v else v for v in column.tolist()] for column in rows.numeric.columns]
    return [(i, *pair) for i, pair in enumerate(zip(*columns, strict=True))]


@pytest.mark.parametrize("guard", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", LEARNERS)
def test_sqlite_answers_as_predict_does(name: str, classes: int, guard: bool) -> None:
    model, predictor, rows, answers = fitted(LEARNERS[name], classes)
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE rows (id INTEGER, a DOUBLE PRECISION, b DOUBLE PRECISION)")
    base.executemany("INSERT INTO rows VALUES (?, ?, ?)", lines_of(rows))
    try:
        assert [line[-1] for line in base.execute(model.to_sql("rows", guard=guard))] == answers
        found = base.execute(model.to_sql("rows", guard=guard, probabilities=True)).fetchall()
    finally:
        base.close()
    assert [line[-1] for line in found] == answers
    shares = np.array([line[-1 - classes : -1] for line in found], dtype=np.float64)
    assert np.abs(shares - predictor.proba(rows)).max() < 1e-9


@pytest.mark.skipif(reason_against() is not None, reason=str(reason_against()))
def test_postgres_answers_as_predict_does() -> None:
    """Where an overflow is an error that ends the statement."""
    rows = extreme_rows()
    lines = [[("NULL" if v is None else sql.literal(v)) for v in line] for line in lines_of(rows)]
    values = ", ".join(f"({', '.join(line)})" for line in lines)
    with serving() as server:
        server.run("CREATE TABLE rows (id INTEGER, a DOUBLE PRECISION, b DOUBLE PRECISION)",
                   f"INSERT INTO rows VALUES {values}")  # fmt: skip
        for name, learner in LEARNERS.items():
            model, _, _, answers = fitted(learner, 3)
            found = json.loads(
                server.run(f"SELECT json_agg(q ORDER BY id) FROM ({model.to_sql('rows')}) AS q")
            )
            assert [row["prediction"] for row in found] == answers, name


@pytest.mark.parametrize(
    "learner", [*LEARNERS.values(), GRAPHS["full bayes"], GRAPHS["voting"], acumen.Parzen()], ids=repr
)
def test_the_widest_class_is_predicted_at_every_distance_where_squares_begin_to_overflow(
    learner: Any,
) -> None:
    even = np.linspace(-1, 1, 40)
    shape = [even, np.random.default_rng(1).permutation(even)]
    columns = [np.concatenate([spread * values for spread in (1.0, 1.2, 1.5)]) for values in shape]
    inputs = Schema((Attribute("a"), Attribute("b")))
    schema = Schema(inputs.attributes, Attribute("class", "nominal", ("p", "q", "r")))
    labels = np.repeat(np.arange(3, dtype=np.int32), 40)
    model = learner.fit(Table(schema, len(labels), numeric=columns, labels=labels))
    sizes = np.geomspace(1e148, 1e152, 200)
    far = Table(inputs, len(sizes), numeric=[sizes, np.zeros(len(sizes))])
    assert set(model.predictor_.answers(far)) == {"r"}


@pytest.mark.parametrize("scale", [1e100, 1e150, 1e153])
@pytest.mark.parametrize("name", ["naive bayes", "full bayes", "full bayes, diagonal", "voting"])
def test_a_graph_of_a_model_fitted_on_enormous_numbers_answers_as_predict_does(
    name: str, scale: float
) -> None:
    """One column of ordinary numbers beside one of enormous ones."""
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    table, rows = training(3), extreme_rows()
    (a, b) = table.numeric.columns
    model = GRAPHS[name].fit(Table(table.schema, len(table), numeric=[a, b * scale], labels=table.labels))
    session = runtime.InferenceSession(acumen.to_onnx(model), providers=["CPUExecutionProvider"])
    near = Table(rows.schema, len(table), numeric=[a, b * scale])
    for some in (near, rows):
        feed = {one.name: column.reshape(-1, 1) for one, column in some.numeric_columns()}
        got = dict(zip([o.name for o in session.get_outputs()], session.run(None, feed), strict=True))
        assert got["label"].tolist() == model.predictor_.answers(some)
        assert np.abs(got["probabilities"] - model.predictor_.proba(some)).max() < 1e-9
