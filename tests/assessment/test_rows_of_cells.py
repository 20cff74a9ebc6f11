"""Which rows are behind a figure: cells of a confusion, disagreements, nodes of a tree; steps of a curve."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import acumen
from acumen import DecisionTree, KFold, NaiveBayes, assess, compare, datasets
from acumen.assessment.roc import roc
from acumen.errors import AcumenError, ParameterError


@pytest.fixture(scope="module")
def iris():
    return datasets.load("iris")


@pytest.fixture(scope="module")
def found(iris):
    return compare([NaiveBayes(), DecisionTree()], iris, KFold(5, n_repeats=2), random_state=0)


def test_rows_of_all_cells_are_all_rows_and_as_many_as_the_confusion_counts(iris):
    judged = assess(NaiveBayes(), iris, KFold(5), random_state=0)
    labels = judged.confusion.labels
    parts = []
    for truth in labels:
        for predicted in labels:
            rows = judged.rows(truth=truth, predicted=predicted)
            counted = judged.confusion.matrix[labels.index(predicted), labels.index(truth)]
            assert len(rows) == counted
            assert (iris.label_values()[rows] == truth).all()
            parts.append(rows)
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(len(iris)))
    assert np.array_equal(judged.rows(), np.arange(len(iris)))
    truth_alone = judged.rows(truth="Iris-virginica")
    assert np.array_equal(truth_alone, np.flatnonzero(iris.label_values() == "Iris-virginica"))


def test_rows_are_those_of_a_twin_that_fits_every_fold(iris):
    judged = assess(NaiveBayes(), iris, KFold(5), random_state=3)
    wrong = []
    for run in judged.runs:
        train = np.setdiff1d(np.arange(len(iris)), run.test)
        said = NaiveBayes().fit(iris.take(train)).predict(iris.take(run.test))
        truth = iris.label_values()[run.test]
        wrong += run.test[(truth == "Iris-versicolor") & (said == "Iris-virginica")].tolist()
    assert judged.rows(truth="Iris-versicolor", predicted="Iris-virginica").tolist() == sorted(wrong)


def test_rows_are_positions_in_the_table_where_some_have_no_class():
    rows = [{"x": float(i % 7), "y": None if i % 5 == 0 else "ab"[i % 2]} for i in range(60)]
    table = acumen.read(pd.DataFrame(rows), target="y")
    judged = assess(NaiveBayes(), table, KFold(3), random_state=0)
    assert np.array_equal(judged.rows(), np.flatnonzero([row["y"] is not None for row in rows]))


def test_rows_refuse_a_class_that_is_not_there_and_a_repeat_that_was_not_made(iris):
    judged = assess(NaiveBayes(), iris, KFold(3), random_state=0)
    with pytest.raises(ParameterError, match=r"no class 'Iris-virginca'.*Iris-virginica"):
        judged.rows(truth="Iris-virginca")
    with pytest.raises(ParameterError, match="repeat"):
        judged.rows(repeat=1)


def test_cells_of_a_disagreement_part_the_rows_and_agree_with_mcnemar(iris, found):
    cells = found.disagree("NaiveBayes", "DecisionTree")
    together = np.concatenate([cells.both_right, cells.only_a, cells.only_b, cells.both_wrong])
    assert np.array_equal(np.sort(together), np.arange(len(iris)))
    a, b = found.assessments["NaiveBayes"], found.assessments["DecisionTree"]
    wrong = {
        name: np.concatenate([run.test[run.truth != run.predicted] for run in each.runs if run.repeat == 0])
        for name, each in (("a", a), ("b", b))
    }
    assert set(cells.only_a) == set(wrong["b"]) - set(wrong["a"])
    assert set(cells.both_wrong) == set(wrong["b"]) & set(wrong["a"])
    assert cells.test.p == found.mcnemar("NaiveBayes", "DecisionTree").p
    turned = found.disagree("DecisionTree", "NaiveBayes")
    assert np.array_equal(turned.only_a, cells.only_b)
    assert turned.to_dict()["only_b"] == len(cells.only_a)
    with pytest.raises(AcumenError):
        found.disagree("NaiveBayes", "nobody")
    with pytest.raises(AcumenError, match="repeat"):
        found.disagree("NaiveBayes", "DecisionTree", repeat=2)


def test_rows_at_nodes_part_those_of_their_parent_and_are_counted_as_in_training(iris):
    tree = DecisionTree().fit(iris)
    assert np.array_equal(tree.rows_at(0, iris), np.arange(len(iris)))
    for node in range(tree.n_nodes_):
        rows = tree.rows_at(node, iris)
        assert len(rows) == tree.tree_.counts[node].sum()
        if not tree.tree_.leaves[node]:
            below = np.concatenate([tree.rows_at(child, iris) for child in tree.tree_.children(node)])
            assert np.array_equal(np.sort(below), rows)
    with pytest.raises(ParameterError, match="node"):
        tree.rows_at(tree.n_nodes_, iris)


def test_a_drawn_node_carries_its_number(iris):
    tree = DecisionTree().fit(iris)
    drawn = tree.to_svg()
    assert all(f'data-node="{node}"' in drawn for node in range(tree.n_nodes_))


def test_steps_are_points_of_the_curve_and_keep_both_ends():
    rng = np.random.default_rng(0)
    scores, flags = rng.random(5000), rng.random(5000) < 0.3
    curve = roc(flags, scores, True)
    thresholds, found, alarms = curve.steps(100)
    assert len(thresholds) <= 102
    assert (found[0], alarms[0]) == (0, 0)
    assert (found[-1], alarms[-1]) == (flags.sum(), (~flags).sum())
    for threshold, up, down in zip(thresholds[1:], found[1:], alarms[1:], strict=True):
        called = scores >= threshold
        assert (up, down) == ((called & flags).sum(), (called & ~flags).sum())
    for keep in (0.5, 0.123, -1.0, 2.0):
        thresholds, found, alarms = curve.steps(100, keep)
        at = np.flatnonzero(thresholds >= keep)[-1]
        called = scores >= keep
        assert (found[at], alarms[at]) == ((called & flags).sum(), (called & ~flags).sum())
        assert len(thresholds) <= 102 and np.all(np.diff(thresholds) < 0)
        assert (found[-1], alarms[-1]) == (flags.sum(), (~flags).sum())
    assert len(curve.steps(10_000)[0]) == len(curve.thresholds)
    with pytest.raises(ParameterError, match="most"):
        curve.steps(1)


def test_progress_is_told_where_learners_stand_and_ends_at_the_estimate(iris):
    stood = {}

    class Watching:
        def __call__(self, name, done):
            pass

        def stands(self, name, done, standing):
            stood.setdefault(name, []).append((done, standing()))

    made = compare([NaiveBayes()], iris, KFold(4, n_repeats=2), random_state=0, progress=Watching())
    assert [done for done, _ in stood["NaiveBayes"]] == list(range(1, 9))
    last = stood["NaiveBayes"][-1][1]
    low, high = made.assessments["NaiveBayes"].interval_of("error")
    assert (last.estimate, last.low, last.high) == (made.assessments["NaiveBayes"].mean, low, high)
