"""The catalogue knows what suits a table, and reads learners and costs as people write them."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.cli.main import run
from acumen.errors import DataError, ParameterError
from acumen.models.task import CLASSES, NUMBERS
from acumen.registry import (
    entries,
    learner_from_text,
    parse_learner,
    read_costs,
    split_list,
    suitable_learners,
)

IRIS = acumen.datasets.load("iris")
LOAN = acumen.datasets.load("loan")


def test_every_learner_of_the_task_is_taken_or_left_out_for_a_reason():
    for table, task in ((IRIS, CLASSES), (LOAN, CLASSES)):
        found = suitable_learners(table)
        kinds = {each.kind for each in entries() if each.task is task}
        assert {each.kind for each in found} | set(found.left_out) == kinds
        assert not {each.kind for each in found} & set(found.left_out)
        assert all(why.endswith(".") for why in found.left_out.values())
    assert acumen.suitable_learners is suitable_learners


def test_what_objects_is_left_out_with_its_own_sentence():
    found = suitable_learners(LOAN)
    assert "text-bayes" not in found and "NaiveBayes" in found
    assert found.left_out["text-bayes"] == acumen.TextBayes().objection(LOAN.schema)


def test_two_that_are_one_model_are_not_both_suited():
    two, three = suitable_learners(LOAN), suitable_learners(IRIS)
    for kind in ("one-vs-one", "one-vs-rest", "output-codes"):
        assert kind in three and "two classes" in two.left_out[kind]


def test_counts_of_words_are_not_taken_for_measurements():
    assert "no text" in suitable_learners(IRIS).left_out["text-bayes"]


def test_what_would_not_fit_into_memory_is_left_out():
    found = suitable_learners(IRIS, memory=1000)
    assert (
        "kernel-fisher" in suitable_learners(IRIS) and "would take about" in found.left_out["kernel-fisher"]
    )
    assert acumen.KernelFisher().memory(100_000, IRIS.schema) > acumen.KernelFisher(landmarks=10).memory(
        100_000, IRIS.schema
    )


def test_a_table_without_target_is_asked_for_its_task():
    bare = acumen.read(np.arange(12.0).reshape(6, 2))
    with pytest.raises(ParameterError, match="no target"):
        suitable_learners(bare)
    assert "naive-bayes" in suitable_learners(bare, CLASSES) and "ridge" in suitable_learners(bare, NUMBERS)


def test_the_learners_suited_can_be_compared():
    learners = suitable_learners(LOAN).learners(seed=3, costs=[[0, 5], [1, 0]])
    assert learners["DecisionTree"].random_state == 3 and learners["NaiveBayes"].costs == [[0, 5], [1, 0]]
    few = {name: learners[name] for name in ("NaiveBayes", "OneR")}
    assert acumen.compare(few, LOAN, acumen.KFold(3), random_state=0).names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("decision-tree(confidence_factor=0.1)", "DecisionTree(confidence_factor=0.1)"),
        ("DecisionTree", "DecisionTree()"),
        (" svm( C=10, kernel = linear )", "SVM(C=10.0, kernel='linear')"),
        ("naive-bayes(alpha=[1, 2, 3, 4])", "NaiveBayes(alpha=[1, 2, 3, 4])"),
        ("one-r()", "OneR()"),
        (
            "neural-network(hidden_layer_sizes=(8,), max_iter=2)",
            "NeuralNetwork(hidden_layer_sizes=(8,), max_iter=2)",
        ),
        ("neural-network(hidden_layer_sizes=())", "NeuralNetwork(hidden_layer_sizes=())"),
        ("bayes-network(must=[('a', 'b')])", "BayesNetwork(must=[('a', 'b')])"),
        ("bagging(learner=svm(C=2, kernel=linear))", "Bagging(learner=SVM(C=2.0, kernel='linear'))"),
        ("bagging(learner=ada-boost(learner=one-r))", "Bagging(learner=AdaBoost(learner=OneR()))"),
        (
            "voting(learners=[one-r, svm(C=2, kernel=linear)])",
            "Voting(learners=[OneR(), SVM(C=2.0, kernel='linear')])",
        ),
        (
            "stacking(learners=[one-r], combiner=logistic(C=3))",
            "Stacking(combiner=Logistic(C=3.0), learners=[OneR()])",
        ),
        ("voting(learners=none)", "Voting()"),
        ("completer(learner=auto)", "Completer()"),
    ],
)
def test_a_learner_is_named_by_a_text(text, expected):
    assert repr(learner_from_text(text)) == expected
    assert parse_learner(text)[0].learner is type(learner_from_text(text))


def test_several_learners_are_listed_by_commas():
    assert split_list("one-r, svm(C=10, kernel=linear),naive-bayes(alpha=[1,2])") == [
        "one-r", "svm(C=10, kernel=linear)", "naive-bayes(alpha=[1,2])",
    ]  # fmt: skip
    assert split_list('a("x, (y"), b') == ['a("x, (y")', "b"] and split_list(" , ") == []
    with pytest.raises(ParameterError, match="ends before"):
        split_list("svm(C=10")


@pytest.mark.parametrize(
    "text",
    [
        "svm(C=10",
        "svm(C)",
        "svm(colour=red)",
        "sum",
        "bayes-network(must=[a()])",
        "bagging(learner=svm(Q=2))",
    ],
)
def test_a_text_that_names_no_learner_ends_in_a_sentence(text):
    with pytest.raises(ParameterError):
        learner_from_text(text)


def test_costs_are_read_from_a_file(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text("predicted,a,b\na,0,5\nb,1,0\n", encoding="utf-8")
    assert read_costs(path) == {("a", "a"): 0.0, ("a", "b"): 5.0, ("b", "a"): 1.0, ("b", "b"): 0.0}
    path.write_text("predicted,a,b\na,0\n", encoding="utf-8")
    with pytest.raises(DataError, match="cost table needs"):
        read_costs(str(path))


def test_compare_takes_learners_with_parameters(capsys):
    line = [
        "compare",
        "loan",
        "--learners",
        "one-r,decision-tree(confidence_factor=0.1),decision-tree",
        "--folds",
        "2",
        "--repeats",
        "1",
    ]
    assert run(line) == 0
    out = capsys.readouterr().out
    assert "DecisionTree(confidence_factor=0.1)" in out and "OneR" in out
