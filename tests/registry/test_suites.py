"""Suites: some eight learners that suit a table, never two that are one, with a reason for each that is left out."""

from __future__ import annotations

import io

import numpy as np
import pytest

import acumen
from acumen.errors import ParameterError
from acumen.models.kinds import KINDS
from acumen.models.task import CLASSES, NUMBERS
from acumen.registry import SUITES, others, suitable_learners
from acumen.registry.entries import entry
from acumen.registry.suitable_learners import SUITE, members
from judged_tables import mixed

IRIS, LOAN = (acumen.datasets.load(name) for name in ("iris", "loan"))


@pytest.mark.parametrize("table", [IRIS, LOAN, mixed(kinds="numeric text"), mixed(kinds="text")])
def test_the_usual_suite_is_of_some_eight_learners_and_every_other_has_a_reason(table):
    found = suitable_learners(table, suite="usual")
    assert 4 <= len(found) <= 11
    kinds = {each.kind for each in found}
    assert kinds | set(found.left_out) == {each.kind for each in members("usual", CLASSES, table)}
    assert all(why.endswith(".") for why in found.left_out.values())
    assert not {"one-vs-one", "one-vs-rest", "output-codes"} & kinds
    assert "majority" in kinds and "naive-bayes" in kinds


def test_fisher_and_full_bayes_stand_for_each_other():
    assert "full-bayes" in suitable_learners(IRIS, suite="usual") and "fisher" not in suitable_learners(
        IRIS, suite="usual"
    )
    assert "fisher" in suitable_learners(LOAN, suite="usual") and "full-bayes" not in suitable_learners(
        LOAN, suite="usual"
    )
    few = IRIS.take(np.arange(0, 150, 10))
    assert "(40 needed)" in suitable_learners(few, suite="usual").left_out["full-bayes"]
    assert {"fisher", "full-bayes"} <= {each.kind for each in suitable_learners(IRIS)}


def test_smaller_suites_are_within_larger_ones():
    for task in (CLASSES, NUMBERS):
        quick, usual, every = ({each.kind for each in members(suite, task)} for suite in SUITES)
        assert quick < usual < every
        assert set(others("usual", task)) == every - usual


def test_every_row_names_a_learner_of_its_task_or_one_that_is_to_come():
    to_come: set[str] = set()
    for row in SUITE:
        assert row.suite in SUITES and (
            KINDS[row.kind].task is row.task if row.kind in KINDS else row.kind in to_come
        )


def test_an_unknown_suite_is_guessed():
    with pytest.raises(ParameterError, match="Did you mean 'usual'"):
        suitable_learners(IRIS, suite="usul")


def test_among_words_and_sparse_columns_machines_are_linear():
    from scipy.sparse import random as random_sparse

    X = random_sparse(60, 400, 0.05, random_state=0, format="csr")
    y = ["a", "b", "b"] * 20
    sparse = acumen.read((X, y))
    lines = [f"the {a} of {b},{label}" for a, b, label in zip("xyz" * 20, "pqrst" * 12, y, strict=True)]
    source = io.StringIO("words,y\n" + "\n".join(lines) + "\n")
    texts = acumen.read(source, target="y", kinds={"words": "text"})
    for table in (sparse, texts):
        found = suitable_learners(table, suite="usual")
        assert "svm(kernel=linear)" in str(found) and "svm" in found
        assert found.learners()["SVM(kernel=linear)"].kernel == "linear"
        assert "SVM(kernel=linear)" in suitable_learners(table).learners()
    assert "SVM" in suitable_learners(IRIS, suite="usual").learners()


def test_a_learner_is_answered_for_by_its_name_elsewhere():
    with pytest.raises(ParameterError, match="it is called 'decision-tree' here"):
        entry("j48")
    with pytest.raises(ParameterError, match="it is called 'logistic' here"):
        entry("logistic-regression")
