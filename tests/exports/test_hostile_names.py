"""Exports of models whose names, levels and classes are hostile: each opens elsewhere and agrees, or is a sentence."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from sklearn.base import clone

import acumen
from acumen.codegen import sql
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.networks.bif import read_bif
from reference import pmml

NAMES = {
    "high surrogate": "a\ud800",
    "low surrogate": "\udc80b",
    "nul": "a\0b",
    "only nul": "\0",
    "ends in nul": "a\0",
    "controls": "\x01\x07\x1b[31m\x7f\x85",
    "quotes": "'\"`[]\\",
    "backslash": "a\\",
    "triple quotes": "\"\"\"'''",
    "newlines": "a\nb\r\nc\rd\u2028e",
    "tabs": "\t x \t",
    "blank": " ",
    "emoji": "\U0001f469\u200d\U0001f467\U0001f3fd",
    "right to left": "\u202eabc\u202c\u05d0",
    "byte order mark": "\ufeffx",
    "not a character": "\ufffe\uffff",
    "combining": "e\u0301",
    "long": "x" * 10_000,
    "empty": "",
    "placeholders": "%s {0} {} $1 ? :a @b",
    "comment": "-- */ /* <!-- ]]> &amp; <b> #",
    "statement": "'; DROP TABLE t; --",
    "code": "__import__('os').system('x')",
    "not a number": "nan",
    "truth": "true",
    "number": "1",
    "null": "None",
    "a graph's constant": "acumen/c0",
    "a graph's node": "acumen/n0",
    "an output": "label",
    "another output": "prediction",
    "a parameter": "row",
    "row number": "rowid",
}
POSITIONS = ("number", "nominal", "level", "class", "target")
LEARNERS: dict[str, Any] = {
    "tree": acumen.DecisionTree(),
    "naive bayes": acumen.NaiveBayes(),
    "rules": acumen.Ripper(),
    "additive": acumen.Additive(),
    "stumps": acumen.AdaBoost(n_estimators=3),
    "network": acumen.BayesNetwork(),
}


def table_with(**names: str) -> Table:
    """Rows in which the number and the level `level` of the nominal attribute both matter."""
    called = {"number": "x", "nominal": "colour", "level": "b", "class": "no", "target": "y"} | names
    rng = np.random.default_rng(0)
    x, codes = rng.normal(size=80), rng.integers(0, 3, 80).astype(np.int32)
    labels = (x + (codes == 1) * 1.5 + rng.normal(size=80) * 0.4 > 0.5).astype(np.int32)
    schema = Schema(
        (Attribute(called["number"]), Attribute(called["nominal"], "nominal", ("a0", called["level"], "c0"))),
        Attribute(called["target"], "nominal", (called["class"], "yes")),
    )
    return Table(schema, 80, numeric=[x], nominal=[codes], labels=labels)


def rows_of(table: Table) -> list[dict[str, Any]]:
    number, nominal = table.schema.attributes
    pairs = zip(table.numeric.columns[0].tolist(), table.nominal.columns[0].tolist(), strict=True)
    return [{number.name: x, nominal.name: nominal.levels[code]} for x, code in pairs]


def by_onnx(model: Any, table: Table) -> list[Any]:
    runtime = pytest.importorskip("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    session = runtime.InferenceSession(acumen.to_onnx(model), options, providers=["CPUExecutionProvider"])
    columns = {name: [row[name] for row in rows_of(table)] for name in table.schema.names}
    feed = {
        name: np.array(values, dtype=np.float64 if isinstance(values[0], float) else object)[:, None]
        for name, values in columns.items()
    }
    return list(session.run(None, feed)[0].ravel().tolist())


def by_pmml(model: Any, table: Table) -> list[Any]:
    document = pmml.Document(acumen.to_pmml(model))
    assert not pmml.problems(document)
    return [document.score(row)[0] for row in rows_of(table)]


def by_sql(model: Any, table: Table) -> list[Any]:
    statement = model.to_sql("t")
    number, nominal = (sql.identifier(name) for name in table.schema.names)
    with closing(sqlite3.connect(":memory:")) as link:
        link.execute(f"CREATE TABLE t ({number} DOUBLE, {nominal} TEXT)")
        link.executemany("INSERT INTO t VALUES (?, ?)", [tuple(row.values()) for row in rows_of(table)])
        return [row[-1] for row in link.execute(statement)]


def by_python(model: Any, table: Table) -> list[Any]:
    module: dict[str, Any] = {}
    exec(compile(model.to_python().encode(), "model.py", "exec"), module)
    return [module["predict"](row) for row in rows_of(table)]


def by_bif(model: Any, table: Table) -> list[Any]:
    network = read_bif(model.to_bif())
    nominal, target = table.schema.attributes[1], table.schema.target
    nodes = {node.name: node.levels for node in network.nodes}
    assert nodes[nominal.name] == nominal.levels and nodes[target.name] == target.levels
    return model.predict(table).tolist()


def by_svg(model: Any, table: Table) -> list[Any]:
    ET.fromstring(model.to_svg().encode())
    return model.predict(table).tolist()


EXPORTS: dict[str, Callable[[Any, Table], list[Any]]] = {
    "to_onnx": by_onnx, "to_pmml": by_pmml, "to_sql": by_sql, "to_python": by_python, "to_bif": by_bif,
    "to_svg": by_svg,
}  # fmt: skip


def outcome(export: str, learner: str, **names: str) -> str:
    """Whether an export agrees, is refused in a sentence, or is absent because the model has no such form."""
    table = table_with(**names)
    model = fitted(learner, table)
    if not export.startswith(("to_onnx", "to_pmml")) and not hasattr(model, export):
        return "absent"
    try:
        answers = EXPORTS[export](model, table)
    except DataError as error:
        assert str(error).endswith((".", "fit again")), error
        return "refused"
    assert answers == model.predict(table).tolist(), (export, learner, names)
    return "agrees"


def fitted(learner: str, table: Table) -> Any:
    return clone(LEARNERS[learner]).fit(table)


@pytest.mark.parametrize(
    ("export", "learner"),
    [("to_onnx", "naive bayes"), ("to_pmml", "tree"), ("to_sql", "tree"), ("to_python", "rules"),
     ("to_bif", "network"), ("to_svg", "tree")],
)  # fmt: skip
def test_a_hostile_name_opens_elsewhere_or_is_a_sentence(export, learner):
    """Each name at one position in turn."""
    outcomes = [outcome(export, learner, **{POSITIONS[i % 5]: name}) for i, name in enumerate(NAMES.values())]
    assert outcomes.count("agrees") > len(NAMES) / 2 and "absent" not in outcomes


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("export", ["to_onnx", "to_pmml", "to_bif"])
def test_half_a_character_is_a_sentence_wherever_it_is(export, position):
    learner = "network" if export == "to_bif" else "tree"
    for name in ("a\ud800", "\udc80b"):
        assert outcome(export, learner, **{position: name}) == "refused"


def test_the_command_line_says_it_too(tmp_path, capsys):
    from acumen.cli.main import run

    acumen.save(fitted("tree", table_with(level="a\ud800")), tmp_path / "m.acm")
    assert run(["show", str(tmp_path / "m.acm"), "--onnx", str(tmp_path / "m.onnx")]) == 2
    assert "half a character" in capsys.readouterr().err and not (tmp_path / "m.onnx").exists()


def test_classes_that_differ_in_a_last_nul_stay_apart():
    """numpy's own arrays of texts would cut it off."""
    model = fitted("tree", table_with(**{"class": "yes\0"}))
    assert set(model.predict(table_with(**{"class": "yes\0"})).tolist()) == {"yes", "yes\0"}


@pytest.mark.slow
@pytest.mark.parametrize("export", EXPORTS)
@pytest.mark.parametrize("position", POSITIONS)
def test_every_hostile_name_opens_elsewhere_or_is_a_sentence(export, position):
    counts = [outcome(export, learner, **{position: name}) for learner in LEARNERS for name in NAMES.values()]
    assert counts.count("agrees") >= len(NAMES) / 2
