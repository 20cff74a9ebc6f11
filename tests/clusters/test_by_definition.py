"""Measures, knees, kinds of cells and stored models of clusters against their definitions and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_mutual_info_score

import acumen
from acumen.clusters.agreement import _expected_information, table_of
from acumen.clusters.dbscan import _by_weight, knee_of
from acumen.errors import ModelFileError


@pytest.mark.parametrize("rare", [1, 3, 20])
def test_adjusted_mutual_information_is_scikit_learns_where_one_group_is_large(rare: int) -> None:
    rng = np.random.default_rng(rare)
    one = (np.arange(60) < rare).astype(int)
    other = np.where(rng.random(60) < 0.9, one, rng.integers(0, 3, 60))
    table = table_of(one, other)
    a, b = table.sum(axis=1), table.sum(axis=0)
    n = float(table.sum())
    entropy = [-float((counts / n * np.log(counts / n)).sum()) for counts in (a, b)]
    known = table > 0
    mutual = float((table / n * np.log(np.where(known, n * table, 1.0) / np.outer(a, b)))[known].sum())
    chance = _expected_information(a, b, n)
    adjusted = (mutual - chance) / (np.mean(entropy) - chance)
    assert adjusted == pytest.approx(adjusted_mutual_info_score(one, other), abs=1e-10)


def test_values_stand_as_often_as_their_weight() -> None:
    values, weights = np.array([9.0, 7.0, 4.0, 3.0, np.inf]), np.array([1.0, 3.0, 2.0, 1.0, 5.0])
    repeated = np.repeat(values[:4], weights[:4].astype(int))
    assert _by_weight(values, weights)[[0, -1]].tolist() == [9.0, 3.0]
    assert np.array_equal(_by_weight(values, weights), _by_weight(repeated, np.ones(7)))
    assert _by_weight(np.array([np.inf]), np.ones(1)).tolist() == [0.0]


def test_the_knee_is_the_first_place_almost_furthest_below_the_line() -> None:
    bent = np.array([10.0, 6.0, 2.0, 1.5, 1.0, 0.5, 0.0])
    below = 1.0 - np.arange(7) / 6 - bent / 10
    assert knee_of(bent) == int(below.argmax()) == 2
    assert knee_of(1000 * bent + 5) == 2 and knee_of(bent[[0, 2]]) == 1
    assert knee_of(np.arange(7.0)) == 6 and knee_of(np.arange(7.0)[::-1]) == 6 and knee_of(np.ones(4)) == 3


def test_the_share_of_a_region_is_that_of_the_rows_wherever_its_cell_lies() -> None:
    rng = np.random.default_rng(2)
    points = np.concatenate([rng.normal(-40, 2, (4000, 1)), rng.normal(70, 3, (4000, 1))])
    model = acumen.Sting(levels=3, confidence=0.999).fit(points)
    (column,) = model.schema_.names
    for low, high in ((-41.0, -38.0), (69.0, 75.0), (-100.0, -41.5), (72.0, 200.0)):
        fraction = np.mean((points >= low) & (points <= high))
        region = model.query({column: (low, high)})
        assert region.estimate == pytest.approx(8000 * fraction, abs=240)


# -- stored models --------------------------------------------------------------------------------

CLUSTERERS = (
    acumen.KMeans(3, random_state=0), acumen.KModes(3, random_state=0), acumen.KPrototypes(3, random_state=0),
    acumen.KMedoids(3, random_state=0), acumen.GaussianMixture(3, random_state=0),
    acumen.GaussianMixture(3, covariance="diagonal", random_state=0), acumen.DBSCAN(),
    acumen.Chameleon(3, random_state=0), acumen.Birch(n_clusters=3), acumen.Sting(levels=3), acumen.Agglomerative(3),
)  # fmt: skip


def three_groups() -> np.ndarray:
    rng = np.random.default_rng(3)
    return np.concatenate([rng.normal(place, 0.5, (40, 2)) for place in (0.0, 6.0, 13.0)]).round(1)


@pytest.mark.parametrize("learner", CLUSTERERS, ids=lambda each: type(each).__name__)
def test_stored_clusters_give_the_same_groups(learner) -> None:
    points = three_groups()
    fitted = learner.fit(points)
    again = type(fitted.model_).from_arrays(fitted.model_.to_arrays(), fitted.schema_)
    text = fitted.model_.describe(fitted.schema_, full=True)
    assert again.describe(fitted.schema_, full=True) == text and text
    for name, array in fitted.model_.to_arrays().items():
        np.testing.assert_array_equal(again.to_arrays()[name], array, err_msg=name)
    if hasattr(fitted.model_, "groups"):
        table = acumen.read(points)
        np.testing.assert_array_equal(again.groups(table), fitted.labels_)


@pytest.mark.parametrize(
    ("learner", "array", "place", "value"),
    [
        (acumen.Sting(levels=3), "number", 1, 0),
        (acumen.Sting(levels=3), "number", 0, -1),
        (acumen.Sting(levels=3), "number", -1, 10**9),
        (acumen.Sting(levels=3), "weight", 0, 0.0),
        (acumen.Sting(levels=3), "least", (0, 0), 1e9),
        (acumen.Sting(levels=3), "low", 0, 1e9),
        (acumen.KMedoids(3, random_state=0), "rows", 1, -1),
        (acumen.GaussianMixture(3, random_state=0), "shares", 0, 0.999),
        (acumen.GaussianMixture(3, random_state=0), "covariances", (1, 0, 1), 0.3),
        (acumen.GaussianMixture(3, random_state=0), "covariances", (1, 0, 0), -1.0),
        (acumen.GaussianMixture(3, covariance="diagonal", random_state=0), "covariances", (1, 0), 0.0),
    ],
    ids=str,
)
def test_one_forged_number_of_stored_clusters_is_refused(learner, array, place, value) -> None:
    fitted = learner.fit(three_groups())
    arrays = fitted.model_.to_arrays()
    forged = np.array(arrays[array])
    forged[place] = value
    with pytest.raises(ModelFileError, match="damaged or forged"):
        type(fitted.model_).from_arrays(arrays | {array: forged}, fitted.schema_)
