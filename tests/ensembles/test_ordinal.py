"""Ordered classes by any learner, and what order means in measures and comparisons."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score

import acumen
from acumen import DecisionTree, KFold, LeastSquares, Logistic, NaiveBayes, OrderedLogistic, Ordinal
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.ensembles import ordinal
from acumen.errors import DataError, ParameterError
from acumen.rows.class_order import in_order, monotone, rank_costs

LEVELS = ("low", "middle", "high")


def graded(n=90, seed=0, kind="ordinal"):
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=n), rng.normal(size=n)
    y = np.digitize(x + 0.7 * rng.logistic(size=n), [-0.7, 0.8]).astype(np.int32)
    schema = Schema((Attribute("x"), Attribute("z")), Attribute("grade", kind, LEVELS))
    return Table(schema, n, numeric=[x, z], labels=y)


ROWS = graded()


def test_probabilities_are_differences_of_those_of_the_problems():
    model = Ordinal(Logistic()).fit(ROWS)
    X = np.column_stack([ROWS.column("x"), ROWS.column("z")])
    above = np.column_stack([Logistic().fit(X, ROWS.labels > cut).predict_proba(X)[:, 1] for cut in (0, 1)])
    assert (above[:, 0] >= above[:, 1]).all()  # else this says nothing of differences
    expected = np.column_stack([1 - above[:, 0], above[:, 0] - above[:, 1], above[:, 1]])
    np.testing.assert_allclose(model.predict_proba(ROWS), expected, atol=1e-7)
    assert len(model.learners_) == 2


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7))
@settings(max_examples=40)
def test_pooled_lines_are_the_nearest_falling_ones(line):
    ours = monotone(np.array([line]))[0]
    theirs = IsotonicRegression(increasing=False).fit_transform(np.arange(len(line)), line)
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_learners_that_disagree_still_give_probabilities():
    model = Ordinal(DecisionTree(prune="none")).fit(graded(60, 3))
    rows = graded(200, 4)
    above = model.model_.above(rows)
    assert (above[:, 1] > above[:, 0]).any()  # they do disagree
    found = model.predict_proba(rows)
    assert (found >= 0).all() and np.allclose(found.sum(axis=1), 1)


def test_a_learner_of_scikit_learn_can_be_given():
    assert Ordinal(LogisticRegression()).fit(ROWS).score(ROWS) > 0.5


def test_what_has_no_order_or_no_probabilities_is_refused():
    with pytest.raises(DataError, match="classes in an order"):
        Ordinal().fit(graded(kind="nominal"))
    with pytest.raises(DataError, match=r"use Calibrated\(LeastSquares\(\)\)"):
        Ordinal(LeastSquares()).fit(ROWS)


def test_numbers_and_two_classes_are_in_order():
    assert in_order(Attribute("y", "nominal", (1, 2, 5))) and in_order(Attribute("y", "nominal", ("b", "a")))
    assert not in_order(Attribute("y", "nominal", (2, 1, 5))) and not in_order(Attribute("y"))


def test_a_class_without_rows_is_passed_over(tmp_path):
    some = ROWS.take(np.flatnonzero(ROWS.labels != 1))
    model = Ordinal(NaiveBayes()).fit(some)
    assert len(model.learners_) == 1 and (model.predict_proba(ROWS)[:, 1] == 0).all()
    acumen.save(model, tmp_path / "m.acm")
    kept = acumen.load(tmp_path / "m.acm")
    np.testing.assert_array_equal(kept.predict_proba(ROWS), model.predict_proba(ROWS))


# -- measures and comparisons ---------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30))
@settings(max_examples=40)
def test_measures_by_rank_are_those_of_scikit_learn(pairs):
    truth, said = np.array(pairs).T
    counts = acumen.confusion(truth, said, labels=[0, 1, 2, 3])
    assert counts.mae_rank == pytest.approx(np.abs(truth - said).mean())
    if len(set(truth) | set(said)) > 1:
        for name, weights in (("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")):
            theirs = cohen_kappa_score(truth, said, weights=weights, labels=[0, 1, 2, 3])
            ours = getattr(counts, name)
            assert ours == pytest.approx(theirs, abs=1e-12) and -1 - 1e-12 <= ours <= 1
    else:
        assert np.isnan(counts.kappa_linear)


def test_measures_by_rank_are_refused_without_an_order():
    learner = NaiveBayes()
    with pytest.raises(ParameterError, match=r"'mae_rank' cannot be taken here: .*classes in an order"):
        acumen.assess(learner, graded(kind="nominal"), KFold(2), measures=["mae_rank"])
    with pytest.raises(ParameterError, match="kappa_linear"):
        acumen.compare([learner], graded(kind="nominal"), KFold(2), measure="kappa_linear")
    with pytest.raises(ParameterError, match="kappa_quadratic"):
        acumen.Tuned(learner, {"alpha": [0, 1]}, measure="kappa_quadratic").fit(graded(kind="nominal"))


def test_in_order_a_comparison_costs_how_many_ranks_answers_are_off():
    learners = [NaiveBayes(), OrderedLogistic()]
    found = acumen.compare(learners, ROWS, KFold(3), random_state=0)
    assert found.measure == "cost" and "how many ranks it is off" in str(found)
    np.testing.assert_array_equal(found.costs, rank_costs(3))
    ranks = acumen.compare(learners, ROWS, KFold(3), measure="mae_rank", random_state=0)
    for name in ("NaiveBayes", "OrderedLogistic"):
        assert found.assessments[name].mean == pytest.approx(ranks.assessments[name].mean, abs=1e-12)


def test_a_persons_own_costs_and_measures_win():
    costs = np.array([[0.0, 5, 5], [1, 0, 1], [1, 1, 0]])
    for found in (
        acumen.compare([NaiveBayes()], ROWS, KFold(2), costs=costs, random_state=0),
        acumen.compare([NaiveBayes(costs=costs)], ROWS, KFold(2), random_state=0),
    ):
        np.testing.assert_array_equal(np.asarray(found.costs), costs)
        assert "ranks" not in str(found)
    assert acumen.compare([NaiveBayes()], ROWS, KFold(2), measure="error", random_state=0).measure == "error"
    other = {"a": NaiveBayes(costs=costs), "b": NaiveBayes(costs=2 * costs + 1 - np.eye(3))}
    assert acumen.compare(other, ROWS, KFold(2), random_state=0).measure == "error"
    assert acumen.compare([NaiveBayes()], graded(kind="nominal"), KFold(2), random_state=0).measure == "error"


def test_the_usual_suite_has_proportional_odds_where_there_is_an_order():
    assert "ordered-logistic" in acumen.suitable_learners(ROWS, suite="usual")
    assert "ordered-logistic" not in acumen.suitable_learners(graded(kind="nominal"), suite="usual")
    assert "ordered-logistic" in acumen.suitable_learners(graded(kind="nominal")).left_out
    numbers = acumen.read((np.column_stack([ROWS.column("x")]), ROWS.labels))
    assert "order" in acumen.suitable_learners(numbers).left_out["ordered-logistic"]


def test_documented_examples_are_true():
    assert doctest.testmod(ordinal).failed == 0
