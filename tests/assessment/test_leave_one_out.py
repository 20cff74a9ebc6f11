"""Leave-one-out in closed form: the same scores as a refit without each row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen.assessment.contestants import collect_warnings
from acumen.assessment.left_out import leaves_out
from acumen.assessment.runs import runs
from acumen.errors import ParameterError
from acumen.resampling import LeaveOneOut
from judged_tables import mixed
from tables import table_of

LEARNERS = {
    "naive": acumen.NaiveBayes(),
    "naive mle": acumen.NaiveBayes(estimator="mle"),
    "naive map": acumen.NaiveBayes(estimator="map", alpha=2.0),
    "naive only zeros": acumen.NaiveBayes(smooth_only_zeros=True),
    "naive prior": acumen.NaiveBayes(mean_prior=(1.0, 4.0), var_floor=0.0),
    "full": acumen.FullBayes(),
    "full unbiased": acumen.FullBayes(unbiased=True),
    "shared": acumen.FullBayes(covariance="shared"),
    "shared unbiased": acumen.FullBayes(covariance="shared", unbiased=True),
    "majority": acumen.Majority(),
}
FULL = [name for name in LEARNERS if name.startswith(("full", "shared"))]


def both(learner, table):
    with collect_warnings():
        quick = acumen.assess(learner, table, LeaveOneOut(), ("log_loss", "error", "kappa"))
        slow = acumen.assess(learner, table, LeaveOneOut(), ("log_loss", "error", "kappa"), refit=True)
    return quick, slow


def assert_equal(learner, table):
    quick, slow = both(learner, table)
    (one,), (other,) = quick.runs, slow.runs
    assert one.each_row and other.each_row
    np.testing.assert_array_equal(one.predicted, other.predicted)
    np.testing.assert_allclose(quick.table["log_loss"], slow.table["log_loss"], rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(one.test, other.test)
    np.testing.assert_array_equal(quick.weights, slow.weights)
    assert one.lacks == other.lacks
    assert quick.mean == pytest.approx(slow.mean, rel=1e-9)
    return quick


def kinds_of(name):
    return ["numeric"] if name in FULL else ["numeric", "nominal", "numeric nominal"]


@pytest.mark.parametrize("name", LEARNERS)
def test_closed_forms_equal_refits(name):
    for kind in kinds_of(name):
        if name == "naive prior" and kind == "nominal":
            continue
        table = mixed(7, 50, kinds=kind)
        assert leaves_out(LEARNERS[name], table)
        assert_equal(LEARNERS[name], table)


@pytest.mark.parametrize("name", LEARNERS)
def test_closed_forms_equal_refits_with_weights_priors_and_costs(name):
    table = mixed(8, 40, weights=True, kinds=kinds_of(name)[-1])
    learner = LEARNERS[name]
    assert_equal(learner, table)
    for more in (
        {"priors": [0.6, 0.3, 0.1]},
        {"priors": {"a": 0.25, "b": 0.35, "c": 0.4}, "class_weight": {"a": 3.0, "c": 0.25}},
        {"costs": [[0, 5, 1], [1, 0, 1], [2, 1, 0]], "class_weight": {"b": 2}},
    ):
        assert_equal(type(learner)(**{**learner.get_params(), **more}), table)


def test_gaps_are_left_out_of_their_own_attribute():
    assert_equal(acumen.NaiveBayes(), mixed(9, 40, missing=0.2))
    assert_equal(acumen.FullBayes(), mixed(9, 40, missing=0.2, kinds="numeric"))


@pytest.mark.parametrize("name", ["naive", *FULL])
def test_rows_of_high_leverage_are_refitted(name):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=40), rng.normal(size=40)
    x[3], y[3] = 17.0, 16.0  # nearly all of its class's spread
    table = table_of({"x": x.tolist(), "y": y.tolist()}, ["a", "b"] * 20)
    learner = LEARNERS[name]
    fitted = type(learner)(**learner.get_params()).fit(table)
    _, refit = fitted.leave_one_out(table)
    assert refit[3] and refit.sum() < 5
    assert_equal(learner, table)


@pytest.mark.parametrize("name", ["naive", "majority", *FULL])
def test_the_last_row_of_a_class_leaves_nothing_behind(name):
    x = [0.1, 0.4, 0.2, 3.1, 3.4, 3.3, 9.0]
    y = [1.0, 1.2, 1.7, 1.1, 1.9, 1.3, 5.0]
    table = table_of({"x": x, "y": y}, ["a", "a", "a", "b", "b", "b", "c"])
    found = assert_equal(LEARNERS[name], table)
    assert found.values[6] == np.inf
    assert "class 'c' does not occur among the training rows of some splits" in found.notes


@pytest.mark.parametrize("name", ["naive", *FULL])
def test_two_rows_in_a_class_and_constant_attributes(name):
    table = table_of(
        {"x": [0.1, 0.4, 0.2, 3.1, 3.4], "flat": [1.0, 1.0, 1.0, 1.0, 1.0], "y": [2.0, 1.5, 1.0, 7.0, 7.0]},
        ["a", "a", "a", "b", "b"],
    )
    assert_equal(LEARNERS[name], table)


def test_a_class_without_any_value_of_an_attribute():
    table = table_of(
        {"x": [0.1, 0.4, 0.2, 3.1, 3.4, 2.9], "y": [2.0, 1.5, 1.0, float("nan"), float("nan"), float("nan")]},
        ["a", "a", "a", "b", "b", "b"],
    )
    assert_equal(acumen.NaiveBayes(), table)


def test_numbers_far_from_the_origin_keep_their_digits():
    rng = np.random.default_rng(2)
    x, y = 1e7 + rng.normal(size=(2, 40))
    table = table_of({"x": x.tolist(), "y": y.tolist()}, ["a", "b"] * 20)
    for name in ("naive", "full", "shared"):
        quick, slow = both(LEARNERS[name], table)
        np.testing.assert_allclose(quick.values, slow.values, rtol=1e-6)


def test_ties_go_to_the_class_that_comes_first():
    table = table_of({"u": ["p", "q"] * 4}, ["a", "a", "b", "b"] * 2, classes=("b", "a"))
    quick, slow = both(acumen.NaiveBayes(), table)
    np.testing.assert_array_equal(quick.runs[0].predicted, slow.runs[0].predicted)
    np.testing.assert_array_equal(quick.values, slow.values)


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(5, 16),
    name=st.sampled_from(list(LEARNERS)),
    weights=st.booleans(),
)
@settings(max_examples=40)
def test_closed_forms_equal_refits_on_any_table(seed, n, name, weights):
    assert_equal(LEARNERS[name], mixed(seed, n, kinds=kinds_of(name)[-1], weights=weights))


def test_values_are_one_a_row_for_means_over_rows_and_one_of_all_rows_otherwise():
    table = mixed(3, 30)
    found = acumen.assess(acumen.NaiveBayes(), table, LeaveOneOut(), ("error", "auc", "kappa", "size"))
    assert len(found.values) == 30 and set(found.values) <= {0.0, 1.0}
    assert [len(found.table[name]) for name in ("auc", "kappa", "size")] == [1, 1, 1]
    assert found.mean == found.confusion.error
    assert (found.n_train, found.n_test) == (29, 1)


def test_weights_of_rows_count_in_the_mean():
    table = mixed(4, 30, weights=True)
    found = acumen.assess(acumen.NaiveBayes(), table, LeaveOneOut())
    assert found.mean == pytest.approx(np.average(found.values, weights=table.weights))
    assert found.mean == pytest.approx(found.confusion.error)
    assert found.mean in found.interval()


def test_learners_without_a_closed_form_are_refitted():
    table = mixed(5, 15)
    for learner in (
        acumen.OneR(),
        acumen.NaiveBayes(numeric="kernel"),
        acumen.FullBayes(shrinkage=0.1),
        acumen.FullBayes(),
        acumen.NaiveBayes(class_weight={"a": 0}),
    ):
        assert not leaves_out(learner, table)
        assert_equal(learner, table)


def test_closed_forms_fit_once(monkeypatch):
    fits = []
    whole = acumen.NaiveBayes.fit
    monkeypatch.setattr(acumen.NaiveBayes, "fit", lambda self, *a: fits.append(1) or whole(self, *a))
    list(runs(acumen.NaiveBayes(), mixed(6, 40), LeaveOneOut()))
    assert len(fits) == 1


def test_many_levels_are_counted_in_pieces(monkeypatch):
    from acumen.bayes import leave_one_out as naive_loo

    table = mixed(11, 40, kinds="nominal")
    at_once = acumen.assess(acumen.NaiveBayes(), table, LeaveOneOut(), "log_loss").values
    monkeypatch.setattr(naive_loo, "_CELLS", 7)
    np.testing.assert_array_equal(
        acumen.assess(acumen.NaiveBayes(), table, LeaveOneOut(), "log_loss").values, at_once
    )


def test_a_single_row_cannot_be_left_out():
    with pytest.raises(ParameterError, match="at least 2 rows"):
        acumen.assess(acumen.NaiveBayes(), table_of({"x": [1.0]}, ["a"]), LeaveOneOut())


def test_a_value_that_makes_values_too_many_is_refitted():
    # With it there are 33 different values, of which only that is known; without it their steps are.
    x = [*range(32), *range(32), *range(32), 500.0]
    table = table_of({"x": [float(v) for v in x]}, ["a", "b"] * 48 + ["a"])
    for learner in (acumen.NaiveBayes(), acumen.FullBayes()):
        _, refit = learner.fit(table).leave_one_out(table)
        assert refit[-1]
        assert_equal(type(learner)(), table)
