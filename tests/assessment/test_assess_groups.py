"""Groups that are given with a method stay together, and rows that are no table are refused in a sentence."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.errors import DataError

GROUPS = np.arange(150) % 7


@pytest.mark.parametrize(
    "method", [acumen.LeaveOneOut(groups=GROUPS), acumen.Bootstrap(5, groups=GROUPS)], ids=str
)
def test_rows_of_a_group_tested_are_not_learned_from(method):
    iris = acumen.datasets.load("iris")
    found = acumen.assess(acumen.NaiveBayes(), iris, method, random_state=0)
    for run, split in zip(found.runs, method.splits(150, iris.labels, 0), strict=True):
        assert run.test.tolist() == split.test.tolist()
        assert not set(GROUPS[split.train]) & set(GROUPS[run.test])
        again = acumen.NaiveBayes().fit(iris.take(split.train)).predict(iris.take(split.test))
        assert [iris.schema.classes[code] for code in run.predicted] == again.tolist()
    assert len(found.values) == method.len_for(150)


def test_tuning_by_left_out_groups_has_a_value_for_each_group():
    iris = acumen.datasets.load("iris")
    tuned = acumen.Tuned(acumen.NaiveBayes(), {"var_floor": [0.1, 1e-9]}, acumen.LeaveOneOut(groups=GROUPS))
    assert tuned.fit(iris).results_.values.shape == (2, 7)


def test_the_632_bootstrap_gives_unlabelled_rows_to_the_fit_of_all_rows():
    iris = acumen.datasets.load("iris")
    unknown = np.where(np.arange(150) % 5 == 0, iris.labels, -1)
    frame = iris.to_pandas()
    frame["class"] = [None if code < 0 else iris.schema.classes[code] for code in unknown]
    table = acumen.read(frame, target="class")
    learner = acumen.NaiveBayes(unlabelled="em")
    found = acumen.assess(learner, table, acumen.Bootstrap(4), "log_loss", random_state=1)
    whole = acumen.NaiveBayes(unlabelled="em").fit(table)
    known = table.take(np.flatnonzero(table.labels >= 0))
    seen = -np.mean(np.log(whole.predictor_.proba(known)[np.arange(len(known)), known.labels]))
    assert found.mean == pytest.approx(0.368 * seen + 0.632 * found.values.mean(), rel=1e-9)


@pytest.mark.parametrize("judge", [acumen.assess, acumen.bias_variance, acumen.learning_curve])
def test_rows_that_are_no_table_are_refused_in_a_sentence(judge):
    with pytest.raises(
        DataError, match=r"must be a Table, as acumen\.read\(data, target=\.\.\.\) gives; got list"
    ):
        judge(acumen.NaiveBayes(), [[1.0, 2.0]])
