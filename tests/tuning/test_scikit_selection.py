"""Attributes and labels that scikit-learn chooses are those that acumen chooses."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from oracles import scikit_selection as oracle


@pytest.mark.parametrize("threshold", oracle.SELF_TRAINING)
def test_self_training_labels_what_scikit_learn_labels_in_as_many_rounds(threshold: float) -> None:
    X, known = oracle.clouds()
    labels = np.array([None if code < 0 else int(code) for code in known], dtype=object)
    model = acumen.SelfTraining(acumen.NaiveBayes(), threshold=threshold, max_iter=6, folds=None).fit(
        X, labels
    )
    rounds, expected = oracle.SELF_TRAINING[threshold]
    assert model.report_.rounds == rounds
    assert "".join("." if label is None else str(label) for label in model.labels_) == expected


@pytest.mark.parametrize("search", oracle.SEQUENTIAL)
def test_a_wrapper_goes_the_way_of_sequential_selection(search: str) -> None:
    X, y = oracle.flowers()
    wrapper = acumen.Wrapper(
        acumen.NaiveBayes(), search=search, method=acumen.LeaveOneOut(), measure="log_loss"
    ).fit(X, y)
    steps = [tuple(int(name[1:]) for name in names) for names, *_ in wrapper.selection_.steps]
    assert tuple(steps[:4]) == oracle.SEQUENTIAL[search]


def test_a_filter_ranks_by_mutual_information() -> None:
    ranking = acumen.Filter(by="gain", keep=4).fit(acumen.datasets.load("loan")).ranking_
    scores = {line.attribute: line.score for line in ranking}
    assert scores == pytest.approx(oracle.INFORMATION)
    assert list(scores) == sorted(scores, key=lambda name: -scores[name])
