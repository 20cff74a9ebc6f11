"""The measures by name, the losses, and outcomes that add."""

from __future__ import annotations

import math
import operator
import subprocess
import sys
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from acumen.assessment.losses import brier, log_loss
from acumen.assessment.outcome import Outcome, RunFacts
from acumen.assessment.scores import MEASURES, measure
from acumen.errors import DataError, ParameterError, SchemaMismatch

CLASSES = ("a", "b", "c")
NAMES = [
    "error",
    "accuracy",
    "balanced_accuracy",
    "kappa",
    "mcc",
    "precision",
    "recall",
    "f1",
    "macro_f1",
    "log_loss",
    "brier",
    "auc",
    "cost",
    "mae_rank",
    "kappa_linear",
    "kappa_quadratic",
    "rmse",
    "mae",
    "r2",
    "fit_time",
    "predict_time",
    "memory",
    "size",
]
COSTS = [[0, 2, 5], [1, 0, 1], [3, 1, 0]]


def predictions(seed, n=40, k=3):
    """Codes, predicted codes, probabilities and weights; every class occurs."""
    rng = np.random.default_rng(seed)
    truth = np.concatenate([np.arange(k), rng.integers(0, k, n - k)]).astype(np.int32)
    proba = rng.dirichlet(np.ones(k), n)
    return truth, proba.argmax(axis=1).astype(np.int32), proba, rng.random(n) + 0.1


def test_the_names_are_all_there():
    assert list(MEASURES) == NAMES
    assert all(m.words and m.name == name for name, m in MEASURES.items())
    assert [name for name, m in MEASURES.items() if not m.larger_is_better] == [
        "error", "log_loss", "brier", "cost", "mae_rank", "rmse", "mae", "fit_time", "predict_time", "memory", "size",
    ]  # fmt: skip
    assert [n for n, m in MEASURES.items() if m.needs == "probabilities"] == ["log_loss", "brier", "auc"]


@given(st.integers(0, 500), st.booleans(), st.sampled_from([2, 3]))
def test_measures_are_those_of_scikit_learn(seed, weighed, k):
    truth, predicted, proba, weights = predictions(seed, k=k)
    weights = weights if weighed else None
    outcome = Outcome.of(truth, predicted, CLASSES[:k], proba, weights, keep_scores=True)
    sw = {"sample_weight": weights}
    average = "binary" if k == 2 else "macro"
    expected = {
        "error": 1 - metrics.accuracy_score(truth, predicted, **sw),
        "accuracy": metrics.accuracy_score(truth, predicted, **sw),
        "balanced_accuracy": metrics.balanced_accuracy_score(truth, predicted, **sw),
        "kappa": metrics.cohen_kappa_score(truth, predicted, **sw),
        "mcc": metrics.matthews_corrcoef(truth, predicted, **sw),
        "precision": metrics.precision_score(truth, predicted, average=average, zero_division=np.nan, **sw),
        "recall": metrics.recall_score(truth, predicted, average=average, **sw),
        "f1": metrics.f1_score(truth, predicted, average=average, **sw),
        "macro_f1": metrics.f1_score(truth, predicted, average="macro", **sw),
        "log_loss": metrics.log_loss(truth, proba, **sw),
    }
    if k == 2 or not weighed:
        scores = proba[:, 1] if k == 2 else proba
        expected["auc"] = metrics.roc_auc_score(truth, scores, multi_class="ovo", **sw)
    for name, value in expected.items():
        assert measure(name).value(outcome) == pytest.approx(value, rel=1e-11, abs=1e-12, nan_ok=True), name
    truths = np.eye(k)[truth]
    assert measure("brier").value(outcome) == pytest.approx(
        np.average(((proba - truths) ** 2).sum(axis=1), weights=weights), rel=1e-12
    )
    if k == 2:
        half = metrics.brier_score_loss(truth, proba[:, 1], **sw)
        assert measure("brier").value(outcome) == pytest.approx(2 * half, rel=1e-12)
    costs = np.array(COSTS)[:k, :k]
    assert measure("cost").value(outcome, costs=costs) == pytest.approx(
        np.average(costs[predicted, truth], weights=weights), rel=1e-12
    )


@given(st.integers(0, 500), st.booleans())
def test_outcomes_of_parts_add_to_that_of_all_rows(seed, weighed):
    truth, predicted, proba, weights = predictions(seed)
    weights = weights if weighed else None
    parts = []
    for rows in np.split(np.arange(40), [7, 7, 20]):
        part = None if weights is None else weights[rows]
        parts.append(Outcome.of(truth[rows], predicted[rows], CLASSES, proba[rows], part, keep_scores=True))
    whole = Outcome.of(truth, predicted, CLASSES, proba, weights, keep_scores=True)
    total = reduce(operator.add, parts)
    for name, m in MEASURES.items():
        if m.needs in ("labels", "probabilities"):
            ours, theirs = (m.value(outcome, costs=COSTS) for outcome in (total, whole))
            assert ours == pytest.approx(theirs, rel=1e-12), name
    if not weighed:
        assert total.confusion == whole.confusion and total.auc == whole.auc


@given(st.integers(0, 500))
def test_a_measure_by_row_has_the_measure_for_its_mean(seed):
    truth, predicted, proba, weights = predictions(seed)
    outcome = Outcome.of(truth, predicted, CLASSES, proba, weights)
    means = [m for m in MEASURES.values() if m.is_row_mean and m.needs != "numbers"]
    assert [m.name for m in means] == ["error", "accuracy", "log_loss", "brier", "cost", "mae_rank"]
    for m in means:
        by_row = m.by_row(truth, predicted, proba, costs=COSTS, classes=CLASSES)
        assert by_row.shape == (40,)
        assert np.average(by_row, weights=weights) == pytest.approx(m.value(outcome, costs=COSTS), rel=1e-12)


def test_the_positive_class_is_the_last_of_two_or_the_one_named():
    truth, predicted = [0, 0, 1, 1, 1], [0, 1, 1, 1, 0]
    outcome = Outcome.of(np.array(truth), np.array(predicted), ("no", "yes"))
    assert measure("precision").value(outcome) == measure("recall").value(outcome) == 2 / 3
    assert measure("recall").value(outcome, positive="no") == 0.5
    three = Outcome.of(np.array([0, 1, 2]), np.array([0, 1, 1]), CLASSES)
    assert measure("precision").value(three) == 0.75  # of a and b; that of c is undefined
    assert measure("f1").value(three, positive="c") == 0


def test_a_certain_mistake_has_an_infinite_log_loss():
    assert log_loss(["a", "b"], [[1, 0], [1, 0]], ["a", "b"]) == math.inf
    assert log_loss(["a", "b"], [[1, 0], [1, 0]], ["a", "b"], [1, 0]) == 0
    assert brier(["a", "b"], [[1, 0], [1, 0]], ["a", "b"]) == 1
    outcome = Outcome.of(np.array([1]), np.array([0]), ("a", "b"), [[1.0, 0.0]])
    assert measure("log_loss").value(outcome) == math.inf and measure("brier").value(outcome) == 2


def test_the_brier_score_keeps_the_digits_of_a_small_loss():
    p = 1e-12
    assert brier(["a"], [[1 - p, p]], ["a", "b"]) == pytest.approx((1 - (1 - p)) ** 2 + p * p, rel=1e-12)


def test_a_class_no_model_saw_is_an_error_and_is_listed():
    outcome = Outcome.of(
        np.array([0, 1, 2]), np.array([0, 1, 1]), ("a", "b", "new"), np.eye(3)[[0, 1, 1], :2]
    )
    assert outcome.confusion.labels == ("a", "b", "new") and outcome.confusion.matrix[1, 2] == 1
    assert measure("error").value(outcome) == pytest.approx(1 / 3)
    assert outcome.log_loss == math.inf and outcome.brier == pytest.approx(2 / 3)


def test_rows_without_a_label_are_counted_apart():
    truth, predicted = np.array([0, -1, 1, -2]), np.array([0, 1, 0, 1])
    outcome = Outcome.of(truth, predicted, ("a", "b"), np.full((4, 2), 0.5), [1, 4, 1, 2], keep_scores=True)
    assert outcome.confusion.unlabelled == 6 and outcome.confusion.total == 2
    assert outcome.log_loss == pytest.approx(math.log(2)) and outcome.auc == 0.5


def test_degenerate_parts_leave_measures_undefined_and_sums_right():
    empty = Outcome.of(np.empty(0, int), np.empty(0, int), ("a", "b"), np.empty((0, 2)), keep_scores=True)
    one = Outcome.of(np.array([0, 0]), np.array([0, 1]), ("a", "b"), np.full((2, 2), 0.5), keep_scores=True)
    other = Outcome.of(np.array([1]), np.array([1]), ("a", "b"), [[0.2, 0.8]], keep_scores=True)
    for name in ("error", "log_loss", "brier", "auc", "kappa", "mcc", "f1"):
        assert math.isnan(measure(name).value(empty)), name
    assert math.isnan(measure("auc").value(one)) and measure("auc").value(empty + one + other) == 1
    assert measure("error").value(one + other) == pytest.approx(1 / 3)


def test_facts_of_a_run_are_measures_too():
    facts = RunFacts(fit_time=1.5, size=7)
    assert measure("fit_time").value(facts=facts) == 1.5 and measure("size").value(facts=facts) == 7
    assert math.isnan(measure("memory").value(facts=facts))


LABELS_ONLY = Outcome.of(np.array([0, 1]), np.array([0, 1]), ("a", "b"))


@pytest.mark.parametrize(
    "make, error, words",
    [
        (lambda: measure("acuracy"), ParameterError, "Did you mean 'accuracy'?"),
        (lambda: measure(["error"]), ParameterError, "there is no measure ['error']"),
        (
            lambda: measure("auc").value(LABELS_ONLY),
            ParameterError,
            "needs probabilities, and there are none",
        ),
        (lambda: measure("cost").value(LABELS_ONLY), ParameterError, "needs a cost matrix; give costs="),
        (lambda: measure("size").value(LABELS_ONLY), ParameterError, "needs the times and sizes of a run"),
        (lambda: measure("error").value(), ParameterError, "needs an outcome"),
        (lambda: measure("auc").by_row(np.zeros(1), np.zeros(1)), ParameterError, "not a mean over rows"),
        (lambda: measure("brier").by_row(np.zeros(1), np.zeros(1)), ParameterError, "needs probabilities"),
        (lambda: LABELS_ONLY.auc, ParameterError, "keep_scores=True"),
        (
            lambda: Outcome.of(np.array([0]), np.array([0]), ("a",), keep_scores=True),
            ParameterError,
            "keep_scores needs probabilities",
        ),
        (lambda: Outcome.of(np.array([0]), np.array([-1]), ("a",)), DataError, "codes from 0 to 0"),
        (
            lambda: Outcome.of(np.array([0]), np.array([0, 0]), ("a",)),
            DataError,
            "1 true codes but 2 predictions",
        ),
        (lambda: log_loss(["a", None], np.eye(2), ["a", "b"]), DataError, "missing labels"),
        (lambda: brier([], np.empty((0, 2)), ["a", "b"]), DataError, "there are no rows"),
        (
            lambda: LABELS_ONLY + Outcome.of(np.array([0]), np.array([0]), ("a",)),
            SchemaMismatch,
            "their classes differ",
        ),
        (
            lambda: (
                LABELS_ONLY
                + Outcome.of(np.array([0]), np.array([0]), ("a", "b"), [[1.0, 0.0]], keep_scores=True)
            ),
            SchemaMismatch,
            "only one of them kept its scores",
        ),
    ],
)
def test_what_cannot_be_measured_is_refused_in_a_sentence(make, error, words):
    with pytest.raises(error) as raised:
        make()
    assert words in str(raised.value)


def test_measuring_imports_neither_scikit_learn_nor_statistics():
    code = """
import sys, numpy as np, acumen
acumen.confusion(["a", "b"], ["a", "a"]), acumen.roc([1, 0, 1, 0], [4, 3, 2, 1], 1).interval()
acumen.lift([1, 0], [2, 1], 1, 2), acumen.calibration([1, 0], [1, 0], 1), acumen.KFold(2).part_codes(4)
import acumen.assessment.scores
print(*[m for m in ("sklearn", "scipy.stats", "pandas", "pyarrow", "matplotlib") if m in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
