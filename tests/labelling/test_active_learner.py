"""ActiveLearner: which rows it asks about, that it is a learner like any other, and what simulations tell."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import acumen
from acumen import KNN, ActiveLearner, DecisionTree, NaiveBayes
from acumen.checks import LAWS, check_learner
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.labelling.queries import entropy, first, worth

IRIS = acumen.datasets.load("iris")
TRUTH = {
    tuple(IRIS.column(name)[i] for name in IRIS.schema.names): label
    for i, label in enumerate(IRIS.label_values())
}
QUERIES = ["uncertainty", "margin", "entropy", "committee", "density"]


def told(row):
    return TRUTH[tuple(row.values())]


def hidden(table, known):
    labels = np.full(len(table), -1, dtype=np.int32)
    labels[known] = table.labels[known]
    return Table(table.schema, len(table), numeric=table.numeric, nominal=table.nominal, labels=labels)


# -- what is asked --------------------------------------------------------------------------------


def line(values, labels):
    """One number a row; labels of -1 are missing."""
    schema = Schema((Attribute("x"),), Attribute("y", "nominal", ("a", "b")))
    return Table(
        schema, len(values), numeric=[np.array(values, float)], labels=np.array(labels, dtype=np.int32)
    )


@pytest.mark.parametrize("query", QUERIES)
def test_the_row_between_two_classes_is_asked_about_first(query):
    table = line([0, 1, 2, 3, 7, 8, 9, 10, 5.0, 0.5, 9.5], [0, 0, 0, 0, 1, 1, 1, 1, -1, -1, -1])
    model = ActiveLearner(NaiveBayes(), strategy=query, random_state=0).fit(table)
    assert model.ask(table)[0] == 8
    assert sorted(model.ask(table, n=9)) == [8, 9, 10]


def test_worth_is_as_the_literature_has_it():
    class Fixed:
        model_type = type("M", (), {"probabilistic": True})
        shares = np.array([[0.5, 0.3, 0.2], [0.45, 0.45, 0.1], [0.4, 0.31, 0.29]])

        @property
        def predictor_(self):
            return type("P", (), {"proba": lambda _, rows: self.shares})()

    rows = IRIS.take(slice(0, 3))
    assert worth("uncertainty", Fixed(), rows) == pytest.approx([0.5, 0.55, 0.6])
    assert worth("margin", Fixed(), rows) == pytest.approx([-0.2, 0.0, -0.09])
    by_hand = [-sum(p * np.log(p) for p in row) for row in Fixed.shares]
    assert worth("entropy", Fixed(), rows) == pytest.approx(by_hand)
    near = np.array([1.0, 0.0, 0.5])
    assert worth("density", Fixed(), rows, nearness=near) == pytest.approx(near * by_hand)
    assert entropy(np.array([[1.0, 0.0]])) == pytest.approx([0.0])


def test_of_rows_worth_as_much_chance_takes_one():
    values = np.array([0.5, 0.5 + 1e-15, 0.2, 0.5])
    taken = {int(first(values, 1, np.random.default_rng(seed))[0]) for seed in range(40)}
    assert taken == {0, 1, 3}


def test_density_passes_over_an_outlier():
    # Both unlabelled ends are as uncertain; one lies among other rows, the other far from all of them.
    schema = Schema((Attribute("x"), Attribute("z")), Attribute("y", "nominal", ("a", "b")))
    x = np.array([0, 1, 0, 1, 10, 11, 10, 11, 5.5, 5.5, 5.4, 5.6])
    z = np.array([0, 0, 1, 1, 0, 0, 1, 1, 0.5, 40.0, 0.4, 0.6])
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1, -1, -1, -1, -1], dtype=np.int32)
    table = Table(schema, 12, numeric=[x, z], labels=labels)
    for seed in range(5):
        model = ActiveLearner(NaiveBayes(), strategy="density", random_state=seed).fit(table)
        assert model.ask(table, 4)[-1] == 9


def test_a_learner_without_probabilities_asks_by_its_scores():
    table = line([0, 1, 2, 3, 7, 8, 9, 10, 5.0, 0.5, 9.5], [0, 0, 0, 0, 1, 1, 1, 1, -1, -1, -1])
    learner = acumen.Perceptron(random_state=0)
    assert not learner.model_type.probabilistic
    model = ActiveLearner(learner, strategy="margin", random_state=0).fit(table)
    assert model.ask(table)[0] == 8
    assert ActiveLearner(learner, strategy="committee", random_state=0).fit(table).ask(table, 3)[0] == 8
    with pytest.raises(DataError, match="query='entropy' needs probabilities, which Perceptron does not"):
        ActiveLearner(learner, strategy="entropy").fit(table)


# -- with an oracle -------------------------------------------------------------------------------


@pytest.mark.parametrize("query", QUERIES)
def test_it_asks_the_oracle_within_its_budget_and_learns_from_the_answers(query):
    X = IRIS.to_pandas().drop(columns=IRIS.schema.target.name)
    learner = ActiveLearner(
        NaiveBayes(), strategy=query, batch_size=4, budget=30, oracle=told, random_state=3
    )
    model = learner.fit(X, [None] * 150)
    assert len(model.asked_) == len(set(model.asked_)) == len(model.answers_) == 30
    assert list(model.answers_) == [IRIS.label_values()[row] for row in model.asked_]
    assert np.mean(model.predict(X) == IRIS.label_values()) > 0.9
    again = clone(learner).fit(X, [None] * 150)
    assert again.asked_.tolist() == model.asked_.tolist()


def test_rows_with_labels_are_not_asked_about_and_those_of_weight_zero_are_absent():
    known = np.arange(0, 150, 10)
    weights = np.ones(150)
    weights[[1, 2, 3]] = 0.0
    model = ActiveLearner(NaiveBayes(), budget=200, oracle=told, random_state=0)
    model.fit(hidden(IRIS, known), sample_weight=weights)
    assert set(model.asked_) == set(range(150)) - set(known) - {1, 2, 3}
    weighted = NaiveBayes().fit(IRIS, sample_weight=weights)
    assert np.array_equal(model.predict_proba(IRIS), weighted.predict_proba(IRIS))


def test_what_the_oracle_does_not_know_is_not_asked_again():
    never = iter([None, float("nan")] + [None] * 3)
    model = ActiveLearner(NaiveBayes(), oracle=lambda row: next(never, told(row)), random_state=0)
    model.fit(IRIS.select(IRIS.schema.names), [None] * 150)
    assert len(model.asked_) == 150
    assert model.answers_.count(None) == 5
    assert model.training_["rows"] == 145


def test_an_oracle_may_bring_classes_nobody_has_named():
    X = np.column_stack(IRIS.numeric.columns)
    y = np.full(150, None, dtype=object)
    y[:50] = "Iris-setosa"
    at = {tuple(row): label for row, label in zip(X.tolist(), IRIS.label_values(), strict=True)}
    model = ActiveLearner(NaiveBayes(), budget=40, oracle=lambda row: at[tuple(row.values())], random_state=1)
    model.fit(X, y)
    assert set(model.classes_) == set(IRIS.schema.classes)
    assert not hasattr(model, "feature_names_in_") and model.score(X, IRIS.label_values()) > 0.9


def test_what_is_no_label_and_what_is_no_learner_is_said():
    X = IRIS.select(IRIS.schema.names)
    with pytest.raises(DataError, match=r"the oracle must give a label .* got \['a'\]"):
        ActiveLearner(NaiveBayes(), oracle=lambda row: ["a"]).fit(X, [None] * 150)
    with pytest.raises(DataError, match="no row has a label"):
        ActiveLearner(NaiveBayes(), oracle=lambda row: None).fit(X, [None] * 150)
    with pytest.raises(DataError, match="no row has a label"):
        ActiveLearner(NaiveBayes()).fit(X, [None] * 150)
    for wrong in (acumen.Ridge(), "naive-bayes", None):
        with pytest.raises(ParameterError, match=r"learner must be a (classifier of acumen|Learner)"):
            ActiveLearner(wrong).fit(IRIS)
    with pytest.raises(ParameterError, match="strategy must be"):
        ActiveLearner(NaiveBayes(), strategy="uncertain").fit(IRIS)
    with pytest.raises(ParameterError, match="n must be a whole number"):
        ActiveLearner(NaiveBayes()).fit(IRIS).ask(IRIS, 0)


# -- a learner like any other ---------------------------------------------------------------------


def test_without_questions_it_is_the_learner_within(tmp_path):
    active = ActiveLearner(NaiveBayes(alpha=2.0)).fit(IRIS)
    plain = NaiveBayes(alpha=2.0).fit(IRIS)
    assert np.array_equal(active.predict_proba(IRIS), plain.predict_proba(IRIS))
    acumen.save(active, tmp_path / "m.acm")
    assert np.array_equal(acumen.load(tmp_path / "m.acm").predict_proba(IRIS), plain.predict_proba(IRIS))
    assert "Active learning by uncertainty: 0 questions" in active.describe()
    found = acumen.assess(active, IRIS, acumen.KFold(3), random_state=0)
    assert found.mean == acumen.assess(plain, IRIS, acumen.KFold(3), random_state=0).mean
    frame = pd.DataFrame({"x": [1.0, 2, 8, 9]})
    assert ActiveLearner(KNN(1)).fit(frame, list("aabb")).predict(frame).tolist() == list("aabb")


@pytest.mark.parametrize("learner", [NaiveBayes(), DecisionTree()], ids=repr)
def test_it_keeps_every_law(learner):
    checked = check_learner(ActiveLearner(learner))
    assert len(checked.passed) + len(checked.not_applicable) == len(LAWS)
    assert len(checked.passed) >= 25, checked


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([ActiveLearner(NaiveBayes(), random_state=0)])
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


# -- simulations ----------------------------------------------------------------------------------


def test_a_simulation_tells_asking_from_drawing_at_random():
    found = ActiveLearner(NaiveBayes(), strategy="margin", batch_size=5, budget=23, random_state=1).simulate(
        IRIS, seeds=6
    )
    assert found.questions.tolist() == [0, 5, 10, 15, 20, 23]
    assert set(found.lines) == {"margin", "random"} and found.lines["margin"].shape == (6, 6)
    assert np.array_equal(found.lines["margin"][0], found.lines["random"][0])  # the same beginning
    one = found.lines["margin"][:, 2]
    wide = np.diff(found.questions)
    assert found.areas()[2] == pytest.approx((wide * (one[1:] + one[:-1]) / 2).sum() / 23)
    apart = found.areas("random") - found.areas("margin")
    lead = found.lead()
    assert lead.estimate == pytest.approx(apart.mean())
    assert lead.half == pytest.approx(2.5705818 * apart.std(ddof=1) / np.sqrt(6))
    assert "margin is better than random by" in str(found)
    assert found.figure()._repr_svg_().startswith("<svg")
    again = ActiveLearner(NaiveBayes(), strategy="margin", batch_size=5, budget=23, random_state=1).simulate(
        IRIS, seeds=6
    )
    assert found.to_dict() == again.to_dict()


def test_a_beginning_of_one_class_leaves_a_gap_and_areas_begin_behind_it():
    two = IRIS.take(np.r_[0:50, 50:54])  # a start of two rows is of one class mostly
    found = ActiveLearner(NaiveBayes(), budget=20, random_state=0).simulate(two, seeds=5, start=2)
    assert np.isnan(found.lines["random"][0]).any()
    assert str(found)
    with pytest.raises(ParameterError, match="start must be a number of rows from 1 to"):
        ActiveLearner(NaiveBayes()).simulate(two, start=27)
    with pytest.raises(ParameterError, match="there is no line 'margn'; there are 'uncertainty', 'random'"):
        found.areas("margn")


@pytest.mark.parametrize(
    ("query", "batch", "budget", "steps"),
    [("uncertainty", 7, 12, [0, 7, 12]), ("density", 3, 3, [0, 3]), ("committee", 5, 4, [0, 4])],
)
def test_a_last_batch_may_be_short(query, batch, budget, steps):
    found = ActiveLearner(
        NaiveBayes(), strategy=query, batch_size=batch, budget=budget, random_state=0
    ).simulate(IRIS, seeds=2)
    assert found.questions.tolist() == steps


@pytest.mark.parametrize(
    "learner",
    [NaiveBayes(), DecisionTree(), acumen.Ripper(random_state=0), acumen.Additive(), KNN(3)],
    ids=lambda learner: type(learner).__name__,
)
def test_feedback_changes_what_is_learned_and_is_shown_beside_what_would_be_without(learner):
    active = ActiveLearner(learner, batch_size=6, budget=6, random_state=0)
    active.feedback("petal_width", "ignore").feedback("petal_length", "use").feedback("sepal_width", 0.5)
    assert active.feedback_ == {"petal_width": "ignore", "petal_length": "use", "sepal_width": 0.5}
    told, plain = active.fit(IRIS), clone(learner).fit(IRIS)
    turned = [-values if at == 3 else values for at, values in enumerate(IRIS.numeric.columns)]
    others = Table(IRIS.schema, 150, numeric=turned, labels=IRIS.labels)
    assert np.array_equal(told.predict_proba(others), told.predict_proba(IRIS))
    assert not np.array_equal(told.predict_proba(IRIS), plain.predict_proba(IRIS))
    found = active.simulate(IRIS, seeds=2)
    assert set(found.lines) == {
        "uncertainty", "random", "uncertainty with feedback", "random with feedback",
    }  # fmt: skip
    assert "attribute_weights" not in found.learner  # the name of all four lines
    with pytest.raises(ParameterError, match="there is no attribute 'nose'"):
        active.feedback("nose", "use")
    assert active.feedback("petal_width", 1).feedback_["petal_width"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["vote", "soybean", "iris", "zoo"])
def test_asking_beats_random_asking_on_shared_files(shared_data, name):
    table = acumen.read(shared_data / f"{name}.arff")
    asking = ActiveLearner(NaiveBayes(), strategy="margin", batch_size=4, budget=48, random_state=0)
    lead = asking.simulate(table, seeds=20).lead()
    assert lead.low > 0 and lead.estimate > 0.01  # of the mean error over the questions
