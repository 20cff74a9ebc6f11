"""Regressors judged and compared: measures, one pass against refitting, verdicts, the report."""

from __future__ import annotations

import operator
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import acumen
from acumen.assessment.outcome import NumericOutcome
from acumen.assessment.scores import measure
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError


def rows(n=120, seed=0, weights=False, gaps=False):
    """A number that follows from one of two numbers and from a colour."""
    rng = np.random.default_rng(seed)
    x, colour = rng.normal(size=(2, n)), rng.integers(0, 3, n).astype(np.int32)
    y = 3 * x[0] + np.array([0.0, 2.0, -4.0])[colour] + rng.normal(size=n)
    if gaps:
        x[0, ::9] = np.nan
        colour[::7] = -1
    schema = Schema(
        (Attribute("a"), Attribute("b"), Attribute("colour", "nominal", ("r", "g", "b"))), Attribute("y")
    )
    w = rng.integers(1, 4, n).astype(float) if weights else np.empty(0)
    return Table(schema, n, numeric=list(x), nominal=[colour], response=y, weights=w)


@given(st.integers(0, 300), st.booleans())
def test_measures_agree_with_scikit_learn_and_parts_add(seed, weighted):
    rng = np.random.default_rng(seed)
    truth, said = rng.normal(size=(2, 40)) * 5 + 100
    w = rng.random(40) + 0.1 if weighted else None
    whole = NumericOutcome.of(truth, said, w)
    assert whole.rmse == pytest.approx(metrics.root_mean_squared_error(truth, said, sample_weight=w))
    assert whole.mae == pytest.approx(metrics.mean_absolute_error(truth, said, sample_weight=w))
    assert whole.r2 == pytest.approx(metrics.r2_score(truth, said, sample_weight=w))
    cuts = np.split(np.arange(40), [3, 3, 25])
    parts = [NumericOutcome.of(truth[c], said[c], None if w is None else w[c]) for c in cuts]
    added = reduce(operator.add, parts)
    for name in ("rmse", "mae", "r2"):
        assert measure(name).value(added) == pytest.approx(measure(name).value(whole), rel=1e-10)


def test_rows_without_truth_do_not_count():
    made = NumericOutcome.of([1.0, np.nan, 3.0], [2.0, 9.0, 3.0])
    assert (made.missing, made.weight, made.mae) == (1, 2.0, 0.5)
    assert np.isnan(NumericOutcome.of([2.0, 2.0], [1.0, 2.0]).r2)


LEARNERS = [
    acumen.LinearRegression(),
    acumen.Ridge(alpha=2.0),
    acumen.Lasso(alpha=0.05, tol=1e-12),
    acumen.Mean(),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("how", [{}, {"weights": True, "gaps": True}], ids=["plain", "odd"])
def test_one_pass_equals_refitting(learner, how):
    table = rows(**how)
    one, two = (
        acumen.assess(learner, table, acumen.KFold(5), ("rmse", "mae", "r2"), 3, refit=refit)
        for refit in (False, True)
    )
    for name in one.measures:
        np.testing.assert_allclose(one.table[name], two.table[name], rtol=1e-6)
    assert one.confusion is None and "rmse" in str(one) and "stratified" not in str(one)
    truth, said = one.residuals()
    assert len(truth) == len(said) == len(table)
    assert one.to_dict()["confusion"] is None


@pytest.mark.parametrize(
    "learner",
    [
        acumen.LinearRegression(),
        acumen.LinearRegression(fit_intercept=False),
        acumen.Ridge(alpha=2.0, scale=False),
    ],
    ids=repr,
)
@pytest.mark.parametrize("weighted", [False, True])
def test_leaving_one_out_in_closed_form_equals_refitting(learner, weighted):
    table = rows(40, weights=weighted).select(
        ["a", "b"] if not learner.fit_intercept else ["a", "b", "colour"]
    )
    quick, slow = (
        acumen.assess(learner, table, acumen.LeaveOneOut(), "mae", refit=refit) for refit in (False, True)
    )
    np.testing.assert_allclose(quick.values, slow.values, rtol=1e-7, atol=1e-9)


def test_rows_of_high_leverage_are_refitted():
    x = np.array([0.0, 0.1, 0.2, 0.3, 1e6])
    schema = Schema((Attribute("x"),), Attribute("y"))
    table = Table(schema, 5, numeric=[x], response=np.array([1.0, 2.0, 0.0, 1.0, 5.0]))
    quick, slow = (
        acumen.assess(acumen.LinearRegression(), table, acumen.LeaveOneOut(), "mae", refit=refit)
        for refit in (False, True)
    )
    np.testing.assert_allclose(quick.values, slow.values, rtol=1e-6)


def test_a_comparison_adds_the_mean_and_says_who_is_better():
    table = rows()
    found = acumen.compare([acumen.LinearRegression(), acumen.Lasso(alpha=1.0)], table, random_state=0)
    assert set(found.names) == {"LinearRegression", "Lasso", "Mean"} and found.measure == "rmse"
    assert found.best == "LinearRegression" and found.standing("Mean") == "worse"
    assert "LinearRegression is better than Mean: its rmse is lower" in found.describe(pairs=True)
    with pytest.raises(ParameterError, match="paired_rows"):
        found.mcnemar("Lasso", "Mean")


@pytest.mark.parametrize("name", ["rmse", "mae", "r2"])
def test_a_single_split_is_tested_on_the_errors_of_its_rows(name):
    found = acumen.compare([acumen.Ridge(), acumen.Mean()], rows(), acumen.Holdout(0.5), name, random_state=1)
    (pair,) = found.pairs
    assert pair.difference == pytest.approx(found.assessments[pair.a].mean - found.assessments[pair.b].mean)
    assert pair.p < 0.01 and pair.verdict == "better" and pair.low < pair.difference < pair.high
    assert found.rows_to_settle(pair.a, pair.b).times >= 1


def test_regressors_are_measured_in_three_ways_unless_asked():
    table = rows(60)
    usual = acumen.assess(acumen.Ridge(), table, acumen.KFold(5), random_state=2)
    asked = acumen.assess(acumen.Ridge(), table, acumen.KFold(5), ("r2", "mae", "rmse"), 2)
    assert usual.measures == ("rmse", "mae", "r2") and usual.mean == usual.means()["rmse"]
    assert usual.means() == asked.means()
    assert acumen.assess(acumen.Ridge(), table, measures="mae").measures == ("mae",)
    lines = str(usual).split("\n")
    assert "rmse" in lines[0] and lines[1].strip().startswith("mae:") and lines[2].strip().startswith("r2:")


@pytest.mark.parametrize("how", [acumen.LeaveOneOut(), acumen.Bootstrap(5, kind="632")], ids=str)
def test_three_measures_come_of_every_way_to_split(how):
    found = acumen.assess(acumen.LinearRegression(), rows(30), how, random_state=0).means()
    assert found["mae"] < found["rmse"] and 0.5 < found["r2"] < 1


def test_a_comparison_shows_the_other_measures_beside_its_own(tmp_path):
    found = acumen.compare([acumen.Ridge()], rows(), acumen.KFold(5), "mae", random_state=0)
    assert found.others == ("rmse", "r2")
    for row in found.table:
        assert {name: row[name] for name in ("mae", "rmse", "r2")} == {
            name: found.assessments[row["learner"]].mean_of(name) for name in ("mae", "rmse", "r2")
        }
    heading = next(line for line in str(found).split("\n") if "learner" in line)
    assert heading.index(" mae") < heading.index("rmse") < heading.index("r2")
    found.report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert page.index(">rmse<") < page.index(">r2<") < page.index(">to learn<")


def test_leaving_one_out_compares_by_rows_too():
    found = acumen.compare([acumen.LinearRegression()], rows(50), acumen.LeaveOneOut())
    assert found.pairs[0].p < 0.05


def test_what_does_not_go_together_is_said():
    table, iris = rows(), acumen.datasets.load("iris")
    with pytest.raises(ParameterError, match="OneR predicts classes and Ridge numbers"):
        acumen.compare([acumen.OneR(), acumen.Ridge()], table)
    with pytest.raises(DataError, match="'class' is nominal"):
        acumen.compare([acumen.Ridge()], iris)
    with pytest.raises(DataError, match="'y' is numeric"):
        acumen.compare([acumen.OneR()], table)
    with pytest.raises(ParameterError, match="take one of rmse, mae, r2"):
        acumen.assess(acumen.Ridge(), table, measures="error")
    with pytest.raises(ParameterError, match="these are classes"):
        acumen.assess(acumen.OneR(), iris, measures="rmse")
    with pytest.raises(DataError, match="needs numbers"):
        acumen.assess(acumen.Ridge(), iris)


def test_the_report_draws_what_is_left(tmp_path):
    found = acumen.compare([acumen.LinearRegression()], rows(), acumen.KFold(5), random_state=0)
    found.report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert "Predicted and actual" in page and "Residuals" in page and "Confusion" not in page
    assert "Least squares of y" in page


def test_over_several_tables_ranks_are_by_rmse():
    found = acumen.compare(
        {"line": acumen.LinearRegression(), "ridge": acumen.Ridge(alpha=50.0)},
        [rows(seed=1), rows(seed=2), rows(seed=3)], acumen.KFold(3), random_state=0,
    )  # fmt: skip
    assert found.names == ("line", "ridge", "Mean") and found.table[-1]["learner"] == "Mean"
