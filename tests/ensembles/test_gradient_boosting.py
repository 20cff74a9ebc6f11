"""Gradient boosting: a round against its naive twin, exact sums, early stopping, monotone trees, the file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.ensembles.column_codes import CodedColumns
from acumen.ensembles.gradient_boosting import (
    PATIENCE,
    BoostingOptions,
    GradientRows,
    HeldOutParts,
    held_out_curve,
)
from acumen.errors import ModelFileError, ParameterError
from additive_tables import interacting, mixed, numbers
from ctrl_c_pressed import pressed_after
from reference import gradient_boost as twin

IRIS = acumen.datasets.load("iris")


def codes_of(table: Table) -> tuple[list[list[int | None]], list[bool]]:
    coded = CodedColumns.of(table, 255)
    return [[None if c == 255 else int(c) for c in column] for column in coded.columns], [
        bool(flag) for flag in coded.nominal
    ]


@pytest.mark.parametrize("seed", range(4))
def test_a_round_is_that_of_its_twin(seed: int) -> None:
    table = mixed(120, seed, 2)
    model = acumen.Boosting(n_estimators=1, max_leaf_nodes=6, min_samples_leaf=5, learning_rate=0.3).fit(
        table
    )
    y = table.labels.tolist()
    base = float(np.log(np.mean(y) / (1 - np.mean(y))))
    codes, nominal = codes_of(table)
    g, h = twin.slopes_of_two_classes([base] * 120, y)
    grown = twin.tree(codes, nominal, g, h, leaves=6, leaf_size=5, l2=1.0)
    expected = base + 0.3 * np.array(twin.told(grown, 120))
    p = model.predict_proba(table)
    assert np.abs(np.log(p[:, 1] / p[:, 0]) - expected).max() < 1e-8


def test_a_round_of_numbers_is_that_of_its_twin() -> None:
    table = numbers(120, 5)
    model = acumen.BoostingRegressor(
        n_estimators=1, max_leaf_nodes=8, min_samples_leaf=4, learning_rate=1.0, l2_regularization=0.5
    ).fit(table)
    y = table.response
    codes, nominal = codes_of(table)
    g = ((y.mean() - y) / y.std()).tolist()
    grown = twin.tree(codes, nominal, g, [1.0] * 120, leaves=8, leaf_size=4, l2=0.5)
    expected = y.mean() + y.std() * np.array(twin.told(grown, 120))
    assert np.abs(model.predict(table) - expected).max() < 1e-8 * y.std()


def test_several_classes_have_a_tree_each() -> None:
    table = mixed(150, 6, 3)
    model = acumen.Boosting(n_estimators=1, max_leaf_nodes=5, min_samples_leaf=6, learning_rate=0.5).fit(
        table
    )
    shares = np.bincount(table.labels) / 150
    codes, nominal = codes_of(table)
    base = np.log(shares) - np.log(shares).mean()
    expected = np.tile(base, (150, 1))
    for k in range(3):
        g = [shares[k] - (label == k) for label in table.labels.tolist()]
        h = [1.5 * shares[k] * (1 - shares[k])] * 150
        grown = twin.tree(codes, nominal, g, h, leaves=5, leaf_size=6, l2=1.0)
        expected[:, k] += 0.5 * np.array(twin.told(grown, 150))
    shares_told = np.exp(expected) / np.exp(expected).sum(axis=1, keepdims=True)
    assert np.abs(model.predict_proba(table) - shares_told).max() < 1e-9


def many_levels(rows: int, levels: int, seed: int) -> Table:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, levels, rows).astype(np.int32)
    effect = rng.normal(0, 2, levels)
    x = rng.normal(size=(rows, 3))
    labels = (rng.random(rows) < 1 / (1 + np.exp(-effect[codes] - x[:, 0]))).astype(np.int32)
    attributes = (
        *(Attribute(f"x{j}") for j in range(3)),
        Attribute("shop", "nominal", tuple(f"s{i}" for i in range(levels))),
    )
    schema = Schema(attributes, Attribute("y", "nominal", ("no", "yes")))
    return Table(schema, rows, numeric=list(x.T), nominal=[codes], labels=labels)


@pytest.mark.parametrize("levels", [12, 60, 300])
def test_a_round_of_many_levels_is_that_of_its_twin(levels: int) -> None:
    table = many_levels(200, levels, levels)
    model = acumen.Boosting(n_estimators=1, max_leaf_nodes=6, min_samples_leaf=5, learning_rate=0.3).fit(
        table
    )
    y = table.labels.tolist()
    base = float(np.log(np.mean(y) / (1 - np.mean(y))))
    codes, nominal = codes_of(table)
    g, h = twin.slopes_of_two_classes([base] * 200, y)
    grown = twin.tree(codes, nominal, g, h, leaves=6, leaf_size=5, l2=1.0)
    p = model.predict_proba(table)
    expected = base + 0.3 * np.array(twin.told(grown, 200))
    assert np.abs(np.log(p[:, 1] / p[:, 0]) - expected).max() < 1e-8


@pytest.mark.parametrize("each", [1, 2])
@pytest.mark.parametrize("numbers", [False, True])
def test_a_column_of_names_is_not_learned_by_heart(numbers: bool, each: int) -> None:
    rng = np.random.default_rng(8)
    n = 240
    x = rng.normal(size=n)
    score = 2 * x + rng.normal(0, 1, n)
    names = tuple(f"n{i}" for i in range(n // each))
    codes = rng.permutation(np.arange(n) % len(names)).astype(np.int32)
    attributes = (Attribute("x"), Attribute("name", "nominal", names))
    target = Attribute("y") if numbers else Attribute("y", "nominal", ("no", "yes"))
    told: dict[str, Any] = {"response": score} if numbers else {"labels": (score > 0).astype(np.int32)}
    table = Table(Schema(attributes, target), n, numeric=[x], nominal=[codes], **told)
    learner = acumen.BoostingRegressor if numbers else acumen.Boosting
    found = learner(n_estimators=40).fit(table)
    assert found.feature_importances_[list(found.schema_.names).index("name")] < 0.02


def test_a_table_of_few_rows_is_split_too() -> None:
    x = np.arange(30.0)
    model = acumen.Boosting(n_estimators=40).fit(x[:, None], (x >= 25).astype(int))
    assert model.score(x[:, None], (x >= 25).astype(int)) == 1.0


def test_the_number_of_threads_changes_no_byte_and_levels_have_no_limit() -> None:
    table = many_levels(12_000, 700, 0)
    given: dict[str, Any] = {"n_estimators": 8, "subsample": 0.8, "colsample_bytree": 0.75, "random_state": 3}
    one, two = (acumen.Boosting(n_jobs=n, **given).fit(table) for n in (1, 3))
    assert one.model_.packed.node.tobytes() == two.model_.packed.node.tobytes()
    assert one.model_.packed.value.tobytes() == two.model_.packed.value.tobytes()
    assert one.model_.packed.sets.tobytes() == two.model_.packed.sets.tobytes()
    assert acumen.Boosting(n_estimators=30).fit(table).score(table) > 0.75


def test_rows_in_another_order_grow_the_same_trees() -> None:
    table = mixed(500, 3, 2)
    order = np.random.default_rng(0).permutation(500)
    one, two = (acumen.Boosting(n_estimators=10).fit(t) for t in (table, table.take(order)))
    assert one.model_.packed.value.tobytes() == two.model_.packed.value.tobytes()


@pytest.mark.parametrize("learner", [acumen.Boosting, acumen.BoostingRegressor])
def test_chosen_rounds_take_a_weight_of_three_for_three_rows_in_any_order(learner: Any) -> None:
    rng = np.random.default_rng(5)
    X = np.round(rng.normal(size=(60, 3)), 1)
    y = X[:, 0] + rng.normal(0, 1, 60)
    y = (y > 0).astype(int) if learner is acumen.Boosting else np.round(y, 1)
    times = rng.integers(0, 4, 60)
    weighted = learner(random_state=3).fit(X, y, sample_weight=times)
    each = rng.permutation(np.repeat(np.arange(60), times))
    repeated = learner(random_state=3).fit(X[each], y[each])
    assert weighted.n_estimators_ == repeated.n_estimators_ > 1
    assert np.allclose(weighted.held_out_, repeated.held_out_, rtol=1e-9)
    told = "predict_proba" if learner is acumen.Boosting else "predict"
    assert np.allclose(getattr(weighted, told)(X), getattr(repeated, told)(X), atol=1e-9)


def test_parts_hold_each_row_once_and_each_class_evenly() -> None:
    table = mixed(503, 3, 2)
    none, signs = np.empty(0), np.empty(0, dtype=np.int8)
    for weights in (none, np.arange(503) % 4 + 1.0, np.linspace(0.5, 2.0, 503)):
        rows = GradientRows.of(CodedColumns.of(table, 255), table.labels, none, weights, 3, signs)
        parts = [HeldOutParts.of(rows, np.random.default_rng(0)).part_weights(part) for part in range(5)]
        assert np.allclose(np.sum(parts, axis=0), rows.row_weights)
        each = np.array([np.bincount(table.labels, held) for held in parts])
        assert np.ptp(each, axis=0).max() <= (2 if rows.unit == 1.0 else 0.2 * each.max())
        assert all(((held == 0) | (held == rows.row_weights)).all() for held in parts) or weights is not none


def test_rounds_are_chosen_by_rows_held_out() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 8))
    y = (X[:, 0] + rng.normal(0, 2, 600) > 0).astype(int)
    auto = acumen.Boosting(random_state=0).fit(X, y)
    assert auto.n_estimators_ == int(np.argmin(auto.held_out_)) + 1 < 60
    fresh = rng.normal(size=(4000, 8))
    truth = (fresh[:, 0] + rng.normal(0, 2, 4000) > 0).astype(int)

    def loss(model: Any) -> float:
        return float(-np.log(model.predict_proba(fresh)[np.arange(4000), truth]).mean())

    assert loss(auto) < 0.68 < loss(acumen.Boosting(n_estimators=200).fit(X, y))
    assert len(acumen.Boosting(n_estimators=3).fit(X, y).held_out_) == 0


def test_parts_are_judged_together_for_as_long_as_the_last_of_them() -> None:
    table = interacting(150, 3)
    none = np.empty(0)
    rows = GradientRows.of(
        CodedColumns.of(table, 255), table.labels, none, none, 1, np.empty(0, dtype=np.int8)
    )
    options = BoostingOptions("auto", 0.1, 31, 15.0, 1.0, 1.0, 1.0, 7)
    parts = HeldOutParts.of(rows, np.random.default_rng(0))
    curve, stopped = held_out_curve(rows, options, parts)

    def alone(part: int, **given: Any) -> np.ndarray:
        made, _ = rows.run(replace(options, **given), parts.part_weights(part))
        return np.asarray(made["held"])

    lengths = [len(alone(part, patience=PATIENCE)) for part in range(5)]
    assert stopped is None
    assert len(curve) == max(lengths) > min(lengths)
    whole = [alone(part, rounds=len(curve)) for part in range(5)]
    assert np.allclose(
        curve, np.average(whole, axis=0, weights=[parts.part_weights(part).sum() for part in range(5)])
    )


def test_rows_without_a_value_go_where_they_gain_most() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=600)
    y = (x > 0).astype(int)
    x[(y == 1) & (rng.random(600) < 0.5)] = np.nan  # a gap speaks for the second class
    model = acumen.Boosting(n_estimators=20).fit(x[:, None], y)
    assert model.predict_proba([[np.nan]])[0, 1] > 0.9


@pytest.mark.parametrize("sign", [1, -1])
def test_monotone_trees_are_monotone(sign: int) -> None:
    rng = np.random.default_rng(4)
    X = rng.uniform(-2, 2, size=(800, 2))
    y = sign * X[:, 0] + np.sin(3 * X[:, 0]) + X[:, 1] ** 2 + rng.normal(0, 0.3, 800)
    model = acumen.BoostingRegressor(n_estimators=60, monotone={"x0": sign}).fit(X, y)
    line = np.linspace(-2, 2, 200)
    for other in (-1.5, 0.0, 1.2):
        told = model.predict(np.column_stack([line, np.full(200, other)]))
        assert (sign * np.diff(told) >= -1e-9).all()
    assert model.score(X, y) > 0.8
    with pytest.raises(ParameterError, match="two classes"):
        acumen.Boosting(monotone={"petal_width": 1}).fit(IRIS)
    with pytest.raises(ParameterError, match="Did you mean 'x0'"):
        acumen.BoostingRegressor(monotone={"x00": 1}).fit(X, y)


def test_what_attributes_move_adds_up_and_is_told(tmp_path: Any) -> None:
    table = interacting(400, 1)
    model = acumen.Boosting(n_estimators=30).fit(table)
    for i in range(4):
        row = table.take(np.array([i]))
        p = model.predict_proba(row)[0]
        told = model.explain(row)
        assert abs(sum(e.log_odds for e in told.evidence) - np.log(p.max() / p.min())) < 1e-9
    worth = dict(zip(model.schema_.names, model.feature_importances_, strict=True))
    assert set(sorted(worth, key=lambda name: -worth[name])[:2]) == {"a", "b"}
    assert abs(model.feature_importances_.sum() - 1) < 1e-9
    line = acumen.BoostingRegressor(n_estimators=30).fit(numbers(300, 1))
    told = line.explain(numbers(300, 1).take(np.array([5])))
    assert abs(told.start + sum(c.amount for c in told.contributions) - told.value) < 1e-6
    auto = acumen.Boosting(random_state=1).fit(table)
    assert auto.to_svg(what="loss").startswith("<svg") and auto.to_svg().startswith("<svg")
    acumen.save(auto, tmp_path / "boosting.acm")
    again = acumen.load(tmp_path / "boosting.acm")
    assert np.array_equal(again.predict_proba(table), auto.predict_proba(table))
    assert again.n_estimators_ == auto.n_estimators_ and "Rounds chosen on held-out rows" in again.describe()


def test_a_forged_model_is_refused() -> None:
    model = acumen.Boosting(n_estimators=4).fit(IRIS).model_
    arrays, schema = model.to_arrays(), IRIS.schema
    type(model).from_arrays(arrays, schema)
    for name, change in (
        ("seen", lambda a: ~a), ("base", lambda a: a[:-1]), ("gain", lambda a: -a - 1), ("value", lambda a: a + 1e301),
    ):  # fmt: skip
        with pytest.raises(ModelFileError):
            type(model).from_arrays({**arrays, name: change(arrays[name])}, schema)


def test_progress_is_told_on_stderr(capsys: Any) -> None:
    acumen.Boosting(n_estimators=20, progress=True).fit(IRIS)
    assert "Boosting: 20 rounds" in capsys.readouterr().err


def test_a_stop_leaves_the_rounds_that_were_finished(ctrl_c: None) -> None:
    table = many_levels(20_000, 50, 1)
    model = acumen.Boosting(n_estimators=2_000_000)
    for seconds in (1.0, 5.0, 25.0, 125.0):  # where a busy machine had not begun, there is nothing to be kept
        with pytest.raises(KeyboardInterrupt), pressed_after(seconds):
            model.fit(table)
        if hasattr(model, "predictor_") and model.n_estimators_:
            break
    assert 0 < model.n_estimators_ < 2_000_000 and model.score(table) > 0.6


def test_of_a_single_row_nothing_is_held_out(tmp_path: Any) -> None:
    model = acumen.BoostingRegressor(random_state=0).fit([[1.0]], [2.0])
    assert len(model.held_out_) == 0
    acumen.save(model, tmp_path / "one.acm")
    assert acumen.load(tmp_path / "one.acm").predict([[1.0]]) == pytest.approx([2.0])
