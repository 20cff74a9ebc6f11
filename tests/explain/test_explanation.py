"""Explanations of every family in one form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

import acumen
from acumen.conditions.condition import Condition
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.explain.explanation import Case, Evidence, Explanation, Grounds, ValueExplanation
from acumen.models.model import Model
from acumen.models.predictor import Predictor
from acumen.types import Array, Floats

KEYS = {"schema_version", "task", "evidence", "rules", "cases", "note"}
REASON = {"attribute", "condition", "test", "contribution", "support", "confidence", "role"}


def test_both_explanations_have_one_schema() -> None:
    iris = acumen.datasets.load("iris")
    rows = iris.to_pandas().drop(columns="class")
    number = acumen.read(rows, target="petal_width")
    for learner, table in (
        (acumen.NaiveBayes(), iris), (acumen.DecisionTree(), iris), (acumen.OneR(), iris), (acumen.Logistic(), iris),
        (acumen.LinearRegression(), number), (acumen.SVR(), number),
    ):  # fmt: skip
        made = json.loads(json.dumps(learner.fit(table).explain(table.take([0])).to_dict()))
        assert made.keys() >= KEYS and made["schema_version"] == 1
        assert all(reason.keys() >= REASON for reason in made["evidence"]) and made["evidence"]


def test_trees_and_one_r_say_conditions_as_data() -> None:
    loan = acumen.datasets.load("loan")
    for learner in (acumen.DecisionTree(prune="none"), acumen.OneR()):
        why = learner.fit(loan).explain(loan.take([0]))
        typed = [e.condition for e in why.evidence if isinstance(e.condition, Condition)]
        assert typed and all(condition.holds(loan.take([0]))[0] for condition in typed)


def test_shorter_words_are_for_people_and_the_test_for_programs() -> None:
    one = Evidence("x", Condition("x", "<=", 0.1 + 0.2), 1.5, said="x <= 0.3")
    assert one.text == "x <= 0.3" and one.to_dict()["test"]["value"] == 0.1 + 0.2
    assert "x <= 0.3 " in str(Explanation("a", "b", None, (one,)))


def test_reasons_without_a_number_come_last_and_are_told_without_one() -> None:
    reasons = (Evidence(None, "no figure"), Evidence("x", "x = 1", -0.5), Evidence("y", "y = 1", 2.0))
    why = Explanation("a", "b", {"a": 0.75, "b": 0.25}, reasons)
    assert str(why).splitlines() == [
        "a with probability 0.75, rather than b",
        "  for a",
        "    y = 1  odds x 7.39    +2.000",
        "  against a",
        "    x = 1  odds / 1.65    -0.500",
        "  no figure",
    ]
    assert why.log_odds == 1.5 and why.to_dict()["evidence"][-1]["contribution"] is None
    value = ValueExplanation(3.0, 1.0, (Evidence(None, "no figure"), Evidence("x", "x = 1", 2.0)))
    assert str(value).splitlines() == ["value = 3, starting from 1", "  x = 1      +2", "  no figure"]
    assert value.evidence == value.contributions


@dataclass(frozen=True, slots=True, eq=False)
class NearestModel(Model):
    """The class of the nearest row: a toy whose explanations are cases."""

    kind: ClassVar[str] = "toy-nearest"
    probabilistic: ClassVar[bool] = False
    rows: Floats
    labels: Array
    k: int

    def _away(self, rows: Table) -> Floats:
        return np.asarray(((rows.numeric.matrix()[:, None] - self.rows) ** 2).sum(axis=2))

    def scores(self, rows: Table) -> Floats:
        return np.eye(self.k)[self.labels[self._away(rows).argmin(axis=1)]]

    def grounds(self, row: Table, schema: Schema) -> Grounds:
        away = np.sqrt(self._away(row)[0])
        near = np.argsort(away, kind="stable")[:12]
        return Grounds(
            cases=tuple(
                Case(int(i), float(away[i]), schema.classes[self.labels[i]], 1.0 if n else 2.0,
                     {"petal_length": float(self.rows[i, 2])}, {"petal_length": 0.5})
                for n, i in enumerate(near)
            ),
            note="The nearest row decides.",
        )  # fmt: skip

    def to_arrays(self) -> dict[str, Array]:
        return {"rows": self.rows}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        raise NotImplementedError

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        return "nearest"


def test_neighbours_are_cases_with_distances() -> None:
    iris = acumen.datasets.load("iris")
    predictor = Predictor(iris.schema, NearestModel(iris.numeric.matrix(), iris.labels, 3))
    why = predictor.explain(iris.take([3]))
    assert why.label == "Iris-setosa" and why.cases[0].row == 3 and why.cases[0].distance == 0.0
    lines = str(why).splitlines()
    assert "  row 3  Iris-setosa  distance 0  weight 2  (petal_length = 1.5)" in lines
    assert "  ... and 2 more rows" in lines and lines[-1] == "  The nearest row decides."
    made = json.loads(json.dumps(why.to_dict()))
    assert made["cases"][0]["answer"] == "Iris-setosa" and made["cases"][0]["parts"] == [
        ["petal_length", 0.5]
    ]
