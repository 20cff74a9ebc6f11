"""A search warns when its best value lies at the edge of the grid."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import acumen
from acumen.errors import AcumenWarning
from acumen.resampling import KFold
from acumen.tuning.results import Results
from acumen.tuning.tuned import edge_warnings


def results(settings, means):
    values = np.array(means, dtype=float)[:, None]
    return Results.of(
        settings, values, "best", measure="error", method="m", larger_is_better=False, who="Tuned"
    )


def sentences(learner, name, values, means):
    return list(edge_warnings(results([{name: v} for v in values], means), learner, "Tuned"))


@pytest.mark.parametrize(
    "values, means, words",
    [
        (
            [1, 5, 9],
            [0.3, 0.2, 0.1],
            ["the best n_neighbors, 9, is the largest value tried. Add larger values"],
        ),
        (
            [9, 5, 3],
            [0.3, 0.2, 0.1],
            ["the best n_neighbors, 3, is the smallest value tried. Add smaller values"],
        ),
        ([9, 5, 1], [0.3, 0.2, 0.1], []),  # k cannot be below 1
        ([1, 5, 9], [0.3, 0.1, 0.2], []),  # within
        ([3, 5, 9], [0.1, 0.1, 0.2], []),  # the neighbour within is as good
        ([5, 9], [0.2, 0.1], []),  # of two values one is always at an edge
    ],
)
def test_an_edge_is_reported_where_more_can_be_tried(values, means, words):
    found = sentences(acumen.KNN(), "n_neighbors", values, means)
    assert len(found) == len(words) and all(word in text for word, text in zip(words, found, strict=True))


def test_what_is_no_number_has_no_edge_and_a_bound_is_none():
    assert sentences(acumen.DecisionTree(), "max_depth", [2, 3, None], [0.3, 0.1, 0.2]) == []
    assert sentences(acumen.NaiveBayes(), "alpha", [2.0, 1.0, 0.0], [0.3, 0.2, 0.1]) == []
    assert len(sentences(acumen.NaiveBayes(), "alpha", [2.0, 1.0, 0.5], [0.3, 0.2, 0.1])) == 1


def test_the_other_parameters_stay_as_in_the_best_setting():
    grid = [{"n_neighbors": k, "metric": m} for m in ("euclidean", "manhattan") for k in (1, 3, 5)]
    found = list(edge_warnings(results(grid, [0.1, 0.2, 0.3, 0.3, 0.2, 0.05]), acumen.KNN(), "Tuned"))
    assert len(found) == 1 and "the best n_neighbors, 5," in found[0]
    inner = acumen.Bagging(acumen.NaiveBayes())
    assert len(sentences(inner, "learner__alpha", [0.1, 1.0, 9.0], [0.3, 0.2, 0.1])) == 1


def noisy():
    """Labels with much noise: the more neighbours the better."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(150, 1))
    return acumen.read((x, np.where(x[:, 0] + 2 * rng.normal(size=150) > 0, "a", "b")))


def test_a_search_warns_once_and_a_comparison_notes_it():
    tuned = acumen.Tuned(acumen.KNN(), {"n_neighbors": [1, 3, 21]}, KFold(3), random_state=0)
    with pytest.warns(AcumenWarning, match="is the largest value tried"):
        fitted = tuned.fit(noisy())
    assert fitted.best_params_ == {"n_neighbors": 21}
    found = acumen.compare([tuned], noisy(), KFold(3), random_state=0)
    notes = [note for note in found.notes if "is the largest value tried" in note]
    assert len(notes) == 1 and notes[0] in str(found)


def test_a_best_value_within_the_grid_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        acumen.Tuned(acumen.KNN(), {"n_neighbors": [1, 25, 149]}, KFold(3), random_state=0).fit(noisy())


def test_a_comparison_of_one_learner_with_several_values_notes_an_edge():
    learners = {f"k={k}": acumen.KNN(k) for k in (1, 3, 41)}
    found = acumen.compare({**learners, "bayes": acumen.OneR()}, noisy(), KFold(3), random_state=0)
    assert found.names[0] == "k=41"
    notes = [note for note in found.notes if "the best n_neighbors, 41, is the largest value tried" in note]
    assert len(notes) == 1 and notes[0] in str(found)
    for two in ([acumen.KNN(1), acumen.KNN(41)], [acumen.KNN(1), acumen.KNN(41), acumen.KNN(3, scale=False)]):
        assert not [n for n in acumen.compare(two, noisy(), KFold(3), random_state=0).notes if "tried" in n]
