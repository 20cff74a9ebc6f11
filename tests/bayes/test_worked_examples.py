"""The literature's worked examples on Bayes' rule, in their exact values."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.bayes.factors.levels import LevelsFactor
from acumen.data.table import Table
from acumen.preprocessing.discretise.discretisers import GivenEdges, discretise_table
from acumen.types import Floats
from iris_tables import TEST_ROWS, components, measurements, sepals
from tables import table_of

EDGES = {"length": [5.2, 6.1, 7.0], "width": [2.8, 3.6]}
FAR = (6.75, 4.25)

#: W000-36: test row (from 1) and its P(c1 | row), ten digits.
SCORES = {
    107: 0.9261602599, 88: 0.8180826481, 114: 0.7999499719, 93: 0.7745905638, 89: 0.7397034439,
    92: 0.7105120659, 139: 0.6917655429, 82: 0.6686991085, 127: 0.6633288363, 124: 0.6096519719,
    147: 0.5912974335, 134: 0.5523452611, 52: 0.5479380755, 65: 0.5291368356, 80: 0.4729690634,
    94: 0.3047993640, 58: 0.2610692474, 146: 0.1125467433, 109: 0.0436512490, 108: 2.969146819e-04,
    110: 1.282875425e-04, 6: 2.549653766e-07, 31: 6.997036644e-08, 40: 3.110046746e-08,
    47: 3.108962835e-08, 29: 1.533633516e-08, 37: 9.757099675e-09, 3: 2.080865326e-09,
    15: 1.953767286e-09, 43: 7.828629186e-10,
}  # fmt: skip


def at(length: float, width: float) -> Table:
    return table_of({"length": [length], "width": [width]})


def likelihoods(learner: object, row: Table) -> Floats:
    """P(row | class) as the model has it."""
    model = learner.model_  # type: ignore[attr-defined]
    scores = model.scores(row) + model.common(row)
    return np.exp(scores - model.log_prior)[0]


def split() -> tuple[Table, Table]:
    """Training and test rows of the recovered split."""
    rows = components()
    test = np.array(TEST_ROWS) - 1
    return rows.take(np.setdiff1d(np.arange(150), test)), rows.take(test)


# -- full Bayes ---------------------------------------------------------------------------------------


def test_w000_01_iris_is_the_repositorys() -> None:
    assert measurements()[:50, 1].mean() == pytest.approx(3.418, abs=1e-12)


def test_w000_02_priors_are_a_third_and_two() -> None:
    assert np.exp(acumen.FullBayes().fit(sepals()).model_.log_prior) == pytest.approx([1 / 3, 2 / 3])


def test_w000_03_class_means() -> None:
    found = acumen.FullBayes().fit(sepals()).model_.mean
    assert found == pytest.approx(np.array([[5.006, 3.418], [6.262, 2.872]]), abs=1e-12)


def test_w000_04_covariances_have_divisor_n() -> None:
    found = acumen.FullBayes().fit(sepals()).model_.covariance
    assert found[0] == pytest.approx(np.array([[0.121764, 0.098292], [0.098292, 0.142276]]), abs=1e-12)
    assert found[1] == pytest.approx(np.array([[0.434956, 0.120936], [0.120936, 0.109616]]), abs=1e-12)


def test_w000_05_full_bayes_puts_the_far_flower_in_c2() -> None:
    learner = acumen.FullBayes().fit(sepals())
    densities = likelihoods(learner, at(*FAR))
    assert densities == pytest.approx([4.914117468104843e-07, 2.5890082873828745e-05], rel=1e-9)
    assert densities / [3, 1.5] == pytest.approx([1.6380391560e-07, 1.7260055249e-05], rel=1e-9)
    assert learner.predict_proba(at(*FAR))[0, 1] == pytest.approx(0.9905988728, abs=1e-10)
    assert learner.predict(at(*FAR)).tolist() == ["c2"]


# -- histograms ---------------------------------------------------------------------------------------


def test_w000_06_cells_of_the_discretised_sepals() -> None:
    model = acumen.HistogramBayes(bins=EDGES, alpha=0).fit(sepals()).model_
    found = np.zeros((2, 4, 3))
    for (a, b), weight in zip(model.joint.keys, model.joint.weight, strict=True):
        found[:, a, b] = weight
    assert found[0].tolist() == [[1, 33, 5], [0, 3, 8], [0, 0, 0], [0, 0, 0]]
    assert found[1].tolist() == [[6, 0, 0], [24, 15, 0], [13, 30, 0], [3, 7, 2]]
    # The margin of Short in c1 is 11, where 13 is printed.
    assert found[0].sum(axis=1).tolist() == [39, 11, 0, 0]


def test_w000_06_equal_width_finds_these_edges_for_length() -> None:
    learner = acumen.HistogramBayes(bins={"length": 4, "width": 3}).fit(sepals())
    edges = learner.model_.binning.edges
    assert edges["length"].tolist() == EDGES["length"] and edges["width"].tolist() == EDGES["width"]


def test_w000_07_the_short_medium_flower_is_c2() -> None:
    learner = acumen.HistogramBayes(bins=EDGES, alpha=0).fit(sepals())
    shares = np.exp(learner.model_.shares(at(5.3, 3.0)))[0]
    assert shares == pytest.approx([0.06, 0.15], abs=1e-15)
    assert shares / [3, 1.5] == pytest.approx([0.02, 0.10], abs=1e-15)
    assert learner.predict_proba(at(5.3, 3.0))[0] == pytest.approx([1 / 6, 5 / 6], abs=1e-15)


def test_w000_08_pseudo_counts_decide_the_empty_cell() -> None:
    learner = acumen.HistogramBayes(bins=EDGES, alpha=1).fit(sepals())
    shares = np.exp(learner.model_.shares(at(*FAR)))[0]
    assert shares == pytest.approx([1 / 62, 1 / 112], abs=1e-15)
    assert learner.predict_proba(at(*FAR))[0, 1] == pytest.approx(0.5254237288, abs=1e-10)


# -- naive Bayes --------------------------------------------------------------------------------------


def test_w000_09_naive_gaussians_at_the_far_flower() -> None:
    learner = acumen.NaiveBayes().fit(sepals())
    found = likelihoods(learner, at(*FAR))
    assert found == pytest.approx([3.9984048539e-07, 9.5965688629e-05], rel=1e-9)
    assert learner.predict(at(*FAR)).tolist() == ["c2"]


def test_w000_10_only_the_zero_count_is_smoothed() -> None:
    binning = GivenEdges(EDGES).fit(sepals())
    row = binning.transform(at(*FAR))
    learner = acumen.NaiveBayes(smooth_only_zeros=True).fit(binning.transform(sepals()))
    found = likelihoods(learner, row)
    assert found == pytest.approx([(1 / 54) * (13 / 50), (43 / 100) * (2 / 100)], rel=1e-12)
    assert found / [3, 1.5] == pytest.approx([0.0016049383, 0.0057333333], abs=1e-10)
    everywhere = likelihoods(acumen.NaiveBayes().fit(binning.transform(sepals())), row)
    assert everywhere == pytest.approx([14 / 53 / 54, (44 / 104) * (3 / 103)], rel=1e-12)


def test_w000_34_parameters_of_the_components() -> None:
    train, _ = split()
    model = acumen.NaiveBayes(var_floor=0).fit(train).model_
    assert np.exp(model.log_prior) == pytest.approx([40 / 120, 80 / 120])
    mean = [[-0.6405687330, -0.2035819411], [0.2695923235, 0.1402958549]]
    variance = [[0.2881450629, 0.1802742217], [6.1402003589, 0.2058455964]]
    assert model.numeric.mean == pytest.approx(np.array(mean), abs=1e-9)
    assert model.numeric.variance == pytest.approx(np.array(variance), abs=1e-9)


def test_w000_36_all_thirty_scores() -> None:
    train, test = split()
    found = acumen.NaiveBayes(var_floor=0).fit(train).predict_proba(test)[:, 0]
    assert found == pytest.approx([SCORES[row] for row in TEST_ROWS], rel=1e-6)
    ranked = [TEST_ROWS[i] for i in np.argsort(-found)]
    assert ranked == list(SCORES)


def test_w001_17_sizes_of_tables() -> None:
    """72 and 20 are entries of the tables; free parameters are one less for each distribution."""
    levels = {"a": "pqr", "b": "pq", "c": "pq", "d": "pqr"}
    row = {name: [values[0]] * 2 for name, values in levels.items()}
    table = table_of(row, ["t", "f"], levels=levels)
    naive, joint = acumen.NaiveBayes().fit(table), acumen.FullBayes().fit(table)
    nominal = naive.model_.nominal
    assert isinstance(nominal, LevelsFactor)
    assert sum(logs.size for logs in nominal.log_level) == 20
    assert naive.n_parameters_ == 20 - 8  # four distributions for each of two classes
    assert 2 * round(float(np.exp(joint.model_.joint.log_size.sum()))) == 72
    assert joint.n_parameters_ == 72 - 2


@pytest.mark.parametrize(
    ("attributes", "classes", "full", "shared"), [(2, 2, 10, 7), (4, 3, 42, 22), (10, 3, 195, 85)]
)
def test_w001_22_parameters_of_gaussians(attributes: int, classes: int, full: int, shared: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30 * classes, attributes)), np.arange(30 * classes) % classes
    assert acumen.FullBayes().fit(X, y).n_parameters_ == full
    assert acumen.FullBayes(covariance="shared").fit(X, y).n_parameters_ == shared


def test_w002_14_ten_rows_of_letters() -> None:
    rows = acumen.datasets.load("bayes-abc")
    model = acumen.NaiveBayes(estimator="mle").fit(rows)
    of_a, of_b = (np.exp(logs) * 5 for logs in model.model_.nominal.log_level)
    assert of_a == pytest.approx(np.array([[2, 2, 1], [1, 2, 2]]))
    assert of_b == pytest.approx(np.array([[1, 2, 2], [2, 1, 2]]))
    query = table_of({"A": ["m"], "B": ["q"]}, levels={"A": ["m", "g", "h"], "B": ["b", "s", "q"]})
    assert np.exp(model.model_.scores(query))[0] == pytest.approx([2 / 25, 1 / 25])
    assert model.predict_proba(query)[0, 0] == pytest.approx(2 / 3)


def test_w002_15_lidstone_sums_to_one() -> None:
    model = acumen.NaiveBayes(alpha=1).fit(acumen.datasets.load("bayes-abc")).model_
    shares = np.exp(model.nominal.log_level[0])
    assert shares[0, 0] == pytest.approx(3 / 8)
    assert shares.sum(axis=1) == pytest.approx([1, 1])


# -- text and windows ---------------------------------------------------------------------------------


@pytest.mark.parametrize("as_counts", [True, False])
def test_w002_16_three_documents_of_letters(as_counts: bool) -> None:
    if as_counts:
        X = np.array([[2, 1, 0], [1, 0, 1], [0, 1, 2]])
        learner = acumen.TextBayes().fit(X, [1, 1, 2])
        letters = learner.model_.bags[0].log_present
        asked: object = [[1, 1, 0]]
    else:
        texts = table_of({"text": ["a a b", "a c", "b c c"]}, ["1", "1", "2"], text=["text"])
        learner = acumen.TextBayes().fit(texts)
        order = [learner.model_.vocabularies[0].words.index(letter) for letter in "abc"]
        letters = learner.model_.bags[0].log_present[order]
        asked = table_of({"text": ["a b"]}, text=["text"])
    assert np.exp(letters[:, 0]) == pytest.approx([1 / 2, 1 / 4, 1 / 4])
    assert np.exp(letters[:, 1]) == pytest.approx([1 / 6, 1 / 3, 1 / 2])
    assert learner.predict_proba(asked)[0] == pytest.approx([9 / 11, 2 / 11])


def test_w001_31_the_posterior_in_a_box_is_the_class_share() -> None:
    """K = (1, 4) of 5: a fifth to four fifths; the printed formula counts the prior twice."""
    x = [0.0, 0.1, 0.2, 0.3, 0.4, *range(10, 20)]
    y = ["a", "b", "b", "b", "b", *"aaaaaaaabb"]
    learner = acumen.Parzen(window="box", bandwidth=1.0).fit(np.array(x)[:, None], y)
    assert learner.predict_proba([[0.2]])[0] == pytest.approx([0.2, 0.8], abs=1e-15)


def test_discretised_tables_say_the_same_as_edges_given_to_the_histogram() -> None:
    rows = sepals()
    joint = acumen.FullBayes(alpha=1).fit(discretise_table(rows, GivenEdges(EDGES)))
    histogram = acumen.HistogramBayes(bins=EDGES, alpha=1).fit(rows)
    found = histogram.predict_proba(rows)
    assert found == pytest.approx(joint.predict_proba(discretise_table(rows, GivenEdges(EDGES))), abs=1e-14)
