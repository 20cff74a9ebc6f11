"""Forests: the kernel against its twin, rows out of bag, importances, groups, threads, the file."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.engines.memory import limited_memory
from acumen.ensembles.column_codes import CodedColumns
from acumen.ensembles.forest_model import ForestModel
from acumen.errors import DataError, ModelFileError, ParameterError
from reference import forest as twin

IRIS = acumen.datasets.load("iris")


def mixed(rows: int, seed: int, classes: int, levels: int = 4) -> Table:
    """Three columns of numbers, one of levels, with gaps; the class follows two of them, with noise."""
    rng = np.random.default_rng(seed)
    numbers = [rng.integers(0, 9, rows) / 2.0 for _ in range(3)]
    codes = rng.integers(0, levels, rows).astype(np.int32)
    score = numbers[0] + codes + rng.normal(0, 1, rows)
    for column in numbers:
        column[rng.random(rows) < 0.1] = np.nan
    codes[rng.random(rows) < 0.1] = -1
    attributes = (
        Attribute("a"),
        Attribute("b"),
        Attribute("c"),
        Attribute("d", "nominal", tuple("wxyz"[:levels])),
    )
    if classes == 0:
        return Table(
            Schema(attributes, Attribute("y")), rows, numeric=numbers, nominal=[codes], response=score
        )
    edges = np.quantile(score, np.arange(1, classes) / classes)
    labels = np.searchsorted(edges, score).astype(np.int32)
    target = Attribute("y", "nominal", tuple(f"c{i}" for i in range(classes)))
    return Table(Schema(attributes, target), rows, numeric=numbers, nominal=[codes], labels=labels)


@pytest.mark.parametrize("classes", [0, 2, 3])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_kernel_grows_the_trees_of_its_twin(classes: int, seed: int) -> None:
    table = mixed(40, seed, classes, levels=2 if classes == 3 else 4)  # two levels have one order only
    face: Any = acumen.RandomForestRegressor if classes == 0 else acumen.RandomForest
    forest = face(6, max_features=2, random_state=seed).fit(table)
    coded = CodedColumns.of(table, 255)
    codes = [
        [None if column[i] == 255 else int(column[i]) for column in coded.columns] for i in range(len(table))
    ]
    middles = [
        low.tolist() if len(low) else list(map(float, range(int(slots))))
        for low, slots in zip(coded.low, coded.coding.slots, strict=True)
    ]
    y = (table.response if classes == 0 else table.labels).tolist()  # type: ignore[union-attr]
    model = forest.model_
    rows = model.coding.rows(table)
    sums = np.zeros((len(table), max(classes, 1)))
    bag = np.zeros(len(table), dtype=int)
    for t, tree_seed in enumerate(forest._seeds.tolist()):
        root, times = twin.grown(
            codes, coded.nominal.astype(bool).tolist(), middles, y, classes, tree_seed, 2
        )
        said = np.array([twin.answer(root, row) for row in codes])
        own = model.packed.first(t + 1).sum_leaves(rows) - (
            model.packed.first(t).sum_leaves(rows) if t else 0.0
        )
        np.testing.assert_allclose(own, said, atol=1e-9)
        out = np.array(times) == 0
        sums[out] += said[out]
        bag += out
    assert np.array_equal(forest.out_of_bag_.votes, bag)
    told = bag > 0
    if classes:
        prior = np.bincount(y, minlength=classes) / len(y)
        expected = (sums[told] + prior) / (bag[told] + 1)[:, None]
        wrong = (sums[told] + prior).argmax(axis=1) != np.array(y)[told]
        assert forest.out_of_bag_.error == pytest.approx(wrong.mean())
        everything = (wrong.sum() + np.count_nonzero(np.array(y)[~told] != 0)) / len(y)
        assert forest.out_of_bag_.error_all == pytest.approx(everything)
    else:
        expected = sums[told, 0] / bag[told]
        assert forest.out_of_bag_.error == pytest.approx(np.mean((expected - np.array(y)[told]) ** 2))
    np.testing.assert_allclose(forest.out_of_bag_.predictions[told], expected)


@pytest.mark.parametrize(
    "learner",
    [
        acumen.RandomForest(7, random_state=3),
        acumen.ExtraTrees(7, random_state=3),
        acumen.ExtraTrees(7, max_samples=0.6, random_state=3),
        acumen.RandomForestRegressor(7, random_state=3),
    ],
    ids=repr,
)
def test_the_bytes_do_not_depend_on_threads(learner: Any) -> None:
    table = mixed(300, 5, 0 if learner.task == "regression" else 3)
    one, many = (learner.set_params(n_jobs=jobs).fit(table).model_.to_arrays() for jobs in (1, 3))
    assert one.keys() == many.keys()
    for name in one:
        assert one[name].tobytes() == many[name].tobytes(), name


def test_more_trees_begin_with_the_same_ones() -> None:
    few, many = (acumen.RandomForest(n, random_state=1).fit(IRIS).model_.packed for n in (5, 9))
    assert np.array_equal(many.first(5).node, few.node)
    assert np.array_equal(many.first(5).value, few.value)


def test_permuted_columns_permute_importances() -> None:
    """With all attributes looked at, only ties between equal splits hang on the order of columns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] + 0.5 * X[:, 2] + rng.normal(0, 0.3, 300) > 0).astype(int)
    order = [2, 0, 3, 1]
    first, second = (
        acumen.RandomForest(40, max_features="all", random_state=0).fit(data, y).importance_details_.values
        for data in (X, X[:, order])
    )
    np.testing.assert_allclose(second, first[order], atol=0.02)
    assert first.argmax() == 0


def test_relabelling_permutes_the_answers() -> None:
    """Of two classes and of three: the draws do not look at labels."""
    place = np.array([2, 0, 1], dtype=np.int32)
    schema = IRIS.schema
    names = [""] * 3
    for code, label in enumerate(schema.classes):
        names[place[code]] = f"new {label}"
    assert IRIS.labels is not None and schema.target is not None
    target = dataclasses.replace(schema.target, levels=tuple(names))
    other = Table(
        Schema(schema.attributes, target), len(IRIS), numeric=IRIS.numeric, labels=place[IRIS.labels]
    )
    one = acumen.RandomForest(20, random_state=0).fit(IRIS).predict_proba(IRIS)
    two = acumen.RandomForest(20, random_state=0).fit(other).predict_proba(IRIS)
    np.testing.assert_allclose(one, two[:, place], atol=1e-12)


def test_an_attribute_of_noise_is_worth_nothing_out_of_bag_however_many_values_it_has() -> None:
    """Impurity in the bag prefers it to a coin that matters (Strobl et al. 2007)."""
    rng = np.random.default_rng(1)
    n = 400
    coin = rng.integers(0, 2, n)
    X = np.column_stack([coin, rng.normal(size=n)])
    y = np.where(rng.random(n) < 0.75, coin, 1 - coin)
    found = acumen.RandomForest(100, random_state=0).fit(X, y).importance_details_
    assert abs(found["x1"]) < 0.02 < found["x0"]
    permuted = acumen.RandomForest(100, random_state=0).fit(X, y).permutation_importances(X, y)
    assert permuted["x0"] > 0.05 and abs(permuted["x1"]) < 0.05
    assert permuted.low[0] <= permuted.values[0] <= permuted.high[0]


def test_correlated_attributes_are_worth_more_together() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    X = np.column_stack([x, x + rng.normal(0, 0.05, 300), rng.normal(size=300)])
    y = (x > 0).astype(int)
    forest = acumen.RandomForest(60, random_state=0).fit(X, y)
    alone = forest.permutation_importances(X, y)
    both = forest.permutation_importances(X, y, together=[["x0", "x1"]])
    assert both["x0 and x1"] > 0.9 * (alone["x0"] + alone["x1"]) and both["x0 and x1"] > alone["x0"] + 0.05
    with pytest.raises(ParameterError, match="not an attribute of the training table"):
        forest.permutation_importances(X, y, together=[["nobody"]])


def test_out_of_bag_does_not_lie_on_repeated_patients() -> None:
    """Rows of one patient are near copies: rows drawn alone make out-of-bag errors far too small."""
    rng = np.random.default_rng(3)
    patients = 30
    centre = rng.normal(size=(patients, 6))
    label = rng.integers(0, 2, patients)  # the centre says nothing of it
    who = np.repeat(np.arange(patients), 8)
    X = centre[who] + rng.normal(0, 0.05, (len(who), 6))
    y = label[who]
    alone = acumen.RandomForest(100, random_state=0).fit(X, y).out_of_bag_.error
    grouped = acumen.RandomForest(100, groups=who, random_state=0).fit(X, y).out_of_bag_.error
    assert alone < 0.05 and grouped > 0.3
    bagged = (
        acumen.Bagging(acumen.DecisionTree(), groups=who, n_estimators=30, random_state=0)
        .fit(X, y)
        .out_of_bag_.error
    )
    assert bagged > 0.3


def test_groups_may_be_a_column_and_an_array_is_refused_inside_resampling() -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(4)
    frame = pandas.DataFrame({"x": rng.normal(size=60), "who": np.repeat(np.arange(12), 5)})
    y = np.where(frame.x > 0, "yes", "no")
    forest = acumen.RandomForest(10, groups="who", random_state=0).fit(frame, y)
    assert forest.schema_.names == ("x",)
    assert forest.predict(frame).shape == (60,)
    by_array = acumen.RandomForest(10, groups=frame.who.to_numpy(), random_state=0).fit(frame[["x"]], y)
    assert np.array_equal(by_array.out_of_bag_.votes, forest.out_of_bag_.votes)
    table = acumen.read(frame.assign(y=y), target="y")
    with pytest.raises(DataError, match="where rows are resampled, a column's name"):
        acumen.assess(
            acumen.RandomForest(5, groups=frame.who.to_numpy()), table, acumen.KFold(3), random_state=0
        )
    with pytest.raises(ParameterError, match="Did you mean 'who'"):
        acumen.RandomForest(5, groups="whom").fit(frame, y)


def test_proximity_is_the_share_of_common_leaves() -> None:
    forest = acumen.RandomForest(15, random_state=0).fit(IRIS)
    near = forest.proximity(IRIS)
    leaves = forest.apply(IRIS)
    assert near[3, 77] == (leaves[3] == leaves[77]).mean()
    assert np.array_equal(near, near.T) and (np.diag(near) == 1.0).all()
    assert np.array_equal(forest.proximity(IRIS.take([0, 1]), IRIS), near[:2])


def test_more_proximity_than_there_is_room_for_is_refused_in_a_sentence() -> None:
    forest = acumen.RandomForest(2, max_depth=1, random_state=0).fit(IRIS)
    many = IRIS.take(np.arange(3_000) % 150)
    with (
        limited_memory("65MB"),
        pytest.raises(DataError, match=r"takes 72 MB, and 65 MB.*some rows at a time"),
    ):
        forest.proximity(many)
    with limited_memory("65MB"):
        assert forest.proximity(many.take(np.arange(100)), many).shape == (100, 3_000)


@pytest.mark.parametrize("learner", [acumen.RandomForest(), acumen.Bagging(), acumen.AdaBoost()])
def test_a_fit_without_room_is_refused_in_a_sentence(learner: Any) -> None:
    X = np.arange(60_000.0).reshape(3_000, 20)
    with (
        limited_memory("100kB"),
        pytest.raises(DataError, match="a fit on 3,000 rows of 20 columns would take"),
    ):
        learner.fit(X, np.arange(3_000) % 2)


def test_patience_stops_early_and_keeps_the_first_trees() -> None:
    whole = acumen.RandomForest(60, random_state=0).fit(IRIS)
    early = acumen.RandomForest(60, random_state=0, patience=5).fit(IRIS)
    assert early.n_estimators_ < 60
    curve = whole.out_of_bag_.curve
    stop = early.n_estimators_
    assert stop == 5 + int(np.argmin(curve[:stop])) + 1  # five after the lowest of all so far
    assert np.array_equal(early.model_.packed.node, whole.model_.packed.first(stop).node)


def test_the_surrogate_says_how_faithful_it_is() -> None:
    forest = acumen.RandomForest(30, random_state=0).fit(IRIS)
    rules = forest.to_rules(max_leaf_nodes=3)
    assert len(rules) <= 3 and 0.8 < rules.fidelity <= 1.0
    assert "same answer" in str(rules)


def test_contributions_add_up_to_the_number() -> None:
    table = mixed(80, 6, 0)
    forest = acumen.RandomForestRegressor(12, random_state=0).fit(table)
    why = forest.explain(table.take([5]))
    assert why.start + sum(each.amount for each in why.contributions) == pytest.approx(why.value)


def test_a_level_that_no_row_of_the_node_had_takes_the_heavier_branch() -> None:
    table = Table(
        Schema(
            (Attribute("d", "nominal", ("a", "b", "c", "never")),), Attribute("y", "nominal", ("no", "yes"))
        ),
        12,
        nominal=[np.array([0] * 7 + [1] * 3 + [2] * 2, dtype=np.int32)],
        labels=np.array([0] * 7 + [1] * 5, dtype=np.int32),
    )
    forest = acumen.ExtraTrees(1, random_state=0, max_features="all").fit(table)
    asked = np.array([0, 3, -1, -2], dtype=np.int32)
    rows = Table(Schema(table.schema.attributes), 4, nominal=[asked])
    said = forest.predict(rows).tolist()
    assert said[0] == "no" and said[1] == said[2] == said[3]


def test_a_forest_as_forged_is_refused(tmp_path: Any) -> None:
    table = mixed(120, 8, 3)
    model = acumen.RandomForest(4, random_state=0).fit(table).model_
    arrays = model.to_arrays()
    type(model).from_arrays(arrays, table.schema)

    def forged(**changes: Any) -> None:
        with pytest.raises(ModelFileError):
            type(model).from_arrays({**arrays, **changes}, table.schema)

    inner = int(np.flatnonzero(arrays["node"][:, 0] >> 16 != 0xFFFF)[0])
    leaf = int(np.flatnonzero(arrays["node"][:, 0] >> 16 == 0xFFFF)[0])
    for at, place, value in (
        (inner, 0, 60_000), (inner, 0, 0xFFFE << 16), (inner, 1, 2**31 - 2), (inner, 1, 0), (leaf, 1, 0), (leaf, 0, 5),
    ):  # fmt: skip
        node = arrays["node"].copy()
        if node[at, place] == value:
            continue
        node[at, place] = value
        forged(node=node)
    for name in ("start", "set_start", "cut_ends", "prior", "value"):
        changed = arrays[name].copy()
        changed[-1] = changed[-1] + 7
        forged(**{name: changed})
    forged(sets=arrays["sets"][:-1])
    forged(sets=np.full_like(arrays["sets"], 0xFFFFFFFF))
    forged(cuts=arrays["cuts"][::-1].copy())
    forged(node=arrays["node"].astype(np.int64))


def test_five_hundred_trees_take_as_many_arrays_as_one(tmp_path: Any) -> None:
    forest = acumen.RandomForest(500, random_state=0).fit(IRIS)
    assert len(forest.model_.to_arrays()) < 20
    acumen.save(forest, tmp_path / "forest.acm")
    again = acumen.load(tmp_path / "forest.acm")
    assert np.array_equal(again.predict_proba(IRIS), forest.predict_proba(IRIS))
    assert again.out_of_bag_ is not None if hasattr(again, "out_of_bag_") else again.model_.bag is not None
    assert again.importance_details_["petal_length"] == forest.importance_details_["petal_length"]


def test_w000_48_rows_without_a_vote_make_the_early_curve() -> None:
    """The documented column falls from .44; of voted rows alone it is flat. Mean of 12 forests of 10 trees, p = 2."""
    all_rows, voted = [], []
    for seed in range(12):
        bag = acumen.RandomForest(10, max_features=2, random_state=seed).fit(IRIS).out_of_bag_
        all_rows.append(bag.curve_all)
        voted.append(bag.curve)
    mean = np.mean(all_rows, axis=0)
    simulated = [0.442, 0.304, 0.208, 0.149, 0.118, 0.101, 0.081, 0.073, 0.072, 0.068]
    np.testing.assert_allclose(mean, simulated, atol=0.03)
    assert (np.abs(np.mean(voted, axis=0) - 0.065) < 0.03).all()


def test_w000_47_out_of_bag_is_well_above_the_training_error() -> None:
    X = np.column_stack(IRIS.numeric.columns)
    centred = X - X.mean(axis=0)
    data = centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T
    assert IRIS.labels is not None
    y = (IRIS.labels == 1).astype(int)
    forest = acumen.RandomForest(5, max_features=1, stop_size=3, random_state=0).fit(data, y)
    assert forest.out_of_bag_.error_all > 1 - forest.score(data, y) + 0.05


def test_ctrl_c_keeps_the_trees_that_were_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel says that it was stopped; the learner is fitted with what there is, and the interrupt goes on."""
    from acumen.ensembles import distributed_forest

    real = distributed_forest.grow_forest

    def stopped(rows: Any, seeds: Any, *rest: Any) -> Any:
        return real(rows, seeds[:3], *rest)._replace(stopped=KeyboardInterrupt())

    monkeypatch.setattr(distributed_forest, "grow_forest", stopped)
    forest = acumen.RandomForest(50, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        forest.fit(IRIS)
    assert forest.n_estimators_ == 3 and forest.predict(IRIS).shape == (150,)


def test_figures_are_drawn(tmp_path: Any) -> None:
    forest = acumen.RandomForest(20, random_state=0).fit(IRIS)
    assert "petal_length" in forest.to_svg()
    assert "<svg" in forest.to_svg(what="error")
    with pytest.raises(ParameterError, match="what must be"):
        forest.to_figure(what="nothing")
    extra = acumen.ExtraTrees(5).fit(IRIS)
    assert "petal_length" in extra.to_svg()
    with pytest.raises(ParameterError, match="no out-of-bag rows"):
        extra.to_figure(what="error")


@pytest.mark.parametrize("classes", [2, 4])
def test_extra_trees_of_plain_tables_are_as_good_as_those_of_the_general_way(classes: int) -> None:
    """Plain tables go a way of their own; a missing value anywhere, and the general one is taken."""
    rng = np.random.default_rng(classes)
    X = rng.normal(size=(900, 5))
    y = np.digitize(X[:, 0] + X[:, 1] ** 2 + 0.2 * rng.normal(size=900), [0.4, 1.0, 1.8][: classes - 1])
    gap = X.copy()
    gap[0, 4] = np.nan
    plain, general = (acumen.ExtraTrees(60, random_state=0).fit(data[:600], y[:600]) for data in (X, gap))
    assert plain.score(X[:600], y[:600]) == 1.0  # full trees of all rows know them by heart
    assert abs(plain.score(X[600:], y[600:]) - general.score(X[600:], y[600:])) < 0.04
    assert abs(plain.model_.packed.nodes / general.model_.packed.nodes - 1) < 0.1
    shares = plain.model_.packed.value
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    one, three = (acumen.ExtraTrees(7, random_state=0, n_jobs=n).fit(X, y).model_.packed for n in (1, 3))
    assert np.array_equal(one.node, three.node) and np.array_equal(one.value, three.value)


@pytest.mark.parametrize(
    "learner", [acumen.RandomForest(10**5), acumen.AdaBoost(n_estimators=10**6)], ids=repr
)
def test_an_alarm_clock_that_ends_growing_is_not_taken_for_ctrl_c(learner: Any) -> None:
    """A comparison whose time is over stops a learner by it, and goes on with the others."""
    from acumen.assessment import probing

    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(2000, 3))
    labels = rng.integers(0, 2, size=2000)
    with pytest.raises(probing.TimeUp), probing.time_limit(0.3):
        learner.fit(numbers, labels)


@pytest.mark.parametrize("learner", [acumen.ExtraTrees(3), acumen.RandomForest(3, out_of_bag=False)])
def test_without_rows_out_of_bag_importances_say_that_they_are_of_training_rows(
    learner: Any, tmp_path: Any
) -> None:
    model = learner.fit(IRIS)
    assert "training rows" in model.importance_details_.what and "on the training rows" in model.describe()
    assert not hasattr(model, "out_of_bag_") and "predict" in dir(model)
    with pytest.raises(AttributeError, match=r"no out-of-bag rows .*fit with max_samples=1.0"):
        _ = model.out_of_bag_
    acumen.save(model, tmp_path / "forest.acm")
    again = acumen.load(tmp_path / "forest.acm")
    assert again.importance_details_.to_dict() == model.importance_details_.to_dict()
    assert again.describe() == model.describe()


def test_bagged_trees_still_tell_importances_of_rows_out_of_bag() -> None:
    assert "on rows out of bag" in acumen.Bagging(n_estimators=5, random_state=0).fit(IRIS).describe()
    assert (
        "on the training rows"
        in acumen.Bagging(n_estimators=5, out_of_bag=False, random_state=0).fit(IRIS).describe()
    )


@pytest.mark.parametrize("classes", [0, 2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_importances_of_training_rows_are_the_fall_of_impurity_of_the_splits(
    classes: int, weighted: bool
) -> None:
    """By hand, out of the leaves that training rows come to; plain tables go a way of their own."""
    rng = np.random.default_rng(classes)
    X = rng.normal(size=(120, 3)).round(1)
    y: Any = X[:, 0] + X[:, 1] ** 2 if classes == 0 else rng.integers(0, classes, 120)
    weight = rng.integers(1, 4, 120).astype(float) if weighted else np.ones(120)
    made = acumen.ExtraTreesRegressor if classes == 0 else acumen.ExtraTrees
    model = made(4, random_state=0, max_depth=3).fit(X, y, sample_weight=weight)
    packed, expected = model.model_.packed, np.zeros((4, 3))

    def impurity(rows: Any) -> float:
        w = weight[rows]
        if classes == 0:
            return float(w @ (y[rows] - np.average(y[rows], weights=w)) ** 2)
        shares = np.bincount(y[rows], w, classes) / w.sum()
        return float(w.sum() * (1 - shares @ shares))

    leaves = model.apply(X)
    for t in range(4):
        node = packed.node[packed.start[t] : packed.start[t + 1]]

        def below(at: int, t: int = t, node: Any = node) -> Any:
            test, child = int(node[at, 0]), int(node[at, 1])
            if test >> 16 == 0xFFFF:
                return leaves[:, t] == at
            left = child & 0x7FFFFFFF
            parts = below(left), below(left + 1)
            rows = parts[0] | parts[1]
            expected[t, test & 0xFFFF] += impurity(rows) - sum(map(impurity, parts))
            return rows

        below(0)
    assert np.allclose(model.importance_details_.by_tree, expected / weight.sum(), atol=1e-12)


def test_what_trees_say_of_rows_out_of_bag_is_read_from_a_file(tmp_path: Any) -> None:
    forest = acumen.RandomForest(20, random_state=0).fit(IRIS)
    acumen.save(forest, tmp_path / "forest.acm")
    assert str(acumen.load(tmp_path / "forest.acm").out_of_bag_) == str(forest.out_of_bag_)


def test_rules_that_are_asked_about_an_array_say_what_they_want() -> None:
    rules = acumen.RandomForest(10, random_state=0).fit(IRIS).to_rules(max_leaf_nodes=4)
    assert len(rules.predict(IRIS)) == 150
    with pytest.raises(DataError, match=r"expected a Table, as acumen.read\(data\) returns; got ndarray"):
        rules.predict(np.zeros((3, 4)))


def test_trees_that_vote_otherwise_are_named() -> None:
    """Those of the other classes, counted from 1, where they are few."""
    forest = acumen.RandomForest(20, random_state=0).fit(IRIS)
    model = forest.predictor_.model
    assert isinstance(model, ForestModel)
    for place in range(len(IRIS)):
        row = IRIS.take([place])
        best = model.answers(row)[0]
        votes = np.bincount(best, minlength=3)
        others = [c for c in np.argsort(-votes, kind="stable")[1:] if votes[c]]
        note = str(forest.explain(row).note)
        for c in others:
            trees = np.flatnonzero(best == c) + 1
            named = f" (tree{'s' * (len(trees) > 1)} {', '.join(map(str, trees))})" if len(trees) <= 8 else ""
            assert f"{votes[c]} for {IRIS.schema.classes[c]}{named}" in note
        if not others:
            assert "(" not in note
    assert any(len(np.unique(line)) > 1 for line in model.answers(IRIS))


def test_rows_of_one_class_are_not_shed_level_by_level_from_rows_of_missing_value():
    """What is known is of one class below the first split: no further split gains anything, whatever is missing."""
    n = 2000
    labels = np.random.default_rng(0).integers(0, 2, 2 * n).astype(np.int32)
    codes = np.concatenate([np.arange(n), np.full(n, -1)]).astype(np.int32)
    levels = Attribute("x", "nominal", tuple(f"v{i}" for i in range(n)))
    schema = Schema((levels,), Attribute("y", "nominal", ("a", "b")))
    model = acumen.Bagging(n_estimators=2, random_state=0).fit(
        Table(schema, 2 * n, nominal=[codes], labels=labels)
    )
    trees = model.predictor_.model.members[0].packed
    assert trees.nodes <= 2 * 5


@pytest.mark.slow
def test_importances_of_noise_are_centred_at_zero_however_many_values_it_has() -> None:
    worth = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = np.column_stack([rng.normal(size=90), rng.integers(0, 2, 90), rng.integers(0, 4, 90)])
        forest = acumen.RandomForest(25, random_state=seed).fit(X, y := rng.integers(0, 2, 90))
        found, permuted = forest.importance_details_, forest.permutation_importances(X, y)
        worth.append([each[f"x{j}"] for each in (found, permuted) for j in range(3)])
    mean, error = np.mean(worth, axis=0), np.std(worth, axis=0, ddof=1) / np.sqrt(len(worth))
    assert (np.abs(mean) < 3.3 * error).all(), mean / error
