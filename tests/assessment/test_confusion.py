"""The confusion matrix and what follows from it."""

from __future__ import annotations

import json
import math
import operator
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from acumen import confusion
from acumen.assessment.confusion import Confusion
from acumen.assessment.rates import Rates
from acumen.errors import DataError, ParameterError, SchemaMismatch

CLASSES = ("c", "a", "b", "d")
pairs = st.lists(st.tuples(st.sampled_from(CLASSES), st.sampled_from(CLASSES)), min_size=1, max_size=60)
weighed = st.lists(
    st.tuples(st.sampled_from(CLASSES), st.sampled_from(CLASSES), st.floats(0.1, 9)), min_size=1, max_size=60
)


def expanded(matrix, labels):
    """True and predicted labels that have this matrix (rows predicted, columns true)."""
    cells = [
        (labels[j], labels[i]) for i, line in enumerate(matrix) for j, n in enumerate(line) for _ in range(n)
    ]
    return [t for t, _ in cells], [p for _, p in cells]


def test_w000_33_three_classes_of_iris():
    found = confusion(*expanded([[10, 0, 0], [0, 7, 5], [0, 3, 5]], ("setosa", "versicolor", "virginica")))
    assert found.matrix.tolist() == [[10, 0, 0], [0, 7, 5], [0, 3, 5]]
    assert found.labels == ("setosa", "versicolor", "virginica")
    assert math.isclose(found.error, 8 / 30) and math.isclose(found.accuracy, 22 / 30)
    np.testing.assert_allclose(found.precision, [1, 7 / 12, 5 / 8])
    np.testing.assert_allclose(found.recall, [1, 0.7, 0.5])
    np.testing.assert_allclose(found.f1, [1, 7 / 11, 5 / 9])
    assert math.isclose(found.macro_f1, 0.7306397306, abs_tol=5e-11)


def test_w000_35_two_classes():
    found = confusion(*expanded([[7, 7], [3, 13]], ("c1", "c2"))).rates("c1")
    assert (found.TP, found.FP, found.FN, found.TN) == (7, 7, 3, 13)
    assert math.isclose(found.error, 1 / 3)
    assert (found.precision, found.negative_precision) == (0.5, 0.8125)
    assert math.isclose(found.sensitivity, 0.7) and math.isclose(found.specificity, 0.65)
    assert math.isclose(found.FNR, 0.3) and math.isclose(found.FPR, 0.35) and found.PF == found.FPR
    assert (
        found.recall, found.specificity, found.precision, found.negative_precision,
    ) == (found.TPR, found.TNR, found.PPV, found.NPV)  # fmt: skip


def test_w002_10_all_that_is_called_positive_is_but_hardly_anything_is():
    found = confusion(*expanded([[1, 0], [99, 1000]], ("+", "-"))).rates("+")
    assert (found.precision, found.recall) == (1.0, 0.01)
    assert math.isclose(found.f1, 0.0198019802, abs_tol=5e-11)
    assert math.isclose(found.accuracy, 0.91)


def test_w002_26_one_in_a_hundred():
    found = confusion(["yes"] + ["no"] * 99, ["no"] * 100)
    assert found.accuracy == 0.99 and found.recall.tolist() == [1.0, 0.0]
    assert found.balanced_accuracy == 0.5 and found.kappa == 0.0 and found.mcc == 0.0


def test_w003_06_f_measures_of_precision_a_half_and_recall_seven_tenths():
    found = confusion(*expanded([[7, 7], [3, 13]], ("c1", "c2")))
    for beta, value in [(1, 0.5833333333), (2, 0.6481481481), (0.5, 0.5303030303)]:
        assert math.isclose(found.fbeta(beta)[0], value, abs_tol=5e-11)
        assert math.isclose(found.rates("c1").fbeta(beta), value, abs_tol=5e-11)
    assert math.isclose(found.rates("c1").PF, 7 / 20)
    np.testing.assert_allclose(found.fbeta(0), found.precision)


def test_w003_07_the_precision_of_what_was_never_predicted_is_undefined():
    found = confusion(["+", "-", "-"], ["-", "-", "-"])
    assert math.isnan(found.precision[0]) and math.isnan(found.rates("+").precision)
    assert "undefined" in str(found) and "undefined" in str(found.rates("+"))
    assert found.to_dict()["by_label"][0]["precision"] is None
    assert found.macro_precision == found.precision[1] and found.f1[0] == 0


@given(weighed)
def test_everything_scikit_learn_has_is_the_same(rows):
    truth, predicted, weights = map(list, zip(*rows, strict=True))
    found = confusion(truth, predicted, weights)
    theirs = {"sample_weight": weights}
    close = {"rtol": 1e-12, "atol": 1e-12}
    if len(found.labels) > 1:  # of a single label scikit-learn warns
        np.testing.assert_allclose(
            found.matrix.T, metrics.confusion_matrix(truth, predicted, **theirs), **close
        )
    np.testing.assert_allclose(found.accuracy, metrics.accuracy_score(truth, predicted, **theirs), **close)
    np.testing.assert_allclose(found.error, 1 - found.accuracy, **close)
    seen = found.true_totals > 0
    np.testing.assert_allclose(
        found.balanced_accuracy,
        metrics.recall_score(
            truth, predicted, average="macro", labels=np.array(found.labels)[seen], **theirs
        ),
        **close,
    )
    if len(found.labels) > 1:
        np.testing.assert_allclose(
            found.kappa, metrics.cohen_kappa_score(truth, predicted, **theirs), rtol=1e-9, atol=1e-9
        )
        np.testing.assert_allclose(
            found.mcc, metrics.matthews_corrcoef(truth, predicted, **theirs), rtol=1e-9, atol=1e-9
        )
    else:
        assert math.isnan(found.kappa) and found.mcc == 0
    for beta in (0.5, 1.0, 2.0):
        p, r, f, _ = metrics.precision_recall_fscore_support(
            truth, predicted, beta=beta, zero_division=np.nan, **theirs
        )
        np.testing.assert_allclose(found.precision, p, **close)
        np.testing.assert_allclose(found.recall, r, **close)
        np.testing.assert_allclose(found.fbeta(beta), f, **close)
    for average in ("macro", "weighted"):
        p, r, f, _ = metrics.precision_recall_fscore_support(
            truth, predicted, average=average, zero_division=np.nan, **theirs
        )
        for name, value in (("precision", p), ("recall", r), ("f1", f)):
            ours = getattr(found, f"{average}_{name}")
            # Where no class that occurs was ever predicted, scikit-learn's weighted mean of nothing is 0.
            assert math.isclose(ours, value, rel_tol=1e-12, abs_tol=1e-12) or (
                math.isnan(ours) and value == 0
            )


@given(pairs, st.integers(0, 60), st.integers(0, 60))
def test_confusions_of_parts_add_to_that_of_all_rows(rows, a, b):
    truth, predicted = map(list, zip(*rows, strict=True))
    whole = confusion(truth, predicted)
    cuts = sorted((min(a, len(rows)), min(b, len(rows))))
    ends = [slice(None, cuts[0]), slice(*cuts), slice(cuts[1], None)]
    parts = [confusion(truth[part], predicted[part]) for part in ends if truth[part]]
    assert reduce(operator.add, parts) == whole == reduce(operator.add, parts[::-1])


@given(pairs, st.lists(st.integers(0, 3), min_size=60, max_size=60))
def test_a_weight_is_a_number_of_repetitions(rows, weights):
    truth, predicted = map(np.array, zip(*rows, strict=True))
    times = np.array(weights[: len(rows)])
    if not times.any():
        return
    repeated = confusion(np.repeat(truth, times), np.repeat(predicted, times))
    found = confusion(truth, predicted, times, labels=CLASSES)
    kept = [CLASSES.index(label) for label in repeated.labels]
    assert np.array_equal(found.matrix[np.ix_(kept, kept)], repeated.matrix) and found.error == repeated.error


def test_a_class_that_was_never_seen_or_never_predicted_is_listed():
    found = confusion(["a", "new"], ["a", "old"])
    assert found.labels == ("a", "new", "old") and found.error == 0.5
    assert found.matrix[2, 1] == 1


def test_labels_may_be_put_in_order():
    found = confusion(["lo", "hi"], ["hi", "hi"], labels=("lo", "mid", "hi"))
    assert found.labels == ("lo", "mid", "hi") and found.matrix.tolist() == [[0, 0, 0], [0, 0, 0], [1, 0, 1]]
    with pytest.raises(ParameterError, match="'hi' is not among them"):
        confusion(["lo", "hi"], ["hi", "hi"], labels=("lo",))
    with pytest.raises(ParameterError, match="must be distinct"):
        confusion(["lo"], ["lo"], labels=("lo", "lo"))


def test_numbers_and_booleans_are_labels_too():
    assert confusion([1, 2, 10], [1.0, 2.0, 2.0]).labels == (1, 2, 10)
    found = confusion(np.array([True, False]), np.array([True, True]))
    assert found.labels == (False, True) and found.rates(True).FP == 1
    assert confusion(np.array(["x", "y"]), np.array(["x", "y"], dtype=object)).accuracy == 1


def test_a_row_without_a_true_label_is_counted_apart():
    found = confusion(["a", None, "b"], ["a", "b", "b"], [1.0, 5.0, 2.0])
    assert found.total == 3 and found.unlabelled == 5 and found.accuracy == 1
    assert "the actual class is missing: 5." in str(found)


def test_no_rows_leave_everything_undefined():
    found = confusion([], [])
    assert (
        found.labels == () and math.isnan(found.error) and math.isnan(found.mcc) and math.isnan(found.kappa)
    )
    assert math.isnan(found.macro_f1) and "undefined" in str(found)
    assert found + confusion(["a"], ["a"]) == confusion(["a"], ["a"])


def test_the_mean_cost_of_a_row():
    found = confusion(["good", "bad", "bad", "good"], ["good", "good", "bad", "bad"])
    assert found.cost([[0, 1], [5, 0]]) == 1.5  # rows predicted (bad, good), columns true
    assert found.cost({("good", "bad"): 5}) == 1.5
    assert found.cost(1 - np.eye(2)) == found.error
    with pytest.raises(ParameterError, match="costs must be 2 x 2"):
        found.cost([[0, 1]])
    with pytest.raises(ParameterError, match="got None"):
        found.cost(None)


@pytest.mark.parametrize(
    "make, error, words",
    [
        (lambda: confusion(["a"], ["a", "b"]), DataError, "1 true labels but 2 predictions"),
        (lambda: confusion(["a"], [None]), DataError, "prediction of row 0"),
        (lambda: confusion(["a"], [1]), DataError, "text and the other numbers"),
        (lambda: confusion(["a"], ["a"], [1, 2]), DataError, "weights of shape (2,)"),
        (lambda: confusion(["a"], ["a"], [-1]), DataError, "weights must be finite numbers of at least 0"),
        (lambda: confusion(["a"], ["a"], [np.nan]), DataError, "weights must be finite"),
        (
            lambda: confusion(np.arange(20_000), np.arange(20_000)),
            DataError,
            "look like numbers, not classes",
        ),
        (lambda: confusion(["yes"], ["no"]).rates("yse"), ParameterError, "Did you mean 'yes'?"),
        (lambda: confusion(["yes"], ["no"]).fbeta(-1), ParameterError, "beta must be a number of at least 0"),
        (lambda: confusion(["a"], ["a"]) + confusion([1], [1]), SchemaMismatch, "text"),
        (lambda: Confusion(("a",), np.zeros((2, 2))), ParameterError, "must be 1 x 1"),
    ],
)
def test_what_cannot_be_judged_is_refused_in_a_sentence(make, error, words):
    with pytest.raises(error) as raised:
        make()
    assert words in str(raised.value)


def test_what_is_shown_is_aligned_escaped_and_json():
    found = confusion(["<b>", "x\x1b[2J", "x\x1b[2J"], ["<b>", "<b>", "x\x1b[2J"])
    text = str(found)
    lines = text.splitlines()[1:4]
    assert len({len(line) for line in lines}) == 1 and "\x1b" not in text and r"\x1b" in text
    assert "<b>" in text and "&lt;b&gt;" in found._repr_html_() and "\x1b" not in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["error"] == pytest.approx(1 / 3)
    assert json.loads(json.dumps(found.rates("<b>").to_dict(), allow_nan=False))["TP"] == 1
    many = confusion(np.arange(30), np.arange(30))
    assert "matrix of 30 classes is too large to show" in str(many)


def test_rates_are_frozen_values():
    assert Rates("a", 1, 2, 3, 4) == Rates("a", 1, 2, 3, 4)
    with pytest.raises(AttributeError):
        Rates("a", 1, 2, 3, 4).TP = 5  # type: ignore[misc]


def test_mcc_is_exactly_zero_where_one_class_is_predicted_whatever_the_weights():
    found = confusion(["c", "a", "b"], ["b", "b", "b"], [1.0, 0.99999, 2.3325138293465004])
    assert found.mcc == 0.0
    assert confusion(["b", "b", "b"], ["c", "a", "b"], [1.0, 0.99999, 2.3325138293465004]).mcc == 0.0
