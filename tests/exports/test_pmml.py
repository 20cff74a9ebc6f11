"""PMML: documents are as the schema has them, and an evaluator that knows nothing of acumen says what models say.

PMML 4.4 documents of all these models were validated with lxml 6.1.3 against the schema, and scored with JPMML 1.7.7
(pmml-evaluator): all labels equal, probabilities to 1e-14; it does not know weightedConfidence. The schema does not say
who may hand it on, so it is not kept here: ACUMEN_PMML_SCHEMA is where it lies, and lxml validates if it is set.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import acumen
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError
from export_cases import LEARNERS, NUMBERS, SCHEMA, cuts_of, dicts_of, inputs, known_flags, training
from reference import pmml

FURTHER: dict[str, Any] = {
    "tree, levels not met": acumen.DecisionTree(
        missing="fractional", prune="none", measure="gain", max_depth=6
    ),
    "naive bayes, priors": acumen.NaiveBayes(priors="uniform"),
    "logistic, two classes": acumen.Logistic(),
    "additive, two classes": acumen.Additive(),
    "cba": acumen.CBA(),
}
EVERY = {**LEARNERS, **FURTHER}


def validated(text: str) -> pmml.Document:
    document = pmml.Document(text)
    assert not pmml.problems(document)
    if schema := os.environ.get("ACUMEN_PMML_SCHEMA"):
        from lxml import etree

        etree.XMLSchema(etree.parse(schema)).assertValid(etree.fromstring(text.encode()))
    return document


def written(label: Any) -> str:
    return {True: "true", False: "false"}.get(label, label) if isinstance(label, bool) else str(label)


@pytest.mark.parametrize("name", EVERY)
def test_a_document_says_what_the_model_says(name: str) -> None:
    """Around every cut, with gaps and levels nobody knows."""
    model = clone(EVERY[name]).fit(training(classes=2 if "two classes" in name else 3))
    predictor = model.predictor_
    document = validated(acumen.to_pmml(model))
    rows = known_flags(inputs(SCHEMA, 120, 4, gaps=0.2, cuts=cuts_of(predictor)))
    found = [document.score(row) for row in dicts_of(rows)]
    wanted = predictor.proba(rows)
    shares = np.array([[own[written(c)] for c in predictor.classes] for _, own in found])
    assert np.abs(shares - wanted).max() < 1e-12
    clear = np.sort(wanted, axis=1)[:, -2:]
    sure = clear[:, 1] - clear[:, 0] > 1e-12  # an equal share of two classes is decided by rounding
    labels = predictor.answers(rows)
    said = [got for (got, _), s in zip(found, sure.tolist(), strict=True) if s or "costs" in name]
    assert said == [label for label, s in zip(labels, sure.tolist(), strict=True) if s or "costs" in name]


@pytest.mark.parametrize(
    "learner", [acumen.LinearRegression(), acumen.AdditiveRegressor()], ids=["linear regression", "additive"]
)
def test_regressions_give_their_numbers(learner: Any) -> None:
    rows = inputs(SCHEMA, 200, 0)
    response = np.nan_to_num(rows.numeric.columns[0]) * 2 + np.arange(200) % 3
    nominal = [np.maximum(codes, -1).astype(np.int32) for _, codes in rows.nominal_columns()]
    schema = Schema(SCHEMA.attributes, Attribute("amount"))
    table = Table(
        schema, 200, numeric=[v for _, v in rows.numeric_columns()], nominal=nominal, response=response
    )
    model = learner.fit(table)
    document = validated(acumen.to_pmml(model))
    fresh = known_flags(inputs(SCHEMA, 100, 5))
    got = [document.score(row)[0] for row in dicts_of(fresh)]
    assert np.allclose(got, model.predictor_.predict(fresh), rtol=1e-12, atol=1e-12)


def test_an_evaluator_would_find_a_document_that_errs() -> None:
    """The evaluator and the look at the schema can fail: a moved cut, a field that is not there."""
    model = acumen.DecisionTree(missing="majority", prune="none").fit(training(NUMBERS))
    text = acumen.to_pmml(model)
    rows = inputs(NUMBERS, 100, 1, cuts=cuts_of(model.predictor_))
    labels = model.predictor_.answers(rows)

    def said(text: str) -> list[Any]:
        document = pmml.Document(text)
        return [document.score(row)[0] for row in dicts_of(rows)]

    assert said(text) == labels
    assert said(text.replace('operator="lessOrEqual"', 'operator="greaterThan"')) != labels
    assert pmml.problems(
        pmml.Document(text.replace('<SimplePredicate field="x"', '<SimplePredicate field="z"'))
    )
    assert pmml.problems(pmml.Document(text.replace(' functionName="classification"', "")))


def test_rules_are_rule_sets_and_votes_are_shares() -> None:
    table = training()
    assert "<RuleSetModel " in acumen.to_pmml(acumen.Ripper().fit(table))
    assert 'feature="confidence"' in acumen.to_pmml(acumen.Ripper().fit(table))
    assert 'normalizationMethod="simplemax"' in acumen.to_pmml(acumen.CN2(ordered=False).fit(table))
    assert "weightedConfidence" in acumen.to_pmml(acumen.DecisionTree().fit(table))


def test_a_missing_token_is_missing_in_the_dictionary(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text(
        "n,y\n" + "\n".join(f"{i % 9 if i % 4 else -9},{i % 9 > 4}" for i in range(80)), encoding="utf-8"
    )
    model = acumen.NaiveBayes().fit(acumen.read(source, target="y", missing=["-9"]))
    document = validated(acumen.to_pmml(model))
    assert document.score({"n": -9.0}) == document.score({"n": None}) != document.score({"n": 1.0})


@pytest.mark.parametrize(
    ("name", "old", "new", "problem"),
    [
        ("tree", 'functionName="classification"', 'functionName="sorting"', "functionName='sorting'"),
        ("tree", "<Node ", '<Node colour="red" ', "Node may have no colour"),
        ("tree", 'numberOfFields="7"', 'numberOfFields="6"', "numberOfFields is not"),
        ("tree", 'operator="lessOrEqual"', 'operator="&lt;="', "operator='<='"),
        ("logistic", 'coefficient="', 'coefficient="inf', "coefficient='inf"),
        ("logistic", 'targetCategory="a"', 'targetCategory="z"', "says z, which is no class"),
        ("naive bayes", 'variance="', 'variance="nan', "variance='nan"),
        ("ripper", 'criterion="firstHit"', 'criterion="first"', "criterion='first'"),
    ],
)
def test_a_document_that_is_not_as_the_schema_has_it_is_found_out(
    name: str, old: str, new: str, problem: str
) -> None:
    text = acumen.to_pmml(clone(EVERY[name]).fit(training()))
    assert old in text
    found = pmml.problems(pmml.Document(text.replace(old, new, 1)))
    assert any(problem in one for one in found), found


@pytest.mark.parametrize(
    ("learner", "why"),
    [
        (
            acumen.RandomForest(n_estimators=2, random_state=0),
            "a random-forest model cannot be exported to PMML",
        ),
        (acumen.SVM(), "an svm model cannot be exported to PMML"),
        (acumen.Logistic(costs={("a", "b's"): 2.0}), "decides by costs"),
        (acumen.CN2(ordered=False, costs={("a", "b's"): 2.0}), "decides by costs"),
        (acumen.AdaBoost(n_estimators=3, costs={("a", "b's"): 2.0}), "decides by costs"),
        (acumen.DecisionTree(priors="uniform"), "missing='majority'"),
        (acumen.NaiveBayes(alpha=0.0, numeric="discretise"), "alpha above 0"),
        (acumen.NaiveBayes(numeric="kernel"), "cannot be exported as a sum of terms"),
    ],
    ids=[
        "forest",
        "svm",
        "costs",
        "costs and rules",
        "costs and stumps",
        "shares and priors",
        "zeros",
        "kernel densities",
    ],
)
def test_what_pmml_cannot_say_is_refused_in_a_sentence(learner: Any, why: str) -> None:
    with pytest.raises(DataError, match=f"to_pmml: .*{why}"):
        acumen.to_pmml(learner.fit(training()))


def test_names_that_xml_cannot_write_are_refused() -> None:
    model = acumen.OneR().fit(training(NUMBERS))
    table = training(NUMBERS)
    schema = Schema((Attribute("a\x01"), Attribute("b")), table.schema.target)
    table = Table(schema, len(table), numeric=[v for _, v in table.numeric_columns()], labels=table.labels)
    with pytest.raises(DataError, match="XML cannot write"):
        acumen.to_pmml(acumen.OneR().fit(table))
    assert acumen.to_pmml(model).startswith('<?xml version="1.0" encoding="UTF-8"?>\n<PMML ')


def test_the_file_is_the_text(tmp_path: Path) -> None:
    model = acumen.NaiveBayes().fit(training())
    made = acumen.to_pmml(model, tmp_path / "m.pmml")
    assert (tmp_path / "m.pmml").read_text(encoding="utf-8") == made
    acumen.save(model, tmp_path / "m.acm")
    assert acumen.to_pmml(acumen.load(tmp_path / "m.acm")) == made
