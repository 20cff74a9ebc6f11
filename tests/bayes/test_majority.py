"""The class frequencies and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.bayes.majority import MajorityModel, restore_summary
from acumen.errors import ModelFileError
from acumen.models.summary_arrays import summary_arrays
from tables import loan, table_of


def test_w002_01_the_majority_is_right_on_nine_of_fifteen_loans() -> None:
    model = acumen.Majority().fit(loan())
    assert model.score(loan()) == 9 / 15
    assert set(model.predict(loan())) == {"Yes"}
    assert model.predict_proba(loan())[0].tolist() == [6 / 15, 9 / 15]
    assert str(model.to_rules()) == "always Yes  (confidence 9/15)"
    assert model.n_parameters_ == 1
    assert model.log_likelihood(loan()) == pytest.approx(6 * np.log(6 / 15) + 9 * np.log(9 / 15))


def test_ties_go_to_the_class_that_comes_first() -> None:
    table = table_of({"x": [1.0, 2.0]}, ["b", "a"], classes=("a", "b"))
    assert acumen.Majority().fit(table).predict(table).tolist() == ["a", "a"]


def test_costs_and_priors_change_the_answer() -> None:
    dear = acumen.Majority(costs={("Yes", "No"): 10}).fit(loan())
    assert set(dear.predict(loan())) == {"No"}
    sure = acumen.Majority(priors={"No": 0.9, "Yes": 0.1}).fit(loan())
    assert sure.predict_proba(loan())[0] == pytest.approx([0.9, 0.1])


def test_a_class_without_rows_has_probability_zero() -> None:
    table = table_of({"x": [1.0]}, ["a"], classes=("a", "b"))
    assert acumen.Majority().fit(table).predict_proba(table).tolist() == [[1, 0]]


def test_it_explains_by_frequency_alone() -> None:
    why = acumen.Majority().fit(loan()).explain(loan().head(1))
    assert why.label == "Yes"
    assert why.log_odds == pytest.approx(np.log(9 / 6))


def test_what_is_stored_is_checked() -> None:
    learner = acumen.Majority().fit(loan())
    schema = learner.schema_
    assert MajorityModel.from_arrays(learner.model_.to_arrays(), schema).weight.tolist() == [6, 9]
    for weight in (np.zeros(2), np.array([-1.0, 2]), np.ones(3), np.array([np.inf, 1]), np.array([1, 2])):
        with pytest.raises(ModelFileError):
            MajorityModel.from_arrays({"weight": weight}, schema)
    arrays = summary_arrays(learner.summary_)
    assert restore_summary(arrays, schema).class_totals.tolist() == [6, 9]
    with pytest.raises(ModelFileError):
        restore_summary({name: -array for name, array in arrays.items()}, schema)


@pytest.mark.parametrize(
    "told", [{"costs": {("Yes", "No"): 10.0}}, {"priors": {"No": 0.9, "Yes": 0.1}}], ids=str
)
def test_it_is_described_by_the_class_that_it_predicts(told: dict, tmp_path) -> None:
    model = acumen.Majority(**told).fit(acumen.datasets.load("loan"))
    assert set(model.predict(acumen.datasets.load("loan"))) == {"No"}
    assert str(model).startswith("Majority for Class: always No  (confidence 6/15)\n")
    acumen.save(model, tmp_path / "m.acm")
    assert str(acumen.load(tmp_path / "m.acm")) == str(model)
