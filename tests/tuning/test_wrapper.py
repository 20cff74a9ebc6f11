"""Attributes chosen by how well a learner does with them."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.assessment.judge import MeasureJudge
from acumen.checks import check_learner
from acumen.errors import ParameterError
from acumen.tuning.subset_values import LogProbabilityValues, RefitValues, SummedValues, valuer_of
from acumen.tuning.subsets import SubsetCosts, search_subsets


@pytest.fixture(scope="module")
def iris():
    return acumen.datasets.load("iris")


def numbers(seed=0, gaps=0.1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 5))
    y = X @ [1.0, 2.0, 0.0, 0.0, 1.0] + rng.normal(size=120)
    X[rng.random(X.shape) < gaps] = np.nan
    return acumen.read(np.column_stack([X, y]), target=5)


def noise(n=150, d=30, seed=0):
    rng = np.random.default_rng(seed)
    return acumen.read(np.column_stack([rng.normal(size=(n, d)), rng.integers(0, 2, n)]), target=d)


@pytest.mark.parametrize(
    "learner, way",
    [
        (acumen.NaiveBayes(), LogProbabilityValues),
        (acumen.NaiveBayes(numeric="kernel"), LogProbabilityValues),
        (acumen.NaiveBayes(priors="uniform"), LogProbabilityValues),
        (acumen.NaiveBayes(costs=[[0, 1, 5], [1, 0, 1], [2, 1, 0]]), LogProbabilityValues),
        (acumen.FullBayes(), SummedValues),
        (acumen.Fisher(), SummedValues),
        (acumen.LeastSquares(), SummedValues),
        (acumen.OneR(), RefitValues),
        (acumen.NaiveBayes(class_weight="balanced"), RefitValues),
    ],
    ids=repr,
)
@pytest.mark.parametrize("measure", ["error", "log_loss"])
def test_subsets_without_refits_come_to_what_refits_come_to(learner, way, measure, iris):
    if measure == "log_loss" and not learner.model_type.probabilistic:
        pytest.skip("it has no probabilities")
    judge = MeasureJudge(measure, learner, iris.schema.classes, "test")
    method = acumen.KFold(3, n_repeats=2)
    quick = valuer_of(learner, iris, method, judge, 3)
    slow = RefitValues(learner, iris, method, judge, 3)
    assert type(quick) is way
    for subset in [(0,), (2,), (0, 2), (1, 3), (0, 1, 2, 3)]:
        expected = slow.values(subset)
        assert quick.values(subset, subset[:-1]) == pytest.approx(expected, abs=1e-9)
        more = tuple(sorted({*subset, 3}))
        assert quick.values(subset, more) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    "learner", [acumen.LinearRegression(), acumen.Ridge(alpha=2.0, scale=False)], ids=repr
)
def test_linear_regressors_read_no_row_again(learner):
    table = numbers()
    judge = MeasureJudge(None, learner, (), "test")
    method = acumen.KFold(4, stratified=False)
    quick, slow = valuer_of(learner, table, method, judge, 3), RefitValues(learner, table, method, judge, 3)
    assert type(quick) is SummedValues
    for subset in [(0,), (1, 4), (0, 2, 3), (0, 1, 2, 3, 4)]:
        assert quick.values(subset) == pytest.approx(slow.values(subset), abs=1e-9)


class Made:
    """Values that a test makes up."""

    def __init__(self, value):
        self.value, self.asked = value, 0

    def values(self, subset, base=()):
        self.asked += 1
        return np.array([self.value(set(subset))] * 2)


def _trap(subset):
    """The best single attribute, 0, is of no use beside 1 and 2, which are best together."""
    if {1, 2} <= subset:
        return 0.1 + 0.01 * len(subset)
    return (0.3 if 0 in subset else 0.4) - 0.02 * len(subset)


def test_exhaustive_search_finds_the_best_of_all():
    book = SubsetCosts(Made(_trap), False)
    search_subsets(book, 4, "exhaustive", 4)
    assert len(book.values) == 15
    assert min(book.values, key=book.cost) == (1, 2)


@pytest.mark.parametrize("search", ["floating", "beam", "backward"])
def test_other_searches_leave_the_trap_of_forward_search(search):
    book = SubsetCosts(Made(_trap), False)
    search_subsets(book, 4, search, 4, beam=3)
    assert min(book.values, key=book.cost) == (1, 2)
    forward = SubsetCosts(Made(_trap), False)
    search_subsets(forward, 4, "forward", 4)
    assert min(forward.values, key=forward.cost) != (1, 2)


def test_patience_ends_a_search_and_no_subset_is_tried_twice():
    made = Made(lambda subset: 0.5 - 0.1 * (0 in subset))
    book = SubsetCosts(made, False)
    search_subsets(book, 10, "forward", 10, patience=2)
    assert made.asked == len(book.values) == 10 + 9 + 8


def test_the_searches_agree_where_all_subsets_are_tried(iris):
    best = [
        acumen.Wrapper(acumen.NaiveBayes(), search=search, random_state=0, beam_width=100)
        .fit(iris)
        .selection_.score
        for search in ("beam", "exhaustive")
    ]
    assert best[0] == best[1]


def test_the_rule_of_one_standard_error_takes_fewer(iris):
    best = acumen.Wrapper(acumen.NaiveBayes(), random_state=1).fit(iris)
    fewer = acumen.Wrapper(acumen.NaiveBayes(), selection_rule="one-se", random_state=1).fit(iris)
    assert len(fewer.attributes_) < len(best.attributes_)
    assert fewer.selection_.score <= best.selection_.score + best.selection_.standard_error
    assert len(acumen.Wrapper(acumen.NaiveBayes(), max_attributes=1).fit(iris).attributes_) == 1


def test_it_answers_as_the_learner_does_with_the_attributes_alone(iris):
    wrapper = acumen.Wrapper(acumen.NaiveBayes(), random_state=1, max_attributes=2).fit(iris)
    alone = acumen.NaiveBayes().fit(iris.select(list(wrapper.attributes_)))
    assert np.array_equal(wrapper.predict_proba(iris), alone.predict_proba(iris))
    X = np.column_stack(iris.numeric.columns)
    by_place = acumen.Wrapper(acumen.NaiveBayes(), random_state=1, max_attributes=2).fit(X, iris.labels)
    assert np.array_equal(by_place.predict(X), iris.schema.n_classes * 0 + alone.predictor_.predict(iris))
    assert by_place.score(X, iris.labels) == pytest.approx(wrapper.score(iris))


def test_a_saved_wrapper_asks_for_the_chosen_attributes_alone(iris, tmp_path):
    wrapper = acumen.Wrapper(acumen.NaiveBayes(), random_state=1, max_attributes=2).fit(iris)
    acumen.save(wrapper, tmp_path / "w.acm")
    again = acumen.load(tmp_path / "w.acm")
    assert again.schema_.names == wrapper.attributes_
    assert np.array_equal(again.predict_proba(iris), wrapper.predict_proba(iris))


def test_on_noise_the_score_while_choosing_flatters_and_assess_is_chance():
    table = noise()
    wrapper = acumen.Wrapper(acumen.NaiveBayes(), random_state=0)
    assert wrapper.fit(table).selection_.score < 0.42
    report = wrapper.report(table, method=acumen.KFold(5))
    assert report.while_choosing < 0.42 < report.honest
    found = acumen.assess(wrapper, table, acumen.KFold(5), random_state=1)
    assert abs(found.mean - 0.5) < 0.13
    assert len(report.chosen) == 5 and set(report.frequency) == set(table.schema.names)


def test_labels_permuted_outside_the_training_rows_change_nothing():
    table = noise(100, 8, 2)
    rng = np.random.default_rng(0)
    train = np.arange(70)
    moved = table.labels.copy()
    moved[70:] = rng.permutation(moved[70:])
    from acumen.rows.intake import replace_target

    other = replace_target(table, table.schema, moved, table.weights)
    one, two = (
        acumen.Wrapper(acumen.NaiveBayes(), random_state=0).fit(rows.take(train)) for rows in (table, other)
    )
    assert one.attributes_ == two.attributes_ and one.selection_.score == two.selection_.score


def test_too_many_subsets_are_refused_before_any_is_tried():
    with pytest.raises(ParameterError, match="would try 1,073,741,823 subsets, more than 65,536"):
        acumen.Wrapper(acumen.NaiveBayes(), search="exhaustive").fit(noise())
    acumen.Wrapper(acumen.NaiveBayes(), search="exhaustive", max_attributes=1).fit(noise())


@pytest.mark.slow
def test_a_wrapper_keeps_the_laws():
    checked = check_learner(acumen.Wrapper(acumen.NaiveBayes(), method=acumen.KFold(2), random_state=0))
    assert len(checked.passed) > 20


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_wrapper_passes_scikit_learns_checks():
    from sklearn.utils.estimator_checks import check_estimator

    why = "rows are split at random, and a row of weight two is in one part"
    apart = {f"check_sample_weight_equivalence_on_{kind}_data": why for kind in ("dense", "sparse")}
    done = check_estimator(
        acumen.Wrapper(acumen.NaiveBayes(), method=acumen.KFold(2), random_state=0),
        expected_failed_checks=apart,
        on_fail="raise",
        on_skip=None,
    )
    assert sum(check["status"] == "passed" for check in done) > 50
