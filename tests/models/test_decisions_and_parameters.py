"""Costs, priors and parameters that are wrong are refused in a sentence; those that are right do what they say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import pytest

import acumen
from acumen import _native
from acumen.base.classifier import Classifier
from acumen.engines.cores import cores, limited_to
from acumen.errors import DataError, ParameterError
from acumen.models.model import Model
from acumen.models.parameters import AtLeast, Costs, Spec, specs_of
from acumen.rows.intake import replace_target

LOAN = acumen.datasets.load("loan")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        (
            "costs",
            {("Yes", "No"): "much"},
            r"the cost of \('Yes', 'No'\) must be a finite number; got 'much'",
        ),
        ("costs", {("Yes", "No"): math.inf}, "finite"),
        ("costs", {("Yes", "No"): 10**400}, "finite"),
        ("costs", {"Yes": 1}, "pair"),
        ("costs", [[0, 1]], "2 x 2"),
        ("priors", {"Yes": "half", "No": 0.5}, "the prior of 'Yes' must be a finite number"),
        ("priors", ["half", "half"], "2 numbers"),
        ("priors", {"Yes": 0.5}, "'No'"),
        ("class_weight", {"Yes": None}, "'Yes'"),
    ],
)
def test_wrong_decisions_are_refused_in_a_sentence(name, value, words):
    with pytest.raises(ParameterError, match=words):
        acumen.NaiveBayes(**{name: value}).fit(LOAN)


@pytest.mark.parametrize(
    "parameters",
    [
        {"numeric": "kernel", "mean_prior": (0.0, 1.0)},
        {"bins": 5},
        {"numeric": "kernel", "bins": 5},
        {"estimator": "mle", "smooth_only_zeros": True},
    ],
)
def test_a_parameter_that_would_do_nothing_is_refused(parameters):
    with pytest.raises(ParameterError, match=r"NaiveBayes: (mean_prior|bins|smooth_only_zeros)"):
        acumen.NaiveBayes(**parameters).fit(LOAN)


def spec(hint: Any) -> Spec:
    """The spec of one parameter."""

    def initialise(self: Any, value: hint = None) -> None: ...

    initialise.__annotations__["value"] = hint
    return specs_of(type("Made", (), {"__init__": initialise}))[0]


@pytest.mark.parametrize(
    ("hint", "text", "value"),
    [
        (int | None, "none", None),
        (int | None, "7", 7),
        (bool, "Yes", True),
        (Annotated[float, AtLeast(0)] | Mapping[str, float], '{"a": 2}', {"a": 2}),
        (list | None, "[1, 2]", [1, 2]),
        (Costs, "[[0, 1], [2, 0]]", [[0, 1], [2, 0]]),
        (Costs, "None", None),
        (Any, "word", "word"),
    ],
)
def test_text_means_the_value(hint, text, value):
    assert spec(hint).parse(text, "Made") == value


def test_requirements_read_as_english():
    assert spec(Annotated[float, AtLeast(0)] | list | tuple | np.ndarray | None).requirement() == (
        "a number of at least 0 or an array or None"
    )
    assert spec(Costs).requirement().startswith("a matrix (rows predicted")


def test_n_jobs_reaches_the_kernels_when_predicting(monkeypatch):
    asked: list[int] = []
    kernel = _native.add_gaussian_logs

    def spy(*args: Any) -> Any:
        asked.append(args[-1])
        return kernel(*args)

    iris = acumen.datasets.load("iris")
    learner = acumen.NaiveBayes(n_jobs=3).fit(iris)
    monkeypatch.setattr(_native, "add_gaussian_logs", spy)
    learner.predict(iris), learner.predict_proba(iris), learner.log_likelihood(iris)
    learner.set_params(n_jobs=1).predict(iris)
    assert asked == [3, 3, 3, 1]


def test_a_limit_holds_within_and_is_gone_after():
    outside = cores()
    with limited_to(5):
        assert cores() == 5 and cores(2) == 2
    assert cores() == outside


def test_rows_without_label_are_not_scored():
    model = acumen.Majority().fit(LOAN)
    only_yes = np.where(LOAN.labels == 1, LOAN.labels, np.int32(-1))
    assert model.score(LOAN) == 9 / 15
    assert model.score(replace_target(LOAN, LOAN.schema, only_yes, LOAN.weights)) == 1.0


@dataclass(frozen=True, slots=True)
class _Steepest(Model):
    """Scores without probabilities: the first number, times each class's code."""

    kind: ClassVar[str] = "steepest"
    probabilistic: ClassVar[bool] = False
    classes: int

    def scores(self, rows: Any) -> Any:
        return np.outer(rows.numeric.columns[0], np.arange(self.classes, dtype=float))

    def to_arrays(self) -> dict[str, Any]:
        return {}

    @classmethod
    def from_arrays(cls, arrays: Any, schema: Any) -> Any:
        return cls(schema.n_classes)

    def describe(self, schema: Any, *, full: bool = False) -> str:
        return "the steeper, the later"


class Steepest(Classifier):
    kind: ClassVar[str] = "steepest"
    model_type = _Steepest

    def __init__(self, *, costs: Costs = None) -> None:
        self.costs = costs

    def learn(self, rows: Any) -> Any:
        table = rows.require_local("Steepest")
        return _Steepest(table.schema.n_classes), np.bincount(table.labels).astype(float)


def test_a_learner_without_probabilities_has_a_decision_function_instead():
    learner = Steepest().fit([[1.0], [-1.0]], ["a", "b"])
    assert not hasattr(learner, "predict_proba") and not hasattr(learner, "predict_log_proba")
    assert learner.decision_function([[2.0], [-3.0]]).tolist() == [2.0, -3.0]
    assert learner.predict([[2.0], [-3.0]]).tolist() == ["b", "a"]
    three = Steepest().fit([[1.0], [2.0], [3.0]], ["a", "b", "c"])
    assert three.decision_function([[2.0]]).tolist() == [[0.0, 2.0, 4.0]]
    assert hasattr(acumen.NaiveBayes(), "predict_proba") and not hasattr(
        acumen.NaiveBayes(), "decision_function"
    )
    with pytest.raises(DataError, match="no probabilities"):
        Steepest(costs=[[0, 1], [1, 0]]).fit([[1.0], [-1.0]], ["a", "b"])
