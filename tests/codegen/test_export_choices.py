"""What a reader was told of values goes with a model into SQL and Python: levels that are one, missing tokens."""

from __future__ import annotations

import csv
import io
import sqlite3

import numpy as np
import pytest

import acumen
from acumen.codegen.sql_select import weighted_sum
from acumen.codegen.terms import Slope, TermSum

MERGE = {"plan": {"basic": "Basic", "BASIC": "Basic"}}


@pytest.fixture(scope="module")
def text() -> str:
    rng = np.random.default_rng(2)
    lines = []
    for _ in range(300):
        plan = rng.choice(["Basic", "basic", "BASIC", "Family", "unknown", "it's"])
        n = rng.choice(["-999", *map(str, range(9))])
        y = (plan.lower() == "basic" and int(n) > 3) or (plan == "Family" and int(n) < 2)
        lines.append(f"{plan},{n},{'yes' if y else 'no'}")
    return "plan,n,y\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "learner",
    [acumen.DecisionTree(prune="none"), acumen.OneR(), acumen.Logistic()],
    ids=lambda each: each.kind,
)
def test_merged_levels_and_missing_tokens_are_so_in_sql_and_python(text, learner) -> None:
    table = acumen.read(io.StringIO(text), target="y", merge=MERGE, missing=["unknown", "-999"])
    assert set(table.schema["plan"].levels) == {"Basic", "Family", "it's"}
    model = learner.fit(table)
    wanted = model.predict(table).tolist()
    rows = [{"plan": row["plan"], "n": int(row["n"])} for row in csv.DictReader(io.StringIO(text))]
    source: dict = {}
    exec(model.to_python(), source)
    assert [source["predict"](row) for row in rows] == wanted
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE t (plan TEXT, n INTEGER)")
        base.executemany("INSERT INTO t VALUES (:plan, :n)", rows)
        assert [row[-1] for row in base.execute(model.to_sql("t"))] == wanted
    base.close()


def test_a_row_that_is_explained_is_told_the_same(text) -> None:
    """Also numbers as text, and truth values for tokens that are words."""
    table = acumen.read(io.StringIO(text), target="y", merge=MERGE, missing=["unknown", "-999"])
    model = acumen.NaiveBayes().fit(table)
    source: dict = {}
    exec(model.to_python(), source)
    probabilities = {}
    for plan in ("Basic", "basic", "BASIC", "bAsic", "unknown", None, 3, True):
        for n in (-999, "-999", -999.0, "3", 3, None):
            found = list(model.explain({"plan": plan, "n": n}).probabilities.values())
            assert np.allclose(source["predict_proba"]({"plan": plan, "n": n}), found, atol=1e-12), (plan, n)
            probabilities[plan, n] = found
    assert probabilities["basic", 3] == probabilities["Basic", 3] != probabilities["bAsic", 3]
    assert probabilities["Basic", "-999"] == probabilities["Basic", None] != probabilities["Basic", 3]


def test_what_was_not_told_leaves_no_trace(text) -> None:
    model = acumen.OneR().fit(acumen.read(io.StringIO(text), target="y"))
    assert "TOLD" not in model.to_python() and "ELSE t." not in model.to_sql("t")


def test_the_rounding_of_a_mean_is_not_written_out() -> None:
    """What stands for a missing number is a mean less a mean: 0, and no fraction of two long numbers."""
    schema = acumen.Schema((acumen.Attribute("a", "numeric"),))

    def told(absent: float) -> str:
        return weighted_sum(
            TermSum(0.5, (Slope(0.6153418898957237, "a", 4.044117647058824, absent),)), schema
        )

    assert told(-5.5e-16) == told(0.0) and ", 0.0)" in told(0.0)
    assert ", -0.001)" in told(-0.001) and told(-1e-13) != told(0.0)
