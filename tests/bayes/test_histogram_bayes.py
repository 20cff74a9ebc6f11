"""The histogram over all attributes: cuts, cells, gaps, densities."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.bayes.histogram import HistogramBayesModel, rice
from acumen.errors import DataError, ModelFileError, ParameterError
from preprocessing_tables import sparse_twin
from tables import table_of


def mixed() -> acumen.Table:
    return table_of(
        {"x": [0.0, 1.0, 2.0, 3.0, 4.0, 4.0], "c": ["p", "q", "p", "p", "q", "q"]},
        ["a", "a", "b", "b", "b", "a"],
    )


@pytest.mark.parametrize(("n", "d", "bins"), [(1000, 1, 20), (150, 4, 5), (1, 1, 2), (0, 3, 2), (27, 1, 6)])
def test_auto_is_rices_rule_for_one_attribute(n: float, d: int, bins: int) -> None:
    assert rice(n, d) == bins


def test_shares_are_those_of_numpys_histogram() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 2)), rng.integers(0, 2, 400)
    learner = acumen.HistogramBayes(bins=6, alpha=0.5).fit(X, y)
    found = np.exp(learner.model_.shares(acumen.read(X)))
    edges = [np.linspace(X[:, j].min(), X[:, j].max(), 7) for j in range(2)]
    for c in range(2):
        counts, *_ = np.histogramdd(X[y == c], bins=edges)
        place = [np.clip(np.searchsorted(edges[j], X[:, j], side="left") - 1, 0, 5) for j in range(2)]
        expected = (counts[place[0], place[1]] + 0.5) / ((y == c).sum() + 0.5 * 36)
        np.testing.assert_allclose(found[:, c], expected, rtol=1e-12)


def test_densities_integrate_to_one() -> None:
    learner = acumen.HistogramBayes(bins={"x": [0.5, 1.5], "c": 3}).fit(mixed_numbers())
    model = learner.model_
    cuts = [model.binning[name] for name in ("x", "c")]
    total = 0.0
    for i, a in enumerate(_middles(cuts[0])):
        for j, b in enumerate(_middles(cuts[1])):
            row = table_of({"x": [a], "c": [b]})
            density = np.exp(model.scores(row) + model.common(row) - model.log_prior)[0]
            volume = np.diff(_ends(cuts[0]))[i] * np.diff(_ends(cuts[1]))[j]
            total = total + density * volume
    assert total == pytest.approx([1.0, 1.0])


def mixed_numbers() -> acumen.Table:
    return table_of({"x": [0.0, 1.0, 2.0, 3.0], "c": [5.0, 6.0, 7.0, 8.5]}, ["a", "a", "b", "b"])


def _ends(cut: object) -> np.ndarray:
    return np.array([cut.low, *cut.edges, cut.high])  # type: ignore[attr-defined]


def _middles(cut: object) -> np.ndarray:
    ends = _ends(cut)
    return (ends[:-1] + ends[1:]) / 2


def test_attributes_left_out_of_the_mapping_are_cut_by_themselves() -> None:
    learner = acumen.HistogramBayes(bins={"x": [1.0]}).fit(mixed_numbers())
    assert len(learner.model_.binning["x"]) == 2
    assert len(learner.model_.binning["c"]) == rice(4, 2) == 3


def test_missing_values_and_unknown_levels_are_summed_out() -> None:
    learner = acumen.HistogramBayes(bins=2).fit(mixed())
    only_x = acumen.HistogramBayes(bins=2, alpha=2.0).fit(mixed().select("x"))  # two cells of each in one
    asked = table_of({"x": [0.5, 3.5], "c": [None, "strange"]}, levels={"c": ["strange"]})
    np.testing.assert_allclose(
        learner.predict_proba(asked), only_x.predict_proba(asked.select("x")), rtol=1e-12
    )
    nothing = table_of({"x": [np.nan], "c": [None]}, levels={"c": ["p", "q"]})
    assert learner.predict_proba(nothing)[0] == pytest.approx([0.5, 0.5])


def test_training_rows_with_a_gap_count_for_the_prior_alone() -> None:
    table = table_of({"x": [0.0, 1.0, np.nan], "z": [1.0, 2.0, 3.0]}, ["a", "b", "b"])
    model = acumen.HistogramBayes(bins=2).fit(table).model_
    assert np.exp(model.log_prior) == pytest.approx([1 / 3, 2 / 3])
    assert model.joint.weight.sum(axis=0).tolist() == [1, 1]


def test_an_attribute_without_values_does_not_empty_the_histogram() -> None:
    table = table_of({"x": [0.0, 1.0], "z": [np.nan, np.nan]}, ["a", "b"])
    assert acumen.HistogramBayes(bins=2, alpha=0.1).fit(table).predict(table).tolist() == ["a", "b"]


def test_an_empty_cell_without_pseudo_counts_has_the_prior() -> None:
    learner = acumen.HistogramBayes(bins=4, alpha=0).fit([[0.0], [0.1], [4.0]], ["a", "a", "b"])
    assert learner.predict_proba([[1.5]])[0] == pytest.approx([2 / 3, 1 / 3])
    assert learner.predict_proba([[99.0]])[0].tolist() == [0, 1]  # beyond the range: the outer cell
    assert learner.log_likelihood([[1.5]], ["a"]) == -np.inf
    assert learner.log_likelihood([[0.1]], ["a"]) == pytest.approx(np.log(2 / 3) + np.log(1.0))


def test_sparse_rows_are_the_same_rows() -> None:
    rng = np.random.default_rng(0)
    X = np.where(rng.random((50, 3)) < 0.5, rng.random((50, 3)), 0.0)
    dense = acumen.read((X, np.arange(50) % 2))
    one, other = (acumen.HistogramBayes().fit(form) for form in (dense, sparse_twin(dense)))
    assert np.array_equal(one.predict_proba(dense), other.predict_proba(sparse_twin(dense)))


def test_only_occupied_cells_are_kept() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((200, 30))
    learner = acumen.HistogramBayes(bins=10).fit(X, np.arange(200) % 2)
    assert len(learner.model_.joint.keys) == 200
    assert np.isfinite(learner.predict_proba(X)).all()
    assert learner.score(X, np.arange(200) % 2) == 1.0
    assert "of 1e+30 cells" in learner.describe()


def test_later_rows_add_under_the_first_rows_cuts() -> None:
    rows = mixed()
    going = acumen.HistogramBayes(bins=3).partial_fit(rows).partial_fit(rows)
    twice = acumen.HistogramBayes(bins=3).fit(rows, sample_weight=np.full(6, 2.0))
    assert np.array_equal(going.predict_proba(rows), twice.predict_proba(rows))


def test_evidence_adds_up_attribute_by_attribute() -> None:
    learner = acumen.HistogramBayes(bins=2).fit(mixed())
    found = learner.explain({"x": 3.5, "c": "p"})
    odds = np.log(found.probabilities[found.label] / found.probabilities[found.rival])
    assert found.log_odds == pytest.approx(odds)
    assert [e.attribute for e in found.evidence] == [None, "x", "c"]


def test_the_description_shows_cuts_and_cells() -> None:
    said = acumen.HistogramBayes(bins=2).fit(mixed()).describe()
    assert "x: [0, 2], (2, 4]" in said and "4 of 4 cells are occupied" in said
    assert "x (2, 4], c q:  a: 1, b: 1" in said


@pytest.mark.parametrize(
    ("bins", "words"),
    [
        ({"y": 3}, "bins names 'y', which is not a numeric attribute"),
        ({"x": "many"}, "bins of 'x' must be a whole number or the finite edges"),
        ({"x": [1.0, float("inf")]}, "finite edges"),
        ({"x": []}, "finite edges"),
        (0, "bins must be"),
        ("few", "bins must be"),
    ],
)
def test_wrong_bins_are_refused(bins: object, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        acumen.HistogramBayes(bins=bins).fit(mixed())


def test_text_is_refused() -> None:
    with pytest.raises(DataError, match="leave out the text column 'note'"):
        acumen.HistogramBayes().fit(table_of({"note": ["a", "b"]}, ["a", "b"], text=["note"]))


@pytest.mark.parametrize(
    "name", ["joint/keys", "joint/weight", "binning/edges", "binning/about", "joint/alpha"]
)
def test_forged_arrays_are_refused(name: str) -> None:
    learner = acumen.HistogramBayes(bins=3).fit(mixed())
    arrays = {n: np.array(a) for n, a in learner.model_.to_arrays().items()}
    arrays[name].flat[0] = {"joint/keys": 9, "binning/edges": 1e9, "binning/about": 7}.get(name, -1.0)
    with pytest.raises(ModelFileError):
        HistogramBayesModel.from_arrays(arrays, learner.schema_)
