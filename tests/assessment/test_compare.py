"""`compare`: the same splits for all, a ranking, and verdicts."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import acumen
from acumen.assessment.comparison import Comparison
from acumen.assessment.comparison_text import comparison_text, lead, value_text
from acumen.assessment.contestants import named_learners
from acumen.assessment.statistics import bayesian_t, holm, mcnemar, paired_t, row_test, wilcoxon
from acumen.assessment.verdicts import PairVerdict
from acumen.errors import DataError, ParameterError
from acumen.render.text import cells
from acumen.resampling import Bootstrap, Holdout, KFold, LeaveOneOut, Subsample
from judged_tables import mixed
from tables import table_of

METHOD = KFold(5, n_repeats=2)


def found_on(table, *learners, **more):
    return acumen.compare(list(learners), table, more.pop("method", METHOD), random_state=0, **more)


@pytest.fixture(scope="module")
def iris():
    return acumen.compare(
        [acumen.NaiveBayes(), acumen.FullBayes(), acumen.OneR()], acumen.datasets.load("iris"), random_state=0
    )


def test_the_defaults_are_ten_times_ten_folds_and_the_error(iris):
    assert iris.method == KFold(10, n_repeats=10) and iris.measure == "error"
    assert all(len(each.values) == 100 for each in iris.assessments.values())


def test_everyone_has_the_same_splits_and_values_as_assess_gives(iris):
    table = acumen.datasets.load("iris")
    alone = acumen.assess(acumen.OneR(), table, KFold(10, n_repeats=10), random_state=iris.seed)
    np.testing.assert_array_equal(iris.assessments["OneR"].values, alone.values)
    for one, other in zip(iris.assessments["OneR"].runs, iris.assessments["FullBayes"].runs, strict=True):
        np.testing.assert_array_equal(one.test, other.test)


def test_the_best_comes_first_and_majority_is_always_in(iris):
    means = [iris.assessments[name].mean for name in iris.names]
    assert means == sorted(means)
    assert iris.names[-1] == "Majority" and iris.best == "FullBayes"
    assert [row["rank"] for row in iris.table] == [1, 2, 3, 4]
    assert list(iris.table[0]) == [
        "rank", "learner", "error", "low", "high", "verdict", "fit_time", "predict_time", "size",
    ]  # fmt: skip


def test_larger_is_better_where_the_measure_says_so():
    found = found_on(mixed(0, 90), acumen.NaiveBayes(), measure="accuracy")
    assert found.names == ("NaiveBayes", "Majority")
    assert found.pairs[0].difference > 0 and found.pairs[0].verdict == "better"


def test_pairs_have_their_own_test_and_a_corrected_verdict(iris):
    assert PairVerdict._fields == ("a", "b", "difference", "low", "high", "p", "verdict", "p_corrected")
    assert [(pair.a, pair.b) for pair in iris.pairs] == [
        ("FullBayes", "NaiveBayes"), ("FullBayes", "OneR"), ("FullBayes", "Majority"),
        ("NaiveBayes", "OneR"), ("NaiveBayes", "Majority"), ("OneR", "Majority"),
    ]  # fmt: skip
    for pair in iris.pairs:
        one, other = (iris.assessments[name] for name in (pair.a, pair.b))
        lost = [np.concatenate([run.truth != run.predicted for run in each.runs]) for each in (one, other)]
        rows = np.concatenate([run.test for run in one.runs])
        by_hand = row_test(*lost, rows, wider=1.75, unit=1.0)
        assert pair[2:6] == pytest.approx((by_hand.estimate, by_hand.low, by_hand.high, by_hand.p))
        assert pair.difference == pytest.approx(one.mean - other.mean)
        assert pair.verdict == ("better" if pair.p_corrected < 0.05 else "no significant difference")
    least = [iris.test(pair.a, pair.b).least for pair in iris.pairs]
    np.testing.assert_allclose([p.p_corrected for p in iris.pairs], holm([p.p for p in iris.pairs], least))


def test_a_verdict_of_worse_is_about_the_first_of_a_pair():
    table = mixed(1, 120)
    found = found_on(table, acumen.NaiveBayes(), acumen.OneR(), baseline="NaiveBayes")
    assert [(p.a, p.b) for p in found.pairs] == [("OneR", "NaiveBayes"), ("Majority", "NaiveBayes")]
    assert found.pairs[1].verdict == "worse" and found.pairs[1].difference > 0
    assert found.reference == "NaiveBayes"
    assert [row["verdict"] for row in found.table if row["learner"] == "Majority"] == ["worse"]
    assert found.standing("NaiveBayes") == ""


def test_equal_learners_show_no_difference():
    found = found_on(mixed(2), {"one": acumen.OneR(), "two": acumen.OneR()}["one"], acumen.OneR())
    assert found.names[:2] == ("OneR", "OneR #2")
    pair = found.pairs[0]
    assert (pair.difference, pair.p, pair.verdict) == (0.0, 1.0, "no significant difference")
    assert "Their estimates are equal." in found.describe(pairs=True)


def test_learners_may_be_named_or_are_told_apart_by_their_parameters():
    many = [acumen.NaiveBayes(bins=3), acumen.NaiveBayes(alpha=2, bins=3), acumen.OneR()]
    assert list(named_learners(many)) == ["NaiveBayes(alpha=1.0)", "NaiveBayes(alpha=2)", "OneR"]
    costs = [acumen.OneR(costs=np.eye(2)), acumen.OneR(costs=np.ones((2, 2)))]
    assert len(set(named_learners(costs))) == 2
    assert list(named_learners({"plain": acumen.OneR()})) == ["plain"]
    assert list(named_learners(acumen.OneR())) == ["OneR"]
    for odd in ([acumen.OneR], ["OneR"], {"x": 3}):
        with pytest.raises(ParameterError, match="no learner of acumen"):
            named_learners(odd)


def test_a_majority_that_is_there_is_not_added_and_a_name_taken_is_left_alone():
    assert found_on(mixed(), acumen.Majority()).names == ("Majority",)
    found = acumen.compare({"Majority": acumen.NaiveBayes()}, mixed(3, 90), METHOD, random_state=0)
    assert set(found.names) == {"Majority", "Majority_"}
    assert isinstance(found.learners["Majority"], acumen.NaiveBayes)


def test_a_baseline_that_is_not_there_is_refused_at_once():
    with pytest.raises(
        ParameterError, match=r"baseline 'OneS' is not one of the learners.*Did you mean 'OneR'"
    ):
        found_on(mixed(), acumen.OneR(), baseline="OneS")


def test_parameters_are_looked_at_before_anyone_works():
    told = []
    with pytest.raises(ParameterError, match="alpha must"):
        acumen.compare(
            [acumen.NaiveBayes(), acumen.OneR(alpha=-1)], mixed(), METHOD, progress=lambda *a: told.append(a)
        )
    assert told == []
    with pytest.raises(ParameterError, match="no measure"):
        found_on(mixed(), acumen.OneR(), measure="acuracy")


def test_an_objection_is_a_line_and_the_others_are_compared():
    table = mixed(kinds="numeric text")
    found = found_on(table, acumen.NaiveBayes(), acumen.FullBayes())
    assert set(found.names) == {"NaiveBayes", "Majority"} and found.complete
    assert found.unjudged["FullBayes"].startswith("cannot learn from this table: ")
    assert " -  FullBayes: cannot learn" in str(found)
    assert found.to_dict()["unjudged"][0]["learner"] == "FullBayes"
    with pytest.raises(DataError, match="FullBayes cannot learn from this table"):
        found_on(table, acumen.FullBayes())


# -- other tests ----------------------------------------------------------------------------------


def test_the_other_tests_are_those_of_the_statistics(iris):
    a, b = (iris.assessments[name].values for name in ("FullBayes", "OneR"))
    assert iris.paired_t("FullBayes", "OneR") == paired_t(a, b)
    assert iris.wilcoxon("FullBayes", "OneR") == wilcoxon(a, b)
    assert iris.bayesian("FullBayes", "OneR", 0.02) == bayesian_t(a, b, 135, 15, 0.02)
    assert iris.rows_to_settle("NaiveBayes", "OneR").rows > 150


def test_mcnemar_counts_every_row_of_the_first_repeat_once(iris):
    result = iris.mcnemar("FullBayes", "Majority")
    assert result.n == 150
    first = [run for run in iris.assessments["FullBayes"].runs if run.repeat == 0]
    other = [run for run in iris.assessments["Majority"].runs if run.repeat == 0]
    truth, one, two = (
        np.concatenate([getattr(run, name) for run in runs])
        for runs, name in ((first, "truth"), (first, "predicted"), (other, "predicted"))
    )
    assert result == mcnemar(truth, one, two)


def test_five_by_two_asks_for_its_own_splits(iris):
    with pytest.raises(ParameterError, match=r"KFold\(2, n_repeats=5\)"):
        iris.five_by_two("FullBayes", "OneR")
    found = found_on(mixed(4, 60), acumen.NaiveBayes(), method=KFold(2, n_repeats=5))
    t, f = found.five_by_two("NaiveBayes", "Majority")
    assert (t.name, f.name) == ("5x2cv t-test", "5x2cv F test")
    d = found.assessments["NaiveBayes"].values - found.assessments["Majority"].values
    assert f.estimate == pytest.approx(d.mean())


def test_an_unknown_learner_is_guessed(iris):
    with pytest.raises(ParameterError, match=r"no learner 'OneS' here. Did you mean 'OneR'"):
        iris.wilcoxon("OneS", "FullBayes")


# -- other methods --------------------------------------------------------------------------------


def test_a_single_split_is_judged_by_mcnemar():
    table = mixed(5, 300)
    found = found_on(table, acumen.NaiveBayes(), method=Holdout(0.5))
    pair = found.pairs[0]
    assert (pair.p, pair.verdict) == (found.mcnemar("NaiveBayes", "Majority").p, "better")
    right = found_on(table, acumen.NaiveBayes(), method=Holdout(0.5), measure="accuracy").pairs[0]
    assert (right.difference, right.verdict) == (pytest.approx(-pair.difference), "better")
    assert (right.low, right.high) == (pytest.approx(-pair.high), pytest.approx(-pair.low))
    with pytest.raises(DataError, match="a single split"):
        found.corrected_t("NaiveBayes", "Majority")
    assert "better than Majority" in found.describe(pairs=True)


def test_a_single_split_by_another_measure_is_tested_by_draws_of_rows():
    found = found_on(mixed(5, 90), acumen.NaiveBayes(), method=Holdout(0.5), measure="kappa")
    result = found.test("NaiveBayes", "Majority")
    assert result.name == "bootstrap over rows" and found.pairs[0].p == result.p
    assert found.pairs[0].low < found.pairs[0].difference < found.pairs[0].high


def test_times_and_sizes_of_few_splits_are_not_tested():
    few = found_on(mixed(5, 90), acumen.NaiveBayes(), method=KFold(5), measure="size")
    assert np.isnan(few.pairs[0].p) and few.pairs[0].verdict == "no significant difference"
    said = few.describe(pairs=True)
    assert "not tested" in said and "fewer than 10 splits are too few for a test" in said
    assert few.to_dict()["pairs"][0]["p"] is None
    assert few.headline.untested == ("NaiveBayes",) and few.headline.group == ("Majority",)
    with pytest.raises(DataError, match="cannot be tested"):
        few.rows_to_settle("NaiveBayes", "Majority")
    many = found_on(mixed(5, 90), acumen.NaiveBayes(), method=KFold(10), measure="size")
    assert many.test("NaiveBayes", "Majority") == many.corrected_t("NaiveBayes", "Majority")


def test_an_infinite_loss_is_ranked_last_and_not_tested():
    table = table_of({"x": [0.0, 1.0] * 10 + [9.0]}, ["a", "b"] * 10 + ["c"])
    found = found_on(
        table, acumen.NaiveBayes(), acumen.OneR(alpha=0), measure="log_loss", method=LeaveOneOut()
    )
    assert "a value is infinite" in found.describe(pairs=True)
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_perfect_area_is_better_than_none_where_there_are_rows_enough():
    for n, verdict in ((3, "no significant difference"), (30, "better")):
        table = table_of({"x": [*range(n), *range(100, 100 + n)]}, ["a"] * n + ["b"] * n)
        found = found_on(table, acumen.NaiveBayes(), measure="auc", method=KFold(3))
        assert found.pairs[0].difference == 0.5 and found.pairs[0].verdict == verdict


def test_undefined_values_are_left_out_in_pairs():
    # Of two rows of the positive class there are folds without any, where the area is undefined.
    table = table_of({"x": np.arange(20.0).tolist()}, ["a"] * 18 + ["b"] * 2)
    found = found_on(table, acumen.NaiveBayes(), measure="auc", method=KFold(5, n_repeats=3))
    values = found.assessments["NaiveBayes"].values
    assert np.isnan(values).any() and np.isfinite(found.pairs[0].p)


@pytest.mark.parametrize(
    "method", [LeaveOneOut(), Bootstrap(8), Bootstrap(8, "plain"), Subsample(6)], ids=str
)
def test_other_ways_of_splitting_have_verdicts_too(method):
    found = found_on(mixed(6, 80), acumen.NaiveBayes(), method=method)
    assert found.names[0] == "NaiveBayes" and 0 <= found.pairs[0].p <= 1
    one, other = (found.assessments[name].shares_of("error") for name in found.names)
    assert found.pairs[0].difference == pytest.approx(one.mean() - other.mean())


def test_weights_count_in_leave_one_out():
    found = found_on(mixed(6, 60, weights=True), acumen.NaiveBayes(), method=LeaveOneOut())
    apart = found.assessments["NaiveBayes"].mean - found.assessments["Majority"].mean
    assert found.pairs[0].difference == pytest.approx(apart)


# -- costs and the positive class -----------------------------------------------------------------


def test_costs_are_shared_with_majority_and_must_agree():
    table = mixed(7, 90, classes=("no", "yes"))
    costs = {("no", "yes"): 8.0}
    found = found_on(table, acumen.NaiveBayes(costs=costs), acumen.OneR(), measure="cost")
    counts = found.assessments["Majority"].confusion
    assert counts.predicted_totals[0] == 0  # always the answer that is cheap to get wrong
    assert found.assessments["Majority"].mean == pytest.approx(counts.cost(costs))
    same = found_on(table, acumen.NaiveBayes(), acumen.OneR(), measure="cost", costs=[[0, 8], [1, 0]])
    assert same.assessments["OneR"].mean == found.assessments["OneR"].mean
    with pytest.raises(ParameterError, match="different costs"):
        found_on(table, acumen.NaiveBayes(costs=costs), acumen.OneR(costs=[[0, 1], [3, 0]]), measure="cost")
    with pytest.raises(ParameterError, match="needs a cost matrix"):
        found_on(table, acumen.NaiveBayes(), measure="cost")


def test_the_positive_class_may_be_named():
    table = mixed(7, 90, classes=("no", "yes"))
    one, other = (found_on(table, acumen.NaiveBayes(), measure="recall", positive=p) for p in ("no", "yes"))
    assert one.assessments["NaiveBayes"].mean != other.assessments["NaiveBayes"].mean


# -- stopping, and being told ---------------------------------------------------------------------


def test_ctrl_c_keeps_what_is_finished():
    def stop(name, done):
        if name == "OneR" and done == 3:
            raise KeyboardInterrupt

    found = found_on(mixed(), acumen.NaiveBayes(), acumen.OneR(), acumen.Parzen(), progress=stop)
    assert set(found.names) == {"NaiveBayes", "Majority"} and not found.complete
    assert found.unjudged == {"OneR": "stopped after 3 of 5 splits", "Parzen": "stopped after 0 of 5 splits"}
    assert found.notes[:2] == (
        "stopped before all was finished",
        "fewer than 2 repeats were finished: 1 by Majority and NaiveBayes",
    )
    assert found.method == KFold(5) and "OneR: stopped after 3 of 5 splits" in str(found)


def test_ctrl_c_before_anything_is_finished_stops():
    def stop(name, done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        found_on(mixed(), acumen.NaiveBayes(), progress=stop)


def test_a_baseline_that_was_not_finished_is_told():
    def stop(name, done):
        if name == "OneR":
            raise KeyboardInterrupt

    found = found_on(mixed(), acumen.NaiveBayes(), acumen.OneR(), baseline="OneR", progress=stop)
    assert found.baseline is None and "the baseline OneR did not finish" in found.notes[0]


def test_progress_is_told_of_every_learner_and_split():
    told = []
    found_on(mixed(), acumen.NaiveBayes(), progress=lambda *said: told.append(said))
    turns = [(name, 5 * repeat) for repeat in (0, 1) for name in ("Majority", "NaiveBayes")]
    assert told == [(name, before + i) for name, before in turns for i in range(1, 6)]


# -- showing --------------------------------------------------------------------------------------


def test_the_text_can_be_read(iris):
    text = str(iris)
    assert text.startswith("error by 10-fold cross-validation, 10 times, stratified, seed 0")
    assert "Best (statistically tied): FullBayes, NaiveBayes, OneR.\nSimplest " in text
    assert re.search("Simplest (and fastest )?of them: OneR", text) and "\nWorse: Majority.\n" in text
    assert "Lowest estimated error: FullBayes." in text
    assert re.search(r"\nExpected error of FullBayes on new rows: .* learners\)\.$", text.rstrip())
    assert "FullBayes is better than" not in text and "You would need" not in text
    every = iris.describe(pairs=True)
    assert every.startswith(text)
    assert "FullBayes is better than Majority: its error is lower by 64.13 points (95 % CI " in every
    assert "points, p = " in every and re.search(
        r"You would need about [\d,]+ rows to detect one this small\.", every
    )
    assert all(cells(line) <= 80 for line in comparison_text(iris, 80).split("\n"))


def test_a_pair_of_which_signs_alone_are_counted_has_its_sentence():
    """Four rows of a class that is told without fail: every draw of rows says the same, and no spread is known."""
    values = [[float(i >= 36) + 0.01 * (i % 3)] for i in range(40)]
    table = acumen.read((np.array(values), np.array(["a"] * 36 + ["b"] * 4)))
    found = acumen.compare([acumen.NaiveBayes(var_floor=0.1)], table, KFold(2), "auc", random_state=0)
    assert np.isnan(found.test("NaiveBayes", "Majority").se)
    assert "p = 0.1250). Too few rows distinguish them." in found.describe(pairs=True)


def test_long_and_hostile_names_fit_and_do_nothing():
    name = "\x1b[31m<script>" + "x" * 90
    found = acumen.compare({name: acumen.OneR()}, mixed(), METHOD, random_state=0)
    text = comparison_text(found, 80)
    assert "\x1b" not in text and all(cells(line) <= 80 for line in text.split("\n"))
    assert "<script>" not in found._repr_html_() and "<svg" in found._repr_html_()


def test_the_lead_follows_the_verdicts():
    found = found_on(mixed(8, 90), acumen.NaiveBayes(), baseline="Majority")
    assert lead(found) == "Compared with Majority: better: NaiveBayes."
    assert lead(found_on(mixed(), acumen.Majority())) == "Majority is the only learner compared."
    even = found_on(table_of({"x": [0.0, 1.0] * 8}, ["a", "b", "b", "a"] * 4), acumen.OneR())
    assert lead(even).startswith("Best (statistically tied): ")


def test_many_learners_get_sentences_about_the_best_only():
    many = [acumen.OneR(min_bucket=n) for n in range(1, 7)]
    text = str(found_on(mixed(9, 40), *many, method=KFold(3)))
    assert text.count(": no significant difference (") <= 6


def test_values_are_said_by_their_measure():
    assert (value_text(0.1234, "error"), value_text(0.1234, "log_loss"), value_text(float("nan"), "error")) == (
        "12.34 %", "0.1234", "undefined",
    )  # fmt: skip


def test_json_has_no_strange_numbers(iris):
    made = json.loads(json.dumps(iris.to_dict(), allow_nan=False))
    assert set(made) == {
        "schema_version", "measure", "method", "seed", "baseline", "rope", "time", "splits", "answer", "headline",
        "table", "pairs", "unjudged", "left_out", "notes",
    }  # fmt: skip
    assert made["table"][0]["learner"] == "FullBayes" and made["pairs"][0]["a"] == "FullBayes"


def test_notes_of_the_splits_come_once():
    table = table_of({"x": [0.0, 1.0] * 10 + [9.0]}, ["a", "b"] * 10 + ["c"])
    found = found_on(table, acumen.NaiveBayes(), acumen.OneR(), method=KFold(3))
    assert found.notes[0] == "class 'c' does not occur among the training rows of 1 of 3 splits"
    assert len(found.notes) == len(set(found.notes)) == 2 and "only one value of 'x'" in found.notes[1]


def test_intervals_stay_where_the_measure_can_go():
    found = found_on(table_of({"u": list("pq") * 20}, list("ab") * 20), acumen.NaiveBayes(), acumen.OneR())
    for row in found.table:
        assert 0 <= row["low"] <= row["high"] <= 1
    assert isinstance(found, Comparison)
