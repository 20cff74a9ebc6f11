"""`assess`: values, means, intervals; every method and every measure."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from sklearn import metrics

import acumen
from acumen.assessment.contestants import fixed_seed, learner_name
from acumen.assessment.scores import MEASURES
from acumen.assessment.statistics.bootstrap import bootstrap_632, bootstrap_632_plus, no_information_rate
from acumen.errors import AcumenWarning, DataError, ParameterError
from acumen.resampling import Bootstrap, Holdout, KFold, LeaveOneOut, Subsample, ThreeWay, TimeSlice
from judged_tables import mixed
from tables import table_of

METHODS = [
    (KFold(4, n_repeats=3), 12),
    (Holdout(0.25), 1),
    (ThreeWay(0.5, 0.25), 1),
    (TimeSlice(3), 3),
    (TimeSlice(3, window="sliding"), 3),
    (Subsample(5, fraction=0.2), 5),
    (Bootstrap(6, "632"), 6),
    (Bootstrap(6, "632+"), 6),
    (Bootstrap(6, "out-of-bag"), 6),
    (Bootstrap(6, "plain"), 6),
]


@pytest.mark.parametrize(("method", "splits"), METHODS, ids=lambda value: str(value))
def test_every_method_gives_what_fitting_by_hand_gives(method, splits):
    table = mixed(0, 80)
    found = acumen.assess(acumen.NaiveBayes(), table, method, random_state=5)
    assert len(found.values) == len(found.runs) == splits
    for run, value, split in zip(found.runs, found.values, method.splits(80, table.labels, 5), strict=True):
        np.testing.assert_array_equal(run.test, split.test)
        fitted = acumen.NaiveBayes().fit(table.take(split.train))
        assert value == pytest.approx(1 - fitted.score(table.take(split.test)), abs=1e-12)
        assert run.train_size == len(np.unique(split.train))
    if not found.estimates:
        assert found.mean == pytest.approx(found.values.mean())


@pytest.mark.parametrize("kind", ["632", "632+"])
def test_the_bootstrap_combines_training_and_out_of_bag_error(kind):
    table = mixed(1, 60)
    found = acumen.assess(acumen.OneR(), table, Bootstrap(10, kind), ("error", "size"), random_state=0)
    whole = acumen.OneR().fit(table)
    training, tested = 1 - whole.score(table), found.values.mean()
    if kind == "632":
        assert found.mean == pytest.approx(0.368 * training + 0.632 * tested)
        assert found.mean == pytest.approx(bootstrap_632(training, tested))
    else:
        chance = no_information_rate(table.labels, whole.predictor_.predict(table))
        assert found.mean == pytest.approx(bootstrap_632_plus(training, tested, chance))
    assert set(found.estimates) == {"error"}  # there is nothing to combine of a size


def test_632_combines_every_measure_of_predictions():
    table = mixed(1, 60, classes=("no", "yes"))
    found = acumen.assess(
        acumen.NaiveBayes(), table, Bootstrap(10), ("log_loss", "auc", "error"), random_state=0
    )
    whole = acumen.NaiveBayes().fit(table)
    training = metrics.roc_auc_score(table.labels, whole.predict_proba(table)[:, 1])
    assert found.mean_of("auc") == pytest.approx(bootstrap_632(training, found.table["auc"].mean()))
    assert found.means()["error"] == found.estimates["error"]


def test_632_plus_of_another_measure_is_refused_before_any_work():
    with pytest.raises(ParameterError, match=r"\.632\+ estimate is defined for the error only"):
        acumen.assess(acumen.NaiveBayes(), mixed(), Bootstrap(5, "632+"), "log_loss")


@pytest.mark.parametrize("name", [name for name, m in MEASURES.items() if m.needs != "numbers"])
def test_every_measure_has_a_value_a_split(name):
    table = mixed(2, 60, classes=("no", "yes"), weights=True)
    learner = acumen.NaiveBayes(costs=[[0, 5], [1, 0]])
    found = acumen.assess(learner, table, KFold(3), name, random_state=0)
    assert found.values.shape == (3,) and np.isfinite(found.values).all()
    assert found.measures == (name,)


def test_measures_agree_with_scikit_learn():
    table = mixed(3, 90, classes=("no", "yes"))
    names = (
        "accuracy",
        "balanced_accuracy",
        "kappa",
        "mcc",
        "precision",
        "recall",
        "f1",
        "macro_f1",
        "log_loss",
        "auc",
    )
    found = acumen.assess(acumen.NaiveBayes(), table, KFold(3), names, random_state=0)
    for i, run in enumerate(found.runs):
        y, p = run.truth, run.predicted
        theirs = {
            "accuracy": metrics.accuracy_score(y, p),
            "balanced_accuracy": metrics.balanced_accuracy_score(y, p),
            "kappa": metrics.cohen_kappa_score(y, p),
            "mcc": metrics.matthews_corrcoef(y, p),
            "precision": metrics.precision_score(y, p),
            "recall": metrics.recall_score(y, p),
            "f1": metrics.f1_score(y, p),
            "macro_f1": metrics.f1_score(y, p, average="macro"),
            "log_loss": metrics.log_loss(y, run.proba),
            "auc": metrics.roc_auc_score(y, run.proba[:, 1]),
        }
        assert {name: found.table[name][i] for name in names} == pytest.approx(theirs, abs=1e-12)


def test_the_positive_class_may_be_named():
    table = mixed(3, 60, classes=("no", "yes"))
    first, last = (
        acumen.assess(acumen.NaiveBayes(), table, KFold(3), "recall", 0, positive=label).confusion
        for label in ("no", None)
    )
    found = acumen.assess(acumen.NaiveBayes(), table, Holdout(), "recall", 0, positive="no")
    assert found.mean == pytest.approx(found.confusion.recall[0])
    assert np.array_equal(first.matrix, last.matrix)
    with pytest.raises(ParameterError, match="no class 'nay'"):
        acumen.assess(acumen.NaiveBayes(), table, KFold(3), "recall", 0, positive="nay")


def test_costs_are_the_learners_own_or_those_given():
    table = mixed(4, 60, classes=("no", "yes"))
    matrix = np.array([[0.0, 7.0], [1.0, 0.0]])
    given = acumen.assess(acumen.OneR(), table, Holdout(), "cost", 0, costs=matrix)
    counts = given.confusion.matrix
    assert given.mean == pytest.approx((counts * matrix).sum() / counts.sum())
    own = acumen.assess(acumen.NaiveBayes(costs={("no", "yes"): 7}), table, Holdout(), "cost", 0)
    assert own.mean == pytest.approx((own.confusion.matrix * matrix).sum() / own.confusion.total)
    with pytest.raises(ParameterError, match="needs a cost matrix"):
        acumen.assess(acumen.OneR(), table, measures="cost")


def test_intervals_and_variance_follow_from_the_values():
    found = acumen.assess(acumen.OneR(), mixed(5), KFold(5), random_state=0)
    assert found.variance == pytest.approx(found.values.var(ddof=1))
    wide, narrow = found.interval(0.99, "t"), found.interval(0.95, "normal")
    assert narrow.half == pytest.approx(1.959963984540054 * np.sqrt(found.variance / 5))
    assert wide.half == pytest.approx(4.604094871349993 * np.sqrt(found.variance / 5))
    assert found.mean in wide
    assert np.isnan(acumen.assess(acumen.OneR(), mixed(5), Holdout(), random_state=0).variance)


def test_the_same_seed_gives_the_same_splits():
    table, learner = mixed(6), acumen.NaiveBayes()
    once, again = (acumen.assess(learner, table, KFold(5), random_state=9) for _ in range(2))
    np.testing.assert_array_equal(once.values, again.values)
    drawn = [acumen.assess(learner, table, KFold(5), random_state=np.random.default_rng(1)) for _ in range(2)]
    assert drawn[0].seed == drawn[1].seed
    generator = np.random.default_rng(1)
    seeds = {acumen.assess(learner, table, KFold(5), random_state=generator).seed for _ in range(3)}
    assert len(seeds) == 3
    unseeded = acumen.assess(learner, table, KFold(5))
    np.testing.assert_array_equal(
        unseeded.values, acumen.assess(learner, table, KFold(5), random_state=unseeded.seed).values
    )


@pytest.mark.parametrize("odd", [-1, 1.5, True, "seed"])
def test_an_odd_seed_ends_in_a_sentence(odd):
    with pytest.raises(ParameterError, match="random_state must be"):
        fixed_seed(odd)
    assert fixed_seed(np.random.RandomState(0)) == fixed_seed(np.random.RandomState(0))


def test_the_learner_itself_is_not_touched():
    learner = acumen.NaiveBayes()
    acumen.assess(learner, mixed(), KFold(3), n_jobs=1)
    assert not hasattr(learner, "predictor_") and learner.n_jobs is None


def test_n_jobs_reach_the_learner_and_do_not_change_the_answer(monkeypatch):
    seen = set()

    class Spy(acumen.NaiveBayes):
        @property
        def jobs(self):
            seen.add(self.n_jobs)
            return super().jobs

    table = mixed(7)
    one, two = (acumen.assess(Spy(), table, KFold(3), "log_loss", 0, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.values, two.values)
    assert seen == {1, 2}
    acumen.assess(acumen.Majority(), table, KFold(3), n_jobs=2)  # has no such parameter
    with pytest.raises(ParameterError, match="n_jobs"):
        acumen.assess(acumen.Majority(), table, KFold(3), n_jobs=0)


def test_progress_is_told_of_every_split():
    told = []
    acumen.assess(acumen.NaiveBayes(), mixed(), KFold(3, n_repeats=2), progress=told.append)
    assert told == [1, 2, 3, 4, 5, 6]


def test_an_unknown_measure_is_guessed():
    with pytest.raises(ParameterError, match=r"no measure 'eror'.*Did you mean 'error'\?"):
        acumen.assess(acumen.NaiveBayes(), mixed(), measures=("eror",))
    with pytest.raises(ParameterError, match="at least one measure"):
        acumen.assess(acumen.NaiveBayes(), mixed(), measures=())


def test_what_is_no_learner_or_no_method_ends_in_a_sentence():
    with pytest.raises(ParameterError, match="no learner of acumen"):
        acumen.assess(acumen.NaiveBayes, mixed())
    with pytest.raises(ParameterError, match="method must be"):
        acumen.assess(acumen.NaiveBayes(), mixed(), method=10)


def test_probabilities_are_refused_of_learners_without():
    class Plain(acumen.OneR):
        class model_type(acumen.OneR.model_type):  # noqa: N801
            probabilistic = False

    with pytest.raises(DataError, match="needs probabilities"):
        acumen.assess(Plain(), mixed(), measures="log_loss")


def test_predictions_are_those_of_the_learner_whatever_else_is_measured():
    table = table_of({"x": [0.0, 1e-12, 1.0, 1.0 + 1e-12] * 6}, ["a", "b"] * 12)
    plain, shares = (
        acumen.assess(acumen.NaiveBayes(), table, KFold(3), m, 0) for m in ("error", ("error", "log_loss"))
    )
    for one, other in zip(plain.runs, shares.runs, strict=True):
        np.testing.assert_array_equal(one.predicted, other.predicted)


def test_warnings_of_a_hundred_fits_become_one_note():
    table = table_of({"x": [0.0, 1.0, 2.0, 3.0] * 5, "y": [0.0, 2.0, 4.0, 6.0] * 5}, ["a", "a", "b", "b"] * 5)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = acumen.assess(acumen.FullBayes(), table, KFold(5), random_state=0)
    assert not heard
    assert [note.partition(" is singular")[0] for note in found.notes] == [
        "FullBayes: the covariance of a", "FullBayes: the covariance of b",
    ]  # fmt: skip
    assert found.notes[0].endswith("(5 times)")


def test_other_warnings_pass():
    def loud(summary):
        warnings.warn("mind the step", DeprecationWarning, stacklevel=1)
        return acumen.Majority.solve(summary)

    class Loud(acumen.Majority):
        solve = staticmethod(loud)

    with pytest.warns(DeprecationWarning, match="mind the step"):
        acumen.assess(Loud(), mixed(), KFold(3))
    assert issubclass(AcumenWarning, UserWarning)


def test_text_and_json_tell_the_same():
    found = acumen.assess(
        acumen.NaiveBayes(alpha=0.5), mixed(8), KFold(5), ("error", "log_loss"), random_state=0
    )
    said = str(found)
    assert said.startswith("NaiveBayes(alpha=0.5) by 5-fold cross-validation, stratified: error 0.")
    assert "95 % from" in said and "log_loss: " in said
    made = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert made["mean"] == pytest.approx(found.mean)
    assert made["measures"]["error"]["values"] == found.values.tolist()
    assert made["seed"] == 0 and made["confusion"]["total"] == 60


def test_an_infinite_loss_is_said_as_nothing_in_json():
    table = table_of({"x": [0.0, 1.0, 0.1, 1.1, 9.0]}, ["a", "b", "a", "b", "c"])
    found = acumen.assess(acumen.Majority(), table, LeaveOneOut(), "log_loss")
    assert found.mean == np.inf
    assert found.to_dict()["measures"]["log_loss"]["mean"] is None


def test_a_measure_that_was_not_asked_for_ends_in_a_sentence():
    found = acumen.assess(acumen.Majority(), mixed(), KFold(3))
    with pytest.raises(ParameterError, match="'kappa' was not measured"):
        found.mean_of("kappa")


def test_names_say_what_is_not_the_default():
    assert learner_name(acumen.NaiveBayes()) == "NaiveBayes"
    assert learner_name(acumen.NaiveBayes(n_jobs=2)) == "NaiveBayes"
    assert (
        learner_name(acumen.FullBayes(covariance="shared", alpha=2.0))
        == "FullBayes(covariance='shared', alpha=2.0)"
    )


def test_a_tuned_learner_is_judged_honestly():
    table = mixed(9, 60)
    tuned = acumen.Tuned(acumen.NaiveBayes(), {"alpha": [5.0, 1.0]}, KFold(3), random_state=0)
    found = acumen.assess(tuned, table, KFold(3), random_state=1)
    for value, split in zip(found.values, KFold(3).splits(60, table.labels, 1), strict=True):
        by_hand = acumen.Tuned(acumen.NaiveBayes(), {"alpha": [5.0, 1.0]}, KFold(3), random_state=0)
        by_hand.fit(table.take(split.train))
        assert value == pytest.approx(1 - by_hand.score(table.take(split.test)))
