"""What a person says of attributes, and that every learner which takes it honours it in its own way."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.base.attribute_weights import weights_of, without_ignored
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError

IRIS = acumen.datasets.load("iris")
LOAN = acumen.datasets.load("loan")
LEARNERS = [
    acumen.NaiveBayes(),
    acumen.NaiveBayes(numeric="kernel"),
    acumen.DecisionTree(),
    acumen.DecisionTree(method="histogram"),
    acumen.Ripper(random_state=0),
    acumen.Additive(),
    acumen.Additive(pairs="auto"),
    acumen.KNN(5),
    acumen.KNN(5, distance="gower"),
]


def copied(table, name):
    """The table with a column of the same values added."""
    schema = Schema((*table.schema.attributes, Attribute("again")), table.schema.target)
    numeric = [*table.numeric.columns, table.column(name)]
    return Table(schema, len(table), numeric=numeric, labels=table.labels)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_an_ignored_attribute_is_one_that_is_not_there(learner, tmp_path):
    from sklearn.base import clone

    name = "petal_width"
    rest = [n for n in IRIS.schema.names if n != name]
    model = clone(learner).set_params(attribute_weights={name: "ignore"}).fit(IRIS)
    without = clone(learner).fit(IRIS.select(rest))
    assert np.allclose(model.predict_proba(IRIS), without.predict_proba(IRIS), atol=1e-12)
    acumen.save(model, tmp_path / "m.acm")
    again = acumen.load(tmp_path / "m.acm")
    assert np.array_equal(again.predict_proba(IRIS), model.predict_proba(IRIS))
    assert again.attribute_weights == {name: "ignore"}


def test_an_exponent_of_two_is_the_attribute_twice():
    twice = acumen.NaiveBayes().fit(copied(IRIS, "petal_width"))
    model = acumen.NaiveBayes(attribute_weights={"petal_width": 2}).fit(IRIS)
    rows = copied(IRIS, "petal_width")
    assert np.allclose(model.predict_log_proba(IRIS), twice.predict_log_proba(rows), atol=1e-9)
    used = acumen.NaiveBayes(attribute_weights={"petal_width": "use"}).fit(IRIS)
    assert np.array_equal(used.predict_proba(IRIS), model.predict_proba(IRIS))
    found = {part.attribute: part.contribution for part in model.explain(IRIS.take([70])).evidence}
    alone = {
        part.attribute: part.contribution
        for part in acumen.NaiveBayes().fit(IRIS).explain(IRIS.take([70])).evidence
    }
    assert found["petal_width"] == pytest.approx(2 * alone["petal_width"])
    assert found["petal_length"] == pytest.approx(alone["petal_length"])
    assert "weighed by a person: petal_width 2" in model.describe()


@pytest.mark.parametrize("distance", ["euclidean", "manhattan"])
def test_a_weight_of_two_in_a_distance_is_the_attribute_twice(distance):
    twice = acumen.KNN(7, distance=distance).fit(copied(IRIS, "petal_width"))
    model = acumen.KNN(7, distance=distance, attribute_weights={"petal_width": 2}).fit(IRIS)
    rows = copied(IRIS, "petal_width")
    assert np.array_equal(model.predict_proba(IRIS), twice.predict_proba(rows))


def test_gower_weighs_as_its_own_weights_do():
    own = acumen.KNN(3, distance=acumen.distances.Gower(weights={"Age": 3.0, "Has_Job": 0.0})).fit(LOAN)
    model = acumen.KNN(3, attribute_weights={"Age": 3.0, "Has_Job": "ignore"}).fit(LOAN)
    assert np.array_equal(model.predict_proba(LOAN), own.predict_proba(LOAN))


def test_distances_that_are_no_sums_say_so():
    for distance in ("cosine", "mahalanobis", "value-difference"):
        with pytest.raises(DataError, match="does not add up what single attributes differ by"):
            acumen.KNN(3, distance=distance, attribute_weights={"petal_width": 2}).fit(IRIS)
    with pytest.raises(DataError, match="density: attributes are weighed"):
        acumen.KNN(3, attribute_weights={"petal_width": 2}).fit(IRIS).density(IRIS)


def test_a_tree_multiplies_scores_by_weights():
    plain = acumen.DecisionTree(prune="none").fit(IRIS)
    assert "sepal_width" not in str(plain).splitlines()[2]
    weighed = acumen.DecisionTree(prune="none", attribute_weights={"sepal_width": 50}).fit(IRIS)
    assert str(weighed).splitlines()[2].startswith("sepal_width")
    # A weight is one over a cost.
    dear = acumen.DecisionTree(prune="none", attribute_costs={"petal_width": 4.0}).fit(IRIS)
    light = acumen.DecisionTree(prune="none", attribute_weights={"petal_width": 0.25}).fit(IRIS)
    assert str(dear) == str(light)
    parts = [IRIS.take(np.arange(i, 150, 3)) for i in range(3)]
    how = {"method": "histogram", "attribute_weights": {"petal_width": 0, "sepal_width": 5}}
    assert "petal_width" not in str(acumen.DecisionTree(**how).fit_stream(parts))


def test_ripper_multiplies_gains_by_weights():
    found = acumen.Ripper(random_state=0, attribute_weights={"Credit_Rating": 1e6}).fit(LOAN).to_rules()
    assert all(rule.conditions[0].attribute == "Credit_Rating" for rule in found.rules)
    plain = acumen.Ripper(random_state=0).fit(LOAN).to_rules()
    assert "Credit_Rating" not in str(plain)
    with pytest.raises(ParameterError, match="'Age' is in must_use but also ignored"):
        acumen.Ripper(must_use=["Age"], attribute_weights={"Age": 0}).fit(LOAN)


def test_additive_divides_its_smoothing_by_weights():
    model = acumen.Additive(smoothing=6.0, attribute_weights={"petal_width": 2, "sepal_width": "ignore"}).fit(
        IRIS
    )
    assert model.smoothing_ == {"sepal_length": 6.0, "petal_length": 6.0, "petal_width": 3.0}
    chosen, plain = (
        acumen.Additive(attribute_weights=w).fit(IRIS).smoothing_ for w in ({"petal_width": 4.0}, None)
    )
    assert chosen["petal_width"] == pytest.approx(plain["petal_width"] / 4)


@pytest.mark.parametrize("learner", [acumen.NaiveBayes, acumen.DecisionTree, acumen.Ripper, acumen.Additive])
def test_texts_are_ignored_too(learner):
    texts = ["good job", "bad luck", "good luck", "bad job"] * 6
    schema = Schema((Attribute("x"), Attribute("said", "text")), Attribute("y", "nominal", ("a", "b")))
    labels = np.array([0, 1, 0, 1] * 6, dtype=np.int32)
    x = np.random.default_rng(0).normal(size=24) + labels
    table = Table(schema, 24, numeric=[x], text=[np.array(texts, dtype=object)], labels=labels)
    given = {"random_state": 0} if learner is acumen.Ripper else {}
    model = learner(attribute_weights={"said": "ignore"}, **given).fit(table)
    alone = learner(**given).fit(table.select(["x"]))
    assert np.allclose(model.predict_proba(table), alone.predict_proba(table), atol=1e-12)


def test_what_cannot_be_meant_is_said():
    for wrong, said in (
        (
            {"petal_widht": 1},
            r"names 'petal_widht', which is no attribute of the table. Did you mean 'petal_width'",
        ),
        ({"petal_width": "usee"}, r"must be 'use', 'ignore', 0 or a number .* Did you mean 'use'"),
        ({"petal_width": -1}, r"the weight of 'petal_width' must be .*; got -1"),
        ({"petal_width": float("nan")}, r"got nan"),
        ({"petal_width": True}, r"got True"),
        ({"petal_width": 1e300}, r"got 1e\+300"),
        (dict.fromkeys(IRIS.schema.names, "ignore"), r"ignores every attribute"),
    ):
        for learner in (acumen.NaiveBayes, acumen.DecisionTree, acumen.Ripper, acumen.Additive, acumen.KNN):
            with pytest.raises(ParameterError, match=f"{learner.__name__}: .*{said}"):
                learner(attribute_weights=wrong).fit(IRIS)
    assert (
        weights_of({}, IRIS.schema, "x") is None and weights_of({"petal_width": 1}, IRIS.schema, "x") is None
    )
    assert without_ignored(IRIS, None) is IRIS


def test_weights_may_be_written_at_the_command_line(tmp_path, capsys):
    from acumen.cli.main import run

    out = tmp_path / "m.acm"
    given = 'attribute_weights={"petal_width": "ignore"}'
    assert run(["learn", "iris", "--learner", "naive-bayes", "--set", given, "-o", str(out)]) == 0
    assert "weighed by a person: petal_width 0" in capsys.readouterr().out
