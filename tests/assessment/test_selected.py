"""What to expect of the learner that was chosen: no correction where nothing competes, coverage by simulation."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.assessment.answer import selected_estimate
from acumen.assessment.certainty import interval_of
from acumen.resampling import Holdout, KFold
from simulated_tables import compared, gaussian, nearest_mean, stump
from tables import table_of

IRIS = acumen.datasets.load("iris")
RULES = {
    "bayes 0": gaussian(0), "bayes 1": gaussian(1), "mean 2": nearest_mean(2), "stump 3": stump(3),
    "stump 4": stump(4), "bayes 345": gaussian(3, 4, 5),
}  # fmt: skip


def drawn(rng, n, apart):
    y = rng.integers(0, 2, n)
    x = rng.normal(size=(n, 6))
    x[:, 0] += apart * y
    return x, y


def test_where_every_draw_chooses_the_leader_nothing_is_corrected():
    found = compared(RULES, *drawn(np.random.default_rng(0), 400, 4), KFold(5), 0)
    plain = interval_of(found.assessments["bayes 0"], "error")
    assert selected_estimate(found.assessments, "bayes 0", "error") == plain


def test_the_best_of_equal_learners_gets_a_worse_estimate_and_an_interval_that_reaches_further():
    found = compared(RULES, *drawn(np.random.default_rng(1), 100, 0), KFold(5), 0)
    plain = interval_of(found.assessments[found.best], "error")
    corrected = selected_estimate(found.assessments, found.best, "error")
    assert corrected.estimate > plain.estimate + 0.02
    assert corrected.low == plain.low and corrected.high > plain.high + 0.02


@pytest.mark.parametrize("measure", ["accuracy", "auc", "kappa", "log_loss"])
def test_the_answer_is_corrected_towards_the_worse_by_any_measure(measure):
    rng = np.random.default_rng(2)
    columns = {name: rng.normal(size=60).tolist() for name in "uvw"}
    table = table_of(columns, np.array(["a", "b"])[np.arange(60) % 2].tolist())
    learners = [acumen.NaiveBayes(), acumen.NearestMean(), acumen.OneR(), acumen.Fisher()]
    found = acumen.compare(learners, table, KFold(3), measure, random_state=0)
    plain, answer = found.assessments[found.recommended_learner].interval(), found.to_dict()["answer"]
    worse = answer["estimate"] - plain.estimate
    assert (worse >= 0) == (measure == "log_loss") or worse == 0
    low, high = answer["interval"]["low"], answer["interval"]["high"]
    assert low <= plain.low + 1e-12 and high >= plain.high - 1e-12 and low <= answer["estimate"] <= high


def test_times_have_no_rows_to_draw_and_one_learner_no_choice():
    found = acumen.compare([acumen.OneR()], IRIS, KFold(5), "fit_time", random_state=0)
    chosen = found.assessments[found.recommended_learner]
    assert selected_estimate(found.assessments, found.recommended_learner, "fit_time") == interval_of(
        chosen, "fit_time"
    )
    alone = {"OneR": acumen.assess(acumen.OneR(), IRIS, KFold(5), random_state=0)}
    assert selected_estimate(alone, "OneR", "error") == alone["OneR"].interval()


def test_a_draw_chooses_the_same_whatever_the_order_of_learners_and_however_many_rows():
    found = compared(RULES, *drawn(np.random.default_rng(3), 5000, 0), Holdout(0.5), 0)
    turned = dict(reversed(found.assessments.items()))
    one, other = (selected_estimate(each, found.best, "error") for each in (found.assessments, turned))
    assert one.estimate == pytest.approx(other.estimate, abs=1e-3) and one.high > 0.5 > one.low


def truth(rule, x, y, apart, rng):
    """The error on fresh rows of a rule fitted on all."""
    fresh, labels = drawn(rng, 2000, apart)
    times = np.r_[np.ones(len(y)), np.zeros(len(labels))][None]
    return np.mean(rule(np.r_[x, fresh], np.r_[y, labels], times)[0][len(y) :] != labels)


@pytest.mark.slow
@pytest.mark.parametrize(
    "apart", [0, 1, 2.5], ids=["nothing to learn", "one a little better", "one much better"]
)
@pytest.mark.parametrize("method", [KFold(10), Holdout()], ids=str)
def test_the_interval_of_the_chosen_learner_covers_its_error(method, apart):
    tables, held, plain, half = 200, 0, 0, []
    for seed in range(tables):
        rng = np.random.default_rng([seed, 7])
        x, y = drawn(rng, 80, apart)
        found = compared(RULES, x, y, method, seed)
        error = truth(RULES[found.best], x, y, apart, rng) if apart else 0.5
        around = selected_estimate(found.assessments, found.best, "error")
        own = found.assessments[found.best].interval()
        held += around.low <= error <= around.high
        plain += own.low <= error <= own.high
        half.append(around.half / own.half)
    margin = 2 * np.sqrt(0.05 * 0.95 / tables)
    assert held / tables >= 0.93 - margin
    if not apart:
        assert plain / tables < 0.93 - margin or method == Holdout()  # what the correction is for
    if apart == 2.5:
        assert np.mean(half) < 1.15  # hardly wider where there is no doubt who is best
