"""Verdicts, headline and intervals: what may be said, and what may not."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import acumen
from acumen.assessment.comparison_text import comparison_text, pair_sentences, size
from acumen.assessment.verdicts import Headline, PairVerdict, headline_of
from acumen.errors import ParameterError
from acumen.render.verdicts import LOOKS
from acumen.resampling import Bootstrap, Holdout, KFold, LeaveOneOut, Subsample
from judged_tables import mixed
from tables import table_of

IRIS = acumen.datasets.load("iris")
MEASURES = (
    "error",
    "accuracy",
    "kappa",
    "mcc",
    "f1",
    "macro_f1",
    "precision",
    "recall",
    "balanced_accuracy",
    "auc",
)


def tossed(seed, n=40):
    rng = np.random.default_rng(seed)
    columns = {name: rng.normal(size=n).tolist() for name in "uv"}
    return table_of(columns, ["a", "b", *np.array(["a", "b"])[rng.integers(0, 2, n - 2)].tolist()])


def test_a_test_does_not_depend_on_who_else_takes_part_but_its_correction_does():
    few = acumen.compare([acumen.Fisher(), acumen.OneR()], IRIS, random_state=0)
    more = [acumen.OneR(min_bucket=k) for k in (2, 3, 4)]
    crowd = {"Fisher": acumen.Fisher(), "OneR": acumen.OneR(), "Bayes": acumen.NaiveBayes()}
    many = acumen.compare(crowd | {f"one {k}": each for k, each in enumerate(more)}, IRIS, random_state=0)
    alone, among = (next(p for p in found.pairs if (p.a, p.b) == ("Fisher", "OneR")) for found in (few, many))
    assert alone[:6] == among[:6] and alone.p < 0.05
    assert alone.p_corrected < among.p_corrected


def test_two_folds_with_the_same_difference_are_not_certain():
    certain = 0
    for seed in range(12):
        found = acumen.compare(
            [acumen.NaiveBayes(), acumen.OneR()], tossed(seed), KFold(2), random_state=seed
        )
        for pair in found.pairs:
            assert pair.p > 1e-4
            apart = found.assessments[pair.a].values - found.assessments[pair.b].values
            certain += bool(apart[0]) and bool(np.ptp(apart) < 1e-12)
    assert certain  # the case that used to get p = 0 did occur


def test_the_headline_is_corrected_and_the_group_is_about_the_leader():
    pairs = [
        PairVerdict("a", "b", -0.1, -0.2, -0.01, 0.03, "no significant difference", 0.09),
        PairVerdict("a", "c", -0.2, -0.3, -0.1, 0.001, "better", 0.003),
        PairVerdict("b", "c", -0.1, -0.2, 0.01, 0.07, "no significant difference", 0.09),
    ]
    found = headline_of(("a", "b", "c"), pairs, None)
    assert found == Headline("a", ("a", "b"), ("c",), (), (), 3)
    assert found.to_dict()["group"] == ["a", "b"]


def test_a_first_that_is_found_worse_does_not_lead():
    pairs = [PairVerdict("a", "b", 0.1, 0.05, 0.2, 0.001, "worse", 0.001)]
    assert headline_of(("a", "b"), pairs, None).leader == "b"


def test_a_baseline_has_those_better_and_worse():
    found = acumen.compare(
        [acumen.NaiveBayes(), acumen.OneR()], IRIS, KFold(5), baseline="OneR", random_state=0
    )
    assert found.headline.leader == "OneR" and found.headline.worse == ("Majority",)
    assert found.headline.n_pairs == 2


def test_there_is_one_verdict_on_a_pair_wherever_it_is_shown():
    learners = [
        acumen.Fisher(),
        acumen.NaiveBayes(),
        acumen.FullBayes(),
        acumen.OneR(),
        acumen.HistogramBayes(),
    ]
    found = acumen.compare(learners, IRIS, random_state=0)
    pair = next(p for p in found.pairs if (p.a, p.b) == (found.best, "OneR"))
    assert pair.p < 0.05 <= pair.p_corrected  # significant on its own, but not among 15 pairs
    assert (
        found.standing("OneR") == "no significant difference"
        and "OneR" in found.headline.group
        and "OneR" in found.answer.best
    )
    row = next(row for row in found.table if row["learner"] == "OneR")
    assert row["verdict"] == "no significant difference" and "no significant difference" in str(found)
    sentence = next(line for line in pair_sentences(found) if line.startswith(f"{found.best} and OneR"))
    assert "no significant difference" in sentence and ", corrected for 15 pairs p = " in sentence
    stands = {row["learner"]: row["verdict"] for row in found.table}
    assert {name for name, verdict in stands.items() if verdict == "worse"} == set(found.answer.worse)


# -- practically equal ----------------------------------------------------------------------------


def test_equal_is_said_only_when_the_interval_lies_within_the_rope():
    for rope in (0.0, 0.01, 0.05, 0.5):
        found = acumen.compare(
            [acumen.NaiveBayes(), acumen.FullBayes()], IRIS, KFold(5), rope=rope, random_state=0
        )
        assert found.rope == rope
        for pair in found.pairs:
            within = max(abs(pair.low), abs(pair.high)) <= rope
            assert (pair.verdict == "practically equal") == (within and not pair.p_corrected < 0.05)
    assert found.pairs[0].verdict == "practically equal" and "are practically equal: " in found.describe(
        pairs=True
    )
    assert "within the 50.00 points that do not matter" in found.describe(
        pairs=True
    ) and "practically equal" in comparison_text(found, 80)


def test_lack_of_evidence_is_no_equality():
    found = acumen.compare([acumen.NaiveBayes()], tossed(1, 30), KFold(5), random_state=0)
    assert found.pairs[0].verdict == "no significant difference"
    said = found.describe(pairs=True)
    assert "no significant difference" in said and "practically equal" not in said


def test_identical_learners_are_equal_once_there_are_rows_enough():
    few, many = (
        acumen.compare({"one": acumen.OneR(), "two": acumen.OneR()}, mixed(2, n), KFold(2), random_state=0)
        for n in (60, 600)
    )
    assert [found.pairs[0].verdict for found in (few, many)] == [
        "no significant difference",
        "practically equal",
    ]
    assert "Their estimates are equal." in few.describe(pairs=True)


@pytest.mark.parametrize("rope", [-0.1, float("nan"), float("inf"), "x", True])
def test_a_rope_is_a_number_of_at_least_0(rope):
    with pytest.raises(ParameterError, match="compare: rope must be a number of at least 0"):
        acumen.compare([acumen.OneR()], mixed(), KFold(2), rope=rope)


def test_json_has_the_four_words():
    found = acumen.compare(
        [acumen.NaiveBayes(), acumen.FullBayes()], IRIS, KFold(5), rope=0.5, random_state=0
    )
    made = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert {pair["verdict"] for pair in made["pairs"]} == {"practically equal", "better"}
    assert set(made["pairs"][0]) == set(PairVerdict._fields) and made["rope"] == 0.5
    assert made["headline"]["worse"] == ["Majority"]
    assert {"better", "worse", "no significant difference", "practically equal"} <= set(LOOKS)


def test_cochrans_q_of_all_or_some():
    found = acumen.compare([acumen.NaiveBayes(), acumen.OneR()], IRIS, KFold(5), random_state=0)
    assert found.cochran_q().df == 2 and found.cochran_q().p < 1e-6
    two = found.cochran_q("NaiveBayes", "OneR")
    truth, one, other = (
        np.concatenate([getattr(run, name) for run in found.assessments[learner].runs])
        for learner, name in (("OneR", "truth"), ("NaiveBayes", "predicted"), ("OneR", "predicted"))
    )
    only = [int(np.sum((x != truth) & (y == truth))) for x, y in ((one, other), (other, one))]
    assert two.statistic == pytest.approx((only[0] - only[1]) ** 2 / sum(only)) and two.n == 150


# -- intervals ------------------------------------------------------------------------------------

PLANS = [
    KFold(5), KFold(3, n_repeats=4), Holdout(), LeaveOneOut(), Subsample(4), Bootstrap(6), Bootstrap(6, "632+"),
    Bootstrap(6, "out-of-bag"),
]  # fmt: skip


@pytest.mark.parametrize("method", PLANS, ids=str)
def test_assess_and_compare_say_the_same_interval(method):
    table = mixed(3, 70, classes=("no", "yes"))
    found = acumen.compare([acumen.NaiveBayes()], table, method, random_state=4)
    row = next(row for row in found.table if row["learner"] == "NaiveBayes")
    alone = acumen.assess(acumen.NaiveBayes(), table, method, random_state=4).interval()
    assert (row["low"], row["high"]) == (alone.low, alone.high)
    assert alone.low <= row["error"] <= alone.high


def test_the_interval_is_wilsons_of_the_rows_tested_however_often():
    from acumen.assessment.statistics import error_interval

    for repeats in (1, 6):
        found = acumen.assess(acumen.OneR(), IRIS, KFold(5, n_repeats=repeats), random_state=0)
        assert tuple(found.interval()) == pytest.approx(tuple(error_interval(found.mean * 150, 150)))
    held = acumen.assess(acumen.OneR(), IRIS, Holdout(0.2), random_state=0)
    assert tuple(held.interval(0.9)) == pytest.approx(tuple(error_interval(held.mean * 30, 30, 0.9)))
    right = acumen.assess(acumen.OneR(), IRIS, Holdout(0.2), "accuracy", random_state=0).interval()
    assert (1 - right.high, 1 - right.low) == pytest.approx(tuple(held.interval()))


@pytest.mark.parametrize(
    "method",
    [
        KFold(5),
        *(pytest.param(each, marks=pytest.mark.slow) for each in (KFold(3, n_repeats=2), Bootstrap(5))),
        Holdout(0.5),
    ],
    ids=str,
)
@pytest.mark.parametrize("measure", [*MEASURES, "log_loss", "brier"])
def test_no_interval_is_a_point_or_leaves_its_range(method, measure):
    parted = table_of({"u": [*range(30), *range(100, 130)]}, ["a"] * 30 + ["b"] * 30)
    for table in (parted, mixed(1, 60, classes=("a", "b"))):
        found = acumen.assess(acumen.NaiveBayes(), table, method, measure, random_state=0)
        around = found.interval()
        if measure == "log_loss" and not found.mean:  # without a bound nothing is known of a loss never seen
            assert np.isnan(around.low) and "95 %" not in str(found)
            continue
        assert around.low < around.high and around.low <= found.mean <= around.high + 1e-12
        assert around.low >= (-1 if measure in ("kappa", "mcc") else 0)
        assert around.high <= 1 or measure in ("log_loss", "brier")
        assert "0.0000 to 0.0000" not in str(found) and " (95 % from " in str(found)


def test_heavy_rows_are_fewer_rows():
    n = 60
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    labels = np.where(x + rng.normal(size=n) > 0, "a", "b").tolist()
    uneven = np.where(np.arange(n) % 4, 1.0, 20.0)
    plain, even, heavy = (
        acumen.assess(acumen.NaiveBayes(), table_of({"u": x.tolist()}, labels, weights=w), Holdout(0.5), random_state=0)
        for w in (None, np.full(n, 2.0), uneven)
    )  # fmt: skip
    assert tuple(even.interval()) == pytest.approx(tuple(plain.interval()))
    assert heavy.interval().half > 1.3 * plain.interval().half


def test_infinite_losses_have_no_interval():
    table = table_of({"x": [0.0, 1.0] * 10 + [9.0]}, ["a", "b"] * 10 + ["c"])
    found = acumen.assess(acumen.NaiveBayes(), table, LeaveOneOut(), "log_loss")
    assert np.isinf(found.mean) and np.isnan(found.interval().low) and "95 %" not in str(found)


def test_the_kind_of_interval_is_checked():
    found = acumen.assess(acumen.OneR(), IRIS, KFold(5), random_state=0)
    with pytest.raises(ParameterError, match="kind must be"):
        found.interval(kind="bootstrap")
    with pytest.raises(ParameterError, match="level must be"):
        found.interval(95)


def test_the_area_of_a_draw_is_that_of_the_measure():
    from acumen.assessment.replicates import replicates
    from acumen.assessment.scores import measure

    for name in ("auc", "kappa", "f1"):
        found = acumen.assess(acumen.NaiveBayes(), IRIS, KFold(3, n_repeats=2), name, random_state=0)
        whole, drawn = replicates(found, measure(name))
        assert whole == pytest.approx(found.mean, abs=1e-12 if name == "auc" else 0.005)
        assert len(drawn) == 1000 and drawn.std() > 0
    houses = acumen.read(pd.DataFrame({"u": np.arange(40.0), "y": np.arange(40.0) % 7 + 0.5}), target="y")
    for name in ("rmse", "r2"):
        found = acumen.assess(acumen.LinearRegression(), houses, KFold(4), name, random_state=0)
        truth, said = found.residuals()
        whole = {
            "rmse": np.sqrt(np.mean((truth - said) ** 2)),
            "r2": 1 - np.mean((truth - said) ** 2) / truth.var(),
        }
        assert replicates(found, measure(name))[0] == pytest.approx(whole[name])
        assert found.interval().low <= found.mean <= found.interval().high


# -- sizes ----------------------------------------------------------------------------------------


def test_the_size_of_a_joint_table_is_what_it_holds():
    rng = np.random.default_rng(0)
    many = {f"u{i}": rng.choice(list("pqr"), 60).tolist() for i in range(40)}
    table = table_of(many, ["a", "b"] * 30)
    for learner in (acumen.HistogramBayes(), acumen.FullBayes()):
        found = acumen.assess(learner, table, KFold(3), "size", random_state=0)
        assert 1 <= found.mean <= 60
        assert (
            learner.fit(table).n_parameters_ > 10**9
        )  # the free parameters of the textbook stay what they are
    small = table_of({"u": list("pq") * 20}, list("aabb") * 10)
    assert acumen.assess(acumen.HistogramBayes(), small, KFold(2), "size", random_state=0).mean == 2


def test_sizes_are_said_as_people_say_them():
    said = [size(v) for v in (7, 8.5, 48.84, 1234, 999_960, 1.2345e6, 2e9, 3.5e12, 2.0**54, np.inf, np.nan)]
    assert said == ["7", "8.5", "49", "1,234", "1 M", "1.23 M", "2 G", "3.5 T", "1.8e+16", "-", ""]
