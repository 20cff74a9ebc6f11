"""ROC curves, the area under them, and the curves beside them."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from acumen import _native, precision_recall, roc
from acumen.assessment.losses import hand_till, one_vs_rest
from acumen.assessment.roc import auc
from acumen.assessment.statistics import area_interval
from acumen.errors import DataError, ParameterError
from reference import ranking

#: Class and unrounded score of the thirty test rows of Iris PC under naive Bayes, and the printed scores.
W000_36 = [
    ("c2", 0.9261602599, 0.93), ("c1", 0.8180826481, 0.82), ("c2", 0.7999499719, 0.80),
    ("c1", 0.7745905638, 0.77), ("c1", 0.7397034439, 0.74), ("c1", 0.7105120659, 0.71),
    ("c2", 0.6917655429, 0.69), ("c1", 0.6686991085, 0.67), ("c2", 0.6633288363, 0.66),
    ("c2", 0.6096519719, 0.61), ("c2", 0.5912974335, 0.59), ("c2", 0.5523452611, 0.55),
    ("c1", 0.5479380755, 0.55), ("c1", 0.5291368356, 0.53), ("c1", 0.4729690634, 0.47),
    ("c1", 0.3047993640, 0.30), ("c1", 0.2610692474, 0.26), ("c2", 0.1125467433, 0.11),
    ("c2", 0.0436512490, 0.04), ("c2", 2.969146819e-04, 2.97e-03), ("c2", 1.282875425e-04, 1.28e-03),
    ("c2", 2.549653766e-07, 2.55e-07), ("c2", 6.997036644e-08, 6.99e-08), ("c2", 3.110046746e-08, 3.11e-08),
    ("c2", 3.108962835e-08, 3.109e-08), ("c2", 1.533633516e-08, 1.53e-08), ("c2", 9.757099675e-09, 9.76e-09),
    ("c2", 2.080865326e-09, 2.08e-09), ("c2", 1.953767286e-09, 1.95e-09), ("c2", 7.828629186e-10, 7.83e-10),
]  # fmt: skip

any_score = st.one_of(
    st.sampled_from([0.0, -0.0, 0.5, 1.0, -1.0, math.inf, -math.inf, 5e-324, -5e-324, 1.7e308, -1.7e308]),
    st.floats(allow_nan=False),
)
rows = st.lists(st.tuples(any_score, st.booleans(), st.integers(0, 3)), max_size=80)
judged = st.lists(
    st.tuples(st.sampled_from([0.1, 0.25, 0.3, 0.7, 0.9]) | st.floats(-3, 3), st.booleans()),
    min_size=4,
    max_size=60,
).filter(lambda made: 2 <= sum(flag for _, flag in made) <= len(made) - 2)


def test_w000_36_and_37_area_of_naive_bayes_on_iris():
    classes, exact, printed = zip(*W000_36, strict=True)
    assert math.isclose(roc(classes, exact, "c1").auc, 31 / 40, rel_tol=1e-15)
    assert math.isclose(auc(classes, exact, "c1"), 31 / 40, rel_tol=1e-15)
    assert math.isclose(roc(classes, printed, "c1").auc, 311 / 400, rel_tol=1e-15)  # 0.55 twice is a tie


def test_w000_38_ties_are_drawn_as_a_trapezoid():
    curve = roc(["c1", "c2", "c1", "c1", "c2"], [0.9, 0.8, 0.8, 0.8, 0.1], "c1")
    assert curve.thresholds.tolist() == [math.inf, 0.9, 0.8, 0.1]
    np.testing.assert_allclose(curve.fpr, [0, 0, 1 / 2, 1])
    np.testing.assert_allclose(curve.tpr, [0, 1 / 3, 1, 1])
    steps = np.diff(curve.fpr) * (curve.tpr[1:] + curve.tpr[:-1]) / 2
    np.testing.assert_allclose(np.cumsum(steps), [0, 1 / 3, 5 / 6])
    assert math.isclose(curve.auc, 0.8333333333, abs_tol=5e-11)


def test_w002_11_ten_ranks():
    curve = roc(list("++--+--+--"), range(10, 0, -1), "+")
    assert curve.true_positives.tolist() == [0, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]
    assert curve.false_positives.tolist() == [0, 0, 0, 1, 2, 2, 3, 4, 4, 5, 6]
    np.testing.assert_allclose(curve.tpr, [0, 0.25, 0.5, 0.5, 0.5, 0.75, 0.75, 0.75, 1, 1, 1])
    np.testing.assert_allclose(curve.fpr, np.array([0, 0, 0, 1, 2, 2, 3, 4, 4, 5, 6]) / 6)
    assert curve.auc == 0.75


# -- the kernel -------------------------------------------------------------------------------------


@given(rows, st.booleans())
def test_the_kernel_equals_its_twin(made, weighed):
    scores, flags, weights = (np.array(c) for c in zip(*made, strict=True)) if made else ([], [], [])
    scores, flags = np.array(scores, dtype=float), np.array(flags, dtype=bool)
    weights = np.array(weights, dtype=float) if weighed else np.ones(len(made))
    given_weights = weights if weighed else np.empty(0)
    expected = ranking.pair_sums(scores.tolist(), flags.tolist(), weights.tolist())
    assert _native.pair_sums(scores, flags, given_weights) == expected
    groups = list(zip(*_native.tie_groups(scores, flags, given_weights), strict=True))
    assert groups == ranking.tie_groups(scores.tolist(), flags.tolist(), weights.tolist())


SHAPES = {
    "even": lambda rng, n: rng.random(n),
    "log odds": lambda rng, n: rng.normal(size=n) * 3,
    "two digits": lambda rng, n: rng.random(n).round(2),
    "many zeros": lambda rng, n: np.where(rng.random(n) < 0.5, 0.0, rng.random(n)),
    "all magnitudes": lambda rng, n: rng.choice([-1, 1], n) * np.exp(rng.uniform(-700, 700, n)),
    "an outlier": lambda rng, n: np.r_[1e300, rng.random(n - 1)],
    "far from zero": lambda rng, n: 1e9 + rng.random(n),
    "negative": lambda rng, n: -np.exp(rng.normal(size=n)),
    "with infinities": lambda rng, n: rng.choice([-np.inf, np.inf, 0.5, -0.5, 2.0], n),
    "neighbours": lambda rng, n: np.nextafter(1.0, 2.0) * (1 + rng.integers(0, 9, n) * 2.0**-52),
    "constant": lambda rng, n: np.full(n, 0.3),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_many_rows_of_any_shape_are_sorted_as_numpy_sorts_them(shape):
    rng = np.random.default_rng(0)
    n = 300_000  # more than one chunk, and many buckets
    scores, flags = SHAPES[shape](rng, n), rng.random(n) < 0.3
    weights = rng.random(n)
    found, up, down = _native.tie_groups(scores, flags, np.empty(0), 2)
    expected, place = np.unique(scores, return_inverse=True)
    assert np.array_equal(found, expected[::-1])
    assert np.array_equal(up, np.bincount(place[flags], minlength=len(expected))[::-1])
    assert np.array_equal(down, np.bincount(place[~flags], minlength=len(expected))[::-1])
    total = _native.pair_sums(scores, flags, np.empty(0), 2)
    before = np.concatenate([[0], np.cumsum(up)[:-1]])
    assert total == (flags.sum(), n - flags.sum(), float(down @ (before + up / 2)))
    one, two = (_native.pair_sums(scores, flags, weights, threads) for threads in (1, 2))
    assert one == two
    _, up, down = _native.tie_groups(scores, flags, weights, 2)
    assert np.array_equal(up, np.bincount(place, weights * flags, minlength=len(expected))[::-1])
    assert math.isclose(one[2], float(down @ (np.cumsum(up) - up / 2)), rel_tol=1e-11)


def test_the_kernel_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="differ in length"):
        _native.pair_sums(np.zeros(3), np.zeros(2, dtype=bool), np.empty(0))
    with pytest.raises(ValueError, match="differ in length"):
        _native.tie_groups(np.zeros(3), np.zeros(3, dtype=bool), np.zeros(2))
    with pytest.raises(ValueError, match="not a number"):
        _native.tie_groups(np.array([0, np.nan]), np.zeros(2, dtype=bool), np.empty(0))


# -- curves against scikit-learn --------------------------------------------------------------------


@given(judged, st.booleans())
def test_curves_and_areas_are_those_of_scikit_learn(made, weighed):
    scores, flags = map(np.array, zip(*made, strict=True))
    weights = np.random.default_rng(1).random(len(made)) + 0.1 if weighed else None
    y = np.where(flags, "yes", "no")
    curve = roc(y, scores, "yes", weights)
    fpr, tpr, thresholds = metrics.roc_curve(
        y, scores, pos_label="yes", sample_weight=weights, drop_intermediate=False
    )
    for ours, theirs in ((curve.fpr, fpr), (curve.tpr, tpr), (curve.thresholds, thresholds)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    area = metrics.roc_auc_score(flags, scores, sample_weight=weights)
    assert math.isclose(curve.auc, area, rel_tol=1e-12)
    assert math.isclose(auc(y, scores, "yes", weights), area, rel_tol=1e-12)
    x, y_ = curve.corners()
    assert math.isclose(np.diff(x) @ (y_[1:] + y_[:-1]) / 2, area, rel_tol=1e-9)
    assert len(x) <= len(metrics.roc_curve(flags, scores, sample_weight=weights)[0])

    pr = precision_recall(y, scores, "yes", weights)
    assert math.isclose(
        pr.average_precision,
        metrics.average_precision_score(flags, scores, sample_weight=weights),
        rel_tol=1e-12,
    )
    p, r, t = metrics.precision_recall_curve(flags, scores, sample_weight=weights)
    np.testing.assert_allclose(pr.precision, p[:-1][::-1], rtol=1e-12)
    np.testing.assert_allclose(pr.recall, r[:-1][::-1], rtol=1e-12)
    assert np.array_equal(pr.thresholds, t[::-1])


@given(judged)
def test_reversing_the_scores_or_the_class_mirrors_the_area(made):
    scores, flags = map(np.array, zip(*made, strict=True))
    area = auc(flags, scores, True)
    assert math.isclose(auc(flags, -scores, True), 1 - area, abs_tol=1e-12)
    assert math.isclose(auc(flags, scores, False), 1 - area, abs_tol=1e-12)
    assert auc(flags, np.arctan(scores * 2.0**-10), True) == pytest.approx(area)


# -- DeLong -----------------------------------------------------------------------------------------


@given(judged)
def test_delong_equals_its_definition_over_all_pairs(made):
    scores, flags = map(list, zip(*made, strict=True))
    other = np.round(np.array(scores) + np.sin(np.arange(len(scores))), 1).tolist()
    areas, covariance = ranking.delong_covariance([scores, other], flags)
    one, two = roc(flags, scores, True), roc(flags, other, True)
    assert math.isclose(one.auc, areas[0], rel_tol=1e-12)
    assert math.isclose(one.standard_error**2, covariance[0][0], rel_tol=1e-9, abs_tol=1e-15)
    found = one.compare(two)
    variance = covariance[0][0] + covariance[1][1] - 2 * covariance[0][1]
    assert math.isclose(found.difference, areas[0] - areas[1], abs_tol=1e-12)
    assert math.isclose(found.standard_error**2, max(variance, 0), rel_tol=1e-7, abs_tol=1e-12)
    assert one.compare(one).p == 1 and one.compare(one).difference == 0


def test_a_delong_variance_by_hand():
    # Positives 3, 1 over negatives 2, 0: placements 1, 1/2 and 1/2, 1; the variance is 2 * (1/8) / 2.
    curve = roc([1, 0, 1, 0], [3, 2, 1, 0], 1)
    assert curve.auc == 0.75 and math.isclose(curve.standard_error**2, 0.125)
    assert curve.interval() == tuple(area_interval(0.75, 2, 2, 0.125))


def test_delong_takes_a_weight_for_repetitions():
    rng = np.random.default_rng(3)
    flags, a, b, times = rng.random(40) < 0.4, rng.random(40), rng.random(40).round(1), rng.integers(0, 4, 40)
    one, two = (roc(flags, s, True, times) for s in (a, b))
    again, other = (roc(np.repeat(flags, times), np.repeat(s, times), True) for s in (a, b))
    assert math.isclose(one.auc, again.auc) and math.isclose(one.standard_error, again.standard_error)
    assert one.compare(two).p == pytest.approx(again.compare(other).p)
    assert one.compare(two).low == pytest.approx(again.compare(other).low)


def test_a_single_positive_row_has_a_wide_interval_and_no_test():
    curve = roc([1, 0, 0], [3, 2, 1], 1)
    low, high = curve.interval()
    assert low < 0.4 and high == 1 and "interval" in str(curve)
    assert math.isnan(curve.compare(roc([1, 0, 0], [1, 2, 3], 1)).p)


def test_a_difference_without_spread_is_certain():
    certain = roc([1, 1, 0, 0], [4, 3, 2, 1], 1).compare(roc([1, 1, 0, 0], [1, 2, 3, 4], 1))
    assert certain.difference == 1 and certain.p == 0 and "p = 0" in str(certain)


# -- several classes --------------------------------------------------------------------------------


@given(st.integers(0, 200), st.booleans())
def test_several_classes_as_scikit_learn_has_them(seed, ties):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(3), rng.integers(0, 3, 30)])
    proba = rng.dirichlet(np.ones(3), len(y))
    proba = np.where(proba > 0.4, 0.5, proba) if ties else proba
    proba /= proba.sum(axis=1, keepdims=True)
    classes = ["a", "b", "c"]
    labels = np.array(classes)[y]
    ovo = metrics.roc_auc_score(labels, proba, multi_class="ovo", labels=classes)
    assert math.isclose(hand_till(labels, proba, classes), ovo, rel_tol=1e-12)
    rest = one_vs_rest(labels, proba, classes)
    ovr = metrics.roc_auc_score(labels, proba, multi_class="ovr", labels=classes, average=None)
    np.testing.assert_allclose([rest[c] for c in classes], ovr, rtol=1e-12)


def test_with_two_classes_m_is_the_area():
    p = np.array([0.2, 0.7, 0.7, 0.9, 0.1])
    y = ["no", "no", "yes", "yes", "yes"]
    proba = np.column_stack([1 - p, p])
    assert math.isclose(hand_till(y, proba, ["no", "yes"]), auc(y, p, "yes"), rel_tol=1e-15)


def test_a_class_that_does_not_occur_is_left_out():
    proba = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.5, 0.3, 0.2]])
    assert hand_till(["a", "b", "a"], proba, ["a", "b", "c"]) == 1
    assert math.isnan(one_vs_rest(["a", "b", "a"], proba, ["a", "b", "c"])["c"])
    assert math.isnan(hand_till(["a", "a", "a"], proba, ["a", "b", "c"]))
    assert hand_till(["a", "b", None], proba, ["a", "b", "c"], [1, 1, 9]) == 1


# -- sentences --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: roc([1, 0], [1, np.nan], 1), "the score of row 1 (from 0) is not a number"),
        (lambda: auc([1, 0, 1], [np.nan, np.nan, 1], 1), "nor are 1 others"),
        (lambda: roc([1, 0], [1], 1), "2 labels but 1 scores"),
        (lambda: roc([1, 0], [[1, 2], [2, 3]], 1), "take the column of the positive class"),
        (lambda: roc([1, 0], ["x", "y"], 1), "scores must be numbers"),
        (lambda: roc(["yes", "no"], [1, 2], "yess"), "Did you mean 'yes'?"),
        (lambda: roc(["yes", "no"], [1, 2], 1), "no row is of the positive class 1; y holds no, yes"),
        (lambda: roc([1, 1], [1, 2], 1), "at least one row of another class"),
        (lambda: roc([1, 0], [1, 2], 1, [1, 0]), "at least one row of another class"),
        (lambda: roc([1, 0], [1, 2], 1, [0, 1]), "at least one row of the positive class 1"),
        (lambda: roc([], [], 1), "there are no rows"),
        (lambda: roc([1, None], [1, 2], 1), "y holds missing labels"),
        (lambda: roc([1, np.nan], [1, 2], 1), "y holds missing labels"),
        (lambda: roc([1, 0], [1, 2], 1).compare(roc([0, 1], [1, 2], 1)), "the same rows in the same order"),
        (lambda: hand_till(["a", "d"], np.eye(2), ["a", "b"]), "'d'"),
        (lambda: hand_till(["a", "b"], np.eye(2) * 0.5, ["a", "b"]), "must sum to 1; they sum to 0.5"),
        (lambda: hand_till(["a", "b"], np.eye(3), ["a", "b"]), "2 rows of at most 2 classes"),
        (lambda: hand_till(["a", "b"], np.eye(2) * np.nan, ["a", "b"]), "numbers from 0 to 1"),
    ],
)
def test_what_cannot_be_ranked_is_refused_in_a_sentence(make, words):
    with pytest.raises(DataError) as raised:
        make()
    assert words in str(raised.value)


def test_a_level_outside_0_and_1_is_refused():
    with pytest.raises(ParameterError, match="level must be a number between 0 and 1; got 95"):
        roc([1, 0], [1, 2], 1).interval(95)


def test_what_is_shown_is_short_and_json():
    curve = roc([1, 0, 1, 0], [3, 2, 1, 0], 1)
    assert str(curve).startswith("ROC curve of 1: area 0.7500 (95 % interval ")
    assert json.loads(json.dumps(curve.to_dict(), allow_nan=False))["auc"] == 0.75
    assert json.dumps(roc([1, 0], [1, 2], 1).to_dict(), allow_nan=False)
    pr = precision_recall([1, 0, 1, 0], [3, 2, 1, 0], 1)
    assert "average precision 0.8333" in str(pr) and json.dumps(pr.to_dict(), allow_nan=False)
    assert len(repr(curve)) < 100
