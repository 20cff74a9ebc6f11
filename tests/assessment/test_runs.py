"""One-pass cross-validation: the same predictions as fitting every training set anew."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen.assessment.absent_classes import Absences, Lack, sentences
from acumen.assessment.contestants import collect_warnings
from acumen.assessment.runs import ground, runs
from acumen.base.training import Training
from acumen.errors import AcumenWarning, DataError, ParameterError
from acumen.resampling import KFold
from judged_tables import mixed
from tables import table_of

COSTS = [[0, 1, 9], [2, 0, 1], [1, 1, 0]]

LEARNERS = {
    "naive": acumen.NaiveBayes(),
    "naive mle": acumen.NaiveBayes(estimator="mle"),
    "naive histogram": acumen.NaiveBayes(numeric="histogram", bins=4),
    "naive kernel": acumen.NaiveBayes(numeric="kernel"),
    "naive discretise": acumen.NaiveBayes(numeric="discretise"),
    "naive prior on means": acumen.NaiveBayes(mean_prior={"x": (0, 4)}),
    "full": acumen.FullBayes(),
    "full shared": acumen.FullBayes(covariance="shared"),
    "full diagonal": acumen.FullBayes(covariance="diagonal"),
    "full shrunk": acumen.FullBayes(shrinkage=0.3, unbiased=True),
    "parzen": acumen.Parzen(),
    "parzen box": acumen.Parzen(window="box", bandwidth=2.0),
    "histogram": acumen.HistogramBayes(bins=3),
    "one-r": acumen.OneR(min_bucket=3),
    "majority": acumen.Majority(),
}


def both(learner, table, method=None, seed=3):
    """The runs in one pass and by refitting."""
    method = KFold(5, n_repeats=2) if method is None else method
    base = ground(learner, table, method)
    with collect_warnings():  # a handful of rows makes singular matrices
        return [
            list(runs(learner, base.rows, base.method, random_state=seed, refit=refit))
            for refit in (False, True)
        ]


def assert_equal(learner, table, method=None):
    quick, slow = both(learner, table, method)
    assert len(quick) == len(slow)
    for one, other in zip(quick, slow, strict=True):
        assert (one.repeat, one.fold, one.train_size) == (other.repeat, other.fold, other.train_size)
        np.testing.assert_array_equal(one.test, other.test)
        np.testing.assert_array_equal(one.truth, other.truth)
        np.testing.assert_array_equal(one.predicted, other.predicted)
        np.testing.assert_array_equal(one.weights, other.weights)
        if one.proba is not None:
            at = np.arange(len(one.truth)), one.truth
            with np.errstate(divide="ignore"):
                np.testing.assert_allclose(
                    -np.log(one.proba[at]), -np.log(other.proba[at]), rtol=1e-9, atol=1e-9
                )
        assert one.lacks == other.lacks
        assert (one.size, one.memory) == (other.size, other.memory) or np.isnan(one.size)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("kind", ["numeric nominal", "numeric", "nominal"])
def test_kfold_in_one_pass_equals_refits(name, kind):
    learner = LEARNERS[name]
    if name == "naive prior on means" and "numeric" not in kind:
        pytest.skip("there are no means")
    assert_equal(learner, mixed(kinds=kind))


@pytest.mark.parametrize("name", LEARNERS)
def test_kfold_in_one_pass_equals_refits_with_weights_gaps_and_costs(name):
    learner = LEARNERS[name]
    table = mixed(1, weights=True, missing=0.15)
    assert_equal(learner, table)
    asked = {"costs": COSTS, "priors": [0.2, 0.5, 0.3], "class_weight": {"b": 3, "c": 0.5}}
    assert_equal(type(learner)(**{**learner.get_params(), **asked}), table)


@pytest.mark.parametrize("event", ["multinomial", "bernoulli"])
@pytest.mark.parametrize("kind", ["text", "counts"])
def test_text_bayes_in_folds_equals_refits(event, kind):
    learner = acumen.TextBayes(event=event, class_weight={"a": 2})
    table = mixed(2, kinds=kind, weights=True)
    assert learner.can_add_folds(table.schema) is (kind == "counts")
    assert_equal(learner, table)


def test_naive_bayes_with_a_text_column_equals_refits():
    assert_equal(acumen.NaiveBayes(), mixed(3, kinds="numeric nominal text", missing=0.1))


def test_sparse_tables_are_judged_in_one_pass():
    from scipy.sparse import csr_matrix

    dense = mixed(4, kinds="counts")
    table = acumen.read((csr_matrix(dense.numeric.matrix()), dense.label_values()))
    for learner in (acumen.NaiveBayes(), acumen.TextBayes(), acumen.FullBayes(covariance="shared")):
        assert_equal(learner, table)


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(12, 40),
    k=st.integers(2, 6),
    weights=st.booleans(),
    missing=st.sampled_from([0.0, 0.3]),
    name=st.sampled_from(["naive", "full", "full shared", "one-r", "majority", "parzen"]),
)
@settings(max_examples=40)
def test_one_pass_equals_refits_on_any_table(seed, n, k, weights, missing, name):
    table = mixed(seed, n, weights=weights, missing=missing)
    assert_equal(LEARNERS[name], table, KFold(k, stratified=bool(seed % 2)))


def test_a_class_weighted_to_nothing_is_tested_but_not_learned():
    learner = acumen.NaiveBayes(class_weight={"b": 0})
    table = mixed(5)
    assert_equal(learner, table)
    found = acumen.assess(learner, table, KFold(5), random_state=0).confusion
    assert found.predicted_totals[1] == 0 and found.true_totals[1] > 0


def test_summaries_are_made_in_one_pass(monkeypatch):
    passes = []
    learner = acumen.NaiveBayes()
    whole = Training.parts
    monkeypatch.setattr(Training, "parts", lambda self, *args: passes.append(1) or whole(self, *args))
    monkeypatch.setattr(
        acumen.NaiveBayes, "summarise", lambda *args: pytest.fail("a fold was read by itself")
    )
    monkeypatch.setattr(acumen.NaiveBayes, "fit", lambda *args: pytest.fail("a fold was fitted"))
    acumen.assess(learner, mixed(), KFold(10, n_repeats=3))
    assert len(passes) == 3


def test_balanced_weights_and_plans_are_refitted():
    table = mixed()
    assert not acumen.NaiveBayes(class_weight="balanced").can_add_folds(table.schema)
    assert not acumen.NaiveBayes(numeric="histogram").can_add_folds(table.schema)
    assert acumen.NaiveBayes(class_weight={"a": 2}).can_add_folds(table.schema)
    assert_equal(acumen.NaiveBayes(class_weight="balanced"), table)


def test_parameters_and_objections_are_checked_in_one_pass_too():
    with pytest.raises(ParameterError, match="alpha must be"):
        acumen.assess(acumen.FullBayes(alpha=-1), mixed())
    with pytest.raises(DataError, match="too sparse"):
        acumen.assess(acumen.FullBayes(), mixed(kinds="numeric text"))


def test_class_weights_of_zero_for_all_end_in_a_sentence():
    with pytest.raises(DataError, match="weight zero"):
        acumen.assess(acumen.Majority(class_weight={"a": 0, "b": 0, "c": 0}), mixed())


# -- what counts ----------------------------------------------------------------------------------


def unlabelled_and_weightless():
    columns = {"x": [0.0, 0.1, 5.0, 5.1, 0.2, 5.2, 2.0, 0.05, 5.05, 0.15]}
    labels = ["a", "a", "b", "b", "a", "b", None, "a", "b", "a"]
    return table_of(columns, labels, classes=("a", "b"), weights=[1, 1, 1, 1, 0, 2, 1, 1, 1, 1])


def test_rows_without_label_or_weight_are_not_tested_and_keep_their_numbers():
    table = unlabelled_and_weightless()
    found = acumen.assess(acumen.NaiveBayes(), table, KFold(2), random_state=0)
    tested = np.sort(np.concatenate([run.test for run in found.runs]))
    assert tested.tolist() == [0, 1, 2, 3, 5, 7, 8, 9]
    for run in found.runs:
        np.testing.assert_array_equal(run.truth, table.labels[run.test])


def test_groups_follow_the_rows_that_are_kept():
    table = unlabelled_and_weightless()
    groups = np.array(["p", "p", "q", "q", "r", "r", "s", "t", "t", "s"])
    found = acumen.assess(acumen.NaiveBayes(), table, KFold(3, groups=groups), random_state=0)
    for run in found.runs:
        inside = set(groups[run.test])
        outside = set(groups[np.setdiff1d([0, 1, 2, 3, 5, 7, 8, 9], run.test)])
        assert not inside & outside


def test_unlabelled_rows_are_learned_from_by_those_who_use_them():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(0, 1, 40), rng.normal(4, 1, 40)])
    labels = ["a"] * 40 + ["b"] * 40
    for i in range(80):
        if i % 8 > 1:
            labels[i] = None
    table = table_of({"x": x.tolist()}, labels, classes=("a", "b"))
    sizes = []

    class Spy(acumen.NaiveBayes):
        def learn(self, rows):
            table = rows.require_local("Spy")
            sizes.append((len(table), int((table.labels < 0).sum())))
            return super().learn(rows)

    acumen.assess(Spy(unlabelled="em"), table, KFold(4), random_state=0)
    assert sizes == [(75, 60)] * 4
    assert len(acumen.assess(acumen.NaiveBayes(), table, KFold(4), random_state=0).runs[0].test) == 5


def test_a_table_without_target_ends_in_a_sentence():
    with pytest.raises(DataError, match="no nominal target"):
        acumen.assess(acumen.NaiveBayes(), table_of({"x": [1.0, 2.0]}))


# -- what training sets lack ----------------------------------------------------------------------


def rare():
    n = 30
    labels = ["c"] + ["a", "b"] * 14 + ["a"]
    levels = ["only"] + ["p", "q"] * 14 + ["p"]
    return table_of(
        {"u": levels, "x": np.arange(n, dtype=float).tolist()}, labels, classes=("a", "b", "c", "never"),
        levels={"u": ("only", "p", "q", "nowhere")},
    )  # fmt: skip


@pytest.mark.parametrize("refit", [False, True])
def test_absent_classes_and_levels_are_reported_and_not_fatal(refit):
    found = acumen.assess(acumen.NaiveBayes(), rare(), KFold(5), ("error", "log_loss"), 0, refit)
    assert found.notes == (
        "classes 'never', 'c' do not occur among the training rows of 5 of 5 splits",
        "u: level 'only' does not occur among the training rows of 1 of 5 splits",
    )
    assert found.confusion.matrix[2, 2] == 0 and found.confusion.true_totals[2] == 1
    assert np.isinf(found.table["log_loss"].max())


@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "naive prior on means"])
def test_no_learner_falls_over_an_absent_class(name):
    assert_equal(LEARNERS[name], rare(), KFold(5))


@given(st.integers(0, 10**6), st.integers(2, 5))
def test_what_the_other_parts_lack_is_what_the_training_rows_lack(seed, k):
    rng = np.random.default_rng(seed)
    table = mixed(seed, 12)
    parts = np.concatenate([np.arange(k), rng.integers(0, k, 12 - k)]).astype(np.int32)
    absences = Absences(table)
    assert absences.by_part(parts, k) == [absences.among(np.flatnonzero(parts != p)) for p in range(k)]


def test_sentences_name_some_levels_and_count_the_others():
    lacks = [(Lack("zip", tuple("abcde")),), (), (Lack(None, ("x",)), Lack("zip", ("a",)))]
    assert sentences(lacks) == (
        "class 'x' does not occur among the training rows of 1 of 3 splits",
        "zip: levels 'a', 'b', 'c' and 2 more do not occur among the training rows of 2 of 3 splits",
    )
    assert sentences([(), ()]) == ()


def test_splits_that_part_the_groups_of_a_learner_are_said():
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(20), 3)
    frame = pd.DataFrame(
        {"who": [f"p{w}" for w in who], "x": rng.normal(size=60), "y": rng.choice(["a", "b"], 60)}
    )
    table = acumen.read(frame, target="y")
    forest = acumen.RandomForest(5, groups="who", random_state=0)
    with pytest.warns(AcumenWarning, match="groups='who' keeps whole groups out of bag, but the splits"):
        acumen.assess(forest, table, acumen.KFold(3), random_state=0)
    acumen.assess(
        forest, table, acumen.KFold(3, groups=table.column("who")), random_state=0
    )  # warnings are errors
