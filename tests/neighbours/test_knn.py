"""Classifiers and a regressor by neighbours: worked examples, weights, ties, files, words, what is left out."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen.assessment.left_out import pool_runs
from acumen.assessment.runs import runs
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.distances import Gower, Mahalanobis, Minkowski, Mixture, ValueDifference
from acumen.errors import DataError, ModelFileError, ParameterError
from acumen.store.parameters import decode, encode


def iris_sepal() -> Table:
    """Sepal length and width; setosa against the rest, as document 000 has it."""
    iris = acumen.datasets.load("iris")
    labels = np.minimum(iris.labels, 1).astype(np.int32)  # type: ignore[type-var]
    numbers = [np.array(iris.column("sepal_length")), np.array(iris.column("sepal_width"))]
    schema = Schema((Attribute("length"), Attribute("width")), Attribute("c", "nominal", ("c1", "c2")))
    return Table(schema, 150, numeric=numbers, labels=labels)


# -- worked examples ------------------------------------------------------------------------------


def test_w000_11_five_neighbours_on_iris() -> None:
    model = acumen.KNN(5, scale=False).fit(iris_sepal())
    inputs = Schema(model.schema_.attributes)
    query = Table(inputs, 1, numeric=[np.array([6.75]), np.array([4.25])])
    found = model.model_.search.lists(model.model_.fitted.raw(query), 6)
    assert found.rows.tolist() == [109, 124, 144, 136, 14, 148]
    assert (found.distances**2).tolist() == pytest.approx(
        [0.625, 0.905, 0.905, 0.925, 0.965, 1.025], abs=1e-12
    )
    assert found.distances[1] == found.distances[2]
    assert model.predict_proba(query)[0] == pytest.approx([0.2, 0.8], abs=1e-12)
    assert model.predict(query)[0] == "c2"
    radius = found.distances[4]
    assert radius == pytest.approx(0.9823441352, abs=1e-10)
    density = model.density(query)[0]
    assert density == pytest.approx(5 / (150 * math.pi * 0.965), rel=1e-12)


def test_w001_31_the_posterior_is_the_share_of_votes() -> None:
    X, y = (
        [[0.0], [1.0], [-1.0], [2.0], [-2.0], [90.0], [91.0], [92.0]],
        ["a", "b", "b", "b", "b", "a", "a", "a"],
    )
    proba = acumen.KNN(5, scale=False).fit(X, y).predict_proba([[0.1]])
    assert proba[0] == pytest.approx(
        [0.2, 0.8], abs=1e-12
    )  # the prior, a half each, is not multiplied in again


# -- ties -----------------------------------------------------------------------------------------


def test_all_rows_as_near_as_the_kth_vote_in_any_order() -> None:
    X = np.array([[1.0], [-1.0], [1.0], [-1.0], [3.0]])
    y = np.array(["a", "b", "b", "b", "a"])
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(5)
        model = acumen.KNN(1, scale=False).fit(X[order], y[order])
        assert model.predict_proba([[0.0]])[0] == pytest.approx([0.25, 0.75])


def test_equal_votes_go_by_distance_then_size_then_order() -> None:
    nearer = acumen.KNN(2, scale=False).fit([[2.0], [-1.0], [9.0], [9.0]], ["a", "b", "a", "a"])
    assert nearer.predict([[0.0]])[0] == "b"
    larger = acumen.KNN(2, scale=False).fit([[1.0], [-1.0], [9.0]], ["a", "b", "b"])
    assert larger.predict([[0.0]])[0] == "b"
    first = acumen.KNN(2, scale=False).fit([[1.0], [-1.0]], ["b", "a"])
    assert first.predict([[0.0]])[0] == "a"
    assert first.predict_proba([[0.0]])[0] == pytest.approx([0.5, 0.5])


def test_a_neighbour_infinitely_far_is_no_nearer_than_another() -> None:
    # The first and the last row have a vote each; of the last nothing is known.
    nan = math.nan
    model = acumen.KNN(2, scale=False).fit([[1.0], [nan], [9.0], [nan], [nan]], ["b", "a", "b", "a", "a"])
    proba = acumen.KNN(1, scale=False).fit([[1.0], [nan]], ["b", "a"]).predict_proba([[1.0]])
    assert model.predict([[1.0]])[0] == "b" and proba[0].tolist() == [0.0, 1.0]
    tied = acumen.KNN(2, scale=False).fit([[1.0], [nan]], ["b", "a"])
    assert tied.predict([[1.0]])[0] == "b"


def test_rows_at_distance_zero_vote_alone_by_distance() -> None:
    model = acumen.KNN(3, weights="distance", scale=False).fit([[0.0], [0.1], [0.2]], ["a", "b", "b"])
    assert model.predict_proba([[0.0]])[0].tolist() == [1.0, 0.0]
    assert model.predict_proba([[0.05]])[0] == pytest.approx(np.array([1, 1 + 1 / 3]) / (2 + 1 / 3))


# -- the choice of k ------------------------------------------------------------------------------


def test_the_own_row_is_left_out_by_index_not_by_distance() -> None:
    # Every row has a twin of the other class: a zero distance is no proof of being oneself.
    X = np.repeat(np.arange(6.0), 2)[:, None]
    model = acumen.KNN(scale=False, max_neighbors=1).fit(X, ["a", "b"] * 6)
    assert model.curve_.tolist() == [1.0]


def test_one_standard_error_takes_the_largest_k_within_it() -> None:
    table = acumen.datasets.load("iris")
    best, simple = acumen.KNN().fit(table), acumen.KNN(selection_rule="one-se").fit(table)
    limit = best.curve_.min() + best.curve_se_[best.n_neighbors_ - 1]
    assert (
        simple.n_neighbors_
        == best.one_se_n_neighbors_
        == 1 + int(np.flatnonzero(best.curve_ <= limit)[-1])
        > best.n_neighbors_
    )
    assert best.curve_se_[0] == pytest.approx(math.sqrt(best.curve_[0] * (1 - best.curve_[0]) / 150))
    assert "scaled" in best.describe() and "scaled" not in acumen.KNN(scale=False).fit(table).describe()
    assert acumen.KNN(3).fit(table).one_se_n_neighbors_ is None


def test_value_differences_are_made_without_the_row_left_out() -> None:
    # A level of its own for each row: tables that know the label of the row find its class at once.
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 60).astype(np.int32)
    codes = np.arange(60, dtype=np.int32)
    levels = tuple(f"l{i}" for i in range(60))
    schema = Schema((Attribute("id", "nominal", levels),), Attribute("y", "nominal", ("a", "b")))
    table = Table(schema, 60, nominal=[codes], labels=labels)
    model = acumen.KNN(distance="value-difference", max_neighbors=5).fit(table)
    assert model.curve_.min() > 0.3
    exact = next(iter(runs(acumen.KNN(3, distance="value-difference"), table, acumen.LeaveOneOut())))
    assert np.mean(exact.predicted != labels) > 0.3
    assert len(acumen.Edit(3, distance="value-difference").fit(table).kept_) < 50
    assert not np.isnan(acumen.outlier_scores(table, distance="value-difference").disagreement).any()


# -- judged without fitting anew ------------------------------------------------------------------


LEFT = [
    acumen.KNN(3), acumen.KNN(4, scale=False), acumen.KNN(2, distance="gower", weights="distance"),
    acumen.KNN(3, distance="value-difference", weights="kernel"), acumen.KNN(3, distance="manhattan", priors="uniform"),
    acumen.KNN(3, smoothing=2.0), acumen.KNN(5, distance="chebyshev", costs=[[0, 1, 5], [2, 0, 1], [1, 1, 0]]),
]  # fmt: skip


@pytest.mark.parametrize("learner", LEFT, ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_leaving_one_out_is_fitting_without_the_row(learner: Any, weighted: bool) -> None:
    table = messy(7, 30, weighted)
    made = list(runs(learner, table, acumen.LeaveOneOut()))
    assert len(made) == 1 and made[0].each_row
    naive = pool_runs(list(runs(learner, table, acumen.LeaveOneOut(), refit=True)), table)
    assert np.array_equal(made[0].predicted, naive.predicted)
    assert made[0].proba == pytest.approx(naive.proba, abs=1e-9)


@pytest.mark.parametrize(
    "learner",
    [acumen.KNN(3, scale=False, distance="euclidean"),
     acumen.KNN(2, scale=False, distance="manhattan", priors="uniform"),
     acumen.KNNRegressor(3, scale=False, distance="euclidean")],
    ids=repr,
)  # fmt: skip
def test_one_search_of_all_rows_is_cross_validation(learner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = messy(3, 40, False, numeric_target=isinstance(learner, acumen.KNNRegressor))
    assert learner.can_leave_parts_out(table)
    naive = list(runs(learner, table, acumen.KFold(4, n_repeats=2), random_state=0, refit=True))
    fits = []
    fit = type(learner).fit
    monkeypatch.setattr(type(learner), "fit", lambda self, *a, **b: (fits.append(1), fit(self, *a, **b))[1])
    made = list(runs(learner, table, acumen.KFold(4, n_repeats=2), random_state=0))
    assert len(fits) == 1 and len(made) == len(naive) == 8
    for mine, theirs in zip(made, naive, strict=True):
        assert np.array_equal(mine.test, theirs.test) and mine.train_size == theirs.train_size
        assert mine.predicted == pytest.approx(theirs.predicted, abs=1e-12)
        if mine.proba is not None:
            assert mine.proba == pytest.approx(theirs.proba, abs=1e-12)


def test_what_is_not_exact_is_fitted_anew() -> None:
    table = messy(0, 20, False)
    assert not acumen.KNN().can_leave_one_out(table)  # k itself is chosen anew
    assert not acumen.KNN(3).can_leave_parts_out(table)  # ranges and deviations are of other rows
    numbers = table.select(["x", "z"])
    assert not acumen.KNN(3, distance="mahalanobis").can_leave_one_out(numbers)
    assert acumen.KNN(3, distance="cosine", scale=False).can_leave_one_out(numbers)


def messy(seed: int, n: int, weighted: bool, *, numeric_target: bool = False) -> Table:
    rng = np.random.default_rng(seed)
    inputs = (Attribute("x"), Attribute("z"), Attribute("size", "ordinal", ("s", "m", "l"), True),
              Attribute("c", "nominal", ("r", "g", "b", "never")))  # fmt: skip
    numbers = [rng.integers(0, 6, n) / 10.0, rng.normal(size=n) * 1e3]
    codes = [rng.integers(0, 3, n).astype(np.int32) for _ in range(2)]
    numbers[0][rng.random(n) < 0.2] = np.nan
    codes[1][rng.random(n) < 0.2] = -1
    codes[1][0], numbers[1][1] = 1, 1e5  # alone at the end of its range
    weights = rng.integers(1, 4, n).astype(np.float64) if weighted else np.empty(0)
    if numeric_target:
        return Table(
            Schema(inputs, Attribute("y")), n, numeric=numbers, nominal=codes, response=rng.normal(size=n)
        )
    labels = rng.integers(0, 3, n).astype(np.int32)
    schema = Schema(inputs, Attribute("y", "nominal", ("u", "v", "w")), "weight" if weighted else None)
    return Table(schema, n, numeric=numbers, nominal=codes, labels=labels, weights=weights)


# -- weights, levels, words, sparse ---------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    k=st.one_of(st.just("loo"), st.integers(1, 8)),
    say=st.sampled_from(["uniform", "distance", "kernel"]),
)
def test_a_whole_weight_is_a_repeated_row(seed: int, k: Any, say: Any) -> None:
    table = messy(seed, 15, True)
    repeated = np.repeat(np.arange(15), table.weights.astype(int))
    plain = table.take(repeated)
    plain = Table(
        Schema(plain.schema.attributes, plain.schema.target), len(plain), numeric=plain.numeric, nominal=plain.nominal,
        labels=plain.labels,
    )  # fmt: skip
    one = acumen.KNN(k, weights=say, max_neighbors=9).fit(table)
    other = acumen.KNN(k, weights=say, max_neighbors=9).fit(plain)
    assert one.n_neighbors_ == other.n_neighbors_ and one.curve_ == pytest.approx(other.curve_, abs=1e-12)
    assert one.predict_proba(table) == pytest.approx(other.predict_proba(table), abs=1e-9)


def test_a_level_nobody_knows_differs_from_all() -> None:
    table = messy(1, 12, False).select(["c"])
    model = acumen.KNN(1, distance="simple-matching").fit(table)
    strange = Table(
        table.schema, 1, nominal=[np.array([-2], dtype=np.int32)], labels=np.zeros(1, dtype=np.int32)
    )
    found = model.model_.search.lists(model.model_.fitted.raw(strange), 1)
    assert set(found.distances.tolist()) == {1.0}


def test_texts_are_learned_from_by_their_words(tmp_path: Path) -> None:
    texts = ["good tea", "good cake", "very good tea", "bad rain", "bad wet rain", "very bad", None]
    labels = np.array([0, 0, 0, 1, 1, 1, 0], dtype=np.int32)
    schema = Schema((Attribute("t", "text"), Attribute("x")), Attribute("y", "nominal", ("glad", "sad")))
    apart = np.array([0.0] * 6 + [9.0])  # the row without a text is told by this alone
    table = Table(schema, 7, numeric=[apart], text=[np.array(texts, dtype=object)], labels=labels)
    model = acumen.KNN(1).fit(table)
    asked = Table(schema, 2, numeric=[np.zeros(2)], text=[np.array(["rain", "cake"], dtype=object)],
                  labels=np.zeros(2, dtype=np.int32))  # fmt: skip
    assert model.distance_.name == "gower" and model.predict(asked).tolist() == ["sad", "glad"]
    acumen.save(model, tmp_path / "words.acm")
    again = acumen.load(tmp_path / "words.acm")
    assert np.array_equal(again.predict_proba(asked), model.predict_proba(asked))
    assert "words" in model.explain(asked.take([0])).cases[0].parts
    with pytest.raises(DataError, match="knows nothing of words"):
        acumen.KNN(1, distance="euclidean").fit(table)


def test_a_sparse_table_that_would_not_fit_is_refused() -> None:
    from scipy.sparse import csr_matrix

    wide = csr_matrix((50_000, 3_000), dtype=np.float64)
    with pytest.raises(DataError, match=r"1\.1 GB"):
        acumen.KNN(1).fit(wide, np.arange(50_000) % 2)


# -- what it says ---------------------------------------------------------------------------------


def test_an_explanation_shows_the_neighbours_and_what_makes_them_near() -> None:
    table = messy(2, 40, False)
    model = acumen.KNN(3).fit(table)
    said = model.explain(table.take([5]))
    assert said.cases[0].row == 5 and said.cases[0].distance == 0
    for case in said.cases:
        assert sum(case.parts.values()) == pytest.approx(case.distance)
        assert case.answer == table.label_values()[case.row]
    assert sum(case.weight for case in said.cases) == pytest.approx(1)
    assert "by k = 1" in said.note and "by k = 10" in said.note
    number = acumen.KNNRegressor(3).fit([[0.0], [1.0], [5.0]], [1.0, 3.0, 9.0]).explain([0.4])
    assert [case.answer for case in number.cases] == [1.0, 3.0, 9.0] and number.value == pytest.approx(13 / 3)


def test_the_curve_is_drawn_with_its_choice() -> None:
    model = acumen.KNN(max_neighbors=20).fit(acumen.datasets.load("iris"))
    drawn = model.to_svg()
    assert "neighbours k" in drawn and drawn.startswith("<svg")
    with pytest.raises(DataError, match="n_neighbors='loo'"):
        acumen.KNN(3).fit(acumen.datasets.load("iris")).to_figure()


def test_files_keep_the_model_and_forged_ones_are_refused(tmp_path: Path) -> None:
    table = messy(4, 30, True)
    for learner in (
        acumen.KNN(),
        acumen.Condense(2),
        acumen.Edit(),
        acumen.KNN(2, distance="value-difference"),
    ):
        model = learner.fit(table)
        acumen.save(model, tmp_path / "m.acm")
        again = acumen.load(tmp_path / "m.acm")
        assert np.array_equal(again.predict_proba(table), model.predict_proba(table))
        assert pickle.loads(pickle.dumps(model)).predict(table).tolist() == model.predict(table).tolist()
    arrays = model.model_.to_arrays()
    for name in ("labels", "numbers", "weights", "codes", "curve_deviation", "distance/factor"):
        broken = {**arrays, name: arrays[name][:-1] if len(arrays[name]) else np.ones(3)}
        with pytest.raises(ModelFileError):
            type(model.model_).from_arrays(broken, table.schema)
    with pytest.raises(DataError, match="function"):
        acumen.save(acumen.KNN(1, distance=lambda a, b: 0.0).fit(table), tmp_path / "f.acm")


def test_a_distance_that_is_an_object_is_kept_in_the_file(tmp_path: Path) -> None:
    table = messy(4, 30, True)
    names = [a.name for a in table.schema.attributes]
    for distance in (Minkowski(2.5), Gower(weights={names[0]: 3}), Mixture(0.2), ValueDifference()):
        for learner in (acumen.KNN(3, distance=distance), acumen.Edit(distance=distance)):
            model = learner.fit(table)
            acumen.save(model, tmp_path / "m.acm")
            again = acumen.load(tmp_path / "m.acm")
            assert again.distance == distance
            assert np.array_equal(again.predict_proba(table), model.predict_proba(table))
    covariance = Mahalanobis([[2.0, 1.0], [1.0, 2.0]])
    acumen.save(acumen.KNN(3, distance=covariance).fit(iris_sepal()), tmp_path / "m.acm")
    assert acumen.load(tmp_path / "m.acm").distance == covariance
    assert decode(encode(Gower(asymmetric=("there",)), "distance")) == Gower(asymmetric=("there",))
    for forged in (
        {"distance": "euclid"},
        {"distance": "minkowski", "p": -1},
        {"distance": "cosine", "p": 2},
        7,
    ):
        with pytest.raises(ModelFileError):
            decode({"distance": forged})


def test_threads_do_not_change_a_byte() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 7)), rng.integers(0, 3, 600)
    made = [acumen.KNN(n_jobs=jobs).fit(X, y) for jobs in (1, 2, 3)]
    assert all(np.array_equal(made[0].curve_, other.curve_) for other in made)
    assert all(np.array_equal(made[0].predict_proba(X), other.predict_proba(X)) for other in made)


def test_an_index_that_cannot_be_used_says_so() -> None:
    table = messy(0, 20, False)
    for index, words in (("kd", "numbers"), ("blocked", "Euclidean"), ("vantage", "metric")):
        with pytest.raises(DataError, match=words):
            acumen.KNN(3, index=index).fit(table)


# -- fewer rows -----------------------------------------------------------------------------------


def test_condensing_keeps_rows_from_which_all_others_get_their_class() -> None:
    iris = acumen.datasets.load("iris")
    model = acumen.Condense().fit(iris)
    assert len(model.kept_) < 40 and model.score(iris) == 1.0
    order = np.random.default_rng(1).permutation(150)
    shuffled = acumen.Condense().fit(iris.take(order))
    kept = {tuple(iris.numeric.matrix()[i]) for i in model.kept_}
    assert kept == {tuple(iris.numeric.matrix()[order[i]]) for i in shuffled.kept_}
    assert "of 150 rows" in model.describe()


def test_editing_leaves_out_rows_their_neighbours_disagree_with() -> None:
    iris = acumen.datasets.load("iris")
    model = acumen.Edit(3).fit(iris)
    naive = next(iter(runs(acumen.KNN(3), iris, acumen.LeaveOneOut())))
    wrong = np.setdiff1d(np.arange(150), model.kept_)
    # The scaling had the row in it when it was edited, which may tip a row at the border.
    assert len(np.setxor1d(wrong, np.flatnonzero(naive.predicted != iris.labels))) <= 1
    assert acumen.Edit(1).fit([[0.0], [1.0]], ["a", "b"]).kept_.tolist() == [0, 1]


# -- outliers ------------------------------------------------------------------------


def test_outlier_scores_find_planted_rows() -> None:
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(100, 2)), rng.normal(size=(100, 2)) + 8, [[40.0, -40.0]]])
    y = np.array(["a"] * 100 + ["b"] * 100 + ["b"])
    y[7] = "b"
    found = acumen.outlier_scores(acumen.read((X, y)))
    assert found.outliers[0] == 200
    assert found.suspect_labels.tolist() == [7] and found.labels == ("b",) and found.others == ("a",)
    assert "row 200" in str(found) and found.to_dict()["suspect_labels"][0]["row"] == 7
    assert np.isnan(acumen.outlier_scores(acumen.read(X)).disagreement).all()
    with pytest.raises(DataError, match="two rows"):
        acumen.outlier_scores(acumen.read([[1.0]]))


@pytest.mark.slow
def test_the_chosen_k_is_as_good_as_any_on_new_rows() -> None:
    """Two Gaussians that overlap: the chosen k errs by at most 3 % of rows more than the best k on fresh ones."""
    excess = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(400, 2)), rng.integers(0, 2, 400)
        X += 1.5 * y[:, None]
        T, t = rng.normal(size=(4000, 2)), rng.integers(0, 2, 4000)
        T += 1.5 * t[:, None]
        chosen = 1 - acumen.KNN().fit(X, y).score(T, t)
        best = min(1 - acumen.KNN(k).fit(X, y).score(T, t) for k in (1, 5, 10, 20, 30, 40, 50))
        excess.append(chosen - best)
    assert np.mean(excess) < 0.03


def test_rows_without_a_vote_break_no_tie() -> None:
    rows, labels = [[0.0], [0.0], [1.0], [1.0], [1.0]], ["u", "v", "u", "u", "v"]
    model = acumen.KNN(3, scale=False, weights="distance").fit(rows, labels)
    # One equal row of each class votes: u has more rows, though its others are further away on average.
    assert model.predict_proba([[0.0]]).round(9).tolist() == [[0.5, 0.5]]
    assert model.predict([[0.0]]).tolist() == ["u"]
    assert "Of 5 rows within a distance of 1 only the 2 equal to it vote." in str(model.explain([0.0]))
    told = str(
        acumen.KNNRegressor(2, weights="distance").fit([[0.0], [1.0], [3.0]], [1.0, 2.0, 3.0]).explain([0.0])
    )
    assert "only the one equal to it counts" in told


def test_rows_of_one_direction_are_at_no_cosine_distance() -> None:
    rows = [[0.1, 0.3], [1.0, 3.0], [0.7, 2.1], [5.0, 15.0], [1.0, -1.0]]
    model = acumen.KNN(1, distance="cosine", scale=False).fit(rows, list("abcde"))
    assert (
        model.predict_proba([[0.6, 1.8], [3.0, 9.0]]).round(9).tolist() == [[0.25, 0.25, 0.25, 0.25, 0.0]] * 2
    )


def test_a_class_of_distances_is_no_distance() -> None:
    with pytest.raises(ParameterError, match=r"Minkowski is a class; give Minkowski\(\)"):
        acumen.KNN(1, distance=Minkowski).fit([[0.0], [1.0]], ["a", "b"])


def test_nothing_is_said_of_scales_where_no_number_is_scaled() -> None:
    rows, labels = [[0.0], [2.0], [3.0], [9.0]], ["a", "a", "b", "b"]
    model = acumen.KNN(distance=lambda a, b: abs(a[0] - b[0])).fit(rows, labels)
    assert "numbers as they are" in str(model) and "scaled" not in str(model)
    named = acumen.KNN(distance="simple-matching").fit([["p"], ["q"], ["p"], ["q"]], labels)
    assert "deviation" not in str(named) and "scaled" not in str(named)


@pytest.mark.filterwarnings("ignore")
def test_numbers_too_large_for_a_standard_error_are_described() -> None:
    model = acumen.KNNRegressor(max_neighbors=3).fit([[0.0], [1.0]], [-0.7, 1e308])
    assert model.one_se_n_neighbors_ == model.n_neighbors_ == 1 and "k" in model.describe()


@pytest.mark.parametrize("weighted", [False, True])
def test_of_many_rows_some_are_left_out_in_turn(monkeypatch, weighted):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    weights = rng.integers(0, 4, 400).astype(float) if weighted else np.ones(400)
    monkeypatch.setattr("acumen.neighbours.fitting.MOST_JUDGED", 50)
    mean = np.average(X, axis=0, weights=weights)
    scaled = X / np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))
    model = acumen.KNN(max_neighbors=7).fit(X, y, sample_weight=weights)
    known = np.flatnonzero(weights > 0)
    judged = known[np.linspace(0, len(known) - 1, 50).astype(int)]
    for k in (1, 4, 7):
        errors = 0.0
        for i in judged:
            rest = weights.copy()
            rest[i] -= 1
            kept = np.flatnonzero(rest > 0)
            other = acumen.KNN(k, scale=False).fit(scaled[kept], y[kept], sample_weight=rest[kept])
            errors += weights[i] * float(other.predict(scaled[[i]])[0] != y[i])
        assert np.isclose(model.curve_[k - 1], errors / weights[judged].sum(), atol=1e-12)
